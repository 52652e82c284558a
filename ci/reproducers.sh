#!/usr/bin/env bash
# For every rule and every defect that it claims, on each product in $PRODUCTS (default: a2 a3): compiles the reproducer
# of the run, and runs it on a device with the defect and on one without. Fails if fewer than 98 % agree with the
# engine, and names the others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ATLAS_CTS_REPRODUCERS=${PRODUCTS:-a2 a3} cargo test -p atlas-cts --test tests -- reproducers:: --nocapture

#!/usr/bin/env bash
# Every rule with every defect that it claims, on each product of $PRODUCTS (a2 and a3): the run's reproducer is compiled, and run
# on a device with the defect and on one without. Fails where fewer than 98 of 100 say what the engine said; names the others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ATLAS_CTS_REPRODUCERS=${PRODUCTS:-a2 a3} cargo test -p atlas-cts --test tests -- reproducers:: --nocapture

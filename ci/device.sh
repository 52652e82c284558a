#!/usr/bin/env bash
# A nightly run on a machine with devices: never on the simulated device, with a fresh seed and a floor of executed
# rules.
#
#   ci/device.sh PRODUCT FLOOR REPORT_DIR
#
# ATLAS_CTS_DEDICATED=1 also runs the rules that use all memory of a device; set it only if the devices have no other
# user.
#
# Exit status: 0 conformant, 1 a rule is broken, 2 usage, 3 unknown (device, driver or environment failed).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ $# -ne 3 ]; then
    sed -n '2,10p' "$0" >&2
    exit 2
fi
exec cargo test --release -- --product "$1" --backend device --profile nightly --tune min-executed="$2" --report-dir "$3"

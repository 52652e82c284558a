#!/usr/bin/env bash
# A night's run on a machine with devices: never on the simulated device, a fresh seed, a floor of executed rules.
#
#   ci/nightly.sh PRODUCT FLOOR REPORT_DIR
#
# Where nobody else uses the devices, ATLAS_CTS_DEDICATED=1 also runs the rules that take all memory of one.
#
# Exit status: 0 conformant, 1 a rule is broken, 2 usage, 3 the answer is not known (device, driver, environment).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ $# -ne 3 ]; then
    sed -n '2,8p' "$0" >&2
    exit 2
fi
exec cargo test --release -- --product "$1" --backend device --profile nightly --min-executed "$2" --report-dir "$3"

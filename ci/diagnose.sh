#!/usr/bin/env bash
# Measures the diagnosis and the budgets of a product on the simulated device, and prints the figures:
#   ci/diagnose.sh PRODUCT [PART…]     PART: one, pairs, strange, variants, budgets; default: all
# The dictionary was made with seed 1; the runs here have other seeds and draw other cases.
#   one       each of DRAWN defects alone: is it named first, among the first three?
#   pairs     PAIRS pairs of defects at once: are both among the first five?
#   strange   devices that are wrong in ways that no defect has (fixtures/strange, denied functions, bad devices)
#   variants  a faithful device and every legal variant: nothing may be named
#   budgets   DRAWN defects within each level: the share that is killed, predicted and run
# Fails if a share is below its floor, or if a variant is named. A defect that the run does not notice is counted apart.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
product=${1:?ci/diagnose.sh PRODUCT}
shift
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(one pairs strange variants budgets)
. ci/command.sh
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
# Wrappers around the simulated library: each changes one function.
library=$("$CTS" simulator --print-path "$work")
for device in $(seq 1 16); do
    gcc -shared -fPIC -O1 -DDEVICE="$device" -o "$work/strange-$(printf %02d "$device").so" fixtures/strange/devices.c \
        -Wl,--no-as-needed "$library" -Wl,-rpath,"$(cd "$work" && pwd)" -ldl
done
exec python3 ci/diagnose.py "$CTS" "$product" "$work" "${DRAWN:-60}" "${PAIRS:-30}" "${JOBS:-2}" "${parts[@]}"

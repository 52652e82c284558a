#!/usr/bin/env bash
# Runs the vendor's sample programs on the simulated device:
#   ci/samples.sh FOLDER [SAMPLE…]     FOLDER: a snapshot of the vendor's repository hicann/runtime
# Each sample is compiled with g++ against the snapshot's headers, linked with the simulated library and with kernels
# without device code (ci/samples/*.cpp), and run; SAMPLE is a part of its name, default: all.
# ci/samples/expected.tsv has a line for each sample: how it is started, and what of its output shows that it behaves as
# its README says, or the reason why it does not, or is out of reach. Fails if a sample that should behave does not.
# Logs and scratch folders are under WORK (default: a new folder). JOBS samples run at a time (default: 2).
set -euo pipefail
snapshot=$(realpath -m "${1:?give the folder of a clone of hicann/runtime}")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for needed in example include/external/acl/acl.h; do
    [ -e "$snapshot/$needed" ] && continue
    echo "ci/samples.sh: $snapshot/$needed is missing; give the folder of a clone of hicann/runtime" >&2
    exit 2
done
if ! command -v g++ >/dev/null; then
    echo "ci/samples.sh: g++ is missing; install it (apt-get install g++)" >&2
    exit 2
fi
. ci/command.sh
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
exec python3 ci/samples/run.py "$(realpath "$CTS")" "$snapshot" "$(realpath "$work")" "${JOBS:-2}" "$@"

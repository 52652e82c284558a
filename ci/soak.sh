#!/usr/bin/env bash
# Soaks on the simulated device: each cycle notices the defects in the list below (its rows in proof.tsv), by a number
# of cycles, and the faithful device and legal variants raise no alarm.
#
#   ci/soak.sh [MINUTES]   minutes for the faithful device; default: 3
#
# CTS is the command; by default it is built. VARIANTS lists the legal variants to try, a minute each.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
minutes=${1:-3}
cts=${CTS:-}
if [ -z "$cts" ]; then
    cargo build --release -p atlas-cts || exit 1
    cts=target/release/atlas-cts
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0

# Runs a soak, and compares its exit status.
expect() {
    local name=$1 wanted=$2
    shift 2
    "$cts" run --strict --profile soak --specs specs --product a2 --backend simulator --report-dir "$out/$((passed + failed))" "$@" \
        >"$out/log" 2>&1
    local status=$?
    if [ $status -eq "$wanted" ]; then
        passed=$((passed + 1)) && echo "ok      $name"
    else
        failed=$((failed + 1)) && echo "FAILED  $name (exit status $status instead of $wanted)" && cat "$out/log"
    fi
}

while read -r rule cycles defect; do
    expect "$rule notices $defect" 1 "$rule" --defect "$defect" --for "${cycles}x"
done <<'END'
acl.cycle.device-blocks 6000 free.every-50th-keeps-a-page
acl.cycle.device-blocks 16000 free.every-1000th-keeps-a-page
acl.cycle.refused-blocks 6000 malloc.every-50th-refusal-keeps-a-page
acl.cycle.host-blocks 16000 host.every-1000th-free-keeps-heap
acl.cycle.managed-blocks 6000 managed.every-50th-free-keeps-mapping
acl.cycle.streams 6000 stream.every-50th-destroy-keeps-descriptor
acl.cycle.streams 6000 stream.every-50th-destroy-keeps-thread
acl.cycle.streams 70000 stream.numbers-run-out
acl.cycle.events 16000 event.every-1000th-destroy-keeps-descriptor
acl.cycle.notifies 16000 notify.creation-searches-destroyed
acl.cycle.notifies 2000 notify.wait-ignored
acl.cycle.contexts 6000 context.counter-wraps
END
expect "the faithful device is steady" 0 --for "${minutes}m"
for variant in ${VARIANTS:-variant.free-memory-lags variant.free-memory-noisy variant.handles-reused-at-once}; do
    expect "$variant is steady" 0 --defect "$variant" --for 1m
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

#!/usr/bin/env bash
# Counts the page faults of a run by cause: programs and libraries, memory of the device, heap, other memory. Needs perf;
# without it, says so and checks nothing. Arguments go to `run`; without any, a default run of a2.
#
#     ci/faults.sh [--product a2 FILTER…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v perf >/dev/null || ! perf stat -e minor-faults true 2>/dev/null; then
    echo "faults: NOT COUNTED, perf is missing or may not count"
    exit 0
fi
cts=${CTS:-target/debug/atlas-cts}
[ -x "$cts" ] || cargo build -q -p atlas-cts
[ $# -gt 0 ] || set -- --product a2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Every 50th fault, with its address.
period=50
status=0
perf record -q -d -e minor-faults -c $period -o "$folder/data" -- \
    "$cts" run --backend simulator --report-dir "$folder/report" "$@" >"$folder/out" 2>&1 || status=$?
tail -n 4 "$folder/out"
report() {
    perf report --mem-mode -i "$folder/data" -F sample,dso_daddr"${1:+,$1}" --stdio 2>/dev/null |
        awk '!/^#/ && NF' || true
}
report '' | awk -v period=$period '
    { n = $1 * period; total += n }
    / dev[0-9]+\.mem/ { device += n; next }
    /\[heap\]/ { heap += n; next }
    / anon|\[stack|unknown/ { other += n; next }
    { files += n }
    END {
        printf "%d faults: %d in memory of devices, %d in other mappings, %d in the heap, %d in programs and libraries\n",
            total, device, other, heap, files
    }'
echo "the functions with the most faults:"
report symbol | sort -rn | head -n 15 | awk -v period=$period '{ $1 = $1 * period; print "  " $0 }'
exit $status

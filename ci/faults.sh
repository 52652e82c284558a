#!/usr/bin/env bash
# Counts the page faults of a run by cause: programs and libraries, memory of the device, heap, other memory. A second run
# has the shares of processor time: the book, page handling, starts of processes, everything else. Needs perf; without it,
# says so and checks nothing. Arguments go to `run`; without any, a default run of a2.
#
#     CTS=target/release/atlas-cts ci/faults.sh [--product a2 FILTER…]
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

# A sample belongs to the first kind one of whose symbols its stack has.
perf record -q -g -F 499 -o "$folder/time" -- \
    "$cts" run --backend simulator --report-dir "$folder/second" "$@" >/dev/null 2>&1 || true
echo "shares of processor time:"
perf script -i "$folder/time" -F comm,ip,sym 2>/dev/null | awk '
    function ends() {
        if (stack == "") return
        total++
        kind = "everything else"
        if (stack ~ /(execve|exit_mmap|copy_process|load_elf_binary|do_exit)/) kind = "starts and ends of processes"
        else if (stack ~ /(asm_exc_page_fault|munmap|do_madvise|fallocate|ftruncate|mmap_region)/) kind = "page handling"
        else if (stack ~ /(postcard|catalog::|serde_saphyr|granit_parser|sha2::)/) kind = "the book and the catalog"
        count[kind]++
        stack = ""
    }
    /^[^ \t]/ { ends(); next }
    NF { stack = stack " " $0 }
    END { ends(); for (kind in count) printf "  %5.1f %%  %s\n", 100 * count[kind] / total, kind }' | sort -rn
exit $status

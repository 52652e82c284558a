#!/usr/bin/env bash
# Checks that verdicts do not depend on the speed of the machine: compares, rule by rule, the default run and the proof
# of a product on a quiet machine, with busy loops and with slow calls. Rules cut by the watchdog are unknown, and only
# counted.
#
#   ci/speed.sh [SEED]
#
# SEED (default: today's date) draws the forty rules that also run with calls of 30 ms, with two that once passed there.
# Environment: PRODUCT (a2), LOOPS (8), JOBS (16, because with slow calls a rule mostly waits), CTS (the command to use
# instead of a release build).
set -uo pipefail
# The words of the output are read below.
export ATLAS_CTS_LANG=en
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
seed=${1:-$(date +%Y%m%d)}
product=${PRODUCT:-a2}
. ci/command.sh
work=$(mktemp -d)
loops=()
quieten() {
    for loop in "${loops[@]}"; do kill "$loop" 2>/dev/null && wait "$loop" 2>/dev/null; done
    loops=()
}
trap 'quieten; rm -rf "$work"' EXIT
busy() {
    for _ in $(seq "${LOOPS:-8}"); do
        sh -c 'while :; do :; done' &
        loops+=($!)
    done
}
# run NAME ARGUMENT...: writes the verdicts of a run, one line for each rule
run() {
    local name=$1
    shift
    "$CTS" run --product "$product" --backend simulator --jobs "${JOBS:-16}" --report-dir "$work/$name" "$@" >"$work/$name.out" 2>&1
    local status=$?
    sed -nE 's/^\{"result":\{"id":"([^"]*)","verdict":"([a-z-]*)".*/\1\t\2/p' \
        "$work/$name/results.jsonl" | sort >"$work/$name.tsv"
    echo "$name: exit $status, $(wc -l <"$work/$name.tsv") rules, $SECONDS s; $(grep -m1 -o 'patience [0-9]* ms' "$work/$name.out")"
}
# prove NAME ARGUMENT...: writes the result of a proof for each rule and defect, without rates
prove() {
    local name=$1
    shift
    "$CTS" catalog prove --verbose --product "$product" --backend simulator --jobs "${JOBS:-16}" "$@" >"$work/$name.out" 2>&1
    local status=$?
    sed -nE 's/, by about .* of the cases//; /^  (proven|NOT PROVEN) /{s/^ *//;h;p}; /^ {14}/{G;s/\n.*  / of /;s/^ *//;p}' \
        "$work/$name.out" | sort >"$work/$name.tsv"
    echo "$name: exit $status, $(grep -c '^proven' "$work/$name.tsv") proven, $SECONDS s; $(grep -E '^  (defects|not known|unknown)' "$work/$name.out" | tr -s ' ' | tr '\n' ';')"
}
failed=0
# A line of a proof that was cut on a device.
unknown='(not known|unknown) on'
# same NAME OTHER: checks that, for each rule, OTHER has the result of NAME or reports it as unknown
same() {
    local name=$1 other=$2
    grep -cE "	cut\$|$unknown" "$work/$other.tsv" | sed "s/^/$other: unknown /"
    join -t '	' -j 1 <(sort "$work/$name.tsv") <(sort "$work/$other.tsv") >"$work/both" 2>/dev/null
    local differing
    if grep -q '	' "$work/$name.tsv"; then
        differing=$(awk -F '\t' '$3 != "cut" && $2 != $3' "$work/both")
    else
        differing=$(diff <(grep -vE "$unknown" "$work/$name.tsv") <(grep -vE "$unknown" "$work/$other.tsv"))
    fi
    if [ ! -s "$work/$other.tsv" ] || [ -n "$differing" ]; then
        failed=$((failed + 1))
        echo "$other: DIFFERS FROM $name"
        echo "$differing"
    fi
}
run quiet
prove proof
busy
run with-loops
prove proof-with-loops
quieten
run calls-of-1ms --sim call-ns=1000000
run calls-of-5ms --sim call-ns=5000000
prove proof-calls-of-1ms --sim call-ns=1000000
same quiet with-loops
same quiet calls-of-1ms
same quiet calls-of-5ms
same proof proof-with-loops
same proof proof-calls-of-1ms
# Two rules that once missed their defects with slow calls, and forty drawn ones.
mapfile -t drawn < <(awk -F '\t' '$2 != "skipped" {print $1}' "$work/quiet.tsv" | shuf -n 40 --random-source=<(yes "$seed"))
two=(acl.host.no-sync acl.copy.sync-no-implicit-sync)
run calls-of-30ms --sim call-ns=30000000 "${drawn[@]}" "${two[@]}"
same quiet calls-of-30ms
run broken --defect copy.tail-rounded-to-32-above-64KiB,host.malloc-waits-for-device,copy.waits-for-other-streams "${two[@]}"
run broken-calls-of-5ms --sim call-ns=5000000 \
    --defect copy.tail-rounded-to-32-above-64KiB,host.malloc-waits-for-device,copy.waits-for-other-streams "${two[@]}"
same broken broken-calls-of-5ms
echo "seed $seed: runs that differ: $failed"
[ "$failed" -eq 0 ]

#!/usr/bin/env bash
# Runs the suite for every product of every runtime, or for those in PRODUCTS, on the simulated device. Each has to
# execute at least the number of rules in the runtime's floors.tsv.
set -uo pipefail
# The words of the output are read below.
export ATLAS_CTS_LANG=en
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
status=0
for floors in specs/*/floors.tsv; do
    runtime=$(basename "$(dirname "$floors")")
    while IFS=$'\t' read -r product floor; do
        case $product in '' | '#'*) continue ;; esac
        [ -n "${PRODUCTS:-}" ] && [[ " $PRODUCTS " != *" $product "* ]] && continue
        log=$(mktemp)
        cargo test --quiet -- --runtime "$runtime" --product "$product" --tune min-executed="$floor" --backend simulator \
            >"$log" 2>&1
        exit=$?
        if [ $exit -eq 0 ]; then
            echo "$runtime $product: $(grep '^verdicts' "$log") (floor $floor)"
        else
            cat "$log"
            echo "$runtime $product: exit status $exit (floor $floor)"
            status=1
        fi
        rm -f "$log"
    done <"$floors"
done
exit $status

#!/usr/bin/env bash
# Proves the rules for every product of every runtime, and holds what the chapters reach against the runtime's
# ratchet.tsv. Arguments are passed on to every proof: before a release, and in a nightly job,
#   ci/prove.sh --glitches
#   ci/prove.sh --variants --matrix
#   ci/prove.sh --seeds 20
# ask which checks are needed, run every rule on every legal variant of the device and on every defect that it reaches,
# and everything with twenty seeds; each takes minutes for a product (docs/benchmarks.md). `ci/prove.sh --raise` raises
# the ratchet.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# The products, with blanks between; none: all.
products=${PRODUCTS:-}
# `no`: the claims only, without asking which checks are needed.
ratchet_wanted=${PROVE_RATCHET:-yes}
status=0
for floors in specs/*/floors.tsv; do
    folder=$(dirname "$floors")
    while IFS=$'\t' read -r product _; do
        case $product in '' | '#'*) continue ;; esac
        [ -n "$products" ] && [[ " $products " != *" $product "* ]] && continue
        # Only the products of the ratchet leave out checks: the others have nothing to hold them against.
        ratchet=()
        if [ "$ratchet_wanted" = yes ] && grep -q "^$product	" "$folder/ratchet.tsv"; then ratchet=(--ratchet "$folder/ratchet.tsv"); fi
        case " $* " in *' --raise '*) [ ${#ratchet[@]} -eq 0 ] && continue ;; esac
        cargo cts prove --runtime "$(basename "$folder")" --product "$product" --backend simulator \
            "${ratchet[@]}" "$@" || status=1
    done <"$floors"
done
exit $status

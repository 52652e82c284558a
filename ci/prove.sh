#!/usr/bin/env bash
# Proves the rules for every product of every runtime, and compares the figures of each chapter with the runtime's
# ratchet.tsv. Arguments are passed to every proof. Before a release and in a nightly job,
#   ci/prove.sh --glitches
#   ci/prove.sh --variants --matrix      (--variants=2/5: the second of five parts of the variants)
#   ci/prove.sh --seeds 20
# determine the checks that are needed, run every rule on every legal variant of the device and on every defect that it
# reaches, and repeat everything with twenty seeds. Each takes minutes for a product (docs/engine/benchmarks.md).
# `ci/prove.sh --raise` raises the ratchet.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# Products, separated by blanks; all if empty.
products=${PRODUCTS:-}
# `no`: prove only the claims, without determining the checks that are needed.
ratchet_wanted=${PROVE_RATCHET:-yes}
# Proves only the rules in chapters that changed within this many hours before the last commit; all if empty.
hours=${HOURS:-}
status=0
for floors in specs/*/floors.tsv; do
    folder=$(dirname "$floors")
    rules=()
    if [ -n "$hours" ]; then
        since=$(($(git show -s --format=%ct HEAD) - hours * 3600))
        for chapter in $(git log "--since=@$since" --format= --name-only -- "$folder/rules" | sort -u); do
            [ -f "$chapter" ] && mapfile -t -O ${#rules[@]} rules < <(sed -n 's/^  - id: //p' "$chapter")
        done
        echo "$(basename "$folder"): ${#rules[@]} rules in chapters that changed in $hours hours"
        [ ${#rules[@]} -eq 0 ] && continue
    fi
    while IFS=$'\t' read -r product _; do
        case $product in '' | '#'*) continue ;; esac
        [ -n "$products" ] && [[ " $products " != *" $product "* ]] && continue
        # Only products in the ratchet are tried without single checks: the others have no figures to compare with.
        ratchet=()
        if [ "$ratchet_wanted" = yes ] && grep -q "^$product	" "$folder/ratchet.tsv"; then ratchet=(--ratchet "$folder/ratchet.tsv"); fi
        case " $* " in *' --raise '*) [ ${#ratchet[@]} -eq 0 ] && continue ;; esac
        cargo cts prove --runtime "$(basename "$folder")" --product "$product" --backend simulator \
            "${ratchet[@]}" "$@" "${rules[@]}" || status=1
    done <"$floors"
done
exit $status

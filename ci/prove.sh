#!/usr/bin/env bash
# Proves the rules for every product of every runtime, and compares the figures of each chapter with the runtime's
# ratchet.tsv. Arguments are passed to every proof. Before a release and in a nightly job,
#   ci/prove.sh --glitches
#   ci/prove.sh --variants --matrix      (--variants=2/5: the second of five parts of the variants)
#   ci/prove.sh --seeds 20
# determine the checks that are needed, run every rule on every legal variant of the device and on every defect that it
# reaches, and repeat everything with twenty seeds. Each takes minutes for a product (docs/engine/parts.md).
# `ci/prove.sh --raise` raises the ratchet.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# Products, separated by blanks; all if empty.
products=${PRODUCTS:-}
# `no`: prove only the claims, without determining the checks that are needed.
ratchet_wanted=${PROVE_RATCHET:-yes}
# Proves only the rules in chapters that changed within this many hours before the last commit, or only those in one part
# of the chapters (`2/5`: the second of five); all if both are empty.
hours=${HOURS:-}
share=${SHARE:-}
status=0
for floors in specs/*/floors.tsv; do
    folder=$(dirname "$floors")
    rules=()
    if [ -n "$hours$share" ]; then
        since=$(($(git show -s --format=%ct HEAD) - ${hours:-0} * 3600))
        changed() { git log "--since=@$since" --format= --name-only -- "$folder/rules" | sort -u; }
        drawn() { git ls-files "$folder/rules" | awk -v part="${share%/*}" -v of="${share#*/}" 'NR % of == part - 1'; }
        for chapter in $(if [ -n "$hours" ]; then changed; else drawn; fi); do
            [ -f "$chapter" ] && mapfile -t -O ${#rules[@]} rules < <(sed -n 's/^  - id: //p' "$chapter")
        done
        echo "$(basename "$folder"): ${#rules[@]} rules in ${hours:+chapters that changed in $hours hours}${share:+part $share of the chapters}"
        [ ${#rules[@]} -eq 0 ] && continue
    fi
    while IFS=$'\t' read -r product _; do
        case $product in '' | '#'*) continue ;; esac
        [ -n "$products" ] && [[ " $products " != *" $product "* ]] && continue
        # Only products in the ratchet are tried without single checks: the others have no figures to compare with.
        ratchet=()
        if [ "$ratchet_wanted" = yes ] && grep -q "^$product	" "$folder/ratchet.tsv"; then ratchet=(--ratchet "$folder/ratchet.tsv"); fi
        case " $* " in *' --raise '*) [ ${#ratchet[@]} -eq 0 ] && continue ;; esac
        cargo cts catalog prove --runtime "$(basename "$folder")" --product "$product" --backend simulator \
            "${ratchet[@]}" "$@" "${rules[@]}" || status=1
    done <"$floors"
done
exit $status

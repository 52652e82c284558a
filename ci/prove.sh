#!/usr/bin/env bash
# Proves the rules for every product of every runtime, and holds the files in the runtime's folder: proof.tsv (who kills
# what) and ratchet.tsv (the figures of each chapter). Arguments are passed to every proof. Before a release and in a
# nightly job,
#   ci/prove.sh --glitches
#   ci/prove.sh --variants --matrix      (--variants=2/5: the second of five parts of the variants)
#   ci/prove.sh --seeds 20
# determine the checks that are needed, run every rule on every legal variant of the device and on every defect that it
# reaches, and repeat everything with twenty seeds. Each takes minutes for a product (docs/engine/parts.md).
# `ci/prove.sh --raise` writes the files, `ci/prove.sh --raise RULE...` the rows of rules that changed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# Products, separated by blanks; all if empty.
products=${PRODUCTS:-}
# Proves only the rules in chapters that changed within this many hours before the last commit, or only those in one part
# of the chapters (`2/5`: the second of five); all if both are empty. With both, the part limits many changed chapters.
# Rules whose rows are too old are proven in any case.
hours=${HOURS:-}
share=${SHARE:-}
# Raising changes files that are embedded in the command, so that it is built only once.
cts=${CTS:-}
if [ -z "$cts" ]; then
    cargo build --quiet -p atlas-cts || exit 1
    cts=${CARGO_TARGET_DIR:-target}/debug/atlas-cts
fi
status=0
for floors in specs/*/floors.tsv; do
    folder=$(dirname "$floors")
    runtime=$(basename "$folder")
    # Rules that are named belong to one runtime.
    [[ " $*" == *" "[a-z]*.* ]] && [[ " $*" != *" $runtime."* ]] && continue
    rules=()
    if [ -n "$hours$share" ]; then
        since=$(($(git show -s --format=%ct HEAD) - ${hours:-0} * 3600))
        changed() { git log "--since=@$since" --format= --name-only -- "$folder/rules" | sort -u; }
        drawn() { git ls-files "$folder/rules" | awk -v part="${share%/*}" -v of="${share#*/}" 'NR % of == part - 1'; }
        # A change of the form touches nearly all chapters; then those in the part are enough.
        both() { if [ "$(changed | wc -l)" -gt 20 ]; then comm -12 <(changed) <(drawn | sort); else changed; fi; }
        for chapter in $(if [ -n "$hours" ] && [ -n "$share" ]; then both; elif [ -n "$hours" ]; then changed; else drawn; fi); do
            [ -f "$chapter" ] && mapfile -t -O ${#rules[@]} rules < <(sed -n 's/^  - id: //p' "$chapter")
        done
        echo "$runtime: ${#rules[@]} rules in ${hours:+chapters that changed in $hours hours}${hours:+${share:+, }}${share:+part $share}"
        [ ${#rules[@]} -eq 0 ] && continue
    fi
    while IFS=$'\t' read -r product _; do
        case $product in '' | '#'*) continue ;; esac
        [ -n "$products" ] && [[ " $products " != *" $product "* ]] && continue
        "$cts" catalog prove --runtime "$runtime" --product "$product" --backend simulator --specs specs --hold "$folder" \
            "$@" "${rules[@]}" || status=1
    done <"$floors"
done
exit $status

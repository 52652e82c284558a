#!/usr/bin/env bash
# Proves the rules for every product: a2 with several seeds and on all legal variants, the others with one seed.
# Arguments are passed on to every proof.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
status=0
while IFS=$'\t' read -r product _; do
    case $product in '' | '#'*) continue ;; esac
    extra=()
    [ "$product" = a2 ] && extra=(--seeds 3 --variants)
    cargo run --quiet -p harness -- prove --product "$product" --backend simulator "${extra[@]}" "$@" || status=1
done <ci/floors.tsv
exit $status

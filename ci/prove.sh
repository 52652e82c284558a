#!/usr/bin/env bash
# Proves the rules for every product, for a2 also on all legal variants of the device.
# Arguments are passed on to every proof.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
status=0
while IFS=$'\t' read -r product _; do
    case $product in '' | '#'*) continue ;; esac
    extra=()
    [ "$product" = a2 ] && extra=(--variants)
    cargo run --quiet -p harness -- prove --product "$product" --backend simulator "${extra[@]}" "$@" || status=1
done <ci/floors.tsv
exit $status

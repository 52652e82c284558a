#!/usr/bin/env bash
# Proves the rules for every product. Arguments are passed on to every proof: before a release, and in a nightly job,
#   ci/prove.sh --variants --seeds 20
# also runs every rule on every legal variant of the device, and everything with twenty seeds.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
status=0
while IFS=$'\t' read -r product _; do
    case $product in '' | '#'*) continue ;; esac
    cargo run --quiet -p harness -- prove --product "$product" --backend simulator "$@" || status=1
done <ci/floors.tsv
exit $status

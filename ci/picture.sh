#!/usr/bin/env bash
# Draws docs/terminal.svg, the picture of README.md, from a real run on the simulated device. Needs `script` and
# python3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo build --quiet -p atlas-cts
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$PWD/target/debug/atlas-cts" "$folder/bin/atlas-cts"
picture=$PWD/ci/page/picture.py
out=$PWD/docs/terminal.svg
cd "$folder"
command="atlas-cts run --product a2 acl.copy.sync-roundtrip acl.set.byte acl.ipc.whitelist-deny"
# A terminal of 100 columns, because the command prints colors only in a terminal.
PATH=$folder/bin:$PATH script --quiet --return --command "stty cols 100; $command" raw.txt >/dev/null
python3 "$picture" "$command" raw.txt >"$out"
echo "$out"

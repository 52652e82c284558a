#!/usr/bin/env bash
# Installs a wheel of this machine's architecture in a fresh environment without a network, and uses it.
#
#   ci/package/try-wheel.sh WHEEL VERSION
set -euo pipefail
wheel=$(realpath "$1")
version=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/python"
"$place/python/bin/pip" --quiet --disable-pip-version-check install --no-index "$wheel"
cd "$place"
PATH=$place/python/bin:$PATH
# A run that picked up another installation would prove nothing.
[ "$(command -v atlas-cts)" = "$place/python/bin/atlas-cts" ]
[ "$(atlas-cts --version)" = "atlas-cts $version" ]
atlas-cts run acl.malloc.align64 --product a2 --backend simulator --tune min-executed=1
defect=malloc.aligned-only-from-4KiB
status=0
ATLAS_CTS_BACKEND=simulator ATLAS_CTS_PROFILE=smoke \
    atlas-cts-nightly acl.malloc.align64 --product a2 --defect $defect >night.txt 2>&1 || status=$?
if [ $status -ne 1 ] || ! grep -q '^Regressions (1)' night.txt; then
    cat night.txt
    echo "ci/package/try-wheel.sh: the night ended with exit status $status; expected 1 and a regression" >&2
    exit 1
fi
echo "$(basename "$wheel"): installed by $("$place/python/bin/pip" --version | cut -d' ' -f1-2), used for two runs"

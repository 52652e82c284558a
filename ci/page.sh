#!/usr/bin/env bash
# Checks the HTML pages in headless Chromium: reports of runs with no failure, with one, with eighty of one cause and with
# hundreds, and a diff. ci/page/look.py makes and describes the checks; the screenshots are for a person.
#
#   ci/page.sh [DIR]
#
# DIR receives runs and screenshots; the default is a temporary folder, which is kept. CTS: the command to use instead
# of a build. DOCUMENTS: a folder with the vendor's documents; with it, the page of their coverage is checked as well.
# AXE: axe.min.js of axe-core; by default npm fetches the version below. Needs chromium, chromedriver
# (Debian: chromium, chromium-driver) and python3; installs missing packages if it can.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        chromium chromium-driver fonts-dejavu-core; } >/dev/null ||
        { echo "chromium and chromedriver are missing and cannot be installed"; exit 1; }
fi
if [ -z "${CTS:-}" ]; then
    cargo build --quiet -p atlas-cts || exit 1
    CTS=target/debug/atlas-cts
fi
work=${1:-$(mktemp -d)}
mkdir -p "$work/runs"
run() {
    local name=$1 wanted=$2 status=0
    shift 2
    rm -rf "$work/runs/$name"
    "$CTS" run --product a2 --backend simulator --report-dir "$work/runs/$name" "$@" >"$work/$name.txt" 2>&1 || status=$?
    [ $status -eq "$wanted" ] || { echo "run $name: exit status $status, expected $wanted:"; tail -5 "$work/$name.txt"; exit 1; }
}
# Every sixth defect at once, without those that hang, since each would take its whole deadline.
many=$("$CTS" simulator --list | awk '/^universal|^legal/ { exit } /^  [a-z]/ { print $1 }' |
    grep -v 'hang\|crash\|abort\|wait' | awk 'NR % 6 == 0' | paste -sd,)
run none 0
run one 1 --defect init.default-device-wins
run eighty 1 --defect copy.tail-rounded-to-32-above-64KiB
run many 1 --tune deadline=5 --defect "$many"
"$CTS" diff "$work/runs/none" "$work/runs/eighty" --format html >"$work/diff.html" || exit 1
if [ -z "${AXE:-}" ]; then
    npm install --silent --no-save --prefix "$work/axe" axe-core@4.10.3 >/dev/null ||
        { echo "axe-core cannot be fetched; set AXE to an axe.min.js"; exit 1; }
    AXE=$work/axe/node_modules/axe-core/axe.min.js
fi
pages=("$work"/runs/{none,one,eighty,many}/report.html "$work/diff.html")
if [ -n "${DOCUMENTS:-}" ]; then
    "$CTS" catalog coverage --product a2 --specs specs --documents "$DOCUMENTS" --run "$work/runs/eighty" \
        --format html >"$work/coverage.html" || exit 1
    pages+=("$work/coverage.html")
fi
python3 ci/page/look.py --axe "$AXE" --shots "$work/shots" "${pages[@]}"

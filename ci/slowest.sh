#!/usr/bin/env bash
# Prints the share of each test executable, and the hundred slowest tests, in seconds: ci/slowest.sh [CARGO TEST WORDS].
# Standard tests say their times only with an unstable option, so cargo runs them through this script.
set -uo pipefail

if [ "${1:-}" = --runner ]; then
    executable=$2
    shift 2
    name=$(basename "$executable" | sed 's/-[0-9a-f]*$//')
    begun=$EPOCHREALTIME
    # `suite` and `laws` have separate main functions without the option.
    case $name in
        suite | laws) "$executable" "$@" ;;
        *) RUSTC_BOOTSTRAP=1 "$executable" "$@" -Z unstable-options --report-time ;;
    esac | tee >(sed -nE "s/^test (.*) \.\.\. (ok|FAILED) <([0-9.]+)s>$/\3 $name \1/p" >>"$SLOWEST.tests")
    status=${PIPESTATUS[0]}
    awk -v a="$begun" -v b="$EPOCHREALTIME" -v n="$name of $(basename "$PWD")" \
        'BEGIN { printf "%.1f %s\n", b - a, n }' >>"$SLOWEST.executables"
    exit "$status"
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
SLOWEST=$(mktemp)
export SLOWEST
trap 'rm -f "$SLOWEST" "$SLOWEST".tests "$SLOWEST".executables' EXIT
target=$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
[ $# -gt 0 ] || set -- --workspace
env "CARGO_TARGET_${target}_RUNNER=$PWD/ci/slowest.sh --runner" cargo test "$@" --no-fail-fast >/dev/null
status=$?
echo "seconds of each executable"
sort -rn "$SLOWEST.executables"
echo "seconds of the slowest tests"
sort -rn "$SLOWEST.tests" | head -100
exit $status

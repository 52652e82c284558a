#!/bin/sh
# One night: what this machine can run, a run, what changed since the night before, and all nights so far.
#
#   nightly.sh [run] [FILTER…] [OPTION…]    options of `atlas-cts run`, for example --tune min-executed=430
#   nightly.sh merge PART… [OPTION…]        a night whose parts ran elsewhere; options of `atlas-cts merge`
#
# Nights are in reports/out below the current folder: start it in the same folder each night, with one folder for each
# product. A night's folder has doctor.txt, diff.txt and diff.md next to the run's reports. The command is the atlas-cts
# next to this script, otherwise the one on PATH.
#
# Environment: that of `atlas-cts`, so that the doctor knows it too, for example ATLAS_CTS_PRODUCT=a2; here
# ATLAS_CTS_BACKEND is `device` and ATLAS_CTS_PROFILE is `nightly` unless set. NIGHTLY_PROMETHEUS names a file for
# metrics. NIGHTLY_FAIL_ON=drift:code also fails the night on such a difference.
#
# A step that fails does not stop the others. Exit status: that of the run (0 conformant, 1 a rule is broken, 2 usage,
# 3 unknown). If it is 0: 1 for a difference in NIGHTLY_FAIL_ON, and 3 if comparison, history or a file failed.
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 3
if [ -x "$here/atlas-cts" ]; then
    cts=$here/atlas-cts
elif ! cts=$(command -v atlas-cts); then
    echo "nightly.sh: no atlas-cts next to it or on PATH; unpack the bundle, or extend PATH" >&2
    exit 3
fi
case ${1-} in
run | merge) ;;
*) set -- run "$@" ;;
esac
for word; do
    case $word in
    --report-dir | --report-dir=*)
        echo "nightly.sh: nights are in reports/out, where the next night finds them; omit --report-dir" >&2
        exit 2
        ;;
    esac
done
unset ATLAS_CTS_REPORT_DIR
export ATLAS_CTS_BACKEND="${ATLAS_CTS_BACKEND:-device}" ATLAS_CTS_PROFILE="${ATLAS_CTS_PROFILE:-nightly}"

out=reports/out
texts=$(mktemp -d) || exit 3
trap 'rm -rf "$texts"' EXIT
failed=0

heading() { printf '\n=== %s\n' "$*"; }

# Runs a command with its output in a file. The caller shows the file.
to() {
    file=$texts/$1
    shift
    "$@" >"$file" 2>&1
}

trouble() {
    echo "nightly.sh: $1 failed with exit status $2" >&2
    [ "$failed" -ne 0 ] || failed=3
}

# Runs the command. A signal to this script stops the command, whose results so far are then compared as usual.
perform() {
    "$@" &
    child=$!
    trap 'kill -TERM "$child" 2>/dev/null' HUP INT TERM
    wait "$child"
    status=$?
    # `wait` also returns for the signal.
    while kill -0 "$child" 2>/dev/null; do
        wait "$child"
        status=$?
    done
    trap - HUP INT TERM
    return "$status"
}

if [ "$1" = run ]; then
    heading "doctor"
    # The run decides whether this machine is usable. The doctor explains.
    to doctor.txt "$cts" doctor || echo "nightly.sh: the doctor ended with exit status $?; the run starts anyway" >&2
    cat "$texts/doctor.txt"
fi

earlier=$(find "$out" -mindepth 2 -maxdepth 2 -name results.jsonl 2>/dev/null | head -n 1)
before=$(readlink "$out/latest" 2>/dev/null)
heading "$@"
perform "$cts" "$@"
run=$?
night=$(readlink "$out/latest" 2>/dev/null)

if [ -z "$night" ] || [ "$night" = "$before" ]; then
    echo "nightly.sh: there is no new run in $out; nothing is compared" >&2
    [ "$run" -ne 0 ] || trouble "the link $out/latest" 1
    night=
elif [ -z "$earlier" ]; then
    heading "diff"
    echo "This is the first night in $PWD/$out; the next one is compared with it."
else
    heading "diff"
    to diff.txt "$cts" diff latest~1 latest ${NIGHTLY_FAIL_ON:+--fail-on "$NIGHTLY_FAIL_ON"}
    status=$?
    cat "$texts/diff.txt"
    case $status in
    0) ;;
    1) failed=1 ;;
    *) trouble "the comparison with the night before" $status ;;
    esac
    [ $status -gt 1 ] || to diff.md "$cts" diff latest~1 latest --format markdown ||
        trouble "the comparison as Markdown" $?
fi

heading "history"
"$cts" history ${NIGHTLY_PROMETHEUS:+--prometheus "$NIGHTLY_PROMETHEUS"} || trouble "the history" $?

if [ -n "$night" ]; then
    cp "$texts"/* "$out/$night/" || trouble "copying to $out/$night" $?
    # GitHub shows these two pages with the job.
    if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
        for page in summary.md diff.md; do
            [ ! -f "$out/$night/$page" ] || cat "$out/$night/$page" >>"$GITHUB_STEP_SUMMARY" ||
                trouble "writing to $GITHUB_STEP_SUMMARY" $?
        done
    fi
    heading "$PWD/$out/$night: exit status $run"
fi
[ "$run" -ne 0 ] || exit "$failed"
exit "$run"

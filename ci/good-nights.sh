#!/usr/bin/env bash
# Good nights: runs the faithful simulated device and each of its legal variants like a machine of real devices, with
# jitter in its calls and slow starts (fixtures/faults/jitter.c). No breaker may trip, no device may be quarantined, and
# every rule must have the verdict of an undisturbed device.
#
#   ci/good-nights.sh [RUNS [VARIANT...]]
#
# RUNS (default 20) is the number of runs of each variant, each with a different part of the rules, out of PARTS (20).
# Environment: PRODUCT (a2), LANES (four for each processor, because a run mostly waits), CTS (the command to use
# instead of a release build).
#
# A rule that does not pass runs again without jitter, alone: a variant may reject an operation in the set-up of the
# rule, or show what a rule of level `info` reports. A different verdict there is a failure. For level `info`, it is
# only counted (unlike): such a rule raises no alarm, and some read memory that others also use.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
runs=${1:-20}
shift
export PRODUCT=${PRODUCT:-a2} PARTS=${PARTS:-20}
lanes=${LANES:-$((4 * $(nproc)))}
. ci/command.sh
CTS=$(realpath "$CTS")
# Machines of simulated devices are files that are overwritten often and then deleted.
[ -n "${TMPDIR:-}" ] || ! [ -w /dev/shm ] || export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CTS work runs
simulator=$("$CTS" simulator --print-path "$work") || exit 1
"${CC:-gcc}" -std=gnu11 -O1 -shared -fPIC -I specs/acl fixtures/faults/jitter.c -Wl,--no-as-needed "-Wl,-rpath,$work" \
    "$simulator" -ldl -o "$work/libjitter.so" || exit 1
if [ $# -gt 0 ]; then
    variants=("$@")
else
    # The faithful device, then every variant.
    mapfile -t variants < <(echo faithful && "$CTS" simulator --list | awk '/^[a-z]/ { legal = /^legal variants/ } legal && /^  variant/ { print $1 }')
fi
[ ${#variants[@]} -gt 1 ] || [ $# -gt 0 ] || { echo "the simulator lists no variants"; exit 1; }

# A run on a separate machine: its folder, the library, then arguments.
run() {
    local folder=$1 library=$2
    shift 2
    mkdir -p "$folder/machine"
    env ATLAS_CTS_SIM_PRODUCT="$PRODUCT" ATLAS_CTS_SIM_MACHINE="$folder/machine" ATLAS_CTS_SIM_DEFECTS="$switched" \
        ATLAS_CTS_LOCKS="$folder/locks" "$CTS" run --product "$PRODUCT" --library "$library" --report-dir "$folder/report" \
        "$@" >"$folder/output" 2>&1
}

# Rule, level and verdict of each result that is neither a pass nor a skip. The journal's first line has the levels.
unusual() {
    local journal=$1/report/results.jsonl informs rule verdict level
    informs=$(head -n 1 "$journal" | grep -oE '"id":"[^"]*","chapter":"[^"]*","title":"([^"\\]|\\.)*","level":"info"' | cut -d'"' -f4)
    sed -n 's/^{"result":{"id":"\([^"]*\)","verdict":"\([^"]*\)".*/\1 \2/p' "$journal" | grep -v ' \(pass\|skipped\)$' | sort |
        while read -r rule verdict; do
            level=must
            grep -qxF "$rule" <<<"$informs" && level=info
            echo "$rule $level $verdict"
        done
}

# Runs the nights of one variant, and prints a line of the table.
nights() {
    local variant=$1 night trouble=() began=$SECONDS unlike=0 alone=0
    switched=$variant
    [ "$variant" = faithful ] && switched=
    for ((night = 1; night <= runs; night++)); do
        local folder=$work/$variant/$night
        run "$folder" "$work/libjitter.so" --seed "$night" --shard "$(((night - 1) % PARTS + 1))/$PARTS"
        local status=$?
        if [ ! -s "$folder/report/junit.xml" ]; then
            trouble+=("night $night: no report, exit status $status: $(tail -1 "$folder/output")")
            continue
        fi
        # The first event that quarantined a device or a process, reran a rule or reported a leak, and the first
        # breaker.
        local event
        event=$({ grep -oE '"event":"(device-out|process-replaced|rule-retried|leak)"[^}]*' "$folder/report/results.jsonl"
            grep -hE 'does not return, as|device-lost|is in quarantine' "$folder/output"; } | head -1)
        [ -n "$event" ] && trouble+=("night $night: $event")
        local found rule level verdict
        found=$(unusual "$folder")
        # A rule that is broken or without an answer is reported below.
        [ $status -eq 0 ] || [ -n "$found" ] || trouble+=("night $night: exit status $status")
        while read -r rule level verdict; do
            [ -n "$rule" ] || continue
            alone=$((alone + 1))
            rm -rf "$folder/alone"
            run "$folder/alone" "$simulator" --seed "$night" "$rule" --jobs 1
            if ! unusual "$folder/alone" | grep -qx "$rule $level $verdict"; then
                unlike=$((unlike + 1))
                [ "$level" = info ] || trouble+=("night $night: $rule is $verdict, but not without jitter")
            fi
        done <<<"$found"
        # A machine of 64 GiB is a sparse file, but not a small one.
        [ ${#trouble[@]} -eq 0 ] && rm -rf "$folder"
    done
    local how=passed
    [ ${#trouble[@]} -gt 0 ] && how=FAILED
    printf '%-50s %4d %6d %7d %6d s  %s\n' "$variant" "$runs" "$alone" "$unlike" $((SECONDS - began)) "$how"
    [ ${#trouble[@]} -eq 0 ] || printf '    %s\n' "${trouble[@]}"
}
export -f run unusual nights
export simulator
printf '%-50s %4s %6s %7s %8s\n' variant runs alone unlike time
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "${variants[@]}" | xargs -P "$lanes" -I '{}' bash -c 'nights "$1"' good-nights '{}' | tee "$work/table"
passed=$(grep -c ' passed$' "$work/table")
failed=$((${#variants[@]} - passed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

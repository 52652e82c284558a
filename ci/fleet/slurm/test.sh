#!/usr/bin/env bash
# Tests nightly runs on a private Slurm cluster of four nodes (cluster.sh) with simulated devices and accidents: a node
# that dies, a job that is preempted, a shard that never runs, a node without results. Each report has to be that of an
# undisturbed run.
#
#   test.sh [EXECUTABLE]      atlas-cts; default: a new release build
#
# Needs root; installs Debian's slurm-wlm, munge and jq if they are missing. Takes about three minutes; the last line
# counts the checks.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
cd "$here/../../.."
export TZ=UTC

missing=()
command -v slurmctld >/dev/null || missing+=(slurm-wlm)
command -v munged >/dev/null || missing+=(munge)
command -v jq >/dev/null || missing+=(jq)
if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
if [ $# -gt 0 ]; then
    executable=$(realpath -e "$1")
else
    cargo build --quiet --release -p atlas-cts
    executable=$PWD/target/release/atlas-cts
fi

dir=$(mktemp -d)
# munged requires a socket that all users can access.
chmod 711 "$dir"
mkdir "$dir/cluster"
export SLURM_CONF=$dir/cluster/slurm.conf
echo "working in $dir, which is kept if a check fails"
finish() {
    local status=$?
    local left
    mapfile -t left < <(jobs -p)
    [ ${#left[@]} -eq 0 ] || kill "${left[@]}" 2>/dev/null || true
    "$here/cluster.sh" stop "$dir/cluster"
    if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
        failed=1
        echo "FAILED  the test did not reach its end"
    fi
    [ "$failed" -ne 0 ] || rm -rf "$dir"
    echo "$passed passed, $failed failed"
}
trap finish EXIT

passed=0 failed=0
holds() {
    local sentence=$1
    shift
    if "$@"; then
        passed=$((passed + 1)) && echo "holds   $sentence"
    else
        failed=$((failed + 1)) && echo "FAILED  $sentence"
    fi
}

refutes() { ! "$@"; }

# Polls until a command succeeds.
await() {
    local patience=$1 begun=$SECONDS
    shift
    until "$@"; do
        if [ $((SECONDS - begun)) -ge "$patience" ]; then
            echo "timeout after $patience s: $*" >&2
            return 1
        fi
        sleep 0.2
    done
}

product=(--product a2)
rules=(acl.ipc acl.p2p acl.copy)
# A device with slow calls, so that a shard can be interrupted in the middle.
slow=(--backend simulator --jobs 1 --call-ns 100000 --start-up-ms 200)
fast=(--backend simulator --jobs 1)

# Submits a nightly run, with its name and further options of submit.sh.
night() {
    "$here/submit.sh" --folder "$dir/$1" "${product[@]}" --gres npu:2 "${@:2}" >"$dir/submitted"
    sed "s|$dir/||g" "$dir/submitted"
    array=$(sed -n 's/^shards *job \([0-9]*\),.*/\1/p' "$dir/submitted")
    merge=$(sed -n 's/^Submitted batch job //p' "$dir/submitted")
}
no_longer_queued() { [ -z "$(squeue -h -j "$1")" ]; }
ends_with() {
    await 300 no_longer_queued "$merge" &&
        [ "$(scontrol show job "$merge" | sed -n 's/.* ExitCode=\([0-9]*\):.*/\1/p')" = "$1" ]
}

verdicts() { jq -r 'select(.result).result | "\(.id) \(.verdict)"' "$1/results.jsonl" | sort; }
same_verdicts() { diff <(verdicts "$1") <(verdicts "$2"); }
verdicts_of_copies() { diff <(verdicts "$dir/undisturbed" | grep -F acl.copy) <(verdicts "$1"); }
rules_of() { jq -r 'select(.result).result.id' "$@" | sort; }
# Prints the events of a run in chronological order.
story() {
    find "$dir/$1" \( -name accidents -o -name 'shard-*.log' \) -exec cat {} + |
        sed -n -e 's/^=== /  /p' -e 's/^slurmstepd-\(.*\): error: .* AT \(.*\) DUE TO \(.*\) \*\*\*/  \2Z Slurm on \1: \3/p' |
        sort -s -k 1,1
    sed -n -E 's/^(verdicts|result) /  &/p' "$dir/$1/logs/merge.log"
}

# Checks that a journal was resumed once, with results before and after, and that no rule with a result ran again.
resumed_without_repeating() {
    jq -es '(map(has("resume")) | index(true)) as $at
        | [.[:$at][].result.id // empty] as $before | [.[$at:][].begin.id // empty] as $after
        | ($before | length) > 0 and ($after | length) > 0 and $before - $after == $before' "$1/results.jsonl" >/dev/null
}

"$here/cluster.sh" start "$dir/cluster"
sinfo -N -p night -o "%N %t %G"
"$executable" run "${product[@]}" "${fast[@]}" --report-dir "$dir/undisturbed" "${rules[@]}" >/dev/null

echo "--- invalid submissions"
refused() {
    local status=0
    "$here/submit.sh" --executable "$executable" "${product[@]}" --shards 8 --folder "$dir/refused" "$@" 2>/dev/null || status=$?
    [ "$status" -eq 2 ] && [ ! -e "$dir/refused" ] && [ -z "$(squeue -h)" ]
}
holds "a profile without a seed is rejected" refused -- --profile nightly
holds "an option of atlas-cts before -- is rejected" refused --profile nightly

echo "--- a night in which a node dies and a job is preempted"
element_on() { squeue -h -p night -t R -w "$1" -o %K | grep .; }
has_a_middle() { [ "$(rules_of "$1/results.jsonl" 2>/dev/null | wc -l)" -ge 2 ]; }
night disturbed --executable "$executable" --shards 8 --partition night -- "${slow[@]}" "${rules[@]}"
await 30 element_on node2 >/dev/null
await 30 element_on node3 >/dev/null
preempted=$dir/disturbed/shards/$(element_on node2)/attempt-1
killed=$dir/disturbed/shards/$(element_on node3)/attempt-1
await 60 has_a_middle "$preempted"
await 60 has_a_middle "$killed"
echo "=== $(date -u +%FT%TZ) node3 is killed, and an urgent job wants node2" >"$dir/disturbed/accidents"
"$here/cluster.sh" kill-node "$dir/cluster" node3
sbatch --parsable --partition urgent --nodelist node2 --gres npu:2 --output /dev/null --wrap "sleep 5" >/dev/null
holds "the night ends conformant" ends_with 0
story disturbed
holds "the shard on the dead node was resumed and repeats nothing" resumed_without_repeating "$killed"
holds "the shard of the preempted job was resumed and repeats nothing" resumed_without_repeating "$preempted"
holds "the report has the rules and verdicts of an undisturbed run" same_verdicts "$dir/undisturbed" "$dir/disturbed/report"
"$here/cluster.sh" start-node "$dir/cluster" node3

echo "--- a night with a shard that never runs"
night canceled --executable "$executable" --shards 8 -- "${fast[@]}" "${rules[@]}"
scancel "${array}_7"
holds "the night ends with: unknown" ends_with 3
unanswered() { verdicts "$1" | sed -n 's/ error$//p'; }
holds "the rules without a result are those of the shard that never ran" \
    diff <(rules_of "$dir"/disturbed/shards/7/attempt-1/results.jsonl) <(unanswered "$dir/canceled/report")
sha256sum "$dir"/canceled/shards/*/attempt-1/results.jsonl >"$dir/before"
night canceled --executable "$executable" --shards 8 -- "${fast[@]}" "${rules[@]}"
holds "submitted again, the night ends conformant" ends_with 0
story canceled
holds "finished shards did not run again" sha256sum --check --quiet "$dir/before"
holds "now the report has all verdicts" same_verdicts "$dir/undisturbed" "$dir/canceled/report"

echo "--- a shard that still runs on a node that is cut off"
cut_off=$dir/split/shards/1/attempt-1
"$executable" run "${product[@]}" --backend simulator --jobs 1 --call-ns 5000000 --shard 1/1 --report-dir "$cut_off" acl.copy >/dev/null &
survivor=$!
await 60 has_a_middle "$cut_off"
night split --executable "$executable" --shards 1 -- "${fast[@]}" acl.copy
holds "the night ends conformant" ends_with 0
story split
holds "the other shard was neither resumed nor ended meanwhile" kill -0 "$survivor"
kill "$survivor" || true
holds "the report has all verdicts" verdicts_of_copies "$dir/split/report"

echo "--- a night with bad nodes"
# On node1, no device can be opened, because files are limited to 4 KiB; on node2, the suite is killed as if out of
# memory.
cat >"$dir/some-bad" <<COMMAND
#!/usr/bin/env bash
exec > >(cat) 2>&1
case "\$1 \$SLURMD_NODENAME" in
"run node1") ulimit -f 4 && exec "$executable" "\$@" ;;
"run node2") exec timeout --signal KILL 3 "$executable" "\$@" ;;
*) exec "$executable" "\$@" ;;
esac
COMMAND
sed 's/"run node1"/"run "*/' "$dir/some-bad" >"$dir/all-bad"
chmod +x "$dir/some-bad" "$dir/all-bad"
attempts() { find "$dir/$1/shards" -name 'attempt-*' | wc -l; }
never_twice_on_one_node() {
    [ "$(grep -ho 'shard [0-9/]* on node[0-9]: starts' "$dir/$1"/logs/*.log | sort | uniq -d | wc -l)" -eq 0 ]
}
# shellcheck disable=SC2016  # Like the vendor's script: it reads unset variables, and some of its commands fail.
echo 'export TOOLKIT=$NOT_SET/toolkit; false; grep nothing /dev/null | cat; echo "toolkit at $TOOLKIT"' >"$dir/set_env.sh"
night retried --executable "$dir/some-bad" --shards 4 --set-env "$dir/set_env.sh" --times "$dir/undisturbed" \
    --sbatch --time=10 -- "${slow[@]}" acl.copy
holds "the night ends conformant" ends_with 0
story retried
holds "each shard had the toolkit's environment" \
    test "$(grep -l '^toolkit at /toolkit$' "$dir"/retried/logs/shard-*.log | wc -l)" -eq 4
holds "two shards had more than one attempt" test "$(attempts retried)" -ge 6
holds "no shard ran twice on one node" never_twice_on_one_node retried
holds "the report has all verdicts" verdicts_of_copies "$dir/retried/report"
night starved --executable "$dir/all-bad" --shards 1 --attempts 2 -- "${fast[@]}" acl.copy
holds "a night with only bad nodes ends with: unknown" ends_with 3
story starved
holds "it made exactly the allowed number of attempts" test "$(attempts starved)" -eq 2
status=0
"$here/submit.sh" --folder "$dir/bare" "${product[@]}" --executable "$executable" --shards 1 --attempts 1 --wait -- acl.copy2d || status=$?
holds "with --wait, a night on nodes without a toolkit ends with: unknown" test "$status" -eq 3
story bare
holds "it did not use the simulated device by accident" refutes grep -q SIMULATED "$dir/bare/logs/shard-1.log"

[ "$failed" -eq 0 ]

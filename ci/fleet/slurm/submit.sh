#!/usr/bin/env bash
# Submits a night to Slurm: a job array with one element for each shard, and a job that merges them when all have ended.
#
#   submit.sh --executable FILE --product ID --shards N --folder DIR [OPTION…] [-- ARGUMENT…]
#
#   --executable FILE   atlas-cts, at the same place on all nodes
#   --product ID        as for atlas-cts
#   --shards N          as many elements; Slurm's MaxArraySize limits it
#   --folder DIR        seen by all nodes: journals, logs and the report. A folder that is there already is continued: finished
#                       shards stay, killed ones are resumed, those without an answer are tried again if --attempts allows more
#   --gres GRES         cards of an element as the site names them; npu:1 if it is not given
#   --partition NAME    of all jobs
#   --set-env FILE      the toolkit's set_env.sh, sourced before each shard
#   --times RUN         balance the shards by the times of an earlier run, for instance DIR/report of an earlier night
#   --attempts N        how often a shard without an answer (exit status 3) is tried, each time on another node; 3
#   --sbatch OPTION     one more option of sbatch, for all jobs; may be repeated
#   --wait              wait for the merge, and end with its exit status, which is the night's
#
# The arguments after `--` go to `atlas-cts run`, with `--backend device` unless they say where the library comes from. A profile
# needs a seed, the same for all shards: -- --profile nightly --seed 7
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

fail() {
    echo "submit.sh: $1" >&2
    exit 2
}

executable='' product='' shards='' folder='' gres=npu:1 set_env='' attempts=3
arguments=() options=() wait=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $1 in
    --help) sed -n '2,21p' "${BASH_SOURCE[0]}" && exit ;;
    --wait) wait=(--wait) && shift && continue ;;
    esac
    [ $# -ge 2 ] || fail "$1 needs a value; --help tells the options"
    case $1 in
    --executable) executable=$(realpath -e "$2") ;;
    --product) product=$2 ;;
    --shards) shards=$2 ;;
    --folder) folder=$(realpath "$2") ;;
    --gres) gres=$2 ;;
    --partition) options+=(--partition "$2") ;;
    --set-env) set_env=$(realpath -e "$2") ;;
    --times) arguments+=(--times "$(realpath -e "$2")") ;;
    --attempts) attempts=$2 ;;
    --sbatch) options+=("$2") ;;
    *) fail "there is no option $1; --help tells the options, and what goes to atlas-cts comes after --" ;;
    esac
    shift 2
done
[ $# -eq 0 ] || shift
[ -x "$executable" ] || fail "--executable FILE has to name the command atlas-cts"
[ -n "$product" ] || fail "--product ID is missing; atlas-cts run --help tells what it may be"
[[ $shards =~ ^[1-9][0-9]*$ ]] || fail "--shards N has to be a number from 1"
[[ $attempts =~ ^[1-9][0-9]*$ ]] || fail "--attempts N has to be a number from 1"
[ -n "$folder" ] || fail "--folder DIR is missing: a folder that all nodes see"
case " $* ${ATLAS_CTS_PROFILE:+--profile} " in
*" --profile"*)
    case " $* ${ATLAS_CTS_SEED:+--seed} " in
    *" --seed"*) ;;
    *) fail "with a profile each shard would draw a seed of its own; add --seed N, for instance --seed $(date +%Y%m%d)" ;;
    esac
    ;;
esac
# A node without a toolkit has no answer; it must not answer with the simulated device.
case " $* ${ATLAS_CTS_BACKEND:+--backend} ${ATLAS_CTS_LIBRARY:+--library} " in
*" --backend"* | *" --library"*) ;;
*) arguments+=(--backend device) ;;
esac
arguments+=(--product "$product" "$@")

mkdir -p "$folder/logs"
array=$(sbatch --parsable "${options[@]}" --gres "$gres" --array "1-$shards" --output "$folder/logs/shard-%a.log" \
    "$here/array.sbatch" "$folder" "$attempts" "$set_env" "$executable" "${arguments[@]}")
array=${array%%;*}
echo "shards  job $array, elements 1 to $shards, $gres each; output in $folder/logs"
echo "report  $folder/report, once they have ended; merged by:"
exec sbatch "${wait[@]}" "${options[@]}" --dependency "afterany:$array" --output "$folder/logs/merge.log" \
    "$here/merge.sbatch" "$folder" "$executable"

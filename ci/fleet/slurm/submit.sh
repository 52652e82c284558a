#!/usr/bin/env bash
# Submits a nightly run to Slurm: a job array with one element for each shard, and a job that merges them after all
# ended.
#
#   submit.sh --executable FILE --product ID --shards N --folder DIR [OPTION…] [-- ARGUMENT…]
#
#   --executable FILE   atlas-cts, at the same path on all nodes
#   --product ID        as for atlas-cts
#   --shards N          number of elements, limited by Slurm's MaxArraySize
#   --folder DIR        visible to all nodes: journals, logs and the report. In an existing folder, finished shards are
#                       kept, killed ones are resumed, and those without a result are retried, up to --attempts
#   --gres GRES         cards of an element, by the site's names; default npu:1
#   --partition NAME    partition of all jobs
#   --set-env FILE      the toolkit's set_env.sh, sourced before each shard
#   --times RUN         balance the shards by the times of an earlier run, for example DIR/report of an earlier night
#   --attempts N        attempts at a shard without a result (exit status 3), each on a different node; default 3
#   --sbatch OPTION     additional option of sbatch, for all jobs; may be repeated
#   --wait              wait for the merge, and return its exit status, which is that of the run
#
# The arguments after `--` are passed to `atlas-cts run`, with `--backend device` unless they select the library. A
# profile needs a seed, the same for all shards: -- --profile nightly --seed 7
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
    [ $# -ge 2 ] || fail "$1 needs a value; --help lists the options"
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
    *) fail "unknown option $1; --help lists the options, and arguments for atlas-cts follow --" ;;
    esac
    shift 2
done
[ $# -eq 0 ] || shift
[ -x "$executable" ] || fail "--executable FILE must be the command atlas-cts"
[ -n "$product" ] || fail "--product ID is missing; atlas-cts run --help lists the products"
[[ $shards =~ ^[1-9][0-9]*$ ]] || fail "--shards N must be a number of at least 1"
[[ $attempts =~ ^[1-9][0-9]*$ ]] || fail "--attempts N must be a number of at least 1"
[ -n "$folder" ] || fail "--folder DIR is missing; give a folder that all nodes can access"
case " $* ${ATLAS_CTS_PROFILE:+--profile} " in
*" --profile"*)
    case " $* ${ATLAS_CTS_SEED:+--seed} " in
    *" --seed"*) ;;
    *) fail "with a profile, each shard would draw a different seed; add --seed N, for example --seed $(date +%Y%m%d)" ;;
    esac
    ;;
esac
# Without a toolkit, a node must report no result, not fall back to the simulated device.
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
echo "report  $folder/report, after they have ended; merged by:"
exec sbatch "${wait[@]}" "${options[@]}" --dependency "afterany:$array" --output "$folder/logs/merge.log" \
    "$here/merge.sbatch" "$folder" "$executable"

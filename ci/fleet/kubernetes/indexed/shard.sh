#!/bin/sh
# Runs one shard of a run, in a pod. Takes the arguments of `atlas-cts run` for every shard (filters, --rules FILE …);
# the rest is in the environment: FLEET_RUN, FLEET_SHARDS, FLEET_REPORTS, ATLAS_CTS_…, and the index of the pod in its
# Job.
#
# A shard may have had an earlier pod. A journal without an end is resumed. After exit status 3 (a device or its node
# failed), a new attempt starts in a separate folder. Any other result is only reported again. The file `visits` lists
# the nodes of the shard.
#
# Exit status: that of atlas-cts; 2 also if the settings are not those of a fleet, 3 also if the volume is not writable;
# 75 if this node failed this shard last and another one should try (at most FLEET_ELSEWHERE times, then it runs here).
set -u

end() {
    echo "shard.sh: $2" >&2
    exit "$1"
}
# Kubernetes sets JOB_COMPLETION_INDEX, Volcano VC_TASK_INDEX (VK_TASK_INDEX in old releases).
index=${JOB_COMPLETION_INDEX:-${VC_TASK_INDEX:-${VK_TASK_INDEX:-}}}
case $index in
'' | *[!0-9]*) end 2 "no index; run this in an Indexed Job, or in a Volcano job with the plugin 'env'" ;;
esac
if [ -z "${FLEET_RUN:-}" ] || [ -z "${FLEET_SHARDS:-}" ] || [ -z "${FLEET_REPORTS:-}" ] || [ -z "${ATLAS_CTS_SEED:-}" ]; then
    end 2 "FLEET_RUN, FLEET_SHARDS, FLEET_REPORTS or ATLAS_CTS_SEED is not set (all shards of a run need the same seed); set them in the ConfigMap of settings"
fi

shard=$((index + 1))
node=${FLEET_NODE:-unknown}
folder=$FLEET_REPORTS/$FLEET_RUN/shard-$shard
visits=$folder/visits
attempt=1
while [ -e "$folder/attempt-$((attempt + 1))" ]; do attempt=$((attempt + 1)); done
journal=$folder/attempt-$attempt/results.jsonl
goes=--report-dir
if [ -e "$journal" ]; then
    # A journal without a complete first line cannot be resumed.
    if [ "$(wc -l <"$journal")" -eq 0 ] || tail -n 1 "$journal" | grep -q '^{"end":.*"exit":3[,}]'; then
        attempt=$((attempt + 1))
    else
        goes=--resume
    fi
fi
if [ "$goes" = --report-dir ] && [ -e "$visits" ] &&
    [ "$(sed -n 's/^run //p' "$visits" | tail -n 1)" = "$node" ] &&
    [ "$(grep -c '^away ' "$visits")" -lt "${FLEET_ELSEWHERE:-0}" ]; then
    echo "away $node" >>"$visits" || end 3 "cannot write to $visits; check the report volume"
    end 75 "node $node failed shard $shard; leaving it to another node"
fi
if ! mkdir -p "$folder" || ! echo "run $node" >>"$visits"; then
    end 3 "cannot write to $folder; check the report volume"
fi
exec atlas-cts run --shard "$shard/$FLEET_SHARDS" "$goes" "$folder/attempt-$attempt" "$@"

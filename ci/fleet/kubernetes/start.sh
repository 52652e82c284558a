#!/bin/sh
# Starts the run of a kustomization, waits until its shards have completed or failed, resumes the merge, and prints its
# report. For a CI job, or by hand. If it is killed and called again, it continues to wait for the same run.
#
#   start.sh FOLDER [SECONDS]      # SECONDS between queries of the cluster; default 15
#
# Needs kubectl with the right to create ConfigMaps and Jobs, to patch and get Jobs, to list pods and read their logs.
#
# Exit status: that of atlas-cts merge (0 conformant, 1 a rule is broken, 2 a mistake in the settings, 3 unknown); 2
# also if the run cannot be started, 3 also if the merge has no result.
set -u

end() {
    echo "start.sh: $2" >&2
    exit "$1"
}
[ $# -ge 1 ] || end 2 "give the folder of a run's kustomization"
folder=$1
seconds=${2:-15}

kubectl apply -k "$folder" || end 2 "cannot start the run; a different run needs a new name (FLEET_RUN)"
names=$(kubectl get -k "$folder" -o name) || end 2 "cannot read the Jobs of the run"
merge=$(echo "$names" | grep '^job\.batch/.*-merge$') || end 2 "$folder has no Job that merges"
shards=$(echo "$names" | grep '^job\.batch' | grep -vxF "$merge") || end 2 "$folder has no Job of shards"

# Prints how a Job ended, or nothing if it has not: the condition of a Job, or the phase of a Volcano job.
ended() {
    kubectl get "$1" -o 'jsonpath={range .status.conditions[?(@.status=="True")]}{.type}{"\n"}{end}{.status.state.phase}' |
        grep -x -e Complete -e Completed -e Failed -e Terminated -e Aborted
}
wait_for() {
    until how=$(ended "$1"); do sleep "$seconds"; done
    echo "start.sh: $1: $how"
}

wait_for "$shards"
kubectl patch "$merge" --type=merge --patch '{"spec":{"suspend":false}}' || end 3 "cannot resume the merge: $merge"
wait_for "$merge"
kubectl logs "$merge" || echo "start.sh: cannot read the output of the merge; its report is on the volume" >&2
codes=$(kubectl get pods --selector "batch.kubernetes.io/job-name=${merge#*/}" \
    -o 'jsonpath={range .items[*]}{.status.containerStatuses[0].state.terminated.exitCode}{"\n"}{end}')
for code in 0 1 2; do
    echo "$codes" | grep -qx "$code" && exit "$code"
done
echo "$codes" | grep -qx 3 || end 3 "the merge has no result; see: kubectl describe $merge"
exit 3

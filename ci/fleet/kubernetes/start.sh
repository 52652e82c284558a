#!/bin/sh
# Starts the run that a kustomization describes, waits for its shards to end in whatever way, lets the merge go, and prints
# its report. For a CI job, or by hand; killed and called again it goes on waiting for the same run.
#
#   start.sh FOLDER [SECONDS]      # SECONDS between two looks at the cluster; default 15
#
# Needs kubectl with the right to create ConfigMaps and Jobs, to patch and get Jobs, to list pods and read their logs.
#
# Exit status: that of atlas-cts merge (0 conformant, 1 a rule is broken, 2 a mistake in the settings, 3 not known); 2 also
# if the run cannot be started, 3 also if the merge has given no answer.
set -u

end() {
    echo "start.sh: $2" >&2
    exit "$1"
}
[ $# -ge 1 ] || end 2 "give the folder of a run's kustomization"
folder=$1
seconds=${2:-15}

kubectl apply -k "$folder" || end 2 "the run cannot be started; a run that differs needs a name of its own (FLEET_RUN)"
names=$(kubectl get -k "$folder" -o name) || end 2 "the run's Jobs cannot be read"
merge=$(echo "$names" | grep '^job\.batch/.*-merge$') || end 2 "$folder has no Job that merges"
shards=$(echo "$names" | grep '^job\.batch' | grep -vxF "$merge") || end 2 "$folder has no Job of shards"

# How a Job ended, nothing as long as it has not: the condition of a Job, or the phase of a job of Volcano.
ended() {
    kubectl get "$1" -o 'jsonpath={range .status.conditions[?(@.status=="True")]}{.type}{"\n"}{end}{.status.state.phase}' |
        grep -x -e Complete -e Completed -e Failed -e Terminated -e Aborted
}
wait_for() {
    until how=$(ended "$1"); do sleep "$seconds"; done
    echo "start.sh: $1: $how"
}

wait_for "$shards"
kubectl patch "$merge" --type=merge --patch '{"spec":{"suspend":false}}' || end 3 "the merge cannot be let go: $merge"
wait_for "$merge"
kubectl logs "$merge" || echo "start.sh: the merge's output cannot be read; its report is on the volume" >&2
codes=$(kubectl get pods --selector "batch.kubernetes.io/job-name=${merge#*/}" \
    -o 'jsonpath={range .items[*]}{.status.containerStatuses[0].state.terminated.exitCode}{"\n"}{end}')
for code in 0 1 2; do
    echo "$codes" | grep -qx "$code" && exit "$code"
done
echo "$codes" | grep -qx 3 || end 3 "the merge gave no answer: kubectl describe $merge"
exit 3

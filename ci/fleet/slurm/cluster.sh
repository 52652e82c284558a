#!/usr/bin/env bash
# A private Slurm cluster in a folder: one controller and four nodes on this machine, with separate ports and a separate
# munge key. Touches only services and processes that it started. Needs root (each node is a process namespace, so that
# it can be killed as a whole) and the Debian packages slurm-wlm and munge.
#
#   cluster.sh start DIR             then: export SLURM_CONF=DIR/slurm.conf
#   cluster.sh kill-node DIR NODE    simulates a power failure: SIGKILL to its daemon, its jobs and all their processes
#   cluster.sh start-node DIR NODE
#   cluster.sh stop DIR
#
# The nodes are node1 to node4, each with two cards (npu:2) that are regular files. Jobs of the partition `urgent`
# preempt jobs of `night`, which are requeued.
set -euo pipefail

usage() {
    sed -n '2,12p' "$0" >&2
    exit 2
}

configure() {
    # Below the kernel's range of dynamic ports; the same ports for the same folder.
    local port=$((20000 + $(cksum <<<"$dir" | cut -d ' ' -f 1) % 1000 * 10))
    cat >"$dir/slurm.conf" <<CONF
ClusterName=private
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
# A requeued job waits until its old credential has expired: two minutes by default.
AuthInfo=socket=$dir/munge.socket,cred_expire=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/spool/%n/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/%n.log
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/jobs.txt
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=bf_interval=2,sched_interval=2
# A node that is silent for ten seconds is down, and its jobs are requeued.
SlurmdTimeout=10
KillWait=5
ReturnToService=2
GresTypes=npu
NodeName=node[1-4] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=2 Gres=npu:2
PartitionName=night Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE
PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=OFF
CONF
    printf '%s\n' "AutoDetect=off" "Name=npu File=$dir/dev/card[0-1]" >"$dir/gres.conf"
    echo "CgroupAutomount=no" >"$dir/cgroup.conf"
}

# The shell is the first process of the namespace and reaps orphans of jobs.
start_node() {
    setsid unshare --pid --fork --kill-child --mount-proc \
        bash -c "slurmd -D -N $1 -f ${SLURM_CONF@Q} & wait" </dev/null &>>"$dir/$1.out" &
    echo $! >"$dir/$1.pid"
}

# Ends the process named in a file, if it is still the one that was started for this folder.
end() {
    local signal=$1 file=$dir/$2.pid pid
    [ -s "$file" ] || return 0
    pid=$(<"$file")
    if tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF "$dir/"; then
        kill "-$signal" "$pid"
        while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    fi
    rm -f "$file"
}

[ $# -ge 2 ] || usage
[ "$1" != start ] || mkdir -p "$2"
dir=$(cd "$2" && pwd -P)
export SLURM_CONF=$dir/slurm.conf
case "$1 ${3:-}" in
"start ")
    [ "$(id -u)" -eq 0 ] || { echo "a private cluster needs root" >&2 && exit 1; }
    mkdir -p "$dir"/{state,dev,spool/node{1..4}}
    touch "$dir"/dev/card{0,1}
    configure
    (umask 077 && head -c 128 /dev/urandom >"$dir/munge.key")
    munged --socket="$dir/munge.socket" --key-file="$dir/munge.key" --pid-file="$dir/munged.pid" \
        --log-file="$dir/munged.log" --seed-file="$dir/munged.seed"
    slurmctld -f "$SLURM_CONF"
    for node in node{1..4}; do start_node "$node"; done
    for _ in {1..60}; do
        [ "$(sinfo -h -p night -t idle -o %D)" != 4 ] || exit 0
        sleep 0.5
    done
    echo "the nodes did not start; see $dir/*.log" >&2
    exit 1
    ;;
"stop ")
    for node in node{1..4}; do end KILL "$node"; done
    end TERM slurmctld
    end TERM munged
    ;;
"kill-node node"[1-4]) end KILL "$3" ;;
"start-node node"[1-4]) start_node "$3" ;;
*) usage ;;
esac

#!/usr/bin/env bash
# A prolog for Slurm (Prolog= in slurm.conf): a burst of Atlas CTS on each card of the job, before it starts.
#
#   ATLAS_CTS          the command; default: atlas-cts on PATH
#   ATLAS_CTS_LEDGER   the folder with the ledgers; default: /var/lib/atlas-cts
#   ATLAS_CTS_BURST    the promised time for each card; default: 200ms
#   ATLAS_CTS_BACKEND  as for `atlas-cts run`; default: device
#
# Slurm drains the node if a prolog fails. This one fails only if a rule is broken; everything else is logged.
set -uo pipefail
cts=${ATLAS_CTS:-atlas-cts}
ledger=${ATLAS_CTS_LEDGER:-/var/lib/atlas-cts}
burst=${ATLAS_CTS_BURST:-200ms}
job=${SLURM_JOB_ID:-none}

note() {
    logger -t atlas-cts "job $job: $1" 2>/dev/null || echo "job $job: $1" >&2
}

command -v "$cts" >/dev/null || {
    note "$cts is missing: no burst"
    exit 0
}
status=0
# The cards of the job, by the number that the scheduler gives; all cards in one burst if it gives none.
IFS=, read -r -a cards <<<"${SLURM_JOB_GPUS:-${ASCEND_RT_VISIBLE_DEVICES:-}}"
[ ${#cards[@]} -gt 0 ] || cards=('')
for card in "${cards[@]}"; do
    name=${card:-all}
    [ -z "$card" ] || export ASCEND_RT_VISIBLE_DEVICES=$card
    said=$("$cts" run --burst "$burst" --ledger "$ledger" --card "$name" \
        --backend "${ATLAS_CTS_BACKEND:-device}" 2>&1)
    ended=$?
    case $ended in
    0) ;;
    1)
        note "card $name: $said"
        echo "print atlas-cts: card $name has a broken rule"
        status=1
        ;;
    *) note "card $name: no result ($ended): $said" ;;
    esac
done
exit $status

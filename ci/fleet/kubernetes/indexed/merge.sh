#!/bin/sh
# One report from every attempt at every shard of a run, in a pod. Arguments are those of `atlas-cts merge`.
#
# Exit status: that of atlas-cts merge (3 if a shard is missing or without an answer); 2 also if the settings are not
# those of a fleet, 3 also if no shard has a journal or the volume cannot be written.
set -u

end() {
    echo "merge.sh: $2" >&2
    exit "$1"
}
if [ -z "${FLEET_RUN:-}" ] || [ -z "${FLEET_REPORTS:-}" ]; then
    end 2 "FLEET_RUN and FLEET_REPORTS are needed: set them in the ConfigMap of settings"
fi
folder=$FLEET_REPORTS/$FLEET_RUN
journals=0
for journal in "$folder"/shard-*/attempt-*/results.jsonl; do
    # A first line that was cut short says of no run what it is.
    if [ -e "$journal" ] && [ "$(wc -l <"$journal")" -gt 0 ]; then
        journals=$((journals + 1))
        set -- "$@" "${journal%/results.jsonl}"
    fi
done
[ "$journals" -gt 0 ] || end 3 "no shard has a journal below $folder: look at the pods of the run's Job"
# What an earlier merge wrote is made again from the same journals.
rm -rf "$folder/merged" || end 3 "cannot replace $folder/merged: look at the report volume"
exec atlas-cts merge --report-dir "$folder/merged" "$@"

#!/bin/sh
# Merges all attempts of all shards of a run into one report, in a pod. Takes the arguments of `atlas-cts merge`.
#
# Exit status: that of atlas-cts merge (3 if a shard is missing or has no result); 2 also if the settings are not those
# of a fleet, 3 also if no shard has a journal or the volume is not writable.
set -u

end() {
    echo "merge.sh: $2" >&2
    exit "$1"
}
if [ -z "${FLEET_RUN:-}" ] || [ -z "${FLEET_REPORTS:-}" ]; then
    end 2 "FLEET_RUN and FLEET_REPORTS are not set; set them in the ConfigMap of settings"
fi
folder=$FLEET_REPORTS/$FLEET_RUN
journals=0
for journal in "$folder"/shard-*/attempt-*/results.jsonl; do
    # A journal without a complete first line does not identify a run.
    if [ -e "$journal" ] && [ "$(wc -l <"$journal")" -gt 0 ]; then
        journals=$((journals + 1))
        set -- "$@" "${journal%/results.jsonl}"
    fi
done
[ "$journals" -gt 0 ] || end 3 "no shard has a journal below $folder; check the pods of the run's Job"
# Replaces the report of an earlier merge of the same journals.
rm -rf "$folder/merged" || end 3 "cannot replace $folder/merged; check the report volume"
exec atlas-cts merge --report-dir "$folder/merged" "$@"

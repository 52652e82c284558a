"""Checks start.sh with a kubectl that simulates the cluster."""

import pathlib
import subprocess
import tempfile

from bench import HERE, check, same

# Simulates a cluster whose shards end after two queries.
KUBECTL = """#!/bin/sh
set -eu
echo "$*" >>calls
case "$1 $2 $*" in
"apply -k "*) ;;
"get -k "*) printf 'configmap/a\\njob.%s/r\\njob.batch/r-merge\\n' "$GROUP" ;;
"get job.$GROUP/r "*) [ "$(grep -c '^get job.*/r ' calls)" -le 2 ] || printf 'SuccessCriteriaMet\\n%s\\n' "$SHARDS" ;;
"patch job.batch/r-merge "*) ;;
"get job.batch/r-merge "*) ! grep -q '^patch' calls || echo Complete ;;
"logs job.batch/r-merge "*) echo the report ;;
"get pods "*) printf '%s\\n' $CODES ;;
*) echo "unexpected: $*" >&2; exit 1 ;;
esac
"""


@check
def start_waits_for_the_shards_resumes_the_merge_and_returns_its_status(bench):
    for group, shards, merge_codes, wanted in [
        ("batch", "Complete", "0", 0),
        ("batch", "Failed", "1", 1),
        ("batch", "Failed", "2", 2),
        ("batch", "Failed", "137 3", 3),
        ("batch", "Complete", "137 0", 0),
        ("batch", "Complete", "137 137 137", 3),
        ("batch", "Complete", "", 3),
        ("batch.volcano.sh", "Completed", "0", 0),
        ("batch.volcano.sh", "Terminated", "3", 3),
    ]:
        case = f"{group} {shards} {merge_codes}"
        place = pathlib.Path(tempfile.mkdtemp(dir=bench.work))
        (place / "kubectl").write_text(KUBECTL)
        (place / "kubectl").chmod(0o755)
        env = {"PATH": f"{place}:/usr/bin:/bin", "GROUP": group, "SHARDS": shards, "CODES": merge_codes}
        done = subprocess.run(
            [HERE / "start.sh", "run", "0"], cwd=place, env=env, capture_output=True, text=True, timeout=60
        )
        same(done.returncode, wanted, f"{case}\n{done.stderr}")
        assert "the report" in done.stdout, f"{case}: {done.stdout}"
        calls = (place / "calls").read_text().splitlines()
        queries = [number for number, call in enumerate(calls) if call.startswith(f"get job.{group}/r ")]
        resumed = [number for number, call in enumerate(calls) if call.startswith("patch")]
        same((len(queries), len(resumed)), (3, 1), f"{case}: queries, and resumed merges")
        assert queries[-1] < resumed[0], f"{case}: {calls}"

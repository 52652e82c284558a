"""Prints the shell of all steps of a workflow of GitHub, or of all jobs of GitLab, for `bash -n`."""

import re
import sys

from ruamel.yaml import YAML

document = YAML(typ="safe").load(open(sys.argv[1], encoding="utf-8"))
scripts = []
for job in document.get("jobs", {}).values():
    scripts += [step["run"] for step in job["steps"] if "run" in step]
for job in document.values():
    if isinstance(job, dict):
        scripts += ["\n".join(job[part]) for part in ("before_script", "script") if part in job]
if not scripts:
    sys.exit(f"{sys.argv[1]}: no step has a script")
# What GitHub puts in before the shell reads it.
print("\n".join(re.sub(r"\$\{\{.*?\}\}", "value", script) for script in scripts))

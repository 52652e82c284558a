"""Prints the shell code of all steps of a GitHub workflow, or of all GitLab jobs, for `bash -n`."""

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
# GitHub replaces these expressions before the shell runs.
print("\n".join(re.sub(r"\$\{\{.*?\}\}", "value", script) for script in scripts))

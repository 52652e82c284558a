#!/usr/bin/env bash
# Checks the examples and the container file: the schemas of GitHub and GitLab, their shell code, hadolint. Jenkins has
# no schema. Installs its tools in a folder below target. The last line counts the checks.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
passed=0
failed=0
step() {
    local name=$1
    shift
    if "$@"; then
        passed=$((passed + 1)) && echo "ok      $name"
    else
        failed=$((failed + 1)) && echo "FAILED  $name"
    fi
}

tools=$PWD/target/examples
python3 -m venv "$tools" &&
    "$tools/bin/pip" --quiet --disable-pip-version-check install --requirement ci/examples/requirements.txt || exit 1

# Checks the shell code of every step with `bash -n`.
shell() {
    "$tools/bin/python" ci/examples/shell.py "$1" >"$tools/shell.sh" && bash -n "$tools/shell.sh"
}

# Checks that a mistake is found; otherwise, a check that finds nothing would pass.
refuses() {
    sed 's/runs-on:/runs_on:/; s/^  parallel: 4/  parallel: four/' "$2" >"$tools/mistake.yml"
    ! "$tools/bin/check-jsonschema" --builtin-schema "$1" "$tools/mistake.yml" >/dev/null
}

step "GitHub's schema" "$tools/bin/check-jsonschema" --builtin-schema vendor.github-workflows ci/examples/github-npu.yml
step "GitHub's schema finds a mistake" refuses vendor.github-workflows ci/examples/github-npu.yml
step "GitLab's schema" "$tools/bin/check-jsonschema" --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci ci/examples/gitlab.yml
step "GitLab's schema finds a mistake" refuses vendor.gitlab-ci ci/examples/gitlab.yml
step "the shell code of GitHub's steps" shell ci/examples/github-npu.yml
step "the shell code of GitLab's steps" shell ci/examples/gitlab.yml
step "the container file" "$tools/bin/hadolint" ci/container/Containerfile
echo "NOT CHECKED: ci/examples/Jenkinsfile, which has no schema"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

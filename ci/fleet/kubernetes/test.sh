#!/usr/bin/env bash
# Tests the fleet for Kubernetes without a cluster: validates its manifests with the schemas of the API, and executes
# every index of a Job of eight as the rendered manifest says, on simulated devices. docs/run/fleet.md lists the
# gaps.
#
#   ci/fleet/kubernetes/test.sh [ATLAS_CTS [WORD…]]
#
# ATLAS_CTS: the command, default target/release/atlas-cts. With WORDs, only checks whose names contain one of them run.
#
# Needs root (a container is a mount namespace), kubectl for rendering, Python, and once the network for the packages in
# test/requirements.txt. The last line counts the checks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
executable=${1:-target/release/atlas-cts}

need() {
    echo "test.sh: $1" >&2
    echo "0 passed, 1 failed"
    exit 1
}
[ -x "$executable" ] || need "no command at $executable; run cargo build --release -p atlas-cts, or give its path"
[ "$(id -u)" -eq 0 ] || need "needs root to create mount namespaces"
command -v kubectl >/dev/null || need "kubectl is missing; install it (kubernetes.io/docs/tasks/tools)"

python=target/fleet-kubernetes/bin/python
if ! cmp -s ci/fleet/kubernetes/test/requirements.txt target/fleet-kubernetes/requirements.txt; then
    python3 -m venv --clear target/fleet-kubernetes
    "$python" -m pip install --quiet --disable-pip-version-check -r ci/fleet/kubernetes/test/requirements.txt ||
        need "cannot install the Python packages of test/requirements.txt; the first run needs the network"
    cp ci/fleet/kubernetes/test/requirements.txt target/fleet-kubernetes/requirements.txt
fi
export PYTHONDONTWRITEBYTECODE=1
exec "$python" ci/fleet/kubernetes/test/fleet.py "$executable" "${@:2}"

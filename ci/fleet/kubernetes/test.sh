#!/usr/bin/env bash
# The fleet for Kubernetes without a cluster: its manifests against the schemas of the API, and every index of a Job of eight
# executed as the rendered manifest says, on simulated devices. docs/fleet-kubernetes.md says what that leaves open.
#
#   ci/fleet/kubernetes/test.sh [ATLAS_CTS [WORD…]]      # the command, default target/release/atlas-cts; only checks whose
#                                                        # name contains one of the words
#
# Needs root (a container is a mount namespace), kubectl or its like for rendering, Python, and once the network for the
# packages in test/requirements.txt. The last line counts checks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
executable=${1:-target/release/atlas-cts}

need() {
    echo "test.sh: $1" >&2
    echo "0 passed, 1 failed"
    exit 1
}
[ -x "$executable" ] || need "no command at $executable: cargo build --release -p atlas-cts, or name one"
[ "$(id -u)" -eq 0 ] || need "a container is a mount namespace here: run this as root"
command -v kubectl >/dev/null || need "kubectl renders the manifests: install it (kubernetes.io/docs/tasks/tools)"

python=target/fleet-kubernetes/bin/python
if ! cmp -s ci/fleet/kubernetes/test/requirements.txt target/fleet-kubernetes/requirements.txt; then
    python3 -m venv --clear target/fleet-kubernetes
    "$python" -m pip install --quiet --disable-pip-version-check -r ci/fleet/kubernetes/test/requirements.txt ||
        need "the Python packages of test/requirements.txt cannot be had: give the network once"
    cp ci/fleet/kubernetes/test/requirements.txt target/fleet-kubernetes/requirements.txt
fi
export PYTHONDONTWRITEBYTECODE=1
exec "$python" ci/fleet/kubernetes/test/fleet.py "$executable" "${@:2}"

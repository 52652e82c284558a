"""Helpers of the checks: runs and their journals."""

import json
import pathlib
import subprocess
import tempfile

import yaml

from cluster import Cluster

HERE = pathlib.Path(__file__).resolve().parent.parent
CHECKS = []


def check(function):
    """A check is a function of a bench; its name is a sentence, and it fails with an exception."""
    CHECKS.append(function)
    return function


class Bench:
    def __init__(self, executable):
        self.executable = executable
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="atlas-cts-fleet-"))
        self.work.chmod(0o755)

    def kustomization(self, components=(), settings=None, args=None, shards=8):
        """A test run in addition to the examples: on simulated devices, with the given settings and arguments."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        # kustomize takes relative paths only.
        def relative(name):
            return str(pathlib.Path(*[".."] * (len(folder.parts) - 1), *HERE.parts[1:]) / name)

        literals = {
            "FLEET_RUN": "test-run",
            "FLEET_SHARDS": shards,
            "ATLAS_CTS_BACKEND": "simulator",
            "ATLAS_CTS_PRODUCT": "200-300-500",
            "ATLAS_CTS_PROFILE": "smoke",
            "ATLAS_CTS_SEED": 1,
        } | (settings or {})
        text = {
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "resources": [relative("indexed")],
            "configMapGenerator": [
                {
                    "name": "atlas-cts-settings",
                    "behavior": "merge",
                    "literals": [f"{name}={value}" for name, value in literals.items()],
                }
            ],
            "components": [relative(name) for name in [*components, "settings"]],
        }
        if args:
            patch = [{"op": "replace", "path": "/spec/template/spec/containers/0/args", "value": args}]
            target = {"group": "batch", "kind": "Job", "labelSelector": "app.kubernetes.io/component=shards"}
            text["patches"] = [{"target": target, "patch": yaml.safe_dump(patch)}]
        (folder / "kustomization.yaml").write_text(yaml.safe_dump(text))
        return folder

    def cluster(self, manifests):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        folder.chmod(0o755)
        return Cluster(manifests, self.executable, folder)

    def unsharded(self, manifests, *args):
        """The same run without shards: the settings of the manifests, without those of the fleet."""
        settings = next(
            one["data"] for one in manifests if one["metadata"]["name"].startswith("atlas-cts-settings")
        )
        env = {name: value for name, value in settings.items() if name.startswith("ATLAS_CTS_")}
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work)) / "run"
        done = subprocess.run(
            [self.executable, "run", "--report-dir", str(folder), *args],
            env=env | {"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
        )
        return done.returncode, verdicts(folder)


def reports(cluster, run="test-run"):
    return cluster.claim("atlas-cts-reports") / run


def lines(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def results(folder):
    return [line["result"] for line in lines(folder) if "result" in line]


def verdicts(folder):
    found = results(folder)
    by_rule = {result["id"]: result["verdict"] for result in found}
    assert len(by_rule) == len(found), f"{folder}: a rule has two results"
    return by_rule


def codes(status):
    """The exit statuses of the pods of each index."""
    return {index: [pod.code for pod in pods] for index, pods in status.pods.items()}


def same(seen, wanted, what):
    assert seen == wanted, f"{what}: {difference(seen, wanted)}"


def difference(seen, wanted):
    if isinstance(seen, dict) and isinstance(wanted, dict):
        keys = [key for key in seen.keys() | wanted.keys() if seen.get(key) != wanted.get(key)]
        return "; ".join(f"{key}: {seen.get(key)} instead of {wanted.get(key)}" for key in sorted(keys, key=str)[:10])
    return f"{seen} instead of {wanted}"


def pod_template(manifest):
    if manifest["apiVersion"].startswith("batch.volcano.sh"):
        return manifest["spec"]["tasks"][0]["template"]
    return manifest["spec"]["template"]

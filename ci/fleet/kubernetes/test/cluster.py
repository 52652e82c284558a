"""A cluster of one machine, with the features that the manifests of a fleet need.

The command, environment, user and folders of a pod come from rendered manifests. The Job's podFailurePolicy,
backoffLimitPerIndex and maxFailedIndexes decide about an index whose pod failed. Each container runs in separate
namespaces (mounts, processes), on a read-only root file system, which needs root. Not simulated: scheduling, back-off
times, limits of memory and processors, seccomp, the network.
"""

import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import yaml

# Limit of pods for one index; more would be a loop.
TOO_MANY_PODS = 20

# The environment of every container, in addition to its manifest.
ALWAYS = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "KUBERNETES_SERVICE_HOST": "10.96.0.1",
    "KUBERNETES_SERVICE_PORT": "443",
}


def render(folder):
    """The manifests of a kustomization."""
    done = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"kubectl kustomize {folder}: {done.stderr.strip()}")
    return list(yaml.safe_load_all(done.stdout))


def job(manifests, component, group="batch"):
    """The Job of a component: `shards` or `merge`."""
    found = [
        one
        for one in manifests
        if one["kind"] == "Job"
        and one["apiVersion"].startswith(group + "/")
        and one["metadata"]["labels"]["app.kubernetes.io/component"] == component
    ]
    assert len(found) == 1, f"{len(found)} Jobs of {group} for {component}"
    return found[0]


@dataclasses.dataclass
class Fault:
    """A fault of one pod, if any."""

    # Kill it (SIGKILL) after it has written this many results.
    kill_after: int | None = None
    # The kill is a disruption: the pod gets the condition DisruptionTarget.
    disruption: bool = False
    # Its node gives this many file descriptors to a process: too few for workers, or for a run at all.
    open_files: int | None = None


@dataclasses.dataclass
class Ended:
    """A pod that has ended."""

    node: str
    code: int
    conditions: list
    output: str


@dataclasses.dataclass
class Status:
    """The final status of the Job, and the pods of each index."""

    pods: dict
    succeeded: list = dataclasses.field(default_factory=list)
    failed: list = dataclasses.field(default_factory=list)
    condition: str = "Complete"


class Cluster:
    def __init__(self, manifests, executable, work):
        self.manifests = manifests
        self.executable = pathlib.Path(executable).resolve()
        self.work = pathlib.Path(work)
        self.claims = self.work / "claims"

    def claim(self, name):
        """The folder of a volume claim, made on first use; its group is that of the pods (fsGroup)."""
        return self.claims / name

    def environment(self, container, pod):
        env = dict(ALWAYS, HOSTNAME=pod["metadata"]["name"])
        for source in container.get("envFrom", []):
            name = source["configMapRef"]["name"]
            env.update(self.config_map(name))
        for variable in container.get("env", []):
            if "value" in variable:
                env[variable["name"]] = variable["value"]
            else:
                env[variable["name"]] = field(pod, variable["valueFrom"]["fieldRef"]["fieldPath"])
        return env

    def config_map(self, name):
        found = [
            one for one in self.manifests if one["kind"] == "ConfigMap" and one["metadata"]["name"] == name
        ]
        assert len(found) == 1, f"{len(found)} ConfigMaps with the name {name}"
        return found[0]["data"]

    def mounts(self, container, pod, place):
        """Shell lines for the mounts of the container."""
        volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        user = pod["spec"]["securityContext"]
        lines = []
        for mount in container["volumeMounts"]:
            volume, path = volumes[mount["name"]], mount["mountPath"]
            options = "ro" if mount.get("readOnly") else "rw"
            lines.append(f"mkdir -p {path}")
            if "configMap" in volume:
                folder = place / volume["name"]
                folder.mkdir()
                for name, text in self.config_map(volume["configMap"]["name"]).items():
                    (folder / name).write_text(text)
                folder.chmod(0o755)
                lines.append(f"mount --bind {folder} {path}")
                lines.append(f"mount -o remount,bind,{options} {path}")
            elif "persistentVolumeClaim" in volume:
                folder = self.claim(volume["persistentVolumeClaim"]["claimName"])
                folder.mkdir(parents=True, exist_ok=True)
                os.chown(folder, -1, user["fsGroup"])
                folder.chmod(0o2775)
                lines.append(f"mount --bind {folder} {path}")
                lines.append(f"mount -o remount,bind,{options} {path}")
            elif "emptyDir" in volume:
                lines.append(f"mount -t tmpfs -o mode=1777 tmpfs {path}")
            else:
                raise AssertionError(f"unknown kind of volume: {volume}")
        return lines

    def run_pod(self, template, name, node, extra, fault):
        """Runs the only container of a pod. `extra` are the variables that the Job's controller adds to its environment."""
        pod = {
            "metadata": dict(template["metadata"], name=name),
            "spec": dict(template["spec"], nodeName=node),
        }
        (container,) = pod["spec"]["containers"]
        assert pod["spec"]["restartPolicy"] == "Never"
        user, rights = pod["spec"]["securityContext"], container["securityContext"]
        assert rights == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        place = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        place.chmod(0o755)
        # The image is the root of this machine, with the command in /usr/local/bin. Process 1 is the shell: the
        # manifest shares the process namespace of the pod.
        assert pod["spec"]["shareProcessNamespace"]
        script = [
            "set -e",
            "mount -t proc proc /proc",
            "mount -t tmpfs tmpfs /usr/local/bin",
            f"cp {self.executable} /usr/local/bin/atlas-cts",
            "mount -t tmpfs tmpfs /mnt",
            *self.mounts(container, pod, place),
            "mount -o remount,bind,ro /",
            "set +e",
            f"ulimit -n {fault.open_files}" if fault.open_files else "",
            f"setpriv --reuid {user['runAsUser']} --regid {user['runAsGroup']} --groups {user['fsGroup']} "
            + '--no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"',
            "exit $?",
        ]
        env = self.environment(container, pod) | extra
        shard = self.claim("atlas-cts-reports") / env["FLEET_RUN"] / f"shard-{index_of(env) + 1}"
        before = results_in(shard)
        started = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "sh", "-c", "\n".join(script), "sh"]
            + container["command"]
            + container["args"],
            env=env,
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        killed = threading.Event()
        if fault.kill_after is not None:
            threading.Thread(
                target=kill_in_the_middle, args=(started, shard, before + fault.kill_after, killed), daemon=True
            ).start()
        output, _ = started.communicate()
        shutil.rmtree(place)
        code = started.returncode
        if killed.is_set():
            code = 128 + signal.SIGKILL
        conditions = ["DisruptionTarget"] if fault.disruption and killed.is_set() else []
        return Ended(node, code, conditions, output)

    def run_indexed(self, the_job, nodes=None, faults=None, only=None):
        """Runs an Indexed Job to its end, one index after the other. `nodes[index]` and `faults[index]` list the nodes and
        the faults of its pods, in order; `only` are the indexes that get a card."""
        nodes, faults = nodes or {}, faults or {}
        spec = the_job["spec"]
        assert spec["completionMode"] == "Indexed"
        status = Status(pods={})
        for index in range(spec["completions"]):
            if only is not None and index not in only:
                status.condition = "Failed"
                continue
            pods, counted, end = [], 0, None
            while end is None:
                attempt = len(pods)
                assert attempt < TOO_MANY_PODS, f"index {index} is in a loop"
                pod = self.run_pod(
                    spec["template"],
                    f"{the_job['metadata']['name']}-{index}-pod{attempt}",
                    (nodes.get(index, []) + ["node-z"] * TOO_MANY_PODS)[attempt],
                    {"JOB_COMPLETION_INDEX": str(index)},
                    (faults.get(index, []) + [Fault()] * TOO_MANY_PODS)[attempt],
                )
                pods.append(pod)
                action = "Succeeded" if pod.code == 0 else policy(spec, pod)
                if action == "Count":
                    counted += 1
                if action == "Succeeded":
                    end = status.succeeded
                elif action in ("FailIndex", "FailJob") or counted > spec["backoffLimitPerIndex"]:
                    end = status.failed
            end.append(index)
            status.pods[index] = pods
            if action == "FailJob" or len(status.failed) > spec["maxFailedIndexes"]:
                status.condition = "Failed"
                return status
        if status.failed:
            status.condition = "Failed"
        return status

    def run_merge(self, the_job):
        """Resumes the merge and returns its pod."""
        assert the_job["spec"]["suspend"]
        return self.run_pod(
            the_job["spec"]["template"], the_job["metadata"]["name"] + "-pod", "node-m", {}, Fault()
        )


def index_of(env):
    return int(env.get("JOB_COMPLETION_INDEX", -1))


def field(pod, path):
    """The value of a field path of a pod in the downward API."""
    if path.endswith("']"):
        what, key = path.removesuffix("']").split("['")
        return pod["metadata"][what.removeprefix("metadata.")][key]
    value = pod
    for part in path.split("."):
        value = value[part]
    return value


def policy(spec, pod):
    """The action of the Job for a failed pod: that of the first matching rule, or Count."""
    (container,) = spec["template"]["spec"]["containers"]
    for rule in spec["podFailurePolicy"]["rules"]:
        if "onExitCodes" in rule:
            codes = rule["onExitCodes"]
            assert codes["operator"] == "In" and codes["containerName"] == container["name"]
            if pod.code in codes["values"]:
                return rule["action"]
        if any(
            condition["type"] in pod.conditions and condition["status"] == "True"
            for condition in rule.get("onPodConditions", [])
        ):
            return rule["action"]
    return "Count"


def results_in(shard):
    return sum(
        line.startswith(b'{"result"')
        for journal in shard.glob("attempt-*/results.jsonl")
        for line in journal.read_bytes().splitlines()
    )


def kill_in_the_middle(process, shard, results, killed):
    while process.poll() is None:
        if results_in(shard) >= results:
            killed.set()
            process.kill()
            return
        time.sleep(0.01)

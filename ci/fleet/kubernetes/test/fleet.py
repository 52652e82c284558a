"""What docs/fleet-kubernetes.md promises, without a cluster. Called by test.sh."""

import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import kubernetes_validate
import yaml

from cluster import Cluster, Ended, Fault, job, policy, render

HERE = pathlib.Path(__file__).resolve().parent.parent
# The first release with all that the Job says switched on, and the newest whose schemas the package holds.
RELEASES = ["1.29", "1.37"]
# Workers cannot be started: the run ends with errors. Not even a journal can be opened: it ends before it begins.
BAD_NODE, HOPELESS_NODE = Fault(open_files=16), Fault(open_files=12)
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Bench:
    def __init__(self, executable):
        self.executable = executable
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="atlas-cts-fleet-"))
        self.work.chmod(0o755)

    def kustomization(self, components=(), settings=None, args=None, shards=8):
        """A run of our own beside the examples: on simulated devices, settings and arguments as asked for."""
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
        """The same run in one piece: the settings of the manifests, without the fleet's."""
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
    """The exit statuses of each index's pods."""
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


def core(manifest):
    """What the schemas of Kubernetes itself know of a manifest: of a job of Volcano its pod."""
    if not manifest["apiVersion"].startswith("batch.volcano.sh"):
        return manifest
    return {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": manifest["metadata"],
        "template": pod_template(manifest),
    }


def every_rendering(bench):
    """Every example, and every product with each option that fits it, as Indexed Job and as job of Volcano."""
    for example in sorted((HERE / "examples").iterdir()):
        yield f"examples/{example.name}", render(example)
    for product in sorted((HERE / "products").iterdir()):
        options = [[], ["options/host-versions"]]
        if product.name in ("a2", "a3", "train"):
            options += [["options/whole-cards"], ["options/hami"]]
        for extra in options:
            for volcano in [[], ["volcano"]]:
                components = [f"products/{product.name}", *extra, *volcano]
                yield " ".join(components), render(bench.kustomization(components))


@check
def the_shells_are_clean(bench):
    scripts = [*HERE.glob("*.sh"), *HERE.glob("indexed/*.sh")]
    assert len(scripts) >= 3
    shellcheck = pathlib.Path(sys.executable).parent / "shellcheck"
    done = subprocess.run([shellcheck, *scripts], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@check
def every_rendering_is_valid_in_the_strict_schemas_of_the_api(bench):
    count = 0
    claim = list(yaml.safe_load_all((HERE / "reports.yaml").read_text()))
    for name, manifests in [*every_rendering(bench), ("reports.yaml", claim)]:
        for manifest in manifests:
            for release in RELEASES:
                try:
                    kubernetes_validate.validate(core(manifest), release, strict=True)
                except kubernetes_validate.ValidationError as error:
                    raise AssertionError(f"{name}, {manifest['kind']}, {release}: {error}") from error
                count += 1
    print(f"    {count} validations")


@check
def a_manifest_with_a_misspelt_field_is_refused_by_the_same_check(bench):
    for group, components in [("batch", []), ("batch.volcano.sh", ["volcano"])]:
        manifest = job(render(bench.kustomization(components)), "shards", group)
        pod_template(manifest)["spec"]["containers"][0]["commands"] = ["true"]
        for release in RELEASES:
            try:
                kubernetes_validate.validate(core(manifest), release, strict=True)
            except kubernetes_validate.ValidationError:
                continue
            raise AssertionError(f"{group}, {release}: nobody minds")


@check
def each_product_asks_for_the_resource_that_its_device_plugin_lends(bench):
    seen = {}
    for product in sorted((HERE / "products").iterdir()):
        manifests = render(bench.kustomization([f"products/{product.name}"]))
        (container,) = job(manifests, "shards")["spec"]["template"]["spec"]["containers"]
        cards = {name for name in container["resources"]["limits"] if name.startswith("huawei.com/")}
        (settings,) = [one["data"] for one in manifests if one["metadata"]["name"].startswith("atlas-cts-settings")]
        same(settings["ATLAS_CTS_PRODUCT"], product.name, "the product of the settings")
        (seen[product.name],) = cards
    wanted = {name: "huawei.com/Ascend910" for name in ("a2", "a3", "train")} | {
        "infer": "huawei.com/Ascend310P",
        "200-300-500": "huawei.com/Ascend310",
        "200i-500-a2": "huawei.com/Ascend310",
        "ascend950": "huawei.com/npu",
    }
    same(seen, wanted, "resources")


@check
def name_and_number_of_shards_are_said_once(bench):
    for components, group in [([], "batch"), (["volcano"], "batch.volcano.sh")]:
        manifests = render(bench.kustomization(components, settings={"FLEET_RUN": "other-name"}, shards=5))
        shards = job(manifests, "shards", group)
        same(shards["metadata"]["name"], "other-name", "the name of the Job")
        same(job(manifests, "merge")["metadata"]["name"], "other-name-merge", "the name of the merge")
        if group == "batch":
            numbers = [shards["spec"][name] for name in ("completions", "parallelism", "maxFailedIndexes")]
        else:
            numbers = [shards["spec"]["tasks"][0]["replicas"]]
        same(set(numbers), {5}, "the number of shards")


@check
def eight_indexes_of_which_three_fail_first_give_the_report_of_an_undisturbed_run(bench):
    manifests = render(HERE / "examples" / "rehearsal")
    cluster = bench.cluster(manifests)
    run = reports(cluster, "rehearsal-1")
    status = cluster.run_indexed(
        job(manifests, "shards"),
        faults={
            # Out of memory, say: counted.
            2: [Fault(kill_after=10)],
            # A drained node.
            3: [Fault(kill_after=5, disruption=True)],
            # A node whose devices fail, on which the shard lands twice, and then another one.
            5: [BAD_NODE, BAD_NODE, Fault()],
        },
        nodes={5: ["node-b", "node-b", "node-c"]},
    )
    wanted = {index: [0] for index in range(8)}
    wanted |= {2: [137, 0], 3: [137, 0], 5: [3, 75, 0]}
    same(codes(status), wanted, "exit statuses of the pods")
    same((status.condition, status.succeeded), ("Complete", list(range(8))), "the Job's end")

    attempts = {index: len(list((run / f"shard-{index + 1}").glob("attempt-*"))) for index in range(8)}
    same(attempts, {index: 2 if index == 5 else 1 for index in range(8)}, "attempts")
    for index, resumed in [(2, 1), (3, 1), (0, 0)]:
        journal = lines(run / f"shard-{index + 1}" / "attempt-1")
        same(sum("resume" in line for line in journal), resumed, f"how often index {index} was resumed")
    same((run / "shard-6" / "visits").read_text().split("\n"), ["run node-b", "away node-b", "run node-c", ""], "visits")

    merged = cluster.run_merge(job(manifests, "merge"))
    code, unsharded = bench.unsharded(manifests)
    same((merged.code, code), (0, 0), f"exit statuses of merge and of the undisturbed run\n{merged.output[-2000:]}")
    same(verdicts(run / "merged"), unsharded, "verdicts of the rules")
    print(f"    {len(unsharded)} rules, {sum(one != 'skipped' for one in unsharded.values())} of them executed")

    # A shard that is started again has nothing to do, and says the same.
    again = cluster.run_indexed(job(manifests, "shards"), only={1, 5})
    same(codes(again), {1: [0], 5: [0]}, "exit statuses of pods that come late")
    same(len(list((run / "shard-6").glob("attempt-*"))), 2, "attempts after that")
    same(cluster.run_merge(job(manifests, "merge")).code, 0, "exit status of a second merge")
    same(verdicts(run / "merged"), unsharded, "verdicts of a second merge")


@check
def an_index_with_a_broken_rule_is_not_tried_again_and_the_others_go_on(bench):
    settings = {"ATLAS_CTS_DEFECT": "malloc.aligned-only-from-4KiB"}
    manifests = render(bench.kustomization(settings=settings, args=["acl.copy.", "acl.malloc.", "acl.suballoc."]))
    cluster = bench.cluster(manifests)
    status = cluster.run_indexed(job(manifests, "shards"))
    code, unsharded = bench.unsharded(manifests, "acl.copy.", "acl.malloc.", "acl.suballoc.")
    same(code, 1, "exit status of the run in one piece")
    broken = {rule for rule, verdict in unsharded.items() if verdict in ("fail", "wrong-code", "crash", "timeout")}
    guilty = {
        index
        for index in range(8)
        if broken & verdicts(reports(cluster) / f"shard-{index + 1}" / "attempt-1").keys()
    }
    assert guilty and len(guilty) < 8, f"indexes with a broken rule: {guilty}"
    same(codes(status), {index: [1 if index in guilty else 0] for index in range(8)}, "exit statuses of the pods")
    same((status.condition, set(status.failed)), ("Failed", guilty), "the Job's end")
    merged = cluster.run_merge(job(manifests, "merge"))
    same((merged.code, code), (1, 1), "exit statuses of merge and of the undisturbed run")
    same(verdicts(reports(cluster) / "merged"), unsharded, "verdicts of the rules")


@check
def an_index_that_never_ran_leaves_its_rules_without_an_answer(bench):
    manifests = render(bench.kustomization())
    cluster = bench.cluster(manifests)
    same(codes(cluster.run_indexed(job(manifests, "shards"), only=set(range(7)))), {i: [0] for i in range(7)}, "pods")
    merged = cluster.run_merge(job(manifests, "merge"))
    same(merged.code, 3, f"exit status of the merge\n{merged.output[-2000:]}")
    lost = [result for result in results(reports(cluster) / "merged") if result["verdict"] == "error"]
    assert lost and all("8 of 8" in result["reason"] for result in lost), lost[:1]
    same(verdicts(reports(cluster) / "merged").keys(), bench.unsharded(manifests)[1].keys(), "the rules")


@check
def an_index_that_fails_on_every_node_is_given_up_and_the_merge_says_what_is_not_known(bench):
    manifests = render(bench.kustomization(args=["acl.copy."], shards=2))
    cluster = bench.cluster(manifests)
    shards = job(manifests, "shards")
    limit = shards["spec"]["backoffLimitPerIndex"]
    nodes = [f"node-{number}" for number in range(limit + 1)]
    status = cluster.run_indexed(shards, nodes={0: nodes}, faults={0: [BAD_NODE] * 20})
    same(codes(status), {0: [3] * (limit + 1), 1: [0]}, "exit statuses of the pods")
    same((status.condition, status.failed), ("Failed", [0]), "the Job's end")
    merged = cluster.run_merge(job(manifests, "merge"))
    same(merged.code, 3, f"exit status of the merge\n{merged.output[-2000:]}")
    same(verdicts(reports(cluster) / "merged").keys(), bench.unsharded(manifests, "acl.copy.")[1].keys(), "the rules")


@check
def a_cluster_of_one_bad_node_still_comes_to_an_end(bench):
    manifests = render(bench.kustomization(args=["acl.copy."], shards=1))
    for fault in (BAD_NODE, HOPELESS_NODE):
        status = bench.cluster(manifests).run_indexed(
            job(manifests, "shards"), nodes={0: ["node-a"] * 20}, faults={0: [fault] * 20}
        )
        same(sorted(codes(status)[0]), [3, 3, 3, 75, 75], f"exit statuses of the pods with {fault}")
        same((status.condition, status.failed), ("Failed", [0]), "the Job's end")


@check
def disruptions_are_not_counted_and_lose_nothing_that_has_a_result(bench):
    # One rule at a time: a rule that two kills found in flight would not be tried a third time.
    manifests = render(bench.kustomization(settings={"ATLAS_CTS_JOBS": 1}, args=["acl.copy."], shards=1))
    cluster = bench.cluster(manifests)
    shards = job(manifests, "shards")
    disruptions = shards["spec"]["backoffLimitPerIndex"] + 1
    status = cluster.run_indexed(shards, faults={0: [Fault(kill_after=3, disruption=True)] * disruptions})
    same(codes(status), {0: [137] * disruptions + [0]}, "exit statuses of the pods")
    journal = reports(cluster) / "shard-1" / "attempt-1"
    same(sum("resume" in line for line in lines(journal)), disruptions, "how often it was resumed")
    same(verdicts(journal), bench.unsharded(manifests, "acl.copy.")[1], "verdicts of the rules")


@check
def a_mistake_in_the_settings_fails_the_job_at_its_first_pod(bench):
    for settings in ({"ATLAS_CTS_SEED": ""}, {"ATLAS_CTS_PRODUCT": "a7"}):
        manifests = render(bench.kustomization(settings=settings))
        cluster = bench.cluster(manifests)
        status = cluster.run_indexed(job(manifests, "shards"))
        same(codes(status), {0: [2]}, f"exit statuses with {settings}")
        same(status.condition, "Failed", "the Job's end")
        same(cluster.run_merge(job(manifests, "merge")).code, 3, "exit status of a merge of nothing")


@check
def a_journal_without_a_first_line_is_no_reason_to_give_up(bench):
    manifests = render(bench.kustomization(args=["acl.copy."], shards=1))
    cluster = bench.cluster(manifests)
    cut = reports(cluster) / "shard-1" / "attempt-1"
    cut.mkdir(parents=True)
    (cut / "results.jsonl").write_text('{"run":{"form')
    for folder in (cut.parent.parent, cut.parent):
        shutil.chown(folder, 1000, 1000)
    same(codes(cluster.run_indexed(job(manifests, "shards"))), {0: [0]}, "exit statuses of the pods")
    same(cluster.run_merge(job(manifests, "merge")).code, 0, "exit status of the merge")


@check
def volcano_runs_the_same_pod_with_its_own_index(bench):
    indexed = job(render(bench.kustomization(args=["acl.copy."])), "shards")
    manifests = render(bench.kustomization(["volcano"], args=["acl.copy."]))
    volcano = job(manifests, "shards", "batch.volcano.sh")
    plain = json.loads(json.dumps(indexed["spec"]["template"]))
    same(without_args(pod_template(volcano)), without_args(plain), "the pod")
    same(volcano["spec"]["plugins"], {"env": []}, "plugins: that one gives the index")
    manifests_of_pod = render(bench.kustomization(["volcano"]))
    cluster = bench.cluster(manifests_of_pod)
    template = pod_template(job(manifests_of_pod, "shards", "batch.volcano.sh"))
    for variables in ({"VC_TASK_INDEX": "6", "VK_TASK_INDEX": "6"}, {"VK_TASK_INDEX": "7"}):
        pod = cluster.run_pod(template, "test-run-shard-6", "node-a", variables, Fault())
        same(pod.code, 0, f"exit status with {variables}\n{pod.output[-1000:]}")
    written = sorted(folder.name for folder in reports(cluster).iterdir())
    same(written, ["shard-7", "shard-8"], "folders")


def without_args(template):
    """A pod without its arguments: a run's own patch for the Indexed Job comes after Volcano's job was made."""
    copy = json.loads(json.dumps(template))
    copy["spec"]["containers"][0]["args"] = []
    return copy


@check
def volcano_answers_each_exit_status_as_the_indexed_job_does(bench):
    spec = job(render(bench.kustomization()), "shards")["spec"]
    (task,) = job(render(bench.kustomization(["volcano"])), "shards", "batch.volcano.sh")["spec"]["tasks"]
    actions = {one["exitCode"]: one["action"] for one in task["policies"]}
    means = {"Count": "RestartPod", "Ignore": "RestartPod", "FailJob": "TerminateJob", "FailIndex": None}
    for code in (1, 2, 3, 75, 126, 127, 137, 143):
        same(actions.get(code), means[policy(spec, Ended("node-a", code, [], ""))], f"exit status {code}")


# A kubectl that answers as a cluster would whose shards end when they have been asked about twice.
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
*) echo "nobody expected this: $*" >&2; exit 1 ;;
esac
"""


@check
def start_waits_for_the_shards_lets_the_merge_go_and_ends_as_it_does(bench):
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
        asked = [number for number, call in enumerate(calls) if call.startswith(f"get job.{group}/r ")]
        let_go = [number for number, call in enumerate(calls) if call.startswith("patch")]
        same((len(asked), len(let_go)), (3, 1), f"{case}: questions, and merges let go")
        assert asked[-1] < let_go[0], f"{case}: {calls}"


def main():
    bench = Bench(sys.argv[1])
    only = sys.argv[2:]
    passed = failed = 0
    for function in CHECKS:
        name = function.__name__.replace("_", " ")
        if only and not any(word in function.__name__ for word in only):
            continue
        begun = time.monotonic()
        try:
            function(bench)
        except Exception as error:
            failed += 1
            print(f"FAILED  {name}\n        {error}")
            if not isinstance(error, AssertionError):
                traceback.print_exc(file=sys.stdout)
        else:
            passed += 1
            print(f"ok      {name} ({time.monotonic() - begun:.0f} s)")
        sys.stdout.flush()
    with contextlib.suppress(OSError):
        shutil.rmtree(bench.work)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Checks of whole runs: the pods of the rendered manifests, on simulated devices."""

import json
import shutil

from bench import HERE, check, codes, lines, pod_template, reports, results, same, verdicts
from cluster import Fault, job, render

# Too few descriptors to start workers: the run ends with errors. Too few even for a journal: it ends before it begins.
BAD_NODE, HOPELESS_NODE = Fault(open_files=16), Fault(open_files=12)


@check
def eight_indexes_of_which_three_fail_first_give_the_report_of_an_undisturbed_run(bench):
    manifests = render(HERE / "examples" / "rehearsal")
    cluster = bench.cluster(manifests)
    run = reports(cluster, "rehearsal-1")
    status = cluster.run_indexed(
        job(manifests, "shards"),
        faults={
            # For example, out of memory: counted.
            2: [Fault(kill_after=10)],
            # A drained node.
            3: [Fault(kill_after=5, disruption=True)],
            # A node with failing devices, to which the shard is assigned twice, and then another node.
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
        same(sum("resume" in line for line in journal), resumed, f"number of resumptions of index {index}")
    same((run / "shard-6" / "visits").read_text().split("\n"), ["run node-b", "away node-b", "run node-c", ""], "visits")

    merged = cluster.run_merge(job(manifests, "merge"))
    code, unsharded = bench.unsharded(manifests)
    same((merged.code, code), (0, 0), f"exit statuses of merge and of the undisturbed run\n{merged.output[-2000:]}")
    same(verdicts(run / "merged"), unsharded, "verdicts of the rules")
    print(f"    {len(unsharded)} rules, {sum(one != 'skipped' for one in unsharded.values())} of them executed")

    # A shard that is started again has nothing to do, and reports the same.
    again = cluster.run_indexed(job(manifests, "shards"), only={1, 5})
    same(codes(again), {1: [0], 5: [0]}, "exit statuses of late pods")
    same(len(list((run / "shard-6").glob("attempt-*"))), 2, "attempts after that")
    same(cluster.run_merge(job(manifests, "merge")).code, 0, "exit status of a second merge")
    same(verdicts(run / "merged"), unsharded, "verdicts of a second merge")


@check
def an_index_with_a_broken_rule_is_not_retried_and_the_others_continue(bench):
    settings = {"ATLAS_CTS_DEFECT": "malloc.aligned-only-from-4KiB"}
    manifests = render(bench.kustomization(settings=settings, args=["acl.copy.", "acl.malloc.", "acl.suballoc."]))
    cluster = bench.cluster(manifests)
    status = cluster.run_indexed(job(manifests, "shards"))
    code, unsharded = bench.unsharded(manifests, "acl.copy.", "acl.malloc.", "acl.suballoc.")
    same(code, 1, "exit status of the run without shards")
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
def an_index_that_never_ran_leaves_its_rules_without_a_result(bench):
    manifests = render(bench.kustomization())
    cluster = bench.cluster(manifests)
    same(codes(cluster.run_indexed(job(manifests, "shards"), only=set(range(7)))), {i: [0] for i in range(7)}, "pods")
    merged = cluster.run_merge(job(manifests, "merge"))
    same(merged.code, 3, f"exit status of the merge\n{merged.output[-2000:]}")
    lost = [result for result in results(reports(cluster) / "merged") if result["verdict"] == "error"]
    assert lost and all("8 of 8" in result["reason"] for result in lost), lost[:1]
    same(verdicts(reports(cluster) / "merged").keys(), bench.unsharded(manifests)[1].keys(), "the rules")


@check
def an_index_that_fails_on_every_node_is_abandoned_and_the_merge_reports_what_is_unknown(bench):
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
def a_run_on_a_cluster_of_one_bad_node_ends(bench):
    manifests = render(bench.kustomization(args=["acl.copy."], shards=1))
    for fault in (BAD_NODE, HOPELESS_NODE):
        status = bench.cluster(manifests).run_indexed(
            job(manifests, "shards"), nodes={0: ["node-a"] * 20}, faults={0: [fault] * 20}
        )
        same(sorted(codes(status)[0]), [3, 3, 3, 75, 75], f"exit statuses of the pods with {fault}")
        same((status.condition, status.failed), ("Failed", [0]), "the Job's end")


@check
def disruptions_are_not_counted_and_lose_no_results(bench):
    # One rule at a time: a rule that was running at two kills is not tried a third time.
    manifests = render(bench.kustomization(settings={"ATLAS_CTS_JOBS": 1}, args=["acl.copy."], shards=1))
    cluster = bench.cluster(manifests)
    shards = job(manifests, "shards")
    disruptions = shards["spec"]["backoffLimitPerIndex"] + 1
    status = cluster.run_indexed(shards, faults={0: [Fault(kill_after=3, disruption=True)] * disruptions})
    same(codes(status), {0: [137] * disruptions + [0]}, "exit statuses of the pods")
    journal = reports(cluster) / "shard-1" / "attempt-1"
    same(sum("resume" in line for line in lines(journal)), disruptions, "number of resumptions")
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
def a_journal_without_a_first_line_does_not_stop_a_shard(bench):
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
    same(volcano["spec"]["plugins"], {"env": []}, "plugins: env sets the index")
    manifests_of_pod = render(bench.kustomization(["volcano"]))
    cluster = bench.cluster(manifests_of_pod)
    template = pod_template(job(manifests_of_pod, "shards", "batch.volcano.sh"))
    for variables in ({"VC_TASK_INDEX": "6", "VK_TASK_INDEX": "6"}, {"VK_TASK_INDEX": "7"}):
        pod = cluster.run_pod(template, "test-run-shard-6", "node-a", variables, Fault())
        same(pod.code, 0, f"exit status with {variables}\n{pod.output[-1000:]}")
    written = sorted(folder.name for folder in reports(cluster).iterdir())
    same(written, ["shard-7", "shard-8"], "folders")


def without_args(template):
    """A pod without its arguments: a run patches the Indexed Job after the Volcano job was created."""
    copy = json.loads(json.dumps(template))
    copy["spec"]["containers"][0]["args"] = []
    return copy

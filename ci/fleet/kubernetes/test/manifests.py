"""Checks of the manifests and scripts that run no pod."""

import pathlib
import subprocess
import sys

import kubernetes_validate
import yaml

from bench import HERE, check, pod_template, same
from cluster import Ended, job, policy, render

# The first release that enables all features of the Job by default, and the newest whose schemas the package contains.
RELEASES = ["1.29", "1.37"]


def core(manifest):
    """The part of a manifest in the schemas of Kubernetes itself: for a Volcano job, its pod."""
    if not manifest["apiVersion"].startswith("batch.volcano.sh"):
        return manifest
    return {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": manifest["metadata"],
        "template": pod_template(manifest),
    }


def every_rendering(bench):
    """Every example, and every product with each applicable option, as Indexed Job and as Volcano job."""
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
def a_manifest_with_a_misspelled_field_is_rejected_by_the_same_check(bench):
    for group, components in [("batch", []), ("batch.volcano.sh", ["volcano"])]:
        manifest = job(render(bench.kustomization(components)), "shards", group)
        pod_template(manifest)["spec"]["containers"][0]["commands"] = ["true"]
        for release in RELEASES:
            try:
                kubernetes_validate.validate(core(manifest), release, strict=True)
            except kubernetes_validate.ValidationError:
                continue
            raise AssertionError(f"{group}, {release}: not rejected")


@check
def each_product_requests_the_resource_of_its_device_plugin(bench):
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
def name_and_number_of_shards_are_set_once(bench):
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
def volcano_handles_each_exit_status_like_the_indexed_job(bench):
    spec = job(render(bench.kustomization()), "shards")["spec"]
    (task,) = job(render(bench.kustomization(["volcano"])), "shards", "batch.volcano.sh")["spec"]["tasks"]
    actions = {one["exitCode"]: one["action"] for one in task["policies"]}
    means = {"Count": "RestartPod", "Ignore": "RestartPod", "FailJob": "TerminateJob", "FailIndex": None}
    for code in (1, 2, 3, 75, 126, 127, 137, 143):
        same(actions.get(code), means[policy(spec, Ended("node-a", code, [], ""))], f"exit status {code}")

"""Writes the inventory of a bundle: sbom.cdx.json (CycloneDX) and THIRD-PARTY.txt (licenses and notices).

    contents.py TARGET RUSTC TOOLCHAIN FOLDER

Both come from one list: the packages that cargo links into `atlas-cts` for the target (without build scripts,
procedural macros, their own dependencies and tests), the standard library, and the unwinder of the linker. Fails if a
package has no license expression, if a crate has no license file, or if the bill of materials does not match its
schema.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid
from importlib import metadata

import ziglang
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

LICENCE_FILE = re.compile(r"(?i)(licen[cs]e|copying|copyright|notice|unlicense)")
ROOT = "atlas-cts"


def linked(target: str) -> tuple[dict, dict[str, list[str]], dict[str, dict]]:
    """The root, the dependencies linked into its executable by package id, and all packages by id."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    cargo = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    packages = {package["id"]: package for package in cargo["packages"]}
    macros = {id for id, package in packages.items() if any("proc-macro" in t["kind"] for t in package["targets"])}
    nodes = {node["id"]: node["deps"] for node in cargo["resolve"]["nodes"]}
    root = next(package for package in cargo["packages"] if package["name"] == ROOT)
    edges: dict[str, list[str]] = {}
    todo = [root["id"]]
    while todo:
        id = todo.pop()
        if id in edges:
            continue
        normal = [dep["pkg"] for dep in nodes[id] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
        edges[id] = sorted(dependency for dependency in normal if dependency not in macros)
        todo += edges[id]
    return root, edges, packages


def expression(package: dict) -> str:
    """The license as an SPDX expression; older crates use a slash for OR."""
    if not package["license"]:
        sys.exit(f"{package['name']} {package['version']} has no license expression; remove the crate, or add its license here")
    return re.sub(r"\s*/\s*", " OR ", package["license"])


def texts(package: dict) -> list[pathlib.Path]:
    """The license files of a crate."""
    folder = pathlib.Path(package["manifest_path"]).parent
    found = sorted(path for path in folder.iterdir() if path.is_file() and LICENCE_FILE.match(path.name))
    if not found and "Apache-2.0" in expression(package):
        # Some crates leave the file out. The text of this license is the same in every project.
        return [pathlib.Path(__file__).parents[2] / "LICENSE"]
    if not found:
        sys.exit(f"{package['name']} {package['version']} has no license file; remove the crate, or add its text here")
    return found


def reference(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def others(rustc: str, toolchain: pathlib.Path) -> list[tuple[dict, list[pathlib.Path]]]:
    """The linked components that are not crates of Cargo.lock."""
    verbose = subprocess.run([rustc, "-vV"], check=True, capture_output=True, text=True).stdout
    release = re.search(r"^release: (\S+)", verbose, re.M).group(1)
    standard = {
        "type": "library", "bom-ref": f"rust-std@{release}", "name": "rust-std", "version": release,
        "description": "The Rust standard library, as built by Debian",
        "licenses": [{"expression": "MIT OR Apache-2.0"}],
        "externalReferences": [{"type": "distribution", "url": "https://packages.debian.org/bookworm/libstd-rust-web-dev"}],
    }
    zig = metadata.version("ziglang")
    unwinder = {
        "type": "library", "bom-ref": f"libunwind@zig-{zig}", "name": "libunwind", "version": f"zig-{zig}",
        "description": "LLVM's unwinder and compiler runtime, as shipped with Zig",
        "licenses": [{"expression": "Apache-2.0 WITH LLVM-exception"}],
        "purl": f"pkg:pypi/ziglang@{zig}",
    }
    zig_folder = pathlib.Path(ziglang.__file__).parent
    return [
        (standard, [toolchain / "usr/share/doc/libstd-rust-web-dev/copyright"]),
        (unwinder, [zig_folder / "lib/libunwind/LICENSE.TXT", zig_folder / "LICENSE"]),
    ]


def main() -> None:
    target, rustc, toolchain, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    root, edges, packages = linked(target)
    locked = tomllib.loads(pathlib.Path("Cargo.lock").read_text())["package"]
    checksums = {(package["name"], package["version"]): package.get("checksum") for package in locked}
    own = {id for id in edges if packages[id]["source"] is None}
    ordered = sorted(edges, key=lambda id: reference(packages[id]))

    components, notices = [], []
    for id in ordered:
        if id == root["id"]:
            continue
        package = packages[id]
        component = {
            "type": "library", "bom-ref": reference(package), "name": package["name"], "version": package["version"],
            "licenses": [{"expression": expression(package)}], "purl": reference(package),
        }
        if checksum := checksums.get((package["name"], package["version"])):
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
        if id not in own:
            notices.append((component, texts(package)))
    linker = others(rustc, toolchain)
    components += [component for component, _ in linker]
    notices += linker

    executable = (folder / "atlas-cts").read_bytes()
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    everywhere = [component["bom-ref"] for component, _ in linker]
    bill = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {
            "timestamp": moment.isoformat(),
            "component": {
                "type": "application", "bom-ref": reference(root), "name": ROOT, "version": root["version"],
                "licenses": [{"expression": expression(root)}],
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(executable).hexdigest()}],
                "properties": [{"name": "atlas-cts:target", "value": target}],
            },
        },
        "components": components,
        "dependencies": [
            {
                "ref": reference(packages[id]),
                "dependsOn": [reference(packages[to]) for to in edges[id]] + (everywhere if id == root["id"] else []),
            }
            for id in ordered
        ],
    }
    # The same contents give the same number.
    bill["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True)).urn
    text = json.dumps(bill, indent=1, sort_keys=True) + "\n"
    if mistake := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        sys.exit(f"sbom.cdx.json does not match CycloneDX 1.6: {mistake}")
    (folder / "sbom.cdx.json").write_text(text)

    # Most crates have the same texts: each text appears once, after the names of its crates.
    holders: dict[str, list[str]] = {}
    for component, files in notices:
        for file in files:
            content = "\n".join(line.rstrip() for line in file.read_text(errors="replace").strip().splitlines())
            holders.setdefault(content, []).append(f"{component['name']} {component['version']} ({file.name})")
    list_of_all = [f"{c['name']} {c['version']}: {c['licenses'][0]['expression']}" for c, _ in notices]
    blocks = ["Third-party code linked into atlas-cts, and its licenses:\n\n" + "\n".join(list_of_all)]
    blocks += ["\n".join(names) + "\n\n" + content for content, names in holders.items()]
    (folder / "THIRD-PARTY.txt").write_text(("\n\n" + "=" * 100 + "\n\n").join(blocks) + "\n")
    print(f"{len(components)} components in the bill of materials, {len(holders)} license texts")


if __name__ == "__main__":
    main()

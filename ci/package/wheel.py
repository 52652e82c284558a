"""Makes a wheel for pip from the files of a bundle: the same executable, byte for byte.

    wheel.py --arch x86_64 --version 0.3.0 --glibc 2.28 BUNDLE FOLDER

Checks first that the executable needs no newer glibc than the wheel's tag promises (elf.py). The same bundle gives the
same wheel: the time is SOURCE_DATE_EPOCH, and the order is fixed.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import subprocess
import sys
import time
import zipfile

NAME = "atlas_cts"
SUMMARY = "Conformance tests for the memory runtime of an accelerator"
# In the wheel, the nightly script has a longer name. It finds the executable next to it.
SCRIPTS = {"atlas-cts": "atlas-cts", "nightly.sh": "atlas-cts-nightly"}
LICENSES = ["LICENSE", "THIRD-PARTY.txt"]


def metadata(version: str, readme: str) -> str:
    licenses = "".join(f"License-File: {name}\n" for name in LICENSES)
    return (
        f"Metadata-Version: 2.4\nName: atlas-cts\nVersion: {version}\nSummary: {SUMMARY}\n"
        f"License-Expression: Apache-2.0\n{licenses}"
        "Classifier: Environment :: Console\nClassifier: Operating System :: POSIX :: Linux\n"
        "Classifier: Topic :: Software Development :: Testing\nRequires-Python: >=3.8\n"
        f"Description-Content-Type: text/markdown\n\n{readme}"
    )


def contents(bundle: pathlib.Path, version: str, tag: str) -> dict[str, tuple[bytes, bool]]:
    """The files by their names in the wheel, each with a mark if it is executable."""
    info, scripts = f"{NAME}-{version}.dist-info", f"{NAME}-{version}.data/scripts"
    read = lambda name: (bundle / name).read_bytes()
    wheel = f"Wheel-Version: 1.0\nGenerator: atlas-cts (ci/package/wheel.py)\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {f"{scripts}/{name}": (read(file), True) for file, name in SCRIPTS.items()}
    files |= {f"{info}/licenses/{name}": (read(name), False) for name in LICENSES}
    files[f"{info}/sboms/sbom.cdx.json"] = (read("sbom.cdx.json"), False)
    files[f"{info}/METADATA"] = (metadata(version, read("README.md").decode()).encode(), False)
    files[f"{info}/WHEEL"] = (wheel.encode(), False)
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    lines = [f"{name},sha256={digest(data)},{len(data)}\n" for name, (data, _) in files.items()]
    record = f"{info}/RECORD"
    files[record] = ("".join([*lines, f"{record},,\n"]).encode(), False)
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", required=True, choices=["x86_64", "aarch64"])
    parser.add_argument("--version", required=True)
    parser.add_argument("--glibc", required=True)
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    given = parser.parse_args()
    check = [sys.executable, pathlib.Path(__file__).with_name("elf.py"), "--glibc", given.glibc, "--arch", given.arch]
    if subprocess.run([*check, given.bundle / "atlas-cts"], stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"no wheel: {given.bundle / 'atlas-cts'} is not what a tag for glibc {given.glibc} promises")
    tag = f"py3-none-manylinux_{given.glibc.replace('.', '_')}_{given.arch}"
    path = given.folder / f"{NAME}-{given.version}-{tag}.whl"
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, (data, executable) in contents(given.bundle, given.version, tag).items():
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, data)
    print(f"{path.name}: {path.stat().st_size} bytes, sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()

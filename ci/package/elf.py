"""Checks the promises of a bundle for an executable and the ELF files embedded in it.

    elf.py --glibc 2.28 --arch aarch64 [--without TEXT]… FILE…

Each ELF file must be of the architecture, need no symbol of a newer glibc and no library other than glibc's, and
contain none of the texts (folders of the build machine). If a file does not, it prints the file and the symbol, and
the exit status is 1.
"""

import argparse
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

MAGIC = b"\x7fELF\x02\x01\x01"
MACHINES = {"x86_64": 62, "aarch64": 183}
# The libraries in the package of glibc; the loader has the architecture in its name.
LIBRARIES = re.compile(r"lib(c|m|dl|pthread|rt|util)\.so\.\d+|ld-linux-(x86-64|aarch64)\.so\.\d+")


def carried(data: bytes) -> list[tuple[int, bytes]]:
    """The ELF files in a file by offset, the file itself first. Each ends with its section headers."""
    found = []
    for match in re.finditer(re.escape(MAGIC), data):
        start = match.start()
        header = data[start : start + 64]
        kind, _, version = struct.unpack_from("<HHI", header, 16) if len(header) == 64 else (0, 0, 0)
        if version != 1 or kind not in (2, 3):
            continue
        (sections,) = struct.unpack_from("<Q", header, 40)
        size, count = struct.unpack_from("<HH", header, 58)
        end = start + sections + size * count
        # Code that searches for the magic also contains it, without a header after it.
        if size == 64 and sections and end <= len(data):
            found.append((start, data[start:end]))
    return found


def newer(symbol_version: str, glibc: tuple[int, ...]) -> bool:
    """True if a symbol version is newer than a glibc: GLIBC_2.34 than 2.28. GLIBC_PRIVATE is never allowed."""
    numbers = symbol_version.removeprefix("GLIBC_").split(".")
    return not all(number.isdigit() for number in numbers) or tuple(map(int, numbers)) > glibc


def mistakes(name: str, elf: bytes, glibc: tuple[int, ...], arch: str, without: list[str]) -> tuple[list[str], str]:
    """The mistakes of one ELF file, and the newest glibc that it needs."""
    wrong = []
    (machine,) = struct.unpack_from("<H", elf, 18)
    if machine != MACHINES[arch]:
        wrong.append(f"{name}: built for machine {machine}, not {MACHINES[arch]} ({arch})")
    wrong += [f"{name}: contains the text {text}" for text in without if text.encode() in elf]
    with tempfile.NamedTemporaryFile() as file:
        file.write(elf)
        file.flush()
        readelf = ["readelf", "--wide", "--dyn-syms", "--version-info", "--dynamic", file.name]
        text = subprocess.run(readelf, check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", text)
    wrong += [f"{name}: needs {library}, which is not part of glibc" for library in needed if not LIBRARIES.fullmatch(library)]
    symbols = re.findall(r"UND (\S+?)@+(GLIBC_\w[\w.]*)", text)
    wrong += [f"{name}: {symbol} needs {version}" for symbol, version in symbols if newer(version, glibc)]
    # Versions without a symbol also count: the loader checks them.
    versions = set(re.findall(r"Name: (GLIBC_\w[\w.]*)", text))
    named = {version for _, version in symbols}
    wrong += [f"{name}: needs {version}" for version in sorted(versions - named) if newer(version, glibc)]
    if not versions:
        wrong.append(f"{name}: readelf shows no glibc version; nothing was checked")
    highest = max((version for version in versions if re.search(r"_\d", version)), key=numbers_of, default="none")
    return wrong, highest


def numbers_of(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--glibc", required=True)
    parser.add_argument("--arch", required=True, choices=MACHINES)
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--carries", type=int, default=1, help="least number of ELF files embedded in each file")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    wrong = []
    for path in given.files:
        elves = carried(path.read_bytes())
        if len(elves) <= given.carries:
            wrong.append(f"{path}: embeds {len(elves) - 1} ELF files, not {given.carries}: is the simulated device missing?")
        for start, elf in elves:
            name = str(path) if start == 0 else f"{path}, the file embedded at byte {start}"
            found, highest = mistakes(name, elf, numbers_of(given.glibc), given.arch, given.without)
            wrong += found
            print(f"{name}: {len(elf)} bytes, needs {highest}")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

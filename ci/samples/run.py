"""The work of ci/samples.sh."""

import math
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

CTS, *FOLDERS, JOBS = sys.argv[1:5]
SNAPSHOT, WORK = map(pathlib.Path, FOLDERS)
CHOSEN = sys.argv[5:]
HERE = pathlib.Path(__file__).parent
HEADERS = SNAPSHOT / "include/external"
LIMIT = 120  # seconds for a step of a sample; the slowest needs less than ten
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("ATLAS_CTS")}
# The reasons why a sample is out of reach: its description, and what the sample's sources then contain.
REASONS = {
    "operators": ("operators of the vendor's libraries", r"\baclnn\w+\("),
    "profiling": ("profiling", r"\b(aclprof|mstx)\w+\("),
    "dump": ("dumps of operators and models", r"\b(acldump|aclop\w*Dump|aclmdl\w*Dump)\w*\("),
    "channels": ("channels of tensors", r"\bacltdt\w*Channel\w*\("),
    "queues": ("queues of tensors", r"\bacltdt\w*Queue\w*\("),
    "reference": ("calls that the vendor's reference rules out", r"\baclrt(SubscribeHostFunc\(|Memset\(&)|\bsetConfigOpt\("),
    "faults": ("a kernel that faults; the simulated hardware has no faults", r"\bErrorOP\("),
}


class Differs(Exception):
    """The way in which a sample does not behave as its README says."""


def build(words, log):
    with open(log, "w") as out:
        if subprocess.run(words, stdout=out, stderr=subprocess.STDOUT).returncode != 0:
            errors = re.findall(r"(?:error: |undefined reference to ).*", pathlib.Path(log).read_text())
            raise Differs(f"does not build: {'; '.join(sorted(set(errors))[:4])} ({log})")


def archive_kernels():
    """Archives the host functions that replace kernels."""
    objects = []
    for source in sorted(HERE.glob("*.cpp")):
        objects.append(WORK / f"{source.stem}.o")
        flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{HEADERS}"]
        build(["g++", *flags, "-c", source, "-o", objects[-1]], WORK / f"{source.stem}.log")
    (WORK / "libkernels.a").unlink(missing_ok=True)
    build(["ar", "rcs", WORK / "libkernels.a", *objects], WORK / "archive.log")


def commands(text, name):
    """The arguments of a CMake command, for each use."""
    return [words.split() for words in re.findall(rf"\b{name}\(([^)]*)\)", re.sub(r"#.*", "", text))]


def compile_sample(folder, scratch):
    """Builds the programs that the sample's CMakeLists.txt names."""
    text = (folder / "CMakeLists.txt").read_text()
    text = text.replace("${CMAKE_CURRENT_SOURCE_DIR}", str(folder)).replace("${CMAKE_SOURCE_DIR}", str(folder))
    # The folders of an installation begin with a variable that is left.
    listed = [word for words in commands(text, "include_directories") for word in words if "$" not in word]
    includes = [f"-I{folder / word}" for word in listed]
    for program, *sources in commands(text, "add_executable"):
        sources = [folder / source for source in sources]
        words = ["g++", "-std=c++17", "-O1", "-w", f"-I{HEADERS}", f"-I{HEADERS / 'acl'}", *includes, *sources]
        # The simulated library first: a function that it has is never replaced.
        links = [f"-L{WORK / 'library'}", "-lascendcl", f"-L{WORK}", "-lkernels", "-lascendcl", "-lpthread", "-ldl"]
        build([*words, "-o", scratch / program, *links], scratch / f"{program}.build.log")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("", 0))
        return str(probe.getsockname()[1])


def wait_for(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise Differs(f"{what} within {LIMIT} s")
        time.sleep(0.05)


def run_step(programs, scratch, simulated, logs):
    """Runs the programs at the same time; after a program written "NAME until WORD", the next begins at that word."""
    running = []
    try:
        for number, program in enumerate(programs):
            program, _, word = program.partition(" until ")
            log = scratch / f"output-{len(logs)}.txt"
            logs.append(log)
            name, *arguments = program.split()
            with open(log, "w") as out:
                words = [*simulated, "stdbuf", "-oL", scratch / name, *arguments]
                started = subprocess.Popen(
                    words, cwd=scratch, stdout=out, stderr=subprocess.STDOUT, env=ENVIRONMENT, start_new_session=True
                )
            running.append((name, started, log))
            if word:
                wait_for(lambda: word in log.read_text(errors="replace"), f"{name} did not print {word!r}")
        for name, started, log in running:
            wait_for(lambda: started.poll() is not None, f"{name} did not end")
            if started.returncode != 0:
                raise Differs(f"{name} ended with status {started.returncode} ({log})")
    finally:
        for _, started, _ in running:
            if started.poll() is None:
                os.killpg(started.pid, signal.SIGKILL)
                started.wait()


def halves(path):
    data = path.read_bytes()
    return struct.unpack(f"<{len(data) // 2}e", data)


def write_input(scratch):
    """Two files of 16-bit floats between 1 and 100, as the samples' own script makes them."""
    for name in ("input_x", "input_y"):
        values = [random.uniform(1, 100) for _ in range(8 * 2048)]
        (scratch / f"input/{name}.bin").write_bytes(struct.pack(f"<{len(values)}e", *values))


def check_sum(scratch):
    """The output is the sum of the two inputs, within the tolerance of the samples' own check."""
    x, y, z = (halves(scratch / path) for path in ("input/input_x.bin", "input/input_y.bin", "output/output_z.bin"))
    near = len(x) == len(z) and all(math.isclose(a + b, c, rel_tol=1e-3) for a, b, c in zip(x, y, z))
    if not near:
        raise Differs("the output is not the sum of the inputs")
    (scratch / "output/output_z.bin").unlink()


def check_output(output, shows):
    """Each pattern is found, and no line reports an error except the lines that patterns match."""
    expected = set()
    for pattern in shows.split(" && "):
        found = re.search(pattern, output, re.S)
        if not found:
            raise Differs(f"no match for {pattern!r}")
        if "ERROR" in pattern:
            expected.update(line for line in found.group().splitlines() if "[ERROR]" in line)
    for line in output.splitlines():
        if "[ERROR]" in line and not any(part in line for part in expected):
            raise Differs(f"reports {line!r}")


def run_sample(sample, product, devices, started, shows):
    scratch = WORK / sample.replace("/", "+")
    shutil.rmtree(scratch, ignore_errors=True)
    for name in ("file", "input", "output"):
        (scratch / name).mkdir(parents=True)
    compile_sample(SNAPSHOT / "example" / sample, scratch)
    simulated = [CTS, "simulator", "run", "--product", product, "--devices", devices]
    simulated += ["--machine", scratch / "machine", "--"]
    write_input(scratch)
    logs = []
    for step in started.replace("PORT", free_port()).split(" ; "):
        run_step(step.split(" + "), scratch, simulated, logs)
        if "output_z.bin" in shows:
            check_sum(scratch)
    output = "\n".join(log.read_text(errors="replace") for log in logs)
    try:
        check_output(output, shows.replace("output_z.bin && ", ""))
    except Differs as differs:
        raise Differs(f"{differs} ({', '.join(map(str, logs))})") from None


def check_reason(sample, reason):
    if reason not in REASONS:
        raise Differs(f"{reason!r} is not a reason; the reasons: {', '.join(REASONS)}")
    sources = [path.read_text(errors="replace") for path in (SNAPSHOT / "example" / sample).rglob("*.cpp")]
    if not any(re.search(REASONS[reason][1], source) for source in sources):
        raise Differs(f"its sources need none of {reason!r} now; write its line in ci/samples/expected.tsv anew")
    return REASONS[reason][0]


def outcome(line):
    """The group in which a sample counts, and what is printed of it."""
    sample, product, devices, started, shows = line
    try:
        if product == "-":
            group, text = ("not", "does not      ") if shows == "reference" else ("out", "out of reach  ")
            return group, f"{text}{sample}: {check_reason(sample, shows)}"
        begin = time.monotonic()
        run_sample(*line)
        return "behaves", f"behaves       {sample} ({product}, {time.monotonic() - begin:.1f} s)"
    except (Differs, OSError) as error:
        return "failed", f"DOES NOT      {sample}: {error}"


def main():
    table = [line.split("\t") for line in (HERE / "expected.tsv").read_text().splitlines() if line and line[0] != "#"]
    wrong = [line[0] for line in table if len(line) != 5]
    if wrong:
        sys.exit(f"ci/samples/expected.tsv: five columns are needed: {', '.join(wrong)}")
    known = {line[0] for line in table}
    folders = [path.parent for path in (SNAPSHOT / "example").rglob("CMakeLists.txt")]
    present = {str(folder.relative_to(SNAPSHOT / "example")) for folder in folders}
    lost = sorted(known - present) + sorted(present - known)
    if lost:
        print(f"ci/samples/expected.tsv is of another snapshot; give these a line, or remove it: {', '.join(lost)}")
    if CHOSEN:
        table = [line for line in table if any(part in line[0] for part in CHOSEN)]
    table = [line for line in table if line[0] in present]
    shutil.rmtree(WORK / "library", ignore_errors=True)
    (WORK / "library").mkdir()
    library = subprocess.check_output([CTS, "simulator", "--print-path", WORK / "library"], text=True).strip()
    (WORK / "library/libascendcl.so").symlink_to(pathlib.Path(library).resolve())
    try:
        archive_kernels()
    except Differs as error:
        sys.exit(f"ci/samples: the host functions: {error}")
    counts = {"behaves": 0, "not": 0, "failed": 0, "out": 0}
    with ThreadPoolExecutor(int(JOBS)) as pool:
        for group, text in pool.map(outcome, table):
            counts[group] += 1
            print(text, flush=True)
    against = counts["not"] + counts["failed"]
    print(f"{counts['behaves']} behave as their README says, {against} do not, {counts['out']} out of reach")
    return 1 if counts["failed"] or lost or not table else 0


sys.exit(main())

"""The measurements of ci/diagnose.sh."""

import glob
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

CTS, PRODUCT, WORK, DRAWN, PAIRS, JOBS, *PARTS = sys.argv[1:]
DRAWN, PAIRS, JOBS = int(DRAWN), int(PAIRS), int(JOBS)
DICTIONARY = json.load(gzip.open(f"specs/acl/dictionary/{PRODUCT}.json.gz"))
KILLS = ("fail", "wrong-code")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("ATLAS_CTS")}
failed = []


def call(*words):
    return subprocess.run([CTS, *words], capture_output=True, text=True, env=ENVIRONMENT)


def run(name, seed, *options):
    """Runs the product's rules, and returns the exit status and the diagnosis."""
    folder = f"{WORK}/{name}"
    shutil.rmtree(folder, ignore_errors=True)
    ran = call("run", "--product", PRODUCT, "--seed", str(seed), "--report-dir", folder, *options)
    said = call("diagnose", folder, "--json")
    if ran.returncode not in (0, 1, 3) or said.returncode != 0:
        sys.exit(f"{name}: run {ran.returncode}, diagnose {said.returncode}\n{ran.stderr}{said.stderr}")
    shutil.rmtree(folder, ignore_errors=True)
    return ran.returncode, json.loads(said.stdout)


def simulated(*defects):
    chosen = ["--defect", ",".join(defects)] if defects else []
    return ["--backend", "simulator", *chosen]


def ranking(diagnosis):
    """The named mechanisms in order, each with those that it cannot be distinguished from."""
    order = []
    for one in diagnosis["explanation"] + diagnosis["candidates"]:
        names = {one["defect"], *one["same"]}
        if names not in order:
            order.append(names)
    return order


def rank(diagnosis, defect):
    places = [place for place, names in enumerate(ranking(diagnosis), 1) if defect in names]
    return places[0] if places else None


def each(work, items):
    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(work, items))


def share(name, part, all_of, floor=None):
    percent = 100 * part / all_of if all_of else 100
    print(f"{name}: {part} of {all_of} ({percent:.1f} %)" + (f", floor {floor} %" if floor else ""), flush=True)
    if floor and percent < floor:
        failed.append(name)


def killed():
    rows = [row["defect"] for row in DICTIONARY["rows"] if any(cell[1] in KILLS for cell in row["cells"])]
    return sorted(rows)


def one():
    drawn = random.Random(1).sample(killed(), min(DRAWN, len(killed())))
    results = each(lambda defect: (defect, *run(f"one-{defect}", 2, *simulated(defect))), drawn)
    red = [(defect, rank(found, defect), found) for defect, status, found in results if found["failures"]]
    for defect, place, found in red:
        if place != 1:
            first = [sorted(names)[0] for names in ranking(found)[:3]]
            print(f"  {defect}: place {place}; first: {', '.join(first) or 'none of these'}")
    share("one: not noticed by the run", len(drawn) - len(red), len(drawn))
    share("one: first", sum(place == 1 for _, place, _ in red), len(red), 90)
    share("one: among three", sum(place is not None and place <= 3 for _, place, _ in red), len(red), 98)
    share("one: called none of these", sum(not found["explanation"] for _, _, found in red), len(red))


def pairs():
    draw = random.Random(2)
    drawn = [tuple(sorted(draw.sample(killed(), 2))) for _ in range(PAIRS)]
    results = each(lambda pair: (pair, *run(f"pair-{pair[0]}-{pair[1]}", 3, *simulated(*pair))), drawn)
    red = [(pair, [rank(found, defect) for defect in pair], found) for pair, _, found in results if found["failures"]]
    both = [pair for pair, places, _ in red if all(place and place <= 5 for place in places)]
    for pair, places, found in red:
        if pair not in both:
            print(f"  {pair[0]} + {pair[1]}: places {places}, {found['failures']} failures, fit {found['fit']:.2f}")
    share("pairs: both among five", len(both), len(red), 70)
    share("pairs: one among five", sum(any(place and place <= 5 for place in places) for _, places, _ in red), len(red))


def strange():
    devices = [(os.path.basename(path)[:-3], ["--library", path]) for path in sorted(glob.glob(f"{WORK}/strange-*.so"))]
    wrong = call("simulator", "--list").stdout
    bad = [word for line in wrong.splitlines() for word in line.split()[:1] if word.startswith("bad.")]
    devices += [(name, simulated(name)) for name in bad]
    functions = ["Malloc", "Free", "Memcpy", "Memset", "MallocHost", "FreeHost", "CreateStream", "DestroyStream",
                 "SynchronizeStream", "MemcpyAsync", "GetMemInfo", "CreateEvent", "RecordEvent", "SynchronizeEvent"]
    devices += [(f"deny.aclrt{name}", simulated(f"deny.aclrt{name}")) for name in functions]
    results = each(lambda device: (device[0], *run(f"strange-run-{device[0]}", 4, *device[1])), devices[:30])
    none = 0
    for name, status, found in results:
        best = found["explanation"] or found["candidates"]
        sentence = " + ".join(one["sentence"] for one in best[:2]) or "no candidate"
        none += not found["explanation"]
        word = "named" if found["explanation"] else "none of these"
        print(f"  {name}: exit {status}, {found['failures']} failures, fit {found['fit']:.2f}, {word}: {sentence}")
    share("strange: none of these", none, len(results))


def variants():
    listed = call("simulator", "--list").stdout
    names = sorted({word for word in listed.split() if word.startswith("variant.")})
    results = each(lambda name: (name, *run(f"variant-{name}", 5, *simulated(*([name] if name else [])))), ["", *names])
    named = [name or "faithful" for name, _, found in results if found["explanation"] or found["candidates"]]
    print("".join(f"  {name}: named\n" for name in named), end="")
    share("variants and green: nothing named", len(results) - len(named), len(results), 100)


def budgets():
    drawn = random.Random(6).sample(killed(), min(DRAWN, len(killed())))
    for words in (["--budget", "1s"], ["--budget", "2s"], ["--budget", "5s"], ["--level", "1"], ["--level", "2"]):
        first = call("run", "--product", PRODUCT, "--backend", "simulator", "--seed", "7", *words,
                     "--report-dir", f"{WORK}/budget-green")
        plan = next(line for line in first.stdout.splitlines() if " keeps " in line)
        shutil.rmtree(f"{WORK}/budget-green", ignore_errors=True)
        def noticed(defect):
            return run(f"budget-{words[1]}-{defect}", 7, *words, *simulated(defect))[0] == 1
        kept = sum(each(noticed, drawn))
        print(f"  {plan}")
        share(f"budget {words[1]}: drawn defects killed", kept, len(drawn))


for part in PARTS:
    {"one": one, "pairs": pairs, "strange": strange, "variants": variants, "budgets": budgets}[part]()
if failed:
    sys.exit(f"below the floor: {', '.join(failed)}")

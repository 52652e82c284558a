"""Checks the promises of docs/run/fleet.md without a cluster. Called by test.sh: fleet.py ATLAS_CTS [WORD…]."""

import shutil
import sys
import time
import traceback

import manifests  # noqa: F401  (its checks)
import runs  # noqa: F401
import start  # noqa: F401
from bench import CHECKS, Bench


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
    shutil.rmtree(bench.work)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Fault campaign: drives with one to five faults under a load that is verified, and what the host saw held against what broke.

    python3 testbench/fuzz/faults --program PROGRAM --seed 7 --count 1000 --jobs 2 --keep DIR

Run n of seed s is the same whatever the count. A run that fails is kept in DIR/SEED_NUMBER with its scenario.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scenarios"))

import cases
import verdicts


def one(options, number: int) -> tuple[int, str, Counter]:
    """Draws, runs and judges case `number`: a report if it failed, and the kinds of its faults."""
    place = Path(tempfile.mkdtemp(prefix="faults"))
    try:
        case = cases.draw(f"{options.seed}/{number}", options.own_work)
        kinds = Counter(fault["kind"] for fault in case.faults)
        case.write(place)
        wrong = verdicts.of(options.program, case, place, again=options.thorough or number % 8 == 0, smart=options.smart)
        if not wrong:
            return number, "", kinds
        kept = ""
        if options.keep:
            folder = Path(options.keep) / f"{options.seed}_{number}"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(place, folder)
            kept = f"kept in {folder}\n"
        return number, f"run {options.seed}/{number}: {wrong}\n{kept}{case.text()}\n", kinds
    except Exception:  # the runner's own mistake is a failure, with its place
        return number, f"run {options.seed}/{number}: the runner failed\n{traceback.format_exc()}", Counter()
    finally:
        shutil.rmtree(place, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="faults", description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=36)
    parser.add_argument("--only", type=int, nargs="+", help="these runs of the seed")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder for runs that fail")
    parser.add_argument("--thorough", action="store_true", help="every run again, with waves; otherwise one in eight")
    parser.add_argument("--no-smart", dest="smart", action="store_false", help="do not look at SMART and the logs")
    parser.add_argument("--own-work", action="store_true", help="disks have work of their own: own_work.py")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    numbers = options.only or range(options.first, options.first + options.count)
    failed, kinds = 0, Counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        for _, report, counted in pool.map(one, [options] * len(numbers), numbers):
            kinds += counted
            if report:
                failed += 1
                print(report, flush=True)
    print(f"{len(numbers)} runs, {failed} failed; faults: " + ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

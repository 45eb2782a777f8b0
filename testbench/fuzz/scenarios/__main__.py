"""Random scenarios: legal values of all keys, run by the real program, and what comes out held against itself.

    python3 testbench/fuzz/scenarios --program PROGRAM --seed 7 --count 1000 --jobs 2 --keep DIR

Scenario n of seed s is the same whatever the count. A failing one is made small, printed with its seed and kept.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import arrays
import draw
import drives
import judge
import keys
import minimise
from scenario import Scenario

SCHEMA: dict = {}


def schema(options) -> dict:
    if not SCHEMA:
        SCHEMA.update(keys.described(options.program))
    return SCHEMA


def drawn(options, number: int) -> Scenario | None:
    return draw.scenario(options.program, schema(options), f"{options.seed}/{number}", tuple(options.without), options.arrays, options.stores, options.corners)


def shown(scenario: Scenario) -> str:
    text = scenario.text()
    if scenario.trace is not None:
        lines = scenario.trace_head + scenario.trace
        text += f"\n# {scenario.trace_name}\n" + "\n".join(f"#   {line}" for line in lines[:60])
        text += f"\n#   ... {len(lines) - 60} more\n" if len(lines) > 60 else "\n"
    return text


def smallest(options, scenario: Scenario, verdict: judge.Verdict, thorough: bool) -> tuple[Scenario, judge.Verdict]:
    seen = {"verdict": verdict}

    def fails(smaller: Scenario) -> bool:
        found, _ = judge.of(options.program, smaller, thorough)
        if found and found.kind == verdict.kind:
            seen["verdict"] = found
            return True
        return False

    return minimise.Minimiser(fails, options.minimise_s).smallest(scenario), seen["verdict"]


def one(options, number: int) -> tuple[int, str, str]:
    """Draws, runs and judges scenario `number`: its number, how it went, and a report if it failed."""
    seed = f"{options.seed}/{number}"
    thorough = options.thorough or number % 8 == 0
    try:
        scenario = drawn(options, number)
        if scenario is None:
            return number, "not drawn", ""
        verdict, taken = judge.of(options.program, scenario, thorough)
    except draw.Refused as refused:
        return number, "failed", f"scenario {seed}: refused badly\n{refused}\n"
    except Exception:  # the runner's own mistake is a failure of the test, with its place
        return number, "failed", f"scenario {seed}: the runner failed\n{traceback.format_exc()}\n"
    if verdict is None:
        return number, "passed" if taken else "refused", ""
    small, what = smallest(options, scenario, verdict, thorough)
    if options.keep:
        folder = Path(options.keep) / f"{options.seed}_{number}"
        small.write(folder)
        scenario.write(folder / "as_drawn")
        (folder / "what.txt").write_text(f"{verdict.kind}\n{what.what}\n")
    return number, "failed", f"scenario {seed}: {verdict.kind}\n{what.what}\n\n{shown(small)}\n"


def timed(options, number: int) -> tuple[int, str, str, float]:
    """The same with the processor seconds of its runs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = one(options, number)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return *outcome, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scenarios", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("ARMATURE_BINARY"), help="the simulator (ARMATURE_BINARY)")
    parser.add_argument("--seed", default="1", help="of all draws")
    parser.add_argument("--count", type=int, default=100, help="number of scenarios")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--jobs", type=int, default=1, help="scenarios at a time")
    parser.add_argument("--keep", help="folder for those that fail, made small, and as they were drawn")
    parser.add_argument("--thorough", action="store_true", help="repeat each, and run each of several drives alone")
    parser.add_argument("--minimise-s", type=float, default=120, help="most seconds for making one small")
    parser.add_argument("--without", nargs="*", default=[], help="beginnings of keys to leave out: those of a known fault")
    parser.add_argument("--stores", type=float, default=draw.SHARE_OF_STORES, help="share of the drives that are MEMS stores")
    parser.add_argument("--arrays", type=float, default=draw.SHARE_OF_ARRAYS, help="share of the scenarios that are of an array")
    parser.add_argument("--corners", type=float, default=draw.SHARE_OF_CORNERS, help="share of the scenarios in which things meet that seldom do")
    parser.add_argument("--show", action="store_true", help="print the scenarios and run nothing")
    options = parser.parse_args()
    if not options.program:
        parser.error("--program or ARMATURE_BINARY must say where the program is")
    options.program = os.path.abspath(options.program)
    return options


def main() -> int:
    options = arguments()
    if missing := keys.undrawable(schema(options), drives.GENERATED | {f"array.{key}" for key in arrays.KEYS}):
        print(f"keys without a draw: {', '.join(missing)}; give them one in drives.py, or a reason in keys.py")
        return 1
    numbers = range(options.first, options.first + options.count)
    if options.show:
        for number in numbers:
            scenario = drawn(options, number)
            print(f"# {options.seed}/{number}\n{shown(scenario) if scenario else '# not drawn'}")
        return 0
    tally: dict[str, int] = {}
    taken = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        for number, went, report, seconds in pool.map(timed, [options] * options.count, numbers):
            tally[went] = tally.get(went, 0) + 1
            taken[number] = seconds
            if report:
                print(report, flush=True)
    print(", ".join(f"{count} {went}" for went, count in sorted(tally.items())))
    slowest = sorted(taken, key=taken.get, reverse=True)[:3]
    of_each = ", ".join(f"{number}: {taken[number]:.1f} s" for number in slowest)
    print(f"{sum(taken.values()):.0f} s of the processor; most for {of_each}")
    usable = tally.get("passed", 0) + tally.get("failed", 0)
    if usable < 0.8 * options.count:
        print("too few of the drawn scenarios are legal")
        return 1
    return 1 if tally.get("failed") else 0


if __name__ == "__main__":
    sys.exit(main())

"""Keeps what the simulator does on many runs, and shows what another build does differently.

    ./armature behaviour keep DIR       runs every case and keeps requests.csv and energy.csv of each drive
    ./armature behaviour compare DIR    runs the cases that DIR keeps with the program of today, and compares

The cases: the shipped scenarios, three points of each experiment (as `reproduce --quick` runs it), and random drives, of which
every fifth has its arm-arbitration unit in RTL and every fifth in lockstep. For a change that is to change nothing that can be
measured. Status 1: something differs; 2: a case could not be run or DIR is not of this tool.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "models/study"), str(ROOT / "testbench/fuzz/scenarios")]

import cases  # noqa: E402  (its modules are found by the paths above)
import program  # noqa: E402

KEPT = ("requests.csv", "energy.csv")
INDEX = "hashes.tsv"
CPU_SECONDS = 600  # of one case; the longest shipped scenario needs a tenth of it


@dataclass
class Ran:
    """What a case left: its status and the files by their place in the output directory."""

    case: cases.Case
    status: int
    message: str
    files: dict[str, bytes]


def run(binary: str, case: cases.Case) -> Ran:
    with tempfile.TemporaryDirectory(prefix="armature-behaviour-") as place:
        out, scenario = Path(place) / "out", case.scenario
        if case.drawn:  # a run may write beside its scenario
            scenario = Path(shutil.copytree(scenario.parent, Path(place) / "case")) / scenario.name
        arguments = ["run", str(scenario), "--out", str(out), "--quiet", *case.options]
        for setting in ("output.request_log=true", "output.waves=false", "output.timelines=0"):
            arguments += ["--set", setting]
        ended = program.start(binary, arguments, Path(place), CPU_SECONDS)
        files = {}
        if out.is_dir():
            files = {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.name in KEPT}
        return Ran(case, ended.status, ended.message, files)


def all_runs(binary: str, chosen: list[cases.Case], jobs: int):
    with ThreadPoolExecutor(jobs) as pool:
        for number, ran in enumerate(pool.map(lambda case: run(binary, case), chosen), 1):
            if sys.stderr.isatty():
                print(f"\r\033[K{number} of {len(chosen)}: {ran.case.name}", end="", file=sys.stderr, flush=True)
            yield ran
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def keep(options: argparse.Namespace) -> int:
    place = Path(options.directory)
    if place.exists() and (not place.is_dir() or (any(place.iterdir()) and not (place / INDEX).exists())):
        print(f"{place}: there is something else in it", file=sys.stderr)
        return 2
    new = place.with_name(place.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    (new / "cases").mkdir(parents=True)
    chosen = cases.every(options.program, new / "cases", options.random)
    lines = []
    for ran in all_runs(options.program, chosen, options.jobs):
        lines.append(f"{ran.case.name}\tstatus\t{ran.status}\n")
        for name, data in ran.files.items():
            kept = new / "results" / ran.case.name / (name + ".gz")
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(gzip.compress(data, 1, mtime=0))
            lines.append(f"{ran.case.name}\t{name}\t{digest(data)}\n")
    (new / INDEX).write_text("".join(lines))
    shutil.rmtree(place, ignore_errors=True)
    new.rename(place)
    print(f"{len(chosen)} cases, {len(lines) - len(chosen)} files kept in {place}")
    return 0


def folded(data: bytes, sums: dict[str, list[str]]) -> bytes:
    """A table with columns summed up into the one that they were before, exactly: `sums` says which into which."""
    lines = data.decode().splitlines()
    header = lines[0].split(",")
    into = {header.index(name): [header.index(part) for part in parts] for name, parts in sums.items() if name in header}
    gone = {place for name, parts in into.items() for place in parts if place != name}
    out = []
    for number, line in enumerate(lines):
        fields = line.split(",")
        if number > 0:
            for place, parts in into.items():
                fields[place] = str(sum(Decimal(fields[part]) for part in parts))
        out.append(",".join(field for place, field in enumerate(fields) if place not in gone))
    return ("\n".join(out) + "\n").encode()


def first_difference(kept: Path, now: bytes) -> str:
    """The first line that differs, with its number, before and after."""
    if not kept.exists():
        return "is new"
    before, after = gzip.decompress(kept.read_bytes()).splitlines(), now.splitlines()
    for number, (one, other) in enumerate(zip(before, after), 1):
        if one != other:
            return f"line {number}\n      before: {one.decode(errors='replace')}\n      now:    {other.decode(errors='replace')}"
    return f"{len(before)} lines before, {len(after)} now"


def compare(options: argparse.Namespace) -> int:
    place = Path(options.directory)
    try:
        rows = [line.split("\t") for line in (place / INDEX).read_text().splitlines()]
    except OSError as error:
        print(f"{place / INDEX}: {error.strerror}; `behaviour keep {place}` makes it", file=sys.stderr)
        return 2
    expected: dict[str, dict[str, str]] = {}
    for case, what, value in rows:
        expected.setdefault(case, {})[what] = value
    chosen = [case for case in cases.kept(place / "cases") if options.only in case.name]
    unlike = 0
    for ran in all_runs(options.program, chosen, options.jobs):
        if options.sum:
            ran.files = {name: folded(data, options.sum) if name.endswith("requests.csv") else data for name, data in ran.files.items()}
        found = {"status": str(ran.status)} | {name: digest(data) for name, data in ran.files.items()}
        wanted = expected[ran.case.name]
        if found == wanted:
            continue
        unlike += 1
        print(f"{ran.case.name}")
        if found["status"] != wanted["status"]:
            print(f"    status {wanted['status']} before, {ran.status} now: {ran.message[:300]}")
        for name in sorted((set(wanted) | set(found)) - {"status"}):
            if name not in found:
                print(f"    {name}: is gone")
            elif found[name] != wanted.get(name):
                kept = place / "results" / ran.case.name / (name + ".gz")
                print(f"    {name}: {first_difference(kept, ran.files[name])}")
    print(f"{len(chosen)} cases: {unlike or 'none'} differ{'s' if unlike == 1 else ''}")
    return 1 if unlike else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="behaviour", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("ARMATURE_BINARY"), help="the simulator (ARMATURE_BINARY)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="runs side by side (the cores)")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("keep", help="run every case and keep the results")
    one.add_argument("directory", metavar="DIR", help="where to; an older one of this tool is replaced")
    one.add_argument("--random", type=int, default=40, metavar="N", help="number of random drives (40)")
    other = commands.add_parser("compare", help="run the kept cases again and compare")
    other.add_argument("directory", metavar="DIR", help="what `keep` wrote")
    other.add_argument("--only", default="", metavar="TEXT", help="only cases with this in their name")
    other.add_argument("--sum", action="append", default=[], metavar="COLUMN=A+B", help="of requests.csv: COLUMN of before is the sum of A and B now")
    options = parser.parse_args()
    if options.command == "compare":
        options.sum = {name: parts.split("+") for name, _, parts in (text.partition("=") for text in options.sum)}
    if not options.program:
        parser.error("--program or ARMATURE_BINARY must say where the program is")
    options.program = os.path.abspath(options.program)
    return options


if __name__ == "__main__":
    chosen_options = arguments()
    sys.exit({"keep": keep, "compare": compare}[chosen_options.command](chosen_options))

"""`armature loads`: the shipped loads beside what is published of them; writes docs/lab/loads.md."""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .errors import InputError
from .program import Program

_ROOT = Path(__file__).resolve().parents[3]
_SCENARIOS = _ROOT / "scenarios"
PUBLISHED = _SCENARIOS / "published_loads.toml"
PAGE = _ROOT / "docs" / "lab" / "loads.md"

REQUESTS = 1_000_000
TOLERANCE = 0.03  # of the published figure

_HEAD = """# Loads that the documents used

`scenarios/spc1_like.toml`, `tpcc_like.toml` and `tpch_like.toml` have loads like SPC-1, TPC-C and TPC-H, as rows of `workload.mix`
([workloads.md](../guide/workloads.md#several-streams)). The tables compare {requests:,} requests of each, seed 1, with what is published of the
load (`scenarios/published_loads.toml`). Shares and rates are what the rows say, so the tables test the generator and the rows, and not the load's likeness
in what nobody published.

    ./armature loads                   # these tables; --write makes this page, --check compares it
    ./armature trace info scenarios/spc1_like.toml --set workload.count=1000000 --out out/spc1
"""


@dataclass(frozen=True)
class Figure:
    name: str
    unit: str
    published: float
    ours: float
    source: str

    @property
    def off(self) -> float:
        """Relative to the published figure."""
        return self.ours / self.published - 1


@dataclass(frozen=True)
class Profile:
    """What `trace info --out` wrote of a load."""

    summary: dict[str, float]  # of all its requests
    sizes: list[tuple[int, str, int, int]]  # stream from 1, operation, smallest size of a bucket in sectors, requests

    def count(self, op: str | None = None, streams: list[int] | None = None, least: int = 1, most: int = 65_536) -> int:
        return sum(n for stream, operation, sectors, n in self.sizes
                   if op in (None, operation) and (streams is None or stream in streams) and least <= sectors <= most)


def profile(program: Program, scenario: Path, requests: int) -> Profile:
    with tempfile.TemporaryDirectory(prefix="loads") as place:
        done = subprocess.run(
            [program.binary, "trace", "info", str(scenario), "--set", f"workload.count={requests}", "--out", place],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise InputError(done.stderr.strip() or f"armature trace info ended with status {done.returncode}")
        with open(Path(place) / "summary.tsv", newline="") as stream:
            rows = csv.DictReader(stream, delimiter="\t")
            summary = {row["figure"]: float(row["value"]) for row in rows if row["device"] == "all"}
        with open(Path(place) / "sizes_by_device.tsv", newline="") as stream:
            rows = csv.DictReader(stream, delimiter="\t")
            sizes = [(int(row["device"]) + 1, row["operation"], int(row["first_sectors"]), int(row["count"])) for row in rows]
    return Profile(summary, sizes)


def _figure(asked: dict, measured: Profile) -> Figure:
    if asked.get("rate"):
        ours = measured.summary["request rate"]
    elif asked.get("variation"):
        ours = measured.summary["gap variation"]
    else:
        ours = 100 * measured.count(**asked["count"]) / measured.count(**asked["of"])
    return Figure(asked["name"], asked["unit"], float(asked["published"]), ours, asked["source"])


def published(path: Path = PUBLISHED) -> list[dict]:
    with open(path, "rb") as stream:
        return tomllib.load(stream)["load"]


def figures(program: Program, load: dict, requests: int = REQUESTS) -> list[Figure]:
    """Those of a load of `published`, drawn anew."""
    measured = profile(program, _SCENARIOS / f"{load['scenario']}.toml", requests)
    return [_figure(asked, measured) for asked in load["figures"]]


def _table(of_load: list[Figure]) -> str:
    rows = ["| figure | unit | published | here | off by, % | source |", "|---|---|---|---|---|---|"]
    rows += [f"| {f.name} | {f.unit} | {f.published:g} | {f.ours:.5g} | {100 * f.off:+.2f} | {f.source} |" for f in of_load]
    return "\n".join(rows)


def page(measured: list[tuple[dict, list[Figure]]]) -> str:
    parts = [_HEAD.format(requests=REQUESTS)]
    parts += [f"## {load['title']}\n\n{load['text'].strip()}\n\n{_table(of_load)}\n" for load, of_load in measured]
    return "\n".join(parts)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (f"Draws {REQUESTS:,} requests of each shipped load and compares them with what is published of it "
                          f"(scenarios/published_loads.toml). Status 1 if a figure is off by more than {100 * TOLERANCE:g} %.")
    parser.add_argument("loads", nargs="*", metavar="LOAD", help="only these, by the names of their scenarios")
    parser.add_argument("--write", action="store_true", help="write the page docs/lab/loads.md")
    parser.add_argument("--check", action="store_true", help="compare docs/lab/loads.md with what it would be; status 1 if it differs")


def command(options: argparse.Namespace, program: Program) -> int:
    if options.loads and (options.write or options.check):
        raise InputError("--write and --check take all loads together: name none")
    loads = published()
    known = [load["scenario"] for load in loads]
    for name in options.loads:
        if name not in known:
            raise InputError(f"{name}: no such load; there are {', '.join(known)}")
    measured = [(load, figures(program, load)) for load in loads if not options.loads or load["scenario"] in options.loads]
    for load, of_load in measured:
        print(f"{load['title']}\n\n{_table(of_load)}\n")
    far = [(load, f) for load, of_load in measured for f in of_load if abs(f.off) > TOLERANCE]
    for load, f in far:
        print(f"{load['scenario']}: {f.name}: {f.ours:g} beside {f.published:g} {f.unit}", file=sys.stderr)
    text = page(measured)
    if options.check and PAGE.read_text() != text:
        print("docs/lab/loads.md: is not what `armature loads --write` makes", file=sys.stderr)
        return 1
    if options.write:
        try:
            PAGE.write_text(text)
        except OSError as error:
            raise InputError(f"{PAGE}: {error.strerror}") from error
    return 1 if far else 0

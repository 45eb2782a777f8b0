"""`armature loads`: the shipped loads beside what is published of them; writes docs/lab/loads.md."""

from __future__ import annotations

import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from . import tabular, templates
from .program import Program

_ROOT = Path(__file__).resolve().parents[3]
_SCENARIOS = _ROOT / "scenarios"
PUBLISHED = _SCENARIOS / "published_loads.toml"
PAGE = _ROOT / "docs" / "lab" / "loads.md"

REQUESTS = 1_000_000
TOLERANCE = 0.03  # of the published figure


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
        program.said("trace", "info", str(scenario), "--set", f"workload.count={requests}", "--out", place)
        figures_of, sizes = (tabular.read((Path(place) / f"{name}.tsv").read_text()) for name in ("summary", "sizes_by_device"))
    return Profile({row["figure"]: float(row["value"]) for row in figures_of if row["device"] == "all"},
                   [(int(row["device"]) + 1, row["operation"], int(row["first_sectors"]), int(row["count"])) for row in sizes])


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


def table_text(of_load: list[Figure]) -> str:
    return tabular.markdown(["figure", "unit", "published", "here", "off by, %", "source"],
                            ([f.name, f.unit, f"{f.published:g}", f"{f.ours:.5g}", f"{100 * f.off:+.2f}", f.source] for f in of_load))


def page(measured: list[tuple[dict, list[Figure]]]) -> str:
    parts = [templates.fill("loads.md", requests=f"{REQUESTS:,}")]
    parts += [f"## {load['title']}\n\n{load['text'].strip()}\n\n{table_text(of_load)}\n" for load, of_load in measured]
    return "\n".join(parts)

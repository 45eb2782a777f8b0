"""`armature drives`: what the shipped drives do as delivered, beside their datasheets; writes docs/lab/drives.md."""

from __future__ import annotations

import csv
import gzip
import io
import random
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import tabular, templates
from .errors import InputError
from .pool import run_locally
from .program import Program, configuration_of
from .progress import Progress
from .simulate import Job, digest

ROOT = Path(__file__).resolve().parents[3]
_DRIVES = ROOT / "scenarios" / "drives"
_DATASHEETS = _DRIVES / "datasheets.csv"
TABLE = ROOT / "docs" / "lab" / "drives.md"

_SECTOR = 512
_COLUMNS = ("op", "sectors", "arrival_us", "completion_us", "response_us")
_RANDOM = {1: 1_500, 32: 6_000}  # depth: requests
_STREAM_S = 1.5  # of a stream's media time that is looked at, at the format's rate
_STREAM_LEAST = 16  # requests
_LINE_SHARE = 0.25  # of the buffer for written data, if the drive file gives no other
_QUEUED = 32
_FLUSHES = 24  # of each kind
_FLUSH_PERIOD_MS = 5_000
_TOLERANCE = 0.02  # a figure of the table and one measured anew


# ---- Drives ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drive:
    name: str  # of its file
    sectors: int
    outer: float  # MB/s that its format gives in the first zone and in the last, skews and spares counted
    inner: float
    look_ahead: bool
    write: bool
    cache_bytes: float  # for written data
    sheet: dict[str, float]


def shipped() -> list[str]:
    """Names of the files in scenarios/drives that describe a real drive."""
    return sorted(path.stem for path in _DRIVES.glob("*.toml") if not path.stem.startswith("study_"))


def datasheets() -> list[dict[str, str]]:
    with open(_DATASHEETS, newline="") as stream:
        return list(csv.DictReader(stream))


def _drive(program: Program, name: str, place: Path) -> Drive:
    path = _DRIVES / f"{name}.toml"
    zones = program.layout(path)
    sectors = re.search(r", (\d+) sectors", program.check(path))
    if not sectors:
        raise InputError(f"{path}: check does not say how many sectors it has")
    alone = place / f"{name}.toml"
    alone.write_text(f'[drives.disk]\nmodel = "{path}"\n')
    keys = configuration_of(program.resolve(alone))["drives"]["disk"]
    cache, buffer = keys["cache"], keys["buffer"]
    share = buffer["write_share"] or (_LINE_SHARE if cache["write"] else 0)
    sheet = {row["figure"]: float(row["value"]) for row in datasheets() if row["drive"] == name}
    return Drive(name, int(sectors[1]), float(zones[0]["sustained_mb_s"]), float(zones[-1]["sustained_mb_s"]),
                 cache["look_ahead"], cache["write"], buffer["size"] * 1024 * share, sheet)


# ---- Loads -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Load:
    """A figure of the table and what is run for it."""

    figure: str
    quick: bool = False
    kind: str = "random"
    write: bool = False
    sectors: int = 8
    depth: int = 1
    writes: int = 0  # before each flush


LOADS = [
    Load("random_1_per_s", quick=True),
    Load("random_32_per_s", depth=32),
    Load("read_128k_mb_s", quick=True, kind="stream", sectors=256),
    Load("read_1m_mb_s", kind="stream", sectors=2048),
    Load("write_128k_mb_s", kind="stream", sectors=256, write=True),
    Load("write_1m_mb_s", kind="stream", sectors=2048, write=True),
    Load("flush_8_ms", kind="flush", writes=8),
    Load("flush_64_ms", kind="flush", writes=64),
]


def queued(drive: Drive, load: Load) -> bool:
    """Without its cache a drive loses a revolution with each request of a stream, unless the next one waits already."""
    return load.kind == "stream" and not (drive.write if load.write else drive.look_ahead)


def _workload(drive: Drive, load: Load, place: Path) -> dict[str, object]:
    if load.kind == "random":
        return {"kind": "closed", "outstanding": load.depth, "count": _RANDOM[load.depth], "size_sectors": 8}
    if load.kind == "stream":
        depth = _QUEUED if queued(drive, load) else 1
        # What the cache takes at once does not show how fast it empties: it is filled before time is taken.
        size = load.sectors * _SECTOR
        settle = 2 * drive.cache_bytes * load.write + 2 * depth * size
        count = max(_STREAM_LEAST + 2 * depth, round((2 * _STREAM_S * drive.outer * 1e6 + settle) / size))
        return {"kind": "closed", "outstanding": depth, "count": count, "size_sectors": load.sectors,
                "sequential_fraction": 1, "read_fraction": 0 if load.write else 1, "first_lbn": 0}
    # One write at a time, each when the one before has completed; then a flush.
    rng = random.Random(1)
    lines = ["fio version 2 iolog", "drive add", "drive open"]
    for i in range(_FLUSHES):
        lines.append(f"drive wait {i * _FLUSH_PERIOD_MS} 0")
        lines += [f"drive write {rng.randrange(drive.sectors // 8) * 4096} 4096" for _ in range(load.writes)]
        lines.append("drive sync 0 0")
    path = place / f"flush_{drive.name}_{load.writes}.log"
    path.write_text("\n".join(lines) + "\n")
    return {"kind": "trace", "format": "iolog", "file": str(path)}


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _job(program: Program, drive: Drive, load: Load, place: Path) -> Job:
    workload = _workload(drive, load, place)
    scenario = place / f"{drive.name}-{load.figure}.toml"
    scenario.write_text("[workload]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in workload.items()) +
                        f'[drives.disk]\nmodel = "{_DRIVES / drive.name}.toml"\n')
    inputs = tuple((name, digest(name)) for name in [workload.get("file")] if name)
    return Job(f"{drive.name} {load.figure}", program.binary, program.version, "drives.toml",
               program.resolve(scenario), inputs, requests=True, columns=_COLUMNS)


# ---- Figures -----------------------------------------------------------------------------------------------------------


def figure_of(load: Load, log: bytes) -> float:
    """The load's figure from the request log of its run."""
    rows = list(csv.DictReader(io.StringIO(gzip.decompress(log).decode())))
    if load.kind == "flush":
        return float(np.mean([float(row["response_us"]) for row in rows if row["op"] == "flush"])) / 1e3
    done = np.array([float(row["completion_us"]) for row in rows])
    order = np.argsort(done, kind="stable")
    done, size = done[order], np.array([int(row["sectors"]) for row in rows])[order]
    start = len(done) // 10 if load.kind == "random" else len(done) // 2
    elapsed_s = (done[-1] - done[start]) * 1e-6
    if load.kind == "random":
        return (len(done) - 1 - start) / elapsed_s
    return float(size[start + 1:].sum()) * _SECTOR / elapsed_s * 1e-6


def measure(program: Program, names: list[str], quick: bool, jobs: int) -> dict[str, tuple[Drive, dict[str, float]]]:
    """Figures of drives by their names."""
    loads = {load.figure: load for load in LOADS if load.quick or not quick}
    with tempfile.TemporaryDirectory(prefix="armature-drives-") as directory:
        place = Path(directory)
        result = {name: (_drive(program, name, place), {}) for name in names}
        todo = [_job(program, drive, load, place) for drive, _ in result.values() for load in loads.values()]
        progress = Progress("runs", len(todo))
        for outcome in run_locally(todo, jobs):
            if outcome.status != 0:
                raise InputError(f"{outcome.key}: {outcome.message}")
            name, figure = outcome.key.split()
            (log,) = (content for path, content in outcome.files.items() if path.endswith("requests.csv.gz"))
            result[name][1][figure] = figure_of(loads[figure], log)
            progress.advance()
    return result


# ---- The page ----------------------------------------------------------------------------------------------------------

HEADER = ["drive", "datasheet outer / inner", "format outer / inner", "read 128 KiB", "read 1 MiB", "write 128 KiB",
           "write 1 MiB", "random, datasheet", "random, 1", "random, 32", "flush 8", "flush 64"]
_FIGURE_COLUMNS = {"random_1_per_s": 8, "random_32_per_s": 9, "read_128k_mb_s": 3, "read_1m_mb_s": 4,
                   "write_128k_mb_s": 5, "write_1m_mb_s": 6, "flush_8_ms": 10, "flush_64_ms": 11}
_FORMAT_COLUMN = 2


def number(value: float) -> str:
    """Four digits, as the table has them."""
    digits = 1 if abs(value) >= 100 else 2
    return f"{value:.{digits}f}"


def _sheet_rate(drive: Drive) -> str:
    if "head_mb_s" in drive.sheet:
        return f"{drive.sheet['head_mb_s']:g} h"
    outer, inner = drive.sheet.get("outer_mb_s"), drive.sheet.get("inner_mb_s")
    return "" if outer is None else f"{outer:g}" + (f" / {inner:g}" if inner else "")


def _sheet_random(drive: Drive) -> str:
    if "random_1_per_s" in drive.sheet:
        return f"{drive.sheet['random_1_per_s']:g}"
    return f"{1000 / drive.sheet['random_1_ms']:.0f}" if "random_1_ms" in drive.sheet else ""


def row_of(drive: Drive, figures: dict[str, float]) -> list[str]:
    cells = [""] * len(HEADER)
    cells[0], cells[1] = f"`{drive.name}`", _sheet_rate(drive)
    cells[_FORMAT_COLUMN] = f"{number(drive.outer)} / {number(drive.inner)}"
    cells[7] = _sheet_random(drive)
    for load in LOADS:
        if load.figure in figures:
            cells[_FIGURE_COLUMNS[load.figure]] = number(figures[load.figure]) + (" q" if queued(drive, load) else "")
    return cells


def table(measured: dict[str, tuple[Drive, dict[str, float]]]) -> str:
    return tabular.markdown(HEADER, (row_of(*one) for one in measured.values()))


def page(measured: dict[str, tuple[Drive, dict[str, float]]]) -> str:
    sources = [[f"`{row['drive']}`", row["figure"], row["value"], row["grade"], row["source"]] for row in datasheets()]
    return templates.fill("drives.md", table=table(measured), queued=_QUEUED, flushes=_FLUSHES,
                          sources=tabular.markdown(["drive", "figure", "value", "grade", "source"], sources))


def committed(text: str) -> dict[str, dict[str, float]]:
    """Figures of the table by drive, its format's rates too."""
    result: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" |")] if line.startswith("| `") else []
        if len(cells) != len(HEADER):
            continue
        figures = {figure: float(cells[column].split()[0]) for figure, column in _FIGURE_COLUMNS.items() if cells[column]}
        outer, inner = cells[_FORMAT_COLUMN].split(" / ")
        result[cells[0].strip("`")] = {**figures, "outer_mb_s": float(outer), "inner_mb_s": float(inner)}
    return result


def differences(text: str, measured: dict[str, tuple[Drive, dict[str, float]]]) -> list[str]:
    """What of the table is not so any more, a sentence each."""
    table = committed(text)
    said = [f"{name}: has no row" for name in measured if name not in table]
    said += [f"{name}: has a row, and no file" for name in table if name not in shipped()]
    for name, (drive, figures) in measured.items():
        for figure, value in {**figures, "outer_mb_s": drive.outer, "inner_mb_s": drive.inner}.items():
            there = table.get(name, {}).get(figure)
            if name in table and there is None:
                said.append(f"{name}: {figure}: not in the table, measured {number(value)}")
            elif there is not None and abs(there - value) > _TOLERANCE * abs(value) + 0.01:
                said.append(f"{name}: {figure}: {there:g} in the table, measured {number(value)}")
    return said

"""What each experiment of the ledger came to when it last ran in full: docs/lab/published.json, of which docs/lab/published.md is made.

An experiment's record holds what it measured, and in which run. The page judges the present claims by it. It is of use as long
as the experiment is the one that ran: a change of its scenario, its sweep or its measures makes its rows `not run` until it
runs again; a change of its claims or its pictures does not.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from .errors import InputError, read_toml
from .experiment import Experiment
from .ledger import Claim, Published, ids_of, markdown, read_fitted, unclaimed
from .measures import Measured
from .program import Program
from .verdicts import judged

FILE = "docs/lab/published.json"
_FORMAT = "armature published"
_DRIVE = re.compile(r"[\w./-]+\.toml")


@dataclass(frozen=True)
class Run:
    """A call of `reproduce`: the program, and when."""

    program: str  # version
    binary: str  # the first digits of its SHA-256
    at: str  # UTC

    @staticmethod
    def now(program: Program) -> Run:
        at = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")
        return Run(program.version, program.digest[:12], at)


@dataclass
class Recorded:
    """An experiment as it ran."""

    run: Run
    wall_s: float
    experiment: str  # digest of its files, but for what does not change a whole run's figures
    drives: str  # digest of the drive files that they name
    measures: dict[str, float]

    def is_of(self, experiment: Experiment) -> bool:
        return self.experiment == _digest([_of_whole_runs(path) for path in _files(experiment)])

    def has_the_drives_of(self, experiment: Experiment, root: Path) -> bool:
        return self.drives == _digest([read_toml(path) for path in _drives(experiment, root)])


_NOT_RUN = ("picture", "quick", "row", "title", "document", "source", "question")


def _of_whole_runs(path: Path) -> object:
    """What it runs and measures. Claims are judged, and pictures drawn, from that, and only whole runs are recorded."""
    told = read_toml(path)
    kept = {key: value for key, value in told.items() if key not in _NOT_RUN}
    if "table" in kept:
        kept["table"] = [{key: value for key, value in one.items() if key != "quick"} for one in kept["table"]]
    return kept


def _digest(told: list) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _files(experiment: Experiment) -> list[Path]:
    return sorted(experiment.path.parent.glob("*.toml"))


def _named(path: Path, root: Path) -> list[Path]:
    """Drive files below scenarios that a file names, and those that these are laid over."""
    near = (path.parent, root / "scenarios")
    found = []
    for name in dict.fromkeys(_DRIVE.findall(path.read_text())):
        place = next((one / name for one in near if (one / name).is_file()), None)
        if place is not None and "drives" in place.parts:
            found.append(place.resolve())
    return found


def _drives(experiment: Experiment, root: Path) -> list[Path]:
    todo = [drive for path in _files(experiment) for drive in _named(path, root)]
    every: set[Path] = set()
    while todo:
        drive = todo.pop()
        if drive in every:
            continue
        every.add(drive)
        base = read_toml(drive).get("base")
        if isinstance(base, str) and (drive.parent / base).is_file():
            todo.append((drive.parent / base).resolve())
    return sorted(every)


def of(experiment: Experiment, found: dict[str, Measured] | None, run: Run, wall_s: float, root: Path) -> Recorded:
    """The record of an experiment that has just run."""
    files = [_of_whole_runs(path) for path in _files(experiment)]
    drives = [read_toml(path) for path in _drives(experiment, root)]
    measures = {name: float(f"{one.value:.9g}") for name, one in (found or {}).items()}
    return Recorded(run, round(wall_s, 1), _digest(files), _digest(drives), measures)


def read(root: Path) -> dict[str, Recorded]:
    """The records by experiment; none if there is no file."""
    path = root / FILE
    if not path.exists():
        return {}
    try:
        told = json.loads(path.read_text())
        if told["format"] != _FORMAT:
            raise KeyError("format")
        runs = [Run(**one) for one in told["runs"]]
        return {
            name: Recorded(runs[one["run"]], one["wall_s"], one["experiment"], one["drives"], dict(one["measures"]))
            for name, one in told["experiments"].items()
        }
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: no record of `armature reproduce`: {error!r}") from None


def write(records: dict[str, Recorded], root: Path) -> None:
    runs = runs_of(records)
    experiments = {name: {**asdict(one), "run": runs.index(one.run)} for name, one in sorted(records.items())}
    told = {"format": _FORMAT, "runs": [asdict(run) for run in runs], "experiments": experiments}
    (root / FILE).write_text(json.dumps(told, indent=1) + "\n")


def runs_of(records: dict[str, Recorded]) -> list[Run]:
    """The runs of the records, oldest first."""
    return sorted({one.run for one in records.values()}, key=lambda run: (run.at, run.program, run.binary))


def fill(rows: dict[str, Published], every: list[Experiment], records: dict[str, Recorded]) -> list[str]:
    """Gives each row of the ledger what the records have for it. Returns the experiments of the ledger that have no
    record, or one that is not of their present files."""
    runs, missing = runs_of(records), []
    for row in rows.values():
        row.claims.clear()
    for experiment in every:
        if not any(ids_of(row) for row in experiment.told["row"]):
            continue
        record = records.get(experiment.name)
        if record is None or not record.is_of(experiment):
            missing.append(experiment.name)
            continue
        found = {name: Measured(value, "", "") for name, value in record.measures.items()}
        for row in experiment.told["row"]:
            names = ids_of(row)
            verdict = judged(row, experiment, found) if names else None
            for name in names:
                own = rows[name]
                own.claims.append(Claim(experiment, verdict, own.told["class"], runs.index(record.run) + 1))
    return missing


def page(rows: dict[str, Published], every: list[Experiment], records: dict[str, Recorded], root: Path, how: str = "") -> str:
    """docs/lab/published.md, or one of other records; `how`: what is to be said of them. The rows are filled."""
    missing = fill(rows, every, records)
    runs = runs_of(records)
    of_ledger = {one.name for one in every} & records.keys()
    lines = []
    for number, run in enumerate(runs, 1):
        own = sorted(name for name in of_ledger - set(missing) if records[name].run == run)
        lines.append([str(number), run.program, run.binary, run.at, ", ".join(own)])
    said = [how] if how else []
    if missing:
        said.append(f"Not run since they changed: {', '.join(missing)}.")
    return markdown(rows, " ".join(said), lines, read_fitted(root), unclaimed(rows, every))

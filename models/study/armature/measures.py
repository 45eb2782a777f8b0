"""What experiments measure: arithmetic over figures and over columns of requests, and curves for pictures."""

from __future__ import annotations

import fnmatch
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import statistics
from .errors import InputError
from .experiment import Experiment
from .expressions import evaluate
from .idle import periods
from .program import Program, value_of
from .runs import Log, log_of
from .swept import Swept
from .table import figures
from .tables import Tables

_CURVE_POINTS = 400


@dataclass
class Measured:
    """What became of a [[measure]]: a number; for a coverage the count, of how many, and the mean with its interval."""

    value: float
    unit: str
    meaning: str
    of: int = 0
    estimate: statistics.Estimate | None = None
    truth: float = float("nan")


@dataclass
class _Row:
    given: dict[str, str]
    drive: str
    figures: dict[str, object]
    configuration: dict
    directory: Path
    several: bool
    run: str


def _rows(experiment: Experiment, swept: Swept) -> list[_Row]:
    rows = []
    for entry, resolved, run in zip(swept.entries, swept.resolved, experiment.runs):
        if entry is None:
            continue
        summary = json.loads((entry / "summary.json").read_text())
        for drive in summary["drives"]:
            given = {key: value.strip('"') for key, value in resolved.point}
            rows.append(_Row(given, drive["name"], figures(summary, drive["name"])[0], resolved.configuration, entry,
                             len(summary["drives"]) > 1, run))
    return rows


def _answers(row: _Row, where: dict) -> bool:
    own = {"drive": row.drive, "run": row.run, **row.given}
    for key, pattern in where.items():
        value = own[key] if key in own else value_of(row.configuration, row.drive, key)
        if isinstance(pattern, str):
            if value is None or not fnmatch.fnmatchcase(str(value), pattern):
                return False
        elif isinstance(pattern, bool):
            if str(value).lower() != str(pattern).lower():
                return False
        else:
            try:
                if float(value) != float(pattern):
                    return False
            except (TypeError, ValueError):
                return False
    return True


_IDLE = "idle_s"
_IDLE_FROM = ("arrival_us", "host_queue_us", "completion_us")


def _idle(log: Log, end_s: float) -> np.ndarray:
    """The times in which no request is at the drive, s; from the begin of the run to its end, that of no request alone."""
    arrival, waited, done = (log.column(name).astype(float) / 1e6 for name in _IDLE_FROM)
    return periods(np.append(arrival + waited, end_s), np.append(done, end_s), 0.0)[1]


class _Columns:
    """Columns of requests.csv, each read once; `idle_s` is made of three of them: the drive's idle periods."""

    def __init__(self, experiment: Experiment):
        self._kept = set(experiment.told["sweep"].get("columns", ()))
        self._known: dict[tuple[Path, str, str], np.ndarray] = {}

    def of(self, rows: list[_Row], name: str) -> np.ndarray:
        """A column of all requests of these rows, one after the other."""
        if not self._kept.issuperset(_IDLE_FROM if name == _IDLE else (name,)):
            raise InputError(f"column({name!r}): sweep.columns does not name it")
        parts = []
        for row in rows:
            known = (row.directory, row.drive, name)
            if known not in self._known:
                log = Log(log_of(row.directory, row.drive, row.several))
                self._known[known] = _idle(log, row.figures["end_s"]) if name == _IDLE else log.column(name).astype(float)
            parts.append(self._known[known])
        return np.concatenate(parts) if parts else np.empty(0)


def _figure(found: dict[str, Measured], rows: list[_Row], name: str):
    if name in found:
        return found[name].value
    values = [row.figures.get(name) for row in rows]
    if not values:
        raise InputError(f"{name}: no such measure, and no row of the sweep answers `where`")
    if any(isinstance(value, (str, type(None))) for value in values):
        raise InputError(f"{name}: no such figure")
    return np.array(values, float)


def _config(rows: list[_Row], key: str) -> np.ndarray:
    values = [value_of(row.configuration, row.drive, key) for row in rows]
    if any(not isinstance(value, (int, float)) for value in values):
        raise InputError(f"config({key!r}): no such number")
    return np.array(values, float)


def _coverage(told: dict, chosen: list[_Row], found: dict[str, Measured], meaning: str) -> Measured:
    """In how many replications the interval of the mean holds the truth."""
    if not chosen:
        raise InputError("no row of the sweep answers `where`")
    covered, means, truth = 0, [], float("nan")
    for row in chosen:
        truth = evaluate(told["truth"], lambda n: _figure(found, [row], n), lambda k: _config([row], k))
        log = Log(log_of(row.directory, row.drive, row.several))
        series = log.column(told["of"]) / 1000
        estimate = statistics.mean(series[statistics.mser5(series) :])
        covered += estimate.covers(truth)
        means.append(estimate.value)
    return Measured(covered, "", meaning, len(chosen), statistics.replications(np.array(means)), truth)


def measure(experiment: Experiment, swept: Swept | None, program: Program, root: Path) -> dict[str, Measured]:
    """All measures, in their order: later ones may use earlier ones by name. `root`: where the shipped files are."""
    tables = Tables(experiment.told.get("table", []), program, root)
    rows = _rows(experiment, swept) if swept else []
    columns = _Columns(experiment)
    found: dict[str, Measured] = {}
    for told in experiment.told["measure"]:
        chosen = [row for row in rows if _answers(row, told.get("where", {}))]
        meaning = told.get("meaning", "")
        try:
            if "value" in told:
                value = evaluate(told["value"], lambda n: _figure(found, chosen, n), lambda k: _config(chosen, k),
                                 lambda c: columns.of(chosen, c), tables.cell)
                found[told["name"]] = Measured(value, told.get("unit", ""), meaning)
            else:
                found[told["name"]] = _coverage(told["coverage"], chosen, found, meaning)
        except InputError as error:
            raise InputError(f"{experiment.path}: measure {told['name']}: {error}") from None
    return found


def _curve(kind: str, values: np.ndarray, most: float | None) -> tuple[list[float], list[float]]:
    """Points of a cumulative distribution (percent), or shares (percent) of equal parts of the range."""
    if kind == "cdf":
        ordered = np.sort(values)
        places = np.unique(np.linspace(0, len(ordered) - 1, _CURVE_POINTS).astype(int))
        return ordered[places].tolist(), (100 * (places + 1) / len(ordered)).tolist()
    counts, edges = np.histogram(values, bins=48, range=(0, most if most is not None else float(values.max())))
    return ((edges[:-1] + edges[1:]) / 2).tolist(), (100 * counts / len(values)).tolist()


def curves(experiment: Experiment, swept: Swept | None) -> dict[tuple[int, int], tuple[list[float], list[float]]]:
    """Points of the series of pictures that show a column of requests, by number of picture and series."""
    rows = _rows(experiment, swept) if swept else []
    columns = _Columns(experiment)
    found = {}
    for i, picture in enumerate(experiment.told.get("picture", [])):
        if picture.get("kind", "lines") not in ("cdf", "histogram"):
            continue
        for j, series in enumerate(picture["series"]):
            chosen = [row for row in rows if _answers(row, series.get("where", {}))]
            try:
                values = columns.of(chosen, series["column"]) / series.get("per", 1)
            except InputError as error:
                raise InputError(f"{experiment.path}: picture {picture['title']}: {error}") from None
            values = values[np.isfinite(values)]
            if not len(values):
                raise InputError(f"{experiment.path}: picture {picture['title']}: nothing for {series['name']}")
            found[i, j] = _curve(picture["kind"], values, picture.get("most_x"))
    return found

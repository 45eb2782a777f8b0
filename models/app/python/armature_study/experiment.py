"""Experiments: what to run, what to measure, and what was published."""

from __future__ import annotations

import fnmatch
import itertools
import json
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import stats

from . import statistics
from .errors import InputError
from .expressions import evaluate
from .points import Point, as_set
from .program import Program, value_of
from .runs import Log, log_of
from .store import Store
from .sweep import Swept, sweep
from .table import figures

_KEYS = {
    "": {"title", "document", "source", "question", "scenario", "sweep", "quick", "measure", "row", "picture"},
    "sweep": {"set", "replications", "columns"},
    "measure": {"name", "unit", "meaning", "value", "where", "coverage", "each"},
    "coverage": {"of", "truth", "level"},
    "row": {
        "id",
        "claims",
        "measure",
        "value",
        "unit",
        "tolerance_percent",
        "increasing",
        "differs",
        "ours",
        "ours_tolerance_percent",
        "cannot",
        "note",
        "coverage",
        "level",
        "report",
    },
    "picture": {"title", "x", "y", "log_y", "series", "published"},
    "series": {"name", "x", "measures", "published"},
}
HOLDS, FAILS, OPEN = "holds", "fails", "open"


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
class Verdict:
    """What a published row comes to."""

    row: dict
    state: str  # HOLDS, FAILS or OPEN
    text: str
    ours: float | None = None
    deviation_percent: float | None = None


@dataclass
class Experiment:
    """An experiment.toml, read and checked."""

    name: str
    path: Path
    told: dict
    points: list[Point] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)


def reference_directory(root: Path) -> Path:
    """Where traces lie that may be used and not passed on."""
    return Path(os.environ.get("ARMATURE_REFERENCE") or root / ".." / "shared" / "reference")


def _check_keys(where: str, told: object, kind: str) -> None:
    if not isinstance(told, dict):
        raise InputError(f"{where}: a table is expected")
    for key in told:
        if key not in _KEYS[kind]:
            raise InputError(f"{where}: {key}: no such key; there are {', '.join(sorted(_KEYS[kind]))}")


def _merge(base: dict, over: dict) -> dict:
    merged = dict(base)
    for key, value in over.items():
        merged[key] = (
            _merge(merged[key], value) if isinstance(value, dict) and isinstance(merged.get(key), dict) else value
        )
    return merged


def _filled(node: object, names: dict) -> object:
    """Strings with their {names} filled in, at any depth."""
    if isinstance(node, dict):
        return {key: _filled(value, names) for key, value in node.items()}
    if isinstance(node, list):
        return [_filled(value, names) for value in node]
    return node.format_map(names) if isinstance(node, str) else node


def _each(measures: list[dict], path: Path) -> list[dict]:
    """Measures with `each.name = [values]` become one for each combination."""
    result = []
    for measure in measures:
        lists = measure.get("each", {})
        one = {key: value for key, value in measure.items() if key != "each"}
        for values in itertools.product(*lists.values()):
            try:
                result.append(_filled(one, dict(zip(lists, values))) if lists else one)
            except (KeyError, ValueError, IndexError) as error:
                raise InputError(f"{path}: measure {measure.get('name')}: {error} is not in `each`") from None
    return result


def load(path: Path, root: Path, quick: bool) -> Experiment:
    """Reads an experiment. `quick` takes what its [quick] says in place of [sweep]."""
    try:
        told = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}") from None
    name = str(path.parent.relative_to(root / "scenarios/experiments"))
    _check_keys(str(path), told, "")
    for key in ("title", "scenario", "sweep", "measure", "row"):
        if key not in told:
            raise InputError(f"{path}: {key} is missing")
    for kind in ("sweep", "quick"):
        _check_keys(f"{path}: {kind}", told.get(kind, {}), "sweep")
    told["measure"] = _each(told["measure"], path)
    names = set()
    for measure in told["measure"]:
        _check_keys(f"{path}: measure {measure.get('name')}", measure, "measure")
        if "coverage" in measure:
            _check_keys(f"{path}: measure {measure['name']}", measure["coverage"], "coverage")
        if measure["name"] in names or ("value" in measure) == ("coverage" in measure):
            raise InputError(f"{path}: measure {measure['name']}: one of `value` and `coverage`, and a name of its own")
        names.add(measure["name"])
    for row in told["row"]:
        _check_keys(f"{path}: row {row.get('id')}", row, "row")
        for wanted in [row.get("measure"), row.get("coverage"), *row.get("increasing", [])]:
            if wanted is not None and wanted not in names:
                raise InputError(f"{path}: row {row.get('id')}: no measure {wanted}")
        kinds = [key for key in ("tolerance_percent", "increasing", "cannot", "coverage", "report") if key in row]
        if len(kinds) != 1:
            raise InputError(
                f"{path}: row {row.get('id')}: one of tolerance_percent, increasing, coverage, report, cannot"
            )
        if "differs" in row and not {"ours", "ours_tolerance_percent"} <= set(row):
            raise InputError(
                f"{path}: row {row.get('id')}: `differs` explains a number: `ours`, `ours_tolerance_percent`"
            )
    for picture in told.get("picture", []):
        _check_keys(f"{path}: picture", picture, "picture")
        for series in picture["series"]:
            _check_keys(f"{path}: picture {picture['title']}", series, "series")
            for wanted in series.get("measures", []):
                if wanted not in names:
                    raise InputError(f"{path}: picture {picture['title']}: no measure {wanted}")

    experiment = Experiment(name, path, told)
    plan = _merge(told["sweep"], told.get("quick", {}) if quick else {})
    reference = reference_directory(root)
    axes: dict[str, list[str]] = {}
    for key, values in plan.get("set", {}).items():
        axes[key] = []
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, str) and value.startswith("@"):
                file = reference / value[1:]
                if not file.exists():
                    experiment.absent.append(value[1:])
                value = str(file.resolve())
            axes[key].append(as_set(value, f"{path}: sweep.set.{key}"))
    if replications := plan.get("replications", 1):
        if replications > 1:
            axes["simulation.seed"] = [str(seed) for seed in range(1, replications + 1)]
    experiment.points = [tuple(zip(axes, values)) for values in itertools.product(*axes.values())]
    experiment.told = {**told, "sweep": plan}
    return experiment


# ---- Measuring -------------------------------------------------------------------------------------------------------


@dataclass
class _Row:
    given: dict[str, str]
    drive: str
    figures: dict[str, object]
    configuration: dict
    directory: Path
    several: bool


def _rows(swept: Swept) -> list[_Row]:
    rows = []
    for entry, resolved in zip(swept.entries, swept.resolved):
        if entry is None:
            continue
        summary = json.loads((entry / "summary.json").read_text())
        for drive in summary["drives"]:
            rows.append(
                _Row(
                    {key: value.strip('"') for key, value in resolved.point},
                    drive["name"],
                    figures(summary, drive["name"])[0],
                    resolved.configuration,
                    entry,
                    len(summary["drives"]) > 1,
                )
            )
    return rows


def _answers(row: _Row, where: dict) -> bool:
    for key, pattern in where.items():
        value = row.drive if key == "drive" else row.given.get(key, value_of(row.configuration, row.drive, key))
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


def measure(experiment: Experiment, swept: Swept) -> dict[str, Measured]:
    """All measures, in their order: later ones may use earlier ones by name."""
    rows = _rows(swept)
    found: dict[str, Measured] = {}
    for told in experiment.told["measure"]:
        chosen = [row for row in rows if _answers(row, told.get("where", {}))]
        place = f"{experiment.path}: measure {told['name']}"

        def figure_of(name: str, of: list[_Row]):
            if name in found:
                return found[name].value
            values = [row.figures.get(name) for row in of]
            if any(isinstance(value, (str, type(None))) for value in values):
                raise InputError(f"{name}: no such figure")
            return np.array(values, float)

        def config_of(key: str, of: list[_Row]):
            values = [value_of(row.configuration, row.drive, key) for row in of]
            if any(not isinstance(value, (int, float)) for value in values):
                raise InputError(f"config({key!r}): no such number")
            return np.array(values, float)

        try:
            if "value" in told:
                value = evaluate(told["value"], lambda n: figure_of(n, chosen), lambda k: config_of(k, chosen))
                found[told["name"]] = Measured(value, told.get("unit", ""), told.get("meaning", ""))
                continue
            coverage = told["coverage"]
            if not chosen:
                raise InputError("no row of the sweep answers `where`")
            covered, means = 0, []
            for row in chosen:
                truth = evaluate(coverage["truth"], lambda n: figure_of(n, [row]), lambda k: config_of(k, [row]))
                log = Log(log_of(row.directory, row.drive, row.several))
                series = log.column(coverage["of"]) / 1000
                estimate = statistics.mean(series[statistics.mser5(series) :])
                covered += estimate.covers(truth)
                means.append(estimate.value)
            found[told["name"]] = Measured(
                covered, "", told.get("meaning", ""), len(chosen), statistics.replications(np.array(means)), truth
            )
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
    return found


# ---- Verdicts --------------------------------------------------------------------------------------------------------


def _toleranced(row: dict, ours: float) -> Verdict:
    deviation = 100 * (ours / row["value"] - 1)
    if abs(deviation) <= row["tolerance_percent"]:
        return Verdict(row, HOLDS, "within tolerance", ours, deviation)
    if "differs" not in row:
        return Verdict(row, FAILS, "outside of its tolerance", ours, deviation)
    # An explanation is of a number; another number needs another one.
    if abs(100 * (ours / row["ours"] - 1)) <= row["ours_tolerance_percent"]:
        return Verdict(row, HOLDS, f"differs because {row['differs']}", ours, deviation)
    return Verdict(
        row,
        FAILS,
        f"differs, and is not the {row['ours']} that was explained (because {row['differs']})",
        ours,
        deviation,
    )


def verdicts(experiment: Experiment, found: dict[str, Measured] | None) -> list[Verdict]:
    """One for each row. Without measures (files are absent) nothing can be tested here."""
    result = []
    for row in experiment.told["row"]:
        if "cannot" in row:
            result.append(Verdict(row, OPEN, f"cannot be tested here because {row['cannot']}"))
        elif found is None:
            files = ", ".join(dict.fromkeys(experiment.absent))
            result.append(
                Verdict(
                    row,
                    OPEN,
                    f"cannot be tested here because the file is absent: {files} "
                    "(ARMATURE_REFERENCE says where reference files are)",
                )
            )
        elif "increasing" in row:
            values = [found[name].value for name in row["increasing"]]
            rising = all(a < b for a, b in zip(values, values[1:]))
            signs = " < ".join(row["increasing"])
            result.append(
                Verdict(
                    row,
                    HOLDS if rising else FAILS,
                    f"order holds: {signs}"
                    if rising
                    else f"order does not hold: {signs} has the values "
                    + ", ".join(f"{value:.4g}" for value in values),
                )
            )
        elif "coverage" in row:
            told = found[row["coverage"]]
            level = row.get("level", 0.99)
            low, high = stats.binom.interval(level, told.of, statistics.LEVEL)
            inside = low <= told.value <= high
            result.append(
                Verdict(
                    row,
                    HOLDS if inside else FAILS,
                    f"{told.value:.0f} of {told.of} intervals hold it; of a {statistics.LEVEL:.0%} interval "
                    f"{low:.0f} to {high:.0f} may ({level:.0%} of the binomial distribution)",
                )
            )
        elif "report" in row:
            ours = found[row["measure"]].value
            result.append(Verdict(row, OPEN, "reported", ours, 100 * (ours / row["value"] - 1)))
        else:
            result.append(_toleranced(row, found[row["measure"]].value))
    return result


def run(
    experiment: Experiment, program: Program, store: Store, at_once: int, scheduler: str | None, quiet: bool
) -> Swept:
    columns = tuple(experiment.told["sweep"].get("columns", ()))
    return sweep(
        program,
        str(experiment.path.parent / experiment.told["scenario"]),
        experiment.points,
        store=store,
        requests=bool(columns),
        columns=columns,
        at_once=at_once,
        scheduler=scheduler,
        quiet=quiet,
    )

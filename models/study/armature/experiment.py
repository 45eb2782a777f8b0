"""Experiments: what to run, what to measure, and what was published."""

from __future__ import annotations

import itertools
import math
import os
from dataclasses import dataclass, field
from pathlib import Path

from .errors import InputError, read_toml
from .points import Point, as_set
from .program import Program
from .store import Store
from .swept import Swept, sweep

_KEYS = {
    "": {"title", "document", "source", "question", "trace", "scenario", "sweep", "table", "quick", "measure", "row", "picture"},
    "sweep": {"set", "also", "replications", "columns"},
    "also": {"name", "set"},
    "table": {"name", "command", "run", "quick"},
    "measure": {"name", "unit", "meaning", "value", "where", "coverage", "each"},
    "coverage": {"of", "truth", "level"},
    "row": {"id", "claims", "measure", "value", "unit", "tolerance_percent", "last_digit", "loosened", "increasing", "apart", "gain",
            "gain_as_fast", "expects", "merit_percent", "at_least", "at_most", "differs", "tested", "unexplained", "ours",
            "ours_tolerance_percent", "fitted", "input", "identity", "cannot", "note", "coverage", "level", "report", "each"},
    "picture": {"title", "kind", "x", "y", "log_x", "log_y", "most_x", "series", "published"},
    "series": {"name", "x", "measures", "published", "where", "column", "per"},
}
_NUMBERS = {"merit_percent", "apart", "value", "tolerance_percent", "last_digit", "at_least", "at_most", "ours",
            "ours_tolerance_percent", "level"}
_KINDS = ("tolerance_percent", "increasing", "gain", "cannot", "coverage", "report")
# What a gain may come to: none worth having; had by a disk as fast, too; the store's own.
GAINS = ("no merit", "merit", "specific")


@dataclass
class Experiment:
    """An experiment.toml, read and checked."""

    name: str
    path: Path
    told: dict
    points: list[Point] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)  # of each point the name of its grid; "main" is that of sweep.set
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
        merged[key] = (_merge(merged[key], value) if isinstance(value, dict) and isinstance(merged.get(key), dict) else value)
    return merged


def _filled(node: object, names: dict) -> object:
    """Strings with their {names} filled in, at any depth."""
    if isinstance(node, dict):
        return {key: _filled(value, names) for key, value in node.items()}
    if isinstance(node, list):
        return [_filled(value, names) for value in node]
    return node.format_map(names) if isinstance(node, str) else node


def _each(told: list[dict], kind: str, path: Path) -> list[dict]:
    """Measures and rows with `each.name = [values]` become one for each combination."""
    result = []
    for one in told:
        lists = one.get("each", {})
        plain = {key: value for key, value in one.items() if key != "each"}
        for values in itertools.product(*lists.values()):
            try:
                result.append(_filled(plain, dict(zip(lists, values))) if lists else plain)
            except (KeyError, ValueError, IndexError) as error:
                name = one.get("name", one.get("id"))
                raise InputError(f"{path}: {kind} {name}: {error} is not in `each`") from None
    return result


def _check_measures(told: list[dict], path: Path) -> set[str]:
    names: set[str] = set()
    for measure in told:
        _check_keys(f"{path}: measure {measure.get('name')}", measure, "measure")
        if "coverage" in measure:
            _check_keys(f"{path}: measure {measure['name']}", measure["coverage"], "coverage")
        if measure["name"] in names or ("value" in measure) == ("coverage" in measure):
            raise InputError(f"{path}: measure {measure['name']}: one of `value` and `coverage`, and a name of its own")
        names.add(measure["name"])
    return names


def _check_row(row: dict, names: set[str], place: str) -> None:
    _check_keys(place, row, "row")
    pairs = [*row.get("gain", []), *row.get("gain_as_fast", [])]
    for wanted in [row.get("measure"), row.get("coverage"), *row.get("increasing", []), *pairs]:
        if wanted is not None and wanted not in names:
            raise InputError(f"{place}: no measure {wanted}")
    for key in _NUMBERS & row.keys():
        if isinstance(row[key], bool) or not isinstance(row[key], (int, float)):
            raise InputError(f"{place}: {key}: a number is expected")
    kinds = [key for key in _KINDS if key in row] + ["bound"] * ("at_least" in row or "at_most" in row)
    if len(kinds) != 1:
        raise InputError(f"{place}: one of {', '.join(_KINDS)}, and at_least with at_most or one of them")
    if len(row.get("gain", [0, 0])) != 2 or len(row.get("gain_as_fast", [0, 0])) != 2 or row.get("expects", GAINS[0]) not in GAINS:
        raise InputError(f"{place}: `gain` and `gain_as_fast` are measures before and after; `expects` is one of {', '.join(GAINS)}")
    needed = {"gain": {"gain_as_fast", "expects"}, "tolerance_percent": {"measure", "value"}, "bound": {"measure"}, "report": {"measure"}}
    if missing := needed.get(kinds[0], set()) - set(row):
        raise InputError(f"{place}: {kinds[0]} needs {' and '.join(sorted(missing))}")
    _check_reason(row, kinds[0], place)
    if "last_digit" in row and kinds[0] != "tolerance_percent":
        raise InputError(f"{place}: `last_digit` goes with tolerance_percent")
    if row.keys() & {"fitted", "input", "identity"} and kinds[0] in ("cannot", "coverage", "report"):
        raise InputError(f"{place}: `fitted`, `input` and `identity` are of a number with its tolerance_percent, or of an order")


def _check_reason(row: dict, kind: str, place: str) -> None:
    if ("differs" in row) != ("tested" in row):
        raise InputError(f"{place}: `differs` is a reason that was tested: `tested` is a comparison of measures")
    if "differs" in row and "unexplained" in row:
        raise InputError(f"{place}: one of `differs` and `unexplained`")
    reason = next((key for key in ("differs", "unexplained") if key in row), None)
    if reason and kind == "tolerance_percent" and not {"ours", "ours_tolerance_percent"} <= set(row):
        raise InputError(f"{place}: `{reason}` is of a number: `ours`, `ours_tolerance_percent`")


_UNITS = ("", "W", "J", "s", "ms", "us", "minutes", "%", "KiB", "MB/s", "request/s", "US$", "J s")  # alone they say nothing


def _check_pictures(pictures: list[dict], names: set[str], path: Path) -> None:
    for picture in pictures:
        place = f"{path}: picture {picture.get('title')}"
        _check_keys(place, picture, "picture")
        if picture.get("kind", "lines") not in ("lines", "bars", "cdf", "histogram"):
            raise InputError(f"{place}: kind is one of lines, bars, cdf, histogram")
        for axis in ("x", "y"):
            if picture.get(axis, "") in _UNITS:
                raise InputError(f'{place}: {axis} says what is drawn, and its unit: "power, W"')
        for series in picture["series"]:
            _check_keys(place, series, "series")
            for wanted in series.get("measures", []):
                if wanted not in names:
                    raise InputError(f"{place}: no measure {wanted}")


def load(path: Path, root: Path, quick: bool) -> Experiment:
    """Reads an experiment. `quick` takes what its [quick] says in place of [sweep]."""
    told = read_toml(path)
    name = str(path.parent.relative_to(root / "scenarios/experiments"))
    _check_keys(str(path), told, "")
    for key in ("title", "measure", "row", *(("sweep",) if "scenario" in told else ())):
        if key not in told:
            raise InputError(f"{path}: {key} is missing")
    told.setdefault("sweep", {})
    for kind in ("sweep", "quick"):
        _check_keys(f"{path}: {kind}", told.get(kind, {}), "sweep")
    for one in told.get("table", []):
        _check_keys(f"{path}: table {one.get('name')}", one, "table")
        if not {"name", "command"} <= set(one):
            raise InputError(f"{path}: table {one.get('name')}: `name` and `command` are needed")
        if quick:
            one["command"] = _quick_command(one, path)
    told["measure"] = _each(told["measure"], "measure", path)
    told["row"] = _each(told["row"], "row", path)
    names = _check_measures(told["measure"], path)
    for row in told["row"]:
        _check_row(row, names, f"{path}: row {row.get('id')}")
        if quick and "ours" in row:  # a miss of a shorter run is one, with another number
            row["ours_tolerance_percent"] = math.inf
    _check_pictures(told.get("picture", []), names, path)

    experiment = Experiment(name, path, told)
    plan = _merge(told["sweep"], told.get("quick", {}) if quick else {})
    experiment.told = {**told, "sweep": plan}
    if "scenario" in told:
        for one in [plan, *plan.get("also", [])]:
            _check_keys(f"{path}: sweep.also", one, "sweep" if one is plan else "also")
            shared = {} if one is plan else _shared(plan, told.get("quick", {}) if quick else {})
            points = _points({**shared, **one.get("set", {})}, plan, experiment, reference_directory(root))
            experiment.points += points
            experiment.runs += [one.get("name", "main")] * len(points)
    return experiment


def _quick_command(table: dict, path: Path) -> list[str]:
    """The command with the values that its `quick` gives to options: quick = { "--runs" = "2" }."""
    command = list(table["command"])
    for option, value in table.get("quick", {}).items():
        if option not in command[:-1]:
            raise InputError(f"{path}: table {table['name']}: quick: its command has no {option}")
        command[command.index(option) + 1] = value
    return command


def _shared(plan: dict, quick: dict) -> dict:
    """What --quick sets to one value holds for the points of `also`, too."""
    return {key: plan["set"][key] for key, value in quick.get("set", {}).items() if not isinstance(value, list)}


def _points(axes_of: dict, plan: dict, experiment: Experiment, reference: Path) -> list[Point]:
    """The grid that a `set` spans. A value "@FILE" is a file of the reference directory."""
    axes: dict[str, list[str]] = {}
    for key, values in axes_of.items():
        axes[key] = []
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, str) and value.startswith("@"):
                file = reference / value[1:]
                if not file.exists():
                    experiment.absent.append(value[1:])
                value = str(file.resolve())
            axes[key].append(as_set(value, f"{experiment.path}: sweep.set.{key}"))
    if (replications := plan.get("replications", 1)) > 1:
        axes["simulation.seed"] = [str(seed) for seed in range(1, replications + 1)]
    return [tuple(zip(axes, values)) for values in itertools.product(*axes.values())]


def run(experiment: Experiment, program: Program, store: Store, at_once: int, scheduler: str | None, quiet: bool) -> Swept:
    columns = tuple(experiment.told["sweep"].get("columns", ()))
    if "id" not in columns and columns:
        columns = ("id", *columns)
    return sweep(program, str(experiment.path.parent / experiment.told["scenario"]), experiment.points, store=store,
                 requests=bool(columns), columns=columns, at_once=at_once, scheduler=scheduler, quiet=quiet)

"""`armature fleet`: what thousands of drives take and how they answer, from a sample of them.

A file names classes of drives with their shares, and how the drives of a class differ: each sampled drive draws its own load, age of
the data, or whatever key, and its own seed. Every sampled drive is a run. The fleet's figures are those of the sample, each drive with
the weight of the drives that it stands for. Each class is a stratum. Intervals, 95 %, hold what the choice of the sample does: those of
sums and ratios by the rescaled bootstrap (Rao and Wu, "Resampling Inference With Complex Survey Data", 1988), those of quantiles by
Woodruff ("Confidence Intervals for Medians and Other Position Measures", 1952), of which the bootstrap's are too narrow.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .errors import InputError, read_toml
from .points import Point, as_set
from .program import Program
from .store import Store
from .swept import sweep

_LEAST = 2  # sampled drives of a class: one alone tells nothing of how they differ
_RESAMPLES = 2000
_HOURS = 365.25 * 24
_QUANTILES = {"p99_half": 0.5, "p99_most": 0.95}  # over drives
# Figures of a drive, by their names in the sweep's table.
_OF_DRIVE = {"mean": "response.all.mean_ms", "p99": "response.all.p99_ms", "requests_per_s": "requests_per_s", "watts": "energy.average_w"}


@dataclass
class Class:
    """Drives that are alike, but for what is drawn."""

    name: str
    share: float
    scenario: str
    drive: str  # of the scenario; empty: the array, or the only one
    fixed: dict[str, str] = field(default_factory=dict)
    drawn: dict[str, dict] = field(default_factory=dict)


@dataclass
class Fleet:
    drives: int
    runs: int
    seed: int
    classes: list[Class]

    def weights(self, sampled: dict[str, int]) -> dict[str, float]:
        """Drives that each sampled one of a class stands for."""
        return {one.name: self.drives * one.share / sampled[one.name] for one in self.classes if sampled.get(one.name)}


@dataclass
class Told:
    """A figure of the fleet or of a class, and its 95 % interval."""

    name: str
    unit: str
    meaning: str
    value: float
    low: float
    high: float


# ---- The file --------------------------------------------------------------------------------------------------------

_KINDS = {"uniform": ("low", "high"), "lognormal": ("median", "sigma"), "normal": ("mean", "deviation"),
          "exponential": ("mean",), "choice": ("values",)}


def _number(told: object, place: str, least: float = -math.inf) -> float:
    if isinstance(told, bool) or not isinstance(told, (int, float)) or not math.isfinite(told) or told < least:
        raise InputError(f"{place}: a number{f' of at least {least:g}' if least > -math.inf else ''} is expected, not {told!r}")
    return float(told)


def _distribution(told: object, place: str) -> dict:
    if not isinstance(told, dict) or told.get("kind") not in _KINDS:
        raise InputError(f"{place}: kind = one of {', '.join(_KINDS)} is expected")
    needed = _KINDS[told["kind"]]
    allowed = {"kind", "least", "most", "unit", "whole", *needed, *(("shares",) if told["kind"] == "choice" else ())}
    for name in told:
        if name not in allowed:
            raise InputError(f"{place}: {told['kind']} has no {name!r}; it has {', '.join(sorted(allowed))}")
    for name in needed:
        if name not in told:
            raise InputError(f"{place}: {told['kind']} needs {name!r}")
    if told["kind"] == "choice":
        values, shares = told["values"], told.get("shares")
        if not isinstance(values, list) or not values:
            raise InputError(f"{place}: values: a list is expected")
        if shares is not None and (not isinstance(shares, list) or len(shares) != len(values)
                                   or not sum(_number(share, f"{place}: shares", 0) for share in shares) > 0):
            raise InputError(f"{place}: shares: as many numbers as values are expected, not all 0")
    else:
        for name in (*needed, *(end for end in ("least", "most") if end in told)):
            _number(told[name], f"{place}: {name}", 0 if name in ("sigma", "deviation", "median") else -math.inf)
        if told["kind"] == "uniform" and not told["low"] < told["high"]:
            raise InputError(f"{place}: low must be less than high")
        if told.get("least", -math.inf) > told.get("most", math.inf):
            raise InputError(f"{place}: least ({told['least']:g}) is above most ({told['most']:g})")
    return told


def _class(told: object, number: int, path: Path) -> Class:
    place = f"{path}: class {number}"
    if not isinstance(told, dict) or not isinstance(told.get("name"), str) or not told["name"]:
        raise InputError(f"{place}: name: a name is expected")
    place = f"{path}: class {told['name']}"
    for name in told:
        if name not in ("name", "share", "scenario", "drive", "set", "draw"):
            raise InputError(f"{place}: no key {name!r} is known here; there are name, share, scenario, drive, set and draw")
    if not isinstance(told.get("scenario"), str):
        raise InputError(f"{place}: scenario: a file is expected")
    for name in ("set", "draw"):
        if not isinstance(told.get(name, {}), dict):
            raise InputError(f"{place}: {name}: a table of keys is expected, such as {name}.\"workload.rate_per_s\" = ...")
    fixed = {key: as_set(value, f"{place}: set: {key}") for key, value in told.get("set", {}).items()}
    drawn = {key: _distribution(value, f"{place}: draw: {key}") for key, value in told.get("draw", {}).items()}
    for key in drawn:
        if key in fixed or key == "simulation.seed":
            raise InputError(f"{place}: draw: {key} is set otherwise")
    return Class(told["name"], _number(told.get("share"), f"{place}: share", 0), str(path.parent / told["scenario"]),
                 str(told.get("drive", "")), fixed, drawn)


def read(path: Path) -> Fleet:
    """InputError with the place of what is wrong."""
    told = read_toml(path)
    for name in told:
        if name not in ("drives", "runs", "seed", "class"):
            raise InputError(f"{path}: no key {name!r} is known here; there are drives, runs, seed and [[class]]")
    if not isinstance(told.get("class"), list) or not told["class"]:
        raise InputError(f"{path}: tables [[class]] are expected")
    classes = [_class(one, number, path) for number, one in enumerate(told["class"], 1)]
    if len({one.name for one in classes}) < len(classes):
        raise InputError(f"{path}: two classes have one name")
    whole = sum(one.share for one in classes)
    if not math.isclose(whole, 1, abs_tol=1e-6):
        raise InputError(f"{path}: the shares of the classes add up to {whole:g}, not to 1")
    counts = [int(_number(told.get(name, default), f"{path}: {name}", least))
              for name, default, least in (("drives", None, 1), ("runs", 100, _LEAST), ("seed", 1, 0))]
    return Fleet(*counts, classes)


# ---- The sample ------------------------------------------------------------------------------------------------------


def _draw(told: dict, random: np.random.Generator, place: str) -> str:
    kind = told["kind"]
    if kind == "choice":
        shares = told.get("shares")
        chances = np.array(shares, float) / sum(shares) if shares else None
        return as_set(told["values"][int(random.choice(len(told["values"]), p=chances))], place)
    value = {
        "uniform": lambda: random.uniform(told["low"], told["high"]),
        "lognormal": lambda: told["median"] * math.exp(random.normal(0, told["sigma"])),
        "normal": lambda: random.normal(told["mean"], told["deviation"]),
        "exponential": lambda: random.exponential(told["mean"]),
    }[kind]()
    value = min(max(value, told.get("least", -math.inf)), told.get("most", math.inf))
    shown = str(round(value)) if told.get("whole") else repr(float(value))
    return f'"{shown} {told["unit"]}"' if told.get("unit") else shown


def allocation(fleet: Fleet, runs: int) -> dict[str, int]:
    """Sampled drives of each class: by its share, two at least; none of a class without drives."""
    return {one.name: max(_LEAST, round(runs * one.share)) for one in fleet.classes if one.share > 0}


def sample(fleet: Fleet, one: Class, count: int) -> list[Point]:
    """Independent draws; a class's do not depend on the other classes, and the first ones not on `count`."""
    number = next(i for i, other in enumerate(fleet.classes) if other is one)
    points = []
    for i in range(count):
        random = np.random.default_rng([fleet.seed, number, i])
        drawn = [(key, _draw(told, random, key)) for key, told in one.drawn.items()]
        points.append((*one.fixed.items(), *drawn, ("simulation.seed", str(1 + int(random.integers(2**31 - 1))))))
    return points


# ---- Figures ---------------------------------------------------------------------------------------------------------


def quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """The least value that at least `share` of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order][min(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12)), len(values) - 1)])


def woodruff(values: np.ndarray, weights: np.ndarray, classes: np.ndarray, share: float) -> tuple[float, float]:
    """The 95 % interval of a quantile: that of the share of drives that do not exceed it, turned round. Nan for an end that the sample
    is too small for."""
    below, whole, variance = values <= quantile(values, weights, share), weights.sum(), 0.0
    for number in np.unique(classes):
        mine = classes == number
        p = below[mine].mean()
        variance += (weights[mine].sum() / whole) ** 2 * p * (1 - p) / (mine.sum() - 1)
    half = 1.96 * math.sqrt(variance)
    return (quantile(values, weights, share - half) if share - half > 0 else math.nan,
            quantile(values, weights, share + half) if share + half < 1 else math.nan)


def _figures(rows: dict[str, np.ndarray], weights: np.ndarray) -> dict[str, float]:
    rate, watts = float(weights @ rows["requests_per_s"]), float(weights @ rows["watts"])
    return {
        "power": watts / 1000,
        "energy": watts * _HOURS / 1e6,
        "requests": rate,
        "joules": watts / rate if rate else math.nan,
        "mean": float(weights @ (rows["requests_per_s"] * rows["mean"])) / rate if rate else math.nan,
        **{name: quantile(rows["p99"], weights, share) for name, share in _QUANTILES.items()},
    }


FIGURES = {
    "power": ("power", "kW", "of all drives together"),
    "energy": ("energy of a year", "MWh", "of all drives together"),
    "requests": ("requests", "1/s", "of all drives together"),
    "joules": ("energy of a request", "J", "energy of all drives by the requests of all"),
    "mean": ("mean response", "ms", "of the requests of all drives"),
    "p99_half": ("median of the drives' p99", "ms", "99 % of a drive's requests are answered within its p99"),
    "p99_most": ("95th percentile of the drives' p99", "ms", "of 95 % of the drives it is no greater"),
}


def estimates(rows: dict[str, np.ndarray], weights: np.ndarray, classes: np.ndarray, seed: int) -> list[Told]:
    """Figures with 95 % intervals. `classes` holds the number of each drive's class, of which each has two at least."""
    random = np.random.default_rng([seed, 0x626F6F74])
    groups = [np.flatnonzero(classes == number) for number in np.unique(classes)]
    resampled: dict[str, list[float]] = {name: [] for name in FIGURES}
    for _ in range(_RESAMPLES):
        times = np.zeros(len(weights))
        for group in groups:
            n = len(group)
            times[group] = np.bincount(random.integers(n, size=n - 1), minlength=n) * n / (n - 1)
        for name, value in _figures(rows, weights * times).items():
            resampled[name].append(value)
    ends = {name: np.nanquantile(values, (0.025, 0.975)).tolist() for name, values in resampled.items()}
    ends |= {name: woodruff(rows["p99"], weights, classes, share) for name, share in _QUANTILES.items()}
    return [Told(*FIGURES[name], value, *ends[name]) for name, value in _figures(rows, weights).items()]


@dataclass
class Sampled:
    """The sampled drives that have results."""

    classes: np.ndarray  # numbers of their classes
    rows: dict[str, np.ndarray]
    points: list[Point]
    failed: list[str]  # why others have none


def _drive_of(one: Class, names: list[str]) -> str:
    wanted = one.drive or ("array" if "array" in names else names[0] if len(names) == 1 else "")
    if wanted not in names:
        raise InputError(f"class {one.name}: drive: one of {', '.join(names)} is expected" + (f", not {wanted!r}" if wanted else ""))
    return wanted


def run(fleet: Fleet, program: Program, options: argparse.Namespace) -> Sampled:
    found: dict[str, list[float]] = {name: [] for name in _OF_DRIVE}
    numbers, points, failed = [], [], []
    for number, one in enumerate(fleet.classes):
        count = allocation(fleet, options.runs or fleet.runs).get(one.name, 0)
        if not count:
            continue
        drawn = sample(fleet, one, count)
        swept = sweep(program, one.scenario, drawn, store=Store(options.cache), at_once=options.jobs, scheduler=options.scheduler,
                      quiet=options.quiet)
        if swept.interrupted:
            raise KeyboardInterrupt
        names = list(dict.fromkeys(row["drive"] for row in swept.table.rows if row["status"] == "ok"))
        wanted = _drive_of(one, names) if names else ""
        for row in swept.table.rows:
            if row["status"] != "ok":
                failed.append(f"class {one.name}, drive {row['point']}: {row['status']}: {row['message']}")
            elif row["drive"] == wanted:
                told = {name: row.get(f"is {path}") for name, path in _OF_DRIVE.items()}
                if missing := [name for name, value in told.items() if not isinstance(value, (int, float))]:
                    raise InputError(f"class {one.name}: {wanted} has no {', '.join(missing)}: requests and an account of energy are needed")
                for name, value in told.items():
                    found[name].append(float(value))
                numbers.append(number)
                points.append(drawn[row["point"]])
    classes = np.array(numbers, int)
    for number, one in enumerate(fleet.classes):
        if one.share > 0 and int((classes == number).sum()) < _LEAST:
            raise InputError("\n".join([f"class {one.name}: fewer than two of its drives have results", *failed[:3]]))
    return Sampled(classes, {name: np.array(values) for name, values in found.items()}, points, failed)

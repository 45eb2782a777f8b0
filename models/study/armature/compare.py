"""`armature compare`: runs side by side, with intervals, and how they differ."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from . import statistics
from .errors import InputError
from .figures import DEFAULT, Figure, choose, value
from .runs import PHASES, Log, System
from .statistics import Estimate

OF_LOG = ("mean", "p50", "p90", "p95", "p99")  # columns of figures.tsv that are there in any case


def _estimate(series: np.ndarray, figure: Figure) -> Estimate:
    return statistics.mean(series) if figure.name == "mean" else statistics.quantile(series, figure.quantile)


@dataclass
class WarmUp:
    """How many requests at the start are left out, and why."""

    cut: int
    why: str
    unsettled: list[str]


def warm_up(systems: list[System], rule: str) -> WarmUp:
    """One cut for all, so that the same requests are compared: the longest that a run needs."""
    if rule == "none":
        return WarmUp(0, "no warm-up removed, as asked", [])
    if rule.isdigit():
        return WarmUp(int(rule), "as asked", [])
    if rule == "auto" and all(system.trace for system in systems):
        return WarmUp(0, "no warm-up removed: a trace is taken whole", [])
    cut, longest, unsettled = 0, "", []
    for system in systems:
        for log in system.logs:
            here = statistics.mser5(log.response_ms)
            if statistics.never_settles(log.response_ms, here):
                unsettled.append(system.label)
            if here > cut:
                cut, longest = here, system.label
    return WarmUp(cut, f"MSER-5, the longest of all runs{f' ({longest})' if longest else ''}", list(dict.fromkeys(unsettled)))


def after(log: Log, cut: int) -> np.ndarray:
    return log.response_ms[log.ids >= cut]


def _totals(system: System, figure: Figure, cost: dict[str, float]) -> np.ndarray:
    """A figure of the whole of each run; NaN where a run does not have it."""
    told = [value(figure, flat, system.drive, cost) for flat in system.totals]
    if figure.name == "cost" and told[0] is None:
        told = [cost.get(system.label)] * len(told)
    return np.array([math.nan if v is None else v for v in told])


def estimates(system: System, cut: int, figures: list[Figure], cost: dict[str, float]) -> dict[str, Estimate]:
    """The figures of a system: of its one run, or over its replications. Without replications a figure that does not come from
    the log of requests, such as watts, has no interval."""
    each = [after(log, cut) for log in system.logs]
    found = {}
    for figure in figures:
        if not figure.response:
            totals = _totals(system, figure, cost)
            same = len(totals) > 1 and np.isfinite(totals).all()
            found[figure.name] = statistics.replications(totals) if same else Estimate(float(totals[0]), math.nan, 0)
        elif len(each) == 1:
            found[figure.name] = _estimate(each[0], figure)
        else:
            found[figure.name] = statistics.replications(np.array([_estimate(s, figure).value for s in each]))
    return found


def common(a: Log, b: Log, cut: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Response times of the requests that both completed, in order; None if the streams are not the same."""
    ids, in_a, in_b = np.intersect1d(a.ids, b.ids, assume_unique=True, return_indices=True)
    if len(ids) == 0 or not np.array_equal(a.stream[in_a], b.stream[in_b]):
        return None
    chosen = ids >= cut
    return a.response_ms[in_a][chosen], b.response_ms[in_b][chosen]


def differences(
    system: System, base: System, cut: int, figures: list[Figure], of: dict[str, Estimate], of_base: dict[str, Estimate],
    cost: dict[str, float]
) -> tuple[str, dict[str, Estimate]]:
    """System minus base for each figure, and how they were paired."""
    result: dict[str, Estimate] = {}
    if len(system.logs) == len(base.logs) == 1:
        told = "as independent runs"
        if both := common(system.logs[0], base.logs[0], cut):
            a, b = both
            told = f"the same {len(a)} requests one by one"
            for figure in figures:
                if figure.name == "mean":
                    result["mean"] = statistics.mean(a - b)
                elif figure.response:
                    result[figure.name] = statistics.paired_quantile(a, b, figure.quantile)
    elif system.seeds == base.seeds:
        logs = list(zip(system.logs, base.logs))
        told = f"{len(logs)} replications by seed"
        for figure in figures:
            if figure.response:
                apart = [_estimate(after(a, cut), figure).value - _estimate(after(b, cut), figure).value for a, b in logs]
            else:
                apart = _totals(system, figure, cost) - _totals(base, figure, cost)
            if np.isfinite(apart).all():
                result[figure.name] = statistics.replications(np.array(apart))
    else:
        told = "as independent runs"
    return told, {
        figure.name: result.get(figure.name) or statistics.unpaired(of[figure.name], of_base[figure.name]) for figure in figures
    }


@dataclass
class Comparison:
    """Everything that tables and pictures are made of."""

    systems: list[System]
    warm_up: WarmUp
    figures: list[dict[str, Estimate]]
    phases: list[dict[str, float]]
    base: int
    differences: list[tuple[str, dict[str, Estimate]] | None]
    cut_lengths: list[int]
    shown: list[Figure]  # those of which a system has a value


def compare(
    systems: list[System], rule: str = "auto", base: int = 0, figures: list[Figure] | None = None,
    cost: dict[str, float] | None = None
) -> Comparison:
    chosen, cost = figures or choose(None, DEFAULT), cost or {}
    cut = warm_up(systems, rule)
    for system in systems:
        for log in system.logs:
            if not len(after(log, cut.cut)):
                raise InputError(f"{system.label}: nothing is left of its {len(log.ids)} requests after a warm-up of {cut.cut}")
    # The classic five are computed in any case: the tables have their columns.
    wanted = list({figure.name: figure for figure in (*choose(None, OF_LOG), *chosen)}.values())
    found = [estimates(system, cut.cut, wanted, cost) for system in systems]
    phases = []
    for system in systems:
        parts = [log.phase_means_ms(cut.cut) for log in system.logs]
        phases.append({phase: sum(part[phase] for part in parts) / len(parts) for phase in PHASES})
    told = [
        None if i == base else differences(system, systems[base], cut.cut, wanted, found[i], found[base], cost)
        for i, system in enumerate(systems)
    ]
    lengths = [sum(len(after(log, cut.cut)) for log in system.logs) for system in systems]
    shown = [figure for figure in chosen if any(math.isfinite(of[figure.name].value) for of in found)]
    return Comparison(systems, cut, found, phases, base, told, lengths, shown)

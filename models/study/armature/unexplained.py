"""What a fit leaves: kinds of requests whose times no key within its physical range brings nearer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import measured as m
from .search import Variable
from .validate import Validation

_LEAST = 20  # requests of a kind
_NOTHING_MS = 0.05  # mean error, and rms, below which nothing needs a reason
_LITTLE = 0.01  # share that needs no line of its own
_SURE = 4.0  # standard errors


@dataclass(frozen=True)
class Kind:
    """Requests that a person would call by one name, and how they are off; times in ms."""

    name: str
    count: int
    mean: float  # of simulated minus measured
    sure: float  # standard errors of the mean error
    rms: float  # of their distributions
    share: float  # of all kinds' squared distances
    quick_ms: float
    quick_measured: float  # share of requests that took less than that
    quick_simulated: float


def kinds(validation: Validation) -> list[Kind]:
    """Of the requests that are compared, those that are off most first."""
    trace, replay = validation.trace, validation.replay
    gap, after_write = m.before(trace)
    chosen = validation.chosen
    order = [("sequential", gap == 0), ("just before the last", (gap < 0) & (gap > -m.NEAR)),
             ("just behind the last", (gap > 0) & (gap < m.NEAR)), ("far", np.abs(gap) >= m.NEAR)]
    middle = float(np.median(trace.sectors[chosen]))
    sizes = [(f"of up to {middle:.0f} sectors", trace.sectors <= middle), (f"of more than {middle:.0f} sectors", trace.sectors > middle)]
    buffered = chosen & (replay.accesses == 0)
    quick = 1.5 * float(np.quantile(replay.response_ms[buffered], 0.95)) if buffered.sum() >= _LEAST else 0.0
    found = []
    for name, write in (("reads", False), ("writes", True)):
        for place, at in order:
            for size, fits in sizes:
                for behind, after in (("behind a read", False), ("behind a write", True)):
                    here = chosen & (trace.write == write) & at & fits & (after_write == after)
                    if here.sum() >= _LEAST:
                        found.append(_kind(f"{place} {name} {size} {behind}", trace.measured_ms[here], replay.response_ms[here], quick))
    total = sum(kind.count * kind.rms**2 for kind in found) or 1.0
    found = [Kind(**{**vars(kind), "share": kind.count * kind.rms**2 / total}) for kind in found]
    return sorted(found, key=lambda kind: -kind.share)


def _kind(name: str, measured: np.ndarray, simulated: np.ndarray, quick: float) -> Kind:
    off = simulated - measured
    error = float(off.std() / np.sqrt(len(off))) + 1e-6
    mean = float(off.mean())
    return Kind(name, len(measured), mean, abs(mean) / error, m.rms(measured, simulated), 0.0, quick,
                float((measured < quick).mean()), float((simulated < quick).mean()))


def sentences(validation: Validation) -> list[str]:
    """What is left, a line each; the first says that it is."""
    left, little = [], 0
    for kind in kinds(validation):
        hits = abs(kind.quick_measured - kind.quick_simulated)
        surprising = hits > _SURE * np.sqrt(0.25 / kind.count) and hits > 0.02
        if not surprising and (abs(kind.mean) < _NOTHING_MS or kind.sure < _SURE):
            continue
        if left and kind.share < _LITTLE:
            little += 1
            continue
        line = (f"  {kind.name}: {kind.count} requests, {kind.mean:+.3f} ms, rms {kind.rms:.3f} ms "
                f"({kind.share:.0%} of all that is left)")
        if surprising:
            line += (f"; {kind.quick_measured:.0%} of the measured took less than {kind.quick_ms:.2f} ms, {kind.quick_simulated:.0%} of the "
                     "simulated: the drive keeps or reads something else than the model")
        left.append(line)
    if not left:
        return ["Nothing is left that a kind of requests has in common."]
    if little:
        left.append(f"  {little} kinds more, each less than {_LITTLE:.0%} of all that is left")
    return ["No key explains (simulated less measured, second half):", *left]


def limits(variables: list[Variable], values: np.ndarray) -> list[str]:
    """Numbers that stand at the end of their range: something else is missing there."""
    at = [v.name for v, value in zip(variables, values)
          if abs(value - v.value) > v.scale / 2 and min(value - v.least, v.most - value) < 0.01 * (v.most - v.least)]
    return [f"At the end of the range that is physical: {', '.join(at)}. A rule that the model does not have may be behind it."] if at else []

"""Warm-up, confidence intervals and differences of the response times of a run.

Sources
  MSER-5      K. P. White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69
              (1997); five requests a batch: White, Cobb, Spratt, Winter Simulation Conference 2000.
  batch means A. M. Law, Simulation Modeling and Analysis, 5th edition, section 9.5.3; the test of independence is von
              Neumann's (G. S. Fishman, L. S. Yarberry, INFORMS J. Computing 9, 1997, the rule of LBATCH/ABATCH).
  sectioning  S. Asmussen, P. Glynn, Stochastic Simulation (2007), section III.5b: intervals of quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

MSER_BATCH = 5
BATCH_COUNTS = (64, 32, 16, 8)  # tried in this order
LEAST_BATCH = 16  # requests
INDEPENDENCE_LEVEL = 0.1  # of the test that the batch means are not correlated
BEYOND_QUANTILE = 10  # requests of a batch that must lie beyond the quantile
LEVEL = 0.95
_TOO_FEW = "too few requests for an interval"
_CORRELATED = "batch means are correlated: the interval is too narrow"

RULES = f"""Warm-up: MSER-5, the d that minimises sum of squares of the batches of {MSER_BATCH} from d on, divided by
the square of their number; d is at most half of all. Intervals ({LEVEL:.0%}): batch means with the most batches of
{", ".join(map(str, BATCH_COUNTS))} of which the means are not correlated by von Neumann's test at
{INDEPENDENCE_LEVEL:.0%} (the fewest and a warning if all are), at least {LEAST_BATCH} requests each, Student's t.
Quantiles: sectioning over the same batches, of which each must have {BEYOND_QUANTILE} requests beyond the quantile
(fewer batches if not, none below {BATCH_COUNTS[-1]}).
Replications: runs that differ in their seed only, Student's t over their figures.
Differences: of the same requests one by one where both runs had the same stream (common random numbers), replications
by seed; otherwise of independent runs (Welch).""".replace("\n", " ")


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval: value +- half_width. NaN as half width: too little data for one."""

    value: float
    half_width: float
    batches: int  # or replications
    warning: str = ""

    @property
    def low(self) -> float:
        return self.value - self.half_width

    @property
    def high(self) -> float:
        return self.value + self.half_width

    def covers(self, truth: float) -> bool:
        return self.low <= truth <= self.high


def mser5(series: np.ndarray) -> int:
    """Requests to leave out at the start."""
    count = len(series) // MSER_BATCH
    if count < 2:
        return 0
    means = series[: count * MSER_BATCH].reshape(count, MSER_BATCH).mean(axis=1)
    # Of the batches from d on, for each d: from the end, so that one pass does. Deviations from the mean of all keep
    # the difference of the two sums exact enough.
    rest = np.arange(count, 0, -1)
    centred = means - means.mean()
    sums = np.cumsum(centred[::-1])[::-1]
    squares = np.cumsum((centred**2)[::-1])[::-1]
    statistic = np.maximum(squares - sums**2 / rest, 0) / rest.astype(float) ** 2
    return int(np.argmin(statistic[: count // 2 + 1])) * MSER_BATCH


def never_settles(series: np.ndarray, cut: int) -> bool:
    """True if MSER-5's least value is at the border of what it may leave out: the run is too short or grows."""
    return len(series) >= 2 * MSER_BATCH and cut >= (len(series) // MSER_BATCH // 2) * MSER_BATCH


def _t(degrees: float) -> float:
    from scipy.special import stdtrit  # a quarter of a second to load

    return float(stdtrit(degrees, (1 + LEVEL) / 2))


def sections(series: np.ndarray, count: int) -> np.ndarray:
    """The last requests in `count` rows of equal length."""
    length = len(series) // count
    return series[len(series) - count * length :].reshape(count, length)


def correlated(means: np.ndarray) -> bool:
    """von Neumann's test on the ratio of successive differences, one-sided against positive correlation.

    Under independence 1 - (half the ratio) is close to normal with variance (n - 2) / (n^2 - 1).
    """
    n = len(means)
    deviations = means - means.mean()
    total = float((deviations**2).sum())
    if total == 0:
        return False
    c = 1 - float((np.diff(means) ** 2).sum()) / (2 * total)
    return c / math.sqrt((n - 2) / (n * n - 1)) > NormalDist().inv_cdf(1 - INDEPENDENCE_LEVEL)


def batch_count(series: np.ndarray) -> tuple[int, bool]:
    """The number of batches by the rule above, 0 if the series is too short, and whether their means are correlated."""
    possible = [count for count in BATCH_COUNTS if len(series) >= count * LEAST_BATCH]
    for count in possible:
        if not correlated(sections(series, count).mean(axis=1)):
            return count, False
    return (possible[-1], True) if possible else (0, False)


def mean(series: np.ndarray) -> Estimate:
    """Mean with its interval by batch means."""
    value = float(series.mean()) if len(series) else math.nan
    count, still = batch_count(series)
    if not count:
        return Estimate(value, math.nan, 0, _TOO_FEW)
    means = sections(series, count).mean(axis=1)
    half = _t(count - 1) * float(means.std(ddof=1)) / math.sqrt(count)
    return Estimate(value, half, count, _CORRELATED if still else "")


def nearest_rank(ordered: np.ndarray, q: float) -> float:
    """Of n values in order, number ceil(q n): the program's own definition."""
    return float(ordered[max(0, math.ceil(round(q * len(ordered), 9)) - 1)])


def _quantiles(rows: np.ndarray, q: float) -> np.ndarray:
    index = max(0, math.ceil(round(q * rows.shape[1], 9)) - 1)
    return np.partition(rows, index, axis=1)[:, index]


def _sections_for(series: np.ndarray, q: float) -> tuple[int, bool]:
    count, still = batch_count(series)
    while count and (len(series) // count) * min(q, 1 - q) < BEYOND_QUANTILE:
        smaller = [c for c in BATCH_COUNTS if c < count]
        count = smaller[0] if smaller else 0
    return count, still


def quantile(series: np.ndarray, q: float) -> Estimate:
    """Quantile with its interval by sectioning."""
    return _sectioned([series], q, lambda rows: rows[0])


def paired_quantile(a: np.ndarray, b: np.ndarray, q: float) -> Estimate:
    """Difference of the quantiles of two series of the same requests (a - b), by sectioning of both at once."""
    return _sectioned([a, b], q, lambda rows: rows[0] - rows[1])


def _sectioned(each: list[np.ndarray], q: float, joined: Callable) -> Estimate:
    value = joined([nearest_rank(np.sort(series), q) if len(series) else math.nan for series in each])
    counts = [_sections_for(series, q) for series in each]
    count = min(count for count, _ in counts)
    if not count:
        return Estimate(value, math.nan, 0, _TOO_FEW)
    parts = joined([_quantiles(sections(series, count), q) for series in each])
    spread = math.sqrt(float(((parts - value) ** 2).sum()) / (count - 1))
    return Estimate(value, _t(count - 1) * spread / math.sqrt(count), count, _CORRELATED if any(still for _, still in counts) else "")


def replications(values: np.ndarray) -> Estimate:
    """Mean of independent figures."""
    values = np.asarray(values, float)
    if len(values) < 2:
        return Estimate(float(values.mean()), math.nan, len(values), "one replication has no interval")
    half = _t(len(values) - 1) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Estimate(float(values.mean()), half, len(values))


def unpaired(a: Estimate, b: Estimate) -> Estimate:
    """a - b of independent estimates, with Welch's degrees of freedom."""
    value = a.value - b.value
    if not (math.isfinite(a.half_width) and math.isfinite(b.half_width)):
        return Estimate(value, math.nan, 0, "no interval of one of the two")
    parts = [(estimate.half_width / _t(estimate.batches - 1)) ** 2 for estimate in (a, b)]
    total = sum(parts)
    if total == 0:
        return Estimate(value, 0.0, min(a.batches, b.batches))
    degrees = total**2 / sum(part**2 / (estimate.batches - 1) for part, estimate in zip(parts, (a, b)))
    warning = a.warning or b.warning
    return Estimate(value, _t(degrees) * math.sqrt(total), min(a.batches, b.batches), warning)

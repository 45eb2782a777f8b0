"""How long drives and arrays of them live, by arithmetic and by fleets that are drawn. Rates in 1/h, times in h.

A drive fails when what all arms need fails (spindle, electronics: the rate `common`), or when its last arm does. Each of k arms in
service fails with the rate `arm(k)`. A failure that prediction or the servo sees in time (`contained`, a probability) takes the arm out
of service, and the others go on; one that it does not see takes the drive along. A drive that does not degrade gracefully has
contained = 0: its first failure is its last.

In these terms a drive is a Markov chain over the number of its arms, and an array one over how many of its drives have how many arms,
with one more state for those that are rebuilt. Chains are solved as linear equations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

HOURS_PER_YEAR = 365.25 * 24
_MOST_STATES = 4000  # of an array's chain


@dataclass(frozen=True)
class Rates:
    """Of one drive."""

    common: float
    arms: int
    arm: Callable[[int], float]  # of one of so many arms in service
    contained: float

    def leaves(self, arms: int) -> tuple[float, float]:
        """With so many arms: rates of one arm less, and of the drive's end."""
        all_arms = arms * self.arm(arms)
        if arms == 1:
            return 0.0, self.common + all_arms
        return self.contained * all_arms, self.common + (1 - self.contained) * all_arms


def even(rate: float) -> Callable[[int], float]:
    """Arms that fail at this rate however many there are."""
    return lambda _arms: rate


def parallel(rate: float, parts: int) -> float:
    """MTTF of parts that fail on their own, of which one is enough: (1 + 1/2 + ... + 1/n) / rate."""
    return sum(1 / n for n in range(1, parts + 1)) / rate


def series(rates: list[float]) -> float:
    """MTTF of parts of which none may fail."""
    return 1 / sum(rates)


def _generator(rates: Rates) -> np.ndarray:
    """Of the chain over the arms in service, all of them first, without the state of its end."""
    matrix = np.zeros((rates.arms, rates.arms))
    for row in range(rates.arms):
        less, end = rates.leaves(rates.arms - row)
        matrix[row, row] = -(less + end)
        if row + 1 < rates.arms:
            matrix[row, row + 1] = less
    return matrix


def drive_mttf(rates: Rates) -> float:
    """Mean time from new to the drive's end."""
    return float(np.linalg.solve(-_generator(rates), np.ones(rates.arms))[0])


def drive_arms(rates: Rates) -> float:
    """Arms in service, on average over the drive's life."""
    times = np.linalg.solve(-_generator(rates).T, np.eye(rates.arms)[0])
    return float(times @ np.arange(rates.arms, 0, -1) / times.sum())


def alive(rates: Rates, hours: np.ndarray) -> np.ndarray:
    """Part of the drives that are not at their end after so long."""
    from scipy.linalg import expm

    matrix = _generator(rates)
    return np.array([float(expm(matrix * after)[0].sum()) for after in np.asarray(hours, float)])


def array_mttdl(rates: Rates, drives: int, spare: int, repair_h: float) -> float:
    """Mean time from new until more than `spare` of the drives are down at a time. A drive that has ended is replaced by a new one
    after an exponential time, each on its own. ValueError if the chain has too many states."""
    kinds = rates.arms + 1  # arms in service, all of them first; last: down
    states = [s for s in itertools.product(range(drives + 1), repeat=kinds) if sum(s) == drives and s[-1] <= spare] \
        if (drives + 1) ** kinds < 2_000_000 else None
    if states is None or len(states) > _MOST_STATES:
        raise ValueError("too many states")
    number = {state: i for i, state in enumerate(states)}
    matrix = np.zeros((len(states), len(states)))

    def move(state: tuple[int, ...], out: int, to: int, rate: float) -> None:
        row = number[state]
        matrix[row, row] += rate
        other = list(state)
        other[out] -= 1
        other[to] += 1
        column = number.get(tuple(other))
        if column is not None:
            matrix[row, column] -= rate

    for state in states:
        for kind in range(rates.arms):
            if state[kind] == 0:
                continue
            less, end = rates.leaves(rates.arms - kind)
            if less > 0:
                move(state, kind, kind + 1, state[kind] * less)
            move(state, kind, kinds - 1, state[kind] * end)
        if state[-1] > 0:
            move(state, kinds - 1, 0, state[-1] / repair_h)
    return float(np.linalg.solve(matrix, np.ones(len(states)))[number[(drives,) + (0,) * (kinds - 1)]])


# ---- Fleets: drives drawn one by one ------------------------------------------------------------------------------------


def draw_lives(rates: Rates, count: int, random: np.random.Generator) -> np.ndarray:
    """Lives of so many drives: what is common and each arm get their own times."""
    common = random.exponential(1 / rates.common, count) if rates.common > 0 else np.full(count, np.inf)
    with_arms = np.zeros(count)
    goes_on = np.ones(count, bool)
    for arms in range(rates.arms, 0, -1):
        rate = rates.arm(arms)
        first = random.exponential(1 / rate, (count, arms)).min(axis=1) if rate > 0 else np.full(count, np.inf)
        with_arms += np.where(goes_on, first, 0.0)
        goes_on &= random.random(count) < rates.contained
    return np.minimum(common, with_arms)


def draw_losses(rates: Rates, drives: int, spare: int, repair_h: float, arrays: int, random: np.random.Generator) -> np.ndarray:
    """Times until so many arrays lose data."""
    pool, used = draw_lives(rates, max(arrays * drives, 4096), random), 0

    def lives(count: int) -> np.ndarray:
        nonlocal pool, used
        if used + count > len(pool):
            pool, used = draw_lives(rates, max(len(pool), count), random), 0
        used += count
        return pool[used - count:used]

    next_event = lives(arrays * drives).reshape(arrays, drives).copy()
    down = np.zeros((arrays, drives), bool)
    lost = np.full(arrays, np.nan)
    index = np.arange(arrays)
    while len(index):
        rows = np.arange(len(index))
        which = next_event.argmin(axis=1)
        at = next_event[rows, which]
        was_down = down[rows, which]
        down[rows, which] = ~was_down
        over = down.sum(axis=1) > spare
        more = random.exponential(repair_h, len(index))
        more[was_down] = lives(int(was_down.sum()))
        next_event[rows, which] = at + more
        if over.any():
            lost[index[over]] = at[over]
            keep = ~over
            index, next_event, down = index[keep], next_event[keep], down[keep]
    return lost


@dataclass(frozen=True)
class Estimate:
    """A mean and half the width of its 95 % interval."""

    mean: float
    half: float

    def holds(self, value: float) -> bool:
        return abs(value - self.mean) <= self.half


def estimate(values: np.ndarray) -> Estimate:
    return Estimate(float(values.mean()), float(1.96 * values.std(ddof=1) / math.sqrt(len(values))))

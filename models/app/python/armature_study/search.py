"""The search of `armature fit`: which numbers and rules of a drive make the measured times likely.

The measured half is held against the model by kinds of requests: for each the mean and some quantiles of the times, and of
all requests together the quantiles that rms is made of. Each difference counts in units of its own standard error, and large
ones by their logarithm (Cauchy), since a kind that the model cannot meet must not bend all numbers. Each number's change
counts in units of what another specimen may differ by, times a strength that two quarters of the trace choose by
predicting each other.
"""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Callable

import numpy as np

from . import measured as m
from .program import Refused

_LARGE = 3.0  # standard errors
_QUANTILES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
_OVERALL = (np.arange(40) + 0.5) / 40
_FLOOR_MS = 0.01  # drives and buses do not stay the same from hour to hour
_FEW = 8  # requests of a kind
_STRENGTHS = (0.3, 1.0, 3.0)
_MOVES = (-0.8, -0.25, 0.25, 0.8)  # of a number's scale
_BETTER = 6.0  # what a rule must bring in loss, as three numbers by chance


@dataclass
class Variable:
    """A number that the fit changes. `scale` is what it may well be off. `apply` writes it into the settings of a
    replay."""

    name: str
    value: float
    scale: float
    least: float
    most: float
    apply: Callable[[dict, float], None]


@dataclass
class Choice:
    """A rule of the drive's firmware that is tried in each of its ways."""

    key: str
    value: object
    values: tuple


@dataclass
class Problem:
    variables: list[Variable]
    choices: list[Choice]

    def settings(self, values: np.ndarray, chosen: dict[str, object]) -> dict:
        made: dict = {}
        for variable, value in zip(self.variables, values):
            variable.apply(made, float(value))
        return {**made, **chosen}

    @property
    def start(self) -> np.ndarray:
        return np.array([variable.value for variable in self.variables])

    @property
    def scale(self) -> np.ndarray:
        return np.array([variable.scale for variable in self.variables])

    @property
    def as_is(self) -> dict[str, object]:
        return {choice.key: choice.value for choice in self.choices}


class Replays:
    """Responses by settings, in ms: a row a replay. Each setting is replayed once, however often it is asked for."""

    def __init__(self, drive: m.Drive, traces: list[m.Trace], base: dict, trials: int, tried_one: Callable[[], None]):
        self._drive, self._traces, self._base = drive, traces, base
        self._known: dict[str, np.ndarray | None] = {}
        self._tried_one = tried_one
        self.left = trials
        self.failures: list[str] = []  # why settings could not be replayed

    def many(self, settings: list[dict]) -> list[np.ndarray | None]:
        """Two at once. None where the program refuses the settings."""
        names = [json.dumps(one, sort_keys=True) for one in settings]
        new = {name: one for name, one in zip(names, settings) if name not in self._known}
        with ThreadPoolExecutor(2) as pool:
            for name, responses in zip(new, pool.map(self._replay, new.values())):
                self._known[name] = responses
                if self.left > 0:
                    self._tried_one()
                self.left -= 1
        return [self._known[name] for name in names]

    def _replay(self, settings: dict) -> np.ndarray | None:
        settings = {**self._base, **{key: value for key, value in settings.items() if not key.startswith("_")}}
        try:
            return np.stack([self._drive.replay(trace, settings).response_ms for trace in self._traces])
        except (Refused, m.Unfinished) as failure:
            self.failures.append(str(failure))
            return None


def groups(trace: m.Trace) -> np.ndarray:
    """A number for each request: requests of one number should take times of one distribution, whatever the drive's
    numbers are. By operation, that of the request before, where it lies behind that one's end, and its size where
    the time hangs on it."""
    gap, after_write = m.before(trace)
    near = np.digitize(gap, [-m.NEAR, -128, -16, 0, 1, 16, 128, m.NEAR])
    far = np.abs(gap) >= m.NEAR
    kind = near.astype(np.int64)
    if far.any():
        edges = np.quantile(np.abs(gap[far]), np.linspace(0, 1, 9)[1:-1])
        kind[far] = 20 + np.digitize(np.abs(gap[far]), edges)
    sized = trace.write | (gap == 0)
    edges = np.unique(np.quantile(trace.sectors[sized], [0.25, 0.5, 0.75])) if sized.any() else []
    size = np.where(sized, 1 + np.digitize(trace.sectors, edges), 0)
    return ((kind * 2 + trace.write) * 2 + after_write) * 8 + size


def score(trace: m.Trace, responses: np.ndarray, part: np.ndarray) -> float:
    """How far the model is off on a part of the requests, ms: the rms distance of the distributions of all of them, and
    half of it that of each kind by itself, so that errors do not make up for each other."""
    gap, _ = m.before(trace)
    kinds = trace.write * 3 + (gap == 0) + 2 * ((gap != 0) & (np.abs(gap) < m.NEAR))
    sums = m.rms(trace.measured_ms[part], responses[:, part].ravel()) ** 2
    for kind in np.unique(kinds[part]):
        here = part & (kinds == kind)
        sums += 0.25 * here.sum() / part.sum() * m.rms(trace.measured_ms[here], responses[:, here].ravel()) ** 2
    return float(np.sqrt(sums))


class Differences:
    """What a part of the requests tells: differences between model and measurement, each over its standard error."""

    def __init__(self, trace: m.Trace, part: np.ndarray, exact: bool, first: np.ndarray):
        self._measured, self._exact = trace.measured_ms, exact
        number = np.where(part, groups(trace), -1)
        self._parts = [here for here in (np.flatnonzero(number == g) for g in np.unique(number[part])) if len(here) >= _FEW]
        self._all = np.flatnonzero(part)
        rng = np.random.default_rng(1)
        self._errors = [self._standard_errors(self._measured[here], _QUANTILES, rng) for here in self._parts]
        self._overall = self._standard_errors(self._measured[self._all], _OVERALL, rng)
        # Where rotations are the real drive's, differences of the same request are what scatters.
        unlike = self._measured - first[0] if exact else self._measured
        self._means = [np.sqrt(unlike[here].var() / len(here) + _FLOOR_MS**2) for here in self._parts]
        self._quantiles = [np.quantile(self._measured[here], _QUANTILES) for here in self._parts]
        self._curve = np.quantile(self._measured[self._all], _OVERALL)
        self._middles = [self._middle_error(unlike[here]) for here in self._parts]

    @staticmethod
    def _standard_errors(values: np.ndarray, at: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        drawn = [np.quantile(rng.choice(values, len(values)), at) for _ in range(30)]
        return np.sqrt(np.var(drawn, axis=0) + _FLOOR_MS**2)

    @staticmethod
    def _middle_error(values: np.ndarray) -> float:
        spread = np.quantile(values, 0.75) - np.quantile(values, 0.25)
        return float(np.sqrt((0.93 * spread) ** 2 / len(values) + _FLOOR_MS**2))

    def of(self, responses: np.ndarray) -> np.ndarray:
        rows = []
        for here, known, spread, mean, middle in zip(self._parts, self._quantiles, self._errors, self._means, self._middles):
            simulated, measured = responses[:, here], self._measured[here]
            rows.append((simulated.mean() - measured.mean()) / mean)
            rows.extend((np.quantile(simulated, _QUANTILES) - known) / spread / np.sqrt(len(_QUANTILES)))
            if self._exact:
                rows.append(np.median(simulated[0] - measured) / middle)
        rows.extend((np.quantile(responses[:, self._all], _OVERALL) - self._curve) / self._overall / np.sqrt(len(_OVERALL)))
        return np.array(rows)


def _sum(rows: np.ndarray) -> float:
    return float(_LARGE**2 * np.log1p((rows / _LARGE) ** 2).sum())


@dataclass
class Found:
    values: np.ndarray
    chosen: dict[str, object]
    strength: float  # 0: the numbers stay as they were
    start: float  # score on the seen part
    score: float


class Search:
    """`trace` is what may be seen."""

    def __init__(self, task: Problem, replays: Replays, trace: m.Trace, exact: bool):
        self.task, self.replays, self.trace = task, replays, trace
        first = replays.many([task.settings(task.start, task.as_is)])[0]
        if first is None:
            raise Refused("the drive file as it is cannot be replayed")
        self.first = first
        count = len(trace)
        self.all = np.ones(count, bool)
        self.quarters = [np.arange(count) < count // 2, np.arange(count) >= count // 2]
        self.differences = Differences(trace, self.all, exact, first)
        self.of_quarters = [Differences(trace, quarter, exact, first) for quarter in self.quarters]

    # -- numbers

    def _slopes(self, values: np.ndarray, chosen: dict[str, object]) -> list[tuple[np.ndarray, float] | None]:
        """Responses with each number changed by twice its scale, and the change."""
        moved = []
        for i, v in enumerate(self.task.variables):
            step = 2 * v.scale
            up, down = min(values[i] + step, v.most), max(values[i] - step, v.least)
            moved.append(up if up - values[i] >= values[i] - down else down)
        settings = [self.task.settings(np.where(np.arange(len(values)) == i, there, values), chosen)
                    for i, there in enumerate(moved)]
        return [None if responses is None or there == values[i] else (responses, there - values[i])
                for i, (responses, there) in enumerate(zip(self.replays.many(settings), moved))]

    def _matrix(self, differences: Differences, here: np.ndarray, slopes: list) -> np.ndarray:
        rows = differences.of(here)
        return np.stack([np.zeros(len(rows)) if one is None else (differences.of(one[0]) - rows) / one[1] for one in slopes],
                        axis=1) if slopes else np.zeros((len(rows), 0))

    def _solve(self, rows: np.ndarray, matrix: np.ndarray, values: np.ndarray, strength: float) -> tuple[np.ndarray, float]:
        """The numbers with the least loss if all is linear, and that loss."""
        task = self.task
        if not task.variables:
            return values, _sum(rows)
        low = np.array([v.least for v in task.variables])
        high = np.array([v.most for v in task.variables])
        pull = 1 / (task.scale * strength) ** 2

        def cost(there: np.ndarray) -> float:
            return _sum(rows + matrix @ (there - values)) + float((pull * (there - task.start) ** 2).sum())

        # Weighted least squares, weights anew each time; first with those of a milder loss, since far away each kind is off by
        # much and the logarithm has many valleys.
        found = [values]
        for mild in (True, False):
            there = values
            for turn in range(20):
                off = rows + matrix @ (there - values)
                weights = 1 / (1 + (off / _LARGE) ** 2)
                there = self._step(there, matrix, off, np.sqrt(weights) if mild and turn < 8 else weights, pull, low, high)
            found.append(there)
        best = min(found, key=cost)
        return best, cost(best)

    def _step(self, there: np.ndarray, matrix: np.ndarray, off: np.ndarray, weights: np.ndarray, pull: np.ndarray,
              low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Where the weighted squares are least, within the ranges: what would leave its range stays at its end."""
        normal = matrix.T @ (matrix * weights[:, None]) + np.diag(pull)
        slope = matrix.T @ (weights * off) + pull * (there - self.task.start)
        free = (high > low) & ~((there <= low) & (slope > 0)) & ~((there >= high) & (slope < 0))
        if not free.any():
            return there
        step = np.zeros(len(there))
        step[free] = -np.linalg.solve(normal[np.ix_(free, free)], slope[free])
        return np.clip(there + step, low, high)

    def _loss(self, differences: Differences, responses: np.ndarray | None, values: np.ndarray, strength: float) -> float:
        if responses is None:
            return float("inf")
        pulled = (values - self.task.start) / self.task.scale / strength
        return _sum(differences.of(responses)) + float(pulled @ pulled)

    def _descend(self, values: np.ndarray, chosen: dict[str, object], strength: float, rounds: int,
                 differences: Differences) -> np.ndarray:
        """Gauss and Newton's method: slopes anew in each round, steps halved until they help."""
        for _ in range(rounds):
            if self.replays.left < len(values) + 2:
                break
            here = self.replays.many([self.task.settings(values, chosen)])[0]
            slopes = self._slopes(values, chosen)
            before = self._loss(differences, here, values, strength)
            there, _ = self._solve(differences.of(here), self._matrix(differences, here, slopes), values, strength)
            for _ in range(4):
                responses = self.replays.many([self.task.settings(there, chosen)])[0]
                if self._loss(differences, responses, there, strength) < before:
                    break
                there = (there + values) / 2
            else:
                break
            gained = before - self._loss(differences, responses, there, strength)
            values = there
            if gained < 1:
                break
        return values

    # -- rules

    def _profiled(self, values: np.ndarray, responses: np.ndarray | None, slopes: list) -> list[float]:
        """Loss of each quarter after the numbers have made up for what they can."""
        if responses is None:
            return [float("inf")] * 2
        return [self._solve(part.of(responses), matrix, values, 1.0)[1]
                for part, matrix in zip(self.of_quarters, slopes)]

    def _choose(self, values: np.ndarray, chosen: dict[str, object], sweeps: int) -> dict[str, object]:
        """Rules are changed one by one where both quarters of the seen part gain by it; at first, those of reading ahead
        together."""
        if not self.task.choices or self.replays.left < len(values) + 1:
            return chosen
        here = self.replays.many([self.task.settings(values, chosen)])[0]
        moved = self._slopes(values, chosen)
        slopes = [self._matrix(part, here, moved) for part in self.of_quarters]
        best = self._profiled(values, here, slopes)
        joint = [c for c in self.task.choices if c.key in ("cache.read_ahead", "cache.read_ahead_from", "cache.free_reads")]
        rounds: list[list[list[Choice]]] = [[[c] for c in self.task.choices]] * sweeps
        if len(joint) > 1:
            rounds = [[joint], *rounds]
        for keys_of_round in rounds:
            changed = False
            for keys in keys_of_round:
                ways = [dict(zip([c.key for c in keys], way)) for way in itertools.product(*(c.values for c in keys))]
                ways = [way for way in ways if any(chosen[key] != value for key, value in way.items())]
                if self.replays.left < len(ways):
                    return chosen
                found = self.replays.many([self.task.settings(values, {**chosen, **way}) for way in ways])
                losses = [self._profiled(values, one, slopes) for one in found]
                at = min(range(len(ways)), key=lambda n: sum(losses[n]))
                if sum(losses[at]) < sum(best) - _BETTER and all(a < b for a, b in zip(losses[at], best)):
                    chosen, best, changed = {**chosen, **ways[at]}, losses[at], True
            if not changed and keys_of_round[0] is not joint:
                break
        return chosen

    # -- all of it

    def _strength(self, values: np.ndarray, chosen: dict[str, object]) -> float:
        """Each quarter fitted, the other one predicted: the least strength that does as well as any, as far as chance lets
        see; 0 if the numbers as they are do."""
        if not self.task.variables or self.replays.left < len(values) + 1:
            return 0.0
        here = self.replays.many([self.task.settings(values, chosen)])[0]
        moved = self._slopes(values, chosen)
        sums = {0.0: sum(_sum(part.of(here)) for part in self.of_quarters)}
        for strength in _STRENGTHS:
            sums[strength] = 0.0
            for seen, unseen in ((0, 1), (1, 0)):
                part = self.of_quarters[seen]
                there, _ = self._solve(part.of(here), self._matrix(part, here, moved), values, strength)
                responses = self.replays.many([self.task.settings(there, chosen)])[0]
                sums[strength] += float("inf") if responses is None else _sum(self.of_quarters[unseen].of(responses))
        return min(strength for strength, sum_ in sums.items() if sum_ <= min(sums.values()) + _BETTER)

    def _polish(self, values: np.ndarray, chosen: dict[str, object]) -> np.ndarray:
        """The loss hardly sees the few requests that miss a revolution or do not. Each number is moved a little, and stays
        there if both quarters come nearer by it and no kind becomes less likely."""
        here = self.replays.many([self.task.settings(values, chosen)])[0]
        best = [score(self.trace, here, quarter) for quarter in self.quarters]
        likely = _sum(self.differences.of(here)) + _BETTER
        for i, v in enumerate(self.task.variables):
            if self.replays.left < len(_MOVES):
                break
            moved = [np.where(np.arange(len(values)) == i, np.clip(values + move * v.scale, v.least, v.most), values)
                     for move in _MOVES]
            found = [[float("inf")] * 2 if one is None or _sum(self.differences.of(one)) > likely else [score(self.trace, one, quarter) for quarter in self.quarters]
                     for one in self.replays.many([self.task.settings(there, chosen) for there in moved])]
            at = min(range(len(moved)), key=lambda n: found[n][0] ** 2 + found[n][1] ** 2)
            if all(a < b for a, b in zip(found[at], best)):
                values, best = moved[at], found[at]
        return values

    def run(self) -> Found:
        task = self.task
        found = [(task.start, task.as_is, 0.0)]
        chosen = self._choose(task.start, task.as_is, 2)
        found.append((task.start, chosen, 0.0))
        strength = self._strength(task.start, chosen)
        if strength:
            values = self._descend(task.start, chosen, strength, 2, self.differences)
            found.append((values, chosen, strength))
            again = self._choose(values, chosen, 1)
            found.append((self._descend(values, again, strength, 2, self.differences), again, strength))
        if strength:
            values, chosen, _ = found[-1]
            found.append((self._polish(values, chosen), chosen, strength))
        # The loss trusts kinds of many requests; that all of them together come nearer is what is asked for.
        responses = self.replays.many([task.settings(values, chosen) for values, chosen, _ in found])
        scores = [score(self.trace, one, self.all) for one in responses]
        best = min(range(len(found)), key=lambda n: scores[n])
        return Found(*found[best], scores[0], scores[best])

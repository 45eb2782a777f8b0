"""The search of `armature fit`: which numbers and rules of a drive make the measured times likely.

The measured half is held against the model by kinds of requests: for each the mean and some quantiles of the times, and of
all requests together the quantiles that rms is made of. Each difference counts in units of its own standard error, and large
ones by their logarithm (Cauchy), since a kind that the model cannot meet must not bend all numbers. Each number's change
counts in units of what another specimen may differ by, times a strength that two quarters of the trace choose by
predicting each other. Where the rotation of each request is the real drive's, it is requests that are likely or not:
whether the arm came before the sector passed, and what is left beside whole turns.
"""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Callable

import numpy as np

from . import bounds
from . import measured as m
from .arms import Rotations, Told, likeliest, missed_turns
from .program import Refused

_LARGE = 3.0  # standard errors
_QUANTILES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
_OVERALL = (np.arange(40) + 0.5) / 40
_FLOOR_MS = 0.01  # drives and buses do not stay the same from hour to hour
_FEW = 8  # requests of a kind
_STRENGTHS = (0.3, 1.0, 3.0)
_MOVES = (-0.8, -0.25, 0.25, 0.8)  # of a number's scale
_ROUNDS = 3
_GAIN = 0.98  # of the score, without which a file stays as it is
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
        self._rotations: dict[str, Rotations] = {}  # on the first trace
        self._tried_one = tried_one
        self.left = trials
        self.failures: list[str] = []  # why settings could not be replayed

    def many(self, settings: list[dict]) -> list[np.ndarray | None]:
        """Two at once. None where the program refuses the settings."""
        names = [json.dumps(one, sort_keys=True) for one in settings]
        new = {name: one for name, one in zip(names, settings) if name not in self._known}
        with ThreadPoolExecutor(2) as pool:
            for name, (responses, rotations) in zip(new, pool.map(self._replay, new.values())):
                self._known[name], self._rotations[name] = responses, rotations
                if self.left > 0:
                    self._tried_one()
                self.left -= 1
        return [self._known[name] for name in names]

    def rotations(self, settings: dict) -> Rotations:
        """Of settings that have been replayed."""
        return self._rotations[json.dumps(settings, sort_keys=True)]

    def _replay(self, settings: dict) -> tuple[np.ndarray | None, Rotations | None]:
        settings = {**self._base, **{key: value for key, value in settings.items() if not key.startswith("_")}}
        try:
            replays = [self._drive.replay(trace, settings) for trace in self._traces]
            return np.stack([one.response_ms for one in replays]), Rotations.of(replays[0])
        except (Refused, m.Unfinished) as failure:
            self.failures.append(str(failure))
            return None, None


def groups(trace: m.Trace) -> np.ndarray:
    """A number for each request: requests of one number should take times of one distribution, whatever the drive's
    numbers are. By operation, that of the request before, how far and on which side of that one's end it lies, and its
    size where the time hangs on it."""
    gap, after_write = m.before(trace)
    near = np.digitize(gap, [-m.NEAR, -128, -16, 0, 1, 16, 128, m.NEAR])
    far = np.abs(gap) >= m.NEAR
    kind = near.astype(np.int64)
    if far.any():
        edges = np.quantile(np.abs(gap[far]), np.linspace(0, 1, 9)[1:-1])
        kind[far] = 20 + 2 * np.digitize(np.abs(gap[far]), edges) + (gap[far] > 0)
    sized = trace.write | (gap == 0)
    edges = np.unique(np.quantile(trace.sectors[sized], [0.25, 0.5, 0.75])) if sized.any() else []
    size = np.where(sized, 1 + np.digitize(trace.sectors, edges), 0)
    return ((kind * 2 + trace.write) * 2 + after_write) * 8 + size


def score(trace: m.Trace, responses: np.ndarray, part: np.ndarray, exact: bool = False) -> float:
    """How far the model is off on a part of the requests, ms: the rms distance of the distributions of all of them, and
    half of it that of each kind by itself, so that errors do not make up for each other. Where rotations are the real drive's
    (`exact`) the mean absolute error says more: it counts each turn that is missed or caught wrongly."""
    if exact:
        off = responses[0][part] - trace.measured_ms[part]
        return float(np.abs(off).mean()) + m.rms(trace.measured_ms[part], responses[0][part])
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
    """`trace` is what may be seen. `turn_ms`: of the disk, if rotations are the real drive's; otherwise None."""

    def __init__(self, task: Problem, replays: Replays, trace: m.Trace, turn_ms: float | None):
        exact = turn_ms is not None
        self.task, self.replays, self.trace, self.exact, self.turn_ms = task, replays, trace, exact, turn_ms or 0.0
        first = replays.many([task.settings(task.start, task.as_is)])[0]
        if first is None:
            raise Refused("the drive file as it is cannot be replayed")
        self.first = first
        count = len(trace)
        self.all = np.ones(count, bool)
        self.quarters = [np.arange(count) < count // 2, np.arange(count) >= count // 2]
        self.eighths = [np.arange(count) * 4 // count == part for part in range(4)]
        self.differences = Differences(trace, self.all, exact, first)
        self.of_quarters = [Differences(trace, quarter, exact, first) for quarter in self.quarters]
        # Numbers of behaviours that most drives lack change nothing before the trace has said that they are needed.
        rare = {name for names in bounds.BY_ARMS.values() for name in names}
        self.rare = [i for i, v in enumerate(task.variables) if v.name in rare]
        self.unneeded = frozenset(self.rare)

    # -- numbers

    def _moved(self, values: np.ndarray) -> list[float]:
        """Each number changed by twice its scale, to the side where there is more room."""
        moved = []
        for i, v in enumerate(self.task.variables):
            step = 2 * v.scale
            up, down = min(values[i] + step, v.most), max(values[i] - step, v.least)
            moved.append(up if up - values[i] >= values[i] - down else down)
        return moved

    def _settings_moved(self, values: np.ndarray, chosen: dict[str, object]) -> list[dict]:
        return [self.task.settings(np.where(np.arange(len(values)) == i, there, values), chosen)
                for i, there in enumerate(self._moved(values))]

    def _slopes(self, values: np.ndarray, chosen: dict[str, object]) -> list[tuple[np.ndarray, float] | None]:
        """Responses with each number changed, and the change."""
        responses = self.replays.many(self._settings_moved(values, chosen))
        return [None if one is None or there == values[i] else (one, there - values[i])
                for i, (one, there) in enumerate(zip(responses, self._moved(values)))]

    def _matrix(self, differences: Differences, here: np.ndarray, slopes: list) -> np.ndarray:
        rows = differences.of(here)
        return np.stack([np.zeros(len(rows)) if one is None else (differences.of(one[0]) - rows) / one[1] for one in slopes],
                        axis=1) if slopes else np.zeros((len(rows), 0))

    def _solve(self, rows: np.ndarray, matrix: np.ndarray, values: np.ndarray, strength: float) -> tuple[np.ndarray, float]:
        """The numbers with the least loss if all is linear, and that loss."""
        task = self.task
        if not task.variables:
            return values, _sum(rows)
        low, high = self._ranges()
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
        """Rules are changed one by one where both quarters of the seen part gain by it, whatever the numbers make up for, or where the
        error falls in each eighth; at first, those that belong together."""
        if not self.task.choices or self.replays.left < len(values) + 1:
            return chosen
        here = self.replays.many([self.task.settings(values, chosen)])[0]
        moved = self._slopes(values, chosen)
        slopes = [self._matrix(part, here, moved) for part in self.of_quarters]
        best, now = self._profiled(values, here, slopes), here
        joint = [group for group in ([c for c in self.task.choices if c.key in keys] for keys in bounds.JOINT) if len(group) > 1]
        rounds: list[list[list[Choice]]] = [[[c] for c in self.task.choices if c.key not in bounds.BY_ARMS]] * sweeps
        if joint:
            rounds = [joint, *rounds]
        for keys_of_round in rounds:
            changed = False
            for keys in keys_of_round:
                ways = [dict(zip([c.key for c in keys], way)) for way in itertools.product(*(c.values for c in keys))]
                ways = [way for way in ways if any(chosen[key] != value for key, value in way.items())
                        and not bounds.moot({**chosen, **way})]
                if not ways:
                    continue
                if self.replays.left < len(ways):
                    return chosen
                found = self.replays.many([self.task.settings(values, {**chosen, **way}) for way in ways])
                losses = [self._profiled(values, one, slopes) for one in found]
                at = min(range(len(ways)), key=lambda n: sum(losses[n]))
                likelier = sum(losses[at]) < sum(best) - _BETTER and all(a < b for a, b in zip(losses[at], best))
                if not likelier:
                    at = min(range(len(ways)), key=lambda n: sum(self._errors(found[n])))
                errors, before = self._errors(found[at]), self._errors(now)
                nearer = sum(errors) < _GAIN * sum(before) and all(a < b for a, b in zip(errors, before))
                if likelier or nearer:
                    chosen, best, now, changed = {**chosen, **ways[at]}, losses[at], found[at], True
            if not changed and keys_of_round is not joint:
                break
        return chosen

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

    def _errors(self, responses: np.ndarray | None) -> list[float]:
        return [self._score(responses, eighth) for eighth in self.eighths]

    def _score(self, responses: np.ndarray | None, part: np.ndarray) -> float:
        return float("inf") if responses is None else score(self.trace, responses, part, self.exact)

    def _polish(self, values: np.ndarray, chosen: dict[str, object]) -> np.ndarray:
        """The loss hardly sees the few requests that miss a revolution or do not. Each number is moved a little, and stays
        there if both quarters come nearer by it and no kind becomes less likely."""
        here = self.replays.many([self.task.settings(values, chosen)])[0]
        best = [self._score(here, quarter) for quarter in self.quarters]
        likely = _sum(self.differences.of(here)) + _BETTER
        for i, v in enumerate(self.task.variables):
            if self.replays.left < len(_MOVES):
                break
            moved = [np.where(np.arange(len(values)) == i, np.clip(values + move * v.scale, v.least, v.most), values)
                     for move in _MOVES]
            found = [[float("inf")] * 2 if one is None or _sum(self.differences.of(one)) > likely else [self._score(one, quarter) for quarter in self.quarters]
                     for one in self.replays.many([self.task.settings(there, chosen) for there in moved])]
            at = min(range(len(moved)), key=lambda n: found[n][0] ** 2 + found[n][1] ** 2)
            if all(a < b for a, b in zip(found[at], best)):
                values, best = moved[at], found[at]
        return values

    # -- where each request's rotation is the real drive's

    def _told(self, values: np.ndarray, chosen: dict[str, object], beside: Told | None = None, by: tuple[str, ...] = (),
              unneeded: frozenset[int] = frozenset()) -> Told:
        """`beside`: of other rules, and by which numbers arms come otherwise with these. `unneeded` numbers change nothing."""
        count = len(values)
        here = self.task.settings(values, chosen)
        moved, there = self._settings_moved(values, chosen), self._moved(values)
        tried = [i for i in range(count) if there[i] != values[i] and (beside is None or self.task.variables[i].name in by)]
        responses, *found = self.replays.many([here, *(moved[i] for i in tried)])
        if responses is None:
            raise Refused("the rules cannot be replayed")
        at, scale = self.replays.rotations(here), self.task.scale
        turns, rest = missed_turns(self.trace.measured_ms - responses[0], self.turn_ms)
        comes = np.zeros((len(rest), count)) if beside is None else beside.comes.copy()
        takes = np.zeros((len(rest), count)) if beside is None else beside.takes.copy()
        for i, slope in zip(tried, found):
            if slope is None or i in unneeded:
                continue
            unit = scale[i] / (there[i] - values[i])
            comes[:, i] = at.later(self.replays.rotations(moved[i]), self.turn_ms) * unit
            takes[:, i] = missed_turns(slope[0] - responses[0], self.turn_ms)[1] * unit
        return Told(turns, rest, at, comes, takes, self.turn_ms)

    def _ranges(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array([v.least for v in self.task.variables]), np.array([v.most for v in self.task.variables])

    def _room(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far each number may still go down and up, in its scales."""
        low, high = self._ranges()
        return np.minimum(low - values, 0) / self.task.scale, np.maximum(high - values, 0) / self.task.scale

    def _costs(self, told: Told, values: np.ndarray, of_arms: np.ndarray, usual: np.ndarray) -> list[float]:
        """Of each quarter, when the numbers have made up for what they can within their ranges."""
        from_start = (values - self.task.start) / self.task.scale
        return [likeliest(told.of_turns(quarter & of_arms), told.of_rests(quarter, usual), from_start, self._room(values)).cost
                for quarter in self.quarters]

    def _usual(self, told: Told, part: np.ndarray) -> np.ndarray:
        """What is usually left of the difference, for each request's kind."""
        same = part & told.same
        kinds = groups(self.trace) * 2 + told.at.once
        usual = np.full(len(kinds), _FLOOR_MS + float(np.median(np.abs(told.rest[same]))) if same.any() else 1.0)
        for kind in np.unique(kinds[same]):
            usual[kinds == kind] = np.median(np.abs(told.rest[same & (kinds == kind)])) + _FLOOR_MS
        return usual

    def _likeliest(self, values: np.ndarray, chosen: dict[str, object], part: np.ndarray, balanced: bool = False) -> np.ndarray:
        """The numbers by which the times of a part of the requests are likeliest: by the turns that the model catches or misses and
        the real drive did not, and by what is left of the differences."""
        told, scale = self._told(values, chosen, unneeded=self.unneeded), self.task.scale
        of_turns = told.of_turns(part & told.of_arms)
        if balanced:
            # Of the later quarter: drives become slower as they warm up, and what comes is later still.
            of_turns = replace(of_turns, skew_ms=of_turns.balance(self.quarters[1][part & told.of_arms]))
        rests = told.of_rests(part & told.same, self._usual(told, part))
        step = likeliest(of_turns, rests, (values - self.task.start) / scale, self._room(values)).step
        return np.clip(values + step * scale, *self._ranges())

    def _choose_by_arms(self, values: np.ndarray, chosen: dict[str, object]) -> dict[str, object]:
        """Rules that tell by when arms come: changed where both quarters become likelier after the numbers have made up for what they
        can."""
        choices = [choice for choice in self.task.choices if choice.key in bounds.BY_ARMS]
        if not choices or self.replays.left < len(values) + 1:
            return chosen
        base = self._told(values, chosen)
        usual = self._usual(base, self.all)

        for choice in choices:
            for value in choice.values:
                if value == chosen[choice.key] or self.replays.left < 2:
                    continue
                try:
                    other = self._told(values, {**chosen, choice.key: value}, base, bounds.BY_ARMS[choice.key])
                except Refused:
                    continue
                both = base.of_arms & other.of_arms
                before, after = (self._costs(one, values, both, usual) for one in (base, other))
                if sum(after) < sum(before) - _BETTER and all(a < b for a, b in zip(after, before)):
                    chosen, base = {**chosen, choice.key: value}, other
        return chosen

    def _approached(self, chosen: dict[str, object], part: np.ndarray, rounds: int) -> list[np.ndarray]:
        """From the drive file's numbers in some rounds, each with slopes of its own: all of them."""
        found = [self.task.start]
        for _ in range(rounds):
            if self.replays.left < len(found[0]) + 2:
                break
            found.append(self._likeliest(found[-1], chosen, part))
        return found[1:]

    def _run_exact(self) -> Found:
        """Numbers first, as rules are told apart by a little; then rules, then numbers anew. The file's numbers stay if a quarter does
        not tell more of the other one than they do."""
        task = self.task
        found = [(task.start, task.as_is)]
        values = self._approached(task.as_is, self.all, 2) if task.variables else []
        chosen = self._choose(values[-1] if values else task.start, task.as_is, 2)
        if values:
            chosen = self._choose_by_arms(values[-1], chosen)
            self._find_unneeded(values[-1], chosen)
        found.append((task.start, chosen))
        if values and self._predict(chosen):
            found += [(one, task.as_is) for one in values]
            found += [(one, chosen) for one in self._approached(chosen, self.all, _ROUNDS)]
            if self.replays.left >= len(task.variables) + 2:
                found.append((self._likeliest(found[-1][0], chosen, self.all, balanced=True), chosen))
        scores = [self._score(one, self.all) for one in self.replays.many([task.settings(*one) for one in found])]
        best = int(np.argmin(scores))
        if scores[best] > _GAIN * scores[0]:
            best = 0
        return Found(*found[best], float(best > 0), scores[0], scores[best])

    def _find_unneeded(self, values: np.ndarray, chosen: dict[str, object]) -> None:
        """Numbers of behaviours that most drives lack stay the file's, unless both quarters are likelier with them."""
        told = self._told(values, chosen)
        usual = self._usual(told, self.all)
        with_it = self._costs(told, values, told.of_arms, usual)
        without = [self._costs(told.without(i), values, told.of_arms, usual) for i in self.rare]
        self.unneeded = frozenset(i for i, one in zip(self.rare, without)
                                  if sum(with_it) > sum(one) - _BETTER or any(a >= b for a, b in zip(with_it, one)))

    def _predict(self, chosen: dict[str, object]) -> bool:
        """Whether the numbers that each quarter gives bring the other one nearer than the file's."""
        before = after = 0.0
        for seen, unseen in (self.quarters, self.quarters[::-1]):
            tried = [self.task.start, *self._approached(chosen, seen, 1)]
            responses = self.replays.many([self.task.settings(values, chosen) for values in (tried[0], tried[-1])])
            before, after = (sums + self._score(one, unseen) for sums, one in zip((before, after), responses))
        return after < before

    # -- all of it

    def run(self) -> Found:
        if self.exact:
            return self._run_exact()
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
        scores = [self._score(one, self.all) for one in responses]
        best = int(np.argmin(scores))
        return Found(*found[best], scores[0], scores[best])

"""What turns tell of a drive's arms, where the rotation of each request is the real drive's: a turn that the model misses and the
real drive catches, or the other way round, says how late the real arm came."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from . import measured as m

_WIDTH_MS = 0.3  # of the chance by which arms come early or late, to begin with
SAME = 0.1  # turns; a larger rest is no matter of turns
_FAR = 5.0  # scales of a number


@dataclass(frozen=True)
class Rotations:
    """Of each request: when the arm was there, from its arrival, and how long it waited for the first sector, ms; `once`: it
    went to the media once, and waited less than a turn."""

    ready: np.ndarray
    wait: np.ndarray
    once: np.ndarray

    @staticmethod
    def of(replay: m.Replay) -> Rotations:
        wait = replay.rotation_ms
        ready = replay.response_ms - wait - replay.after_first_sector_ms
        return Rotations(ready.astype(np.float32), wait.astype(np.float32), (replay.accesses == 1) & (wait > 0))

    def later(self, then: Rotations, turn_ms: float) -> np.ndarray:
        """How much later arms come `then`, ms."""
        later = np.where(self.once & then.once, then.ready - self.ready, 0.0)
        return np.where(np.abs(later) < turn_ms / 2, later, 0.0)


def missed_turns(later: np.ndarray, turn_ms: float) -> tuple[np.ndarray, np.ndarray]:
    """Whole turns that the measured requests are later, and what is left of the difference."""
    turns = np.round(later / turn_ms).astype(int)
    return turns, later - turns * turn_ms


def _passage(wait: np.ndarray, turns: int | np.ndarray, comes: np.ndarray, width: float, turn_ms: float) -> tuple[np.ndarray, ...]:
    """How likely an arm that comes so much later catches the passage so many turns after the model's, its slope by `comes`, and that by
    the logarithm of the width."""
    from scipy.special import expit

    upper = wait + turns * turn_ms - comes  # it came before that, and after a turn earlier
    a, b = expit(upper / width), expit((upper - turn_ms) / width)
    da, db = a * (1 - a) / width, b * (1 - b) / width
    return a - b, db - da, (upper - turn_ms) * db - upper * da


_LEAST_LIKELY = 1e-9


@dataclass(frozen=True)
class Turns:
    """Of requests to the media: turns that the real one was later than the model, how long the model waits for the sector, and how
    much later its arm comes by a unit of each number, ms."""

    later: np.ndarray
    wait: np.ndarray
    turn_ms: float
    comes: np.ndarray
    skew_ms: float = 0.0  # by which the median of what is by chance lies behind its mean

    def balance(self, part: np.ndarray | slice = slice(None)) -> float:
        """`skew_ms` after which as many turns of a part of the requests are missed wrongly as are caught wrongly, less what chance
        may account for."""
        later = self.later[part]
        wrong, net = np.abs(later).sum(), -later.sum()
        return float(net * self.turn_ms / max(len(later), 1) * net**2 / max(net**2 + wrong, 1))

    def cost(self, step: np.ndarray, log_width: float) -> tuple[float, np.ndarray, float]:
        """A real arm comes as much later as the numbers say, and by chance (logistic) more or less; it waits for the next
        passage. Less the logarithm of the likelihood, its slope, and that of the width."""
        likely, slope, widened = _passage(self.wait, self.later, self.comes @ step + self.skew_ms, np.exp(log_width), self.turn_ms)
        likely = np.maximum(likely, _LEAST_LIKELY)
        return float(-np.log(likely).sum()), -self.comes.T @ (slope / likely), -float((widened / likely).sum())


@dataclass(frozen=True)
class Rests:
    """Of requests: by what the real one took longer beside whole turns, what is usual for its kind, and how much longer the model
    takes by a unit of each number, ms."""

    longer: np.ndarray
    usual: np.ndarray
    takes: np.ndarray

    def cost(self, step: np.ndarray) -> tuple[float, np.ndarray]:
        """Cauchy's, as few are off by much."""
        off = (self.longer - self.takes @ step) / self.usual
        return float(np.log1p(off**2).sum()), -self.takes.T @ (2 * off / (1 + off**2) / self.usual)


@dataclass(frozen=True)
class Likeliest:
    """The step of the numbers, in their scales, and what is left: less the logarithm of the likelihood."""

    step: np.ndarray
    cost: float


def likeliest(turns: Turns, rests: Rests, from_start: np.ndarray, room: tuple[np.ndarray, np.ndarray] | None = None) -> Likeliest:
    """The step by which all are likeliest. A number's distance from the drive file's counts as one of a normal distribution with
    its scale. `room`: the least and the greatest step of each number, in scales, beyond which its range ends; a number that stops
    there leaves the rest to the others."""
    count = len(from_start)
    least, most = (np.full(count, -_FAR), np.full(count, _FAR)) if room is None else (np.maximum(room[0], -_FAR), np.minimum(room[1], _FAR))

    def cost(x: np.ndarray) -> tuple[float, np.ndarray]:
        first, first_slope, widened = turns.cost(x[:count], x[count])
        second, second_slope = rests.cost(x[:count])
        pulled = from_start + x[:count]
        return first + second + 0.5 * float(pulled @ pulled), np.append(first_slope + second_slope + pulled, widened)

    limits = [*zip(least, most), (np.log(0.01), np.log(turns.turn_ms / 4))]
    from scipy.optimize import minimize  # half a second to load

    found = minimize(cost, np.append(np.zeros(count), np.log(_WIDTH_MS)), jac=True, method="L-BFGS-B", bounds=limits)
    return Likeliest(found.x[:count], float(found.fun))


@dataclass(frozen=True)
class Told:
    """Of each request: turns that the real one was later than the model, what is left of the difference (ms), how often and how long
    the model waited for its sector, and by a unit of each number how much later its arm comes and how much longer it takes, ms."""

    turns: np.ndarray
    rest: np.ndarray
    at: Rotations
    comes: np.ndarray
    takes: np.ndarray
    turn_ms: float

    @property
    def same(self) -> np.ndarray:
        return np.abs(self.rest) < SAME * self.turn_ms

    @property
    def of_arms(self) -> np.ndarray:
        return self.same & self.at.once & (self.at.wait < self.turn_ms) & (np.abs(self.turns) <= 1)

    def of_turns(self, part: np.ndarray) -> Turns:
        return Turns(self.turns[part], self.at.wait[part].astype(float), self.turn_ms, self.comes[part])

    def without(self, number: int) -> Told:
        """As if that number changed nothing."""
        kept = np.arange(self.comes.shape[1]) != number
        return replace(self, comes=self.comes * kept, takes=self.takes * kept)

    def of_rests(self, part: np.ndarray, usual: np.ndarray) -> Rests:
        """What is left of a request that is off by much is no matter of numbers."""
        takes = np.where(self.same[:, None], self.takes, 0.0)
        return Rests(self.rest[part], usual[part], takes[part])

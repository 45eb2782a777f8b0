"""Tracks that a drive leaves out: where a description does not name them, from the angles of a zone's requests.

A drive that spares whole tracks skips a bad one: every block behind it lies a track further on than the description says, and
passes later by the skew of that track's switch. Which blocks do is found by dynamic programming over the requests in the order
of their tracks (Viterbi): how many tracks have been left out before each request. It never falls, each track left out costs
`_PRICE`, and each request 1 - cos of what its angle lacks then.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

_PRICE = 1.5  # of a track, in requests whose angle is a quarter of a turn off, and a half
_MOST = 64  # tracks of a zone that may be found
_STARTS = 16  # angles of the zone's first track that are tried
_NEAR = (-2, -1, 0, 1, 2)  # sectors by which a skew may differ from the description's
_ROUNDS = 3


@dataclass(frozen=True)
class Slips:
    """Of a zone, in turns. `track` and `cylinder`: skews of a head switch, and of a cylinder to the next one from its first track
    to that one's. `tracks`: those that are left out, counted from the zone's first. `length`: mean phasor; `gain`: length times
    requests less the price of the tracks."""

    start: float
    track: float
    cylinder: float
    tracks: tuple[int, ...]
    length: float
    gain: float


def beginnings(track: float, cylinder: float, heads: int, tracks: int) -> np.ndarray:
    """Angles of a zone's tracks if the first begins at 0, turns. `cylinder`: from first track to first track."""
    number = np.arange(tracks)
    inside = number % heads
    return track * inside + cylinder * (number // heads)


def passed(slipped: np.ndarray, number: np.ndarray) -> np.ndarray:
    """How many of the tracks that are left out lie before what a description without them calls track `number`."""
    return np.searchsorted(np.asarray(slipped, int) - np.arange(len(slipped)), number, side="right")


def _skipped(number: np.ndarray, angle: np.ndarray, starts: np.ndarray, table: np.ndarray, most: int) -> tuple[np.ndarray, float, float]:
    """Tracks left out before each request, what it costs, and the start that costs least."""
    count = np.arange(most + 1)
    price = _PRICE * count
    measured = np.exp(2j * np.pi * (angle[:, None] - starts[None, :]))
    there = np.exp(-2j * np.pi * table)
    cost = np.tile(price, (len(starts), 1))
    back = np.empty((len(number), len(starts), most + 1), np.int16)
    for i, first in enumerate(number):
        free = cost - price
        least = np.minimum.accumulate(free, axis=1)
        back[i] = np.maximum.accumulate(np.where(free <= least, count, 0), axis=1)
        cost = least + price - np.real(measured[i][:, None] * there[first:first + most + 1])
    best = int(cost.min(axis=1).argmin())
    at = int(cost[best].argmin())
    total = float(cost[best, at]) + len(number)
    found = np.empty(len(number), int)
    for i in range(len(number) - 1, -1, -1):
        found[i] = at
        at = back[i, best, at]
    return found, total, float(starts[best])


def _skews(number: np.ndarray, angle: np.ndarray, heads: int, track: float, cylinder: float) -> tuple[float, float, complex]:
    """The skews near these with the longest mean phasor, and that."""
    inside, along = number % heads, number // heads
    scale = np.array([heads, along.max() + 1.0])

    def mean(scaled: np.ndarray) -> complex:
        a, b = scaled / scale
        return complex(np.exp(2j * np.pi * (angle - a * inside - b * along)).mean())

    begin = np.array([track, cylinder]) * scale
    from scipy.optimize import minimize  # half a second to load

    near = minimize(lambda x: -abs(mean(x)), begin, method="Nelder-Mead", options={
        "xatol": 1e-4, "fatol": 1e-7, "initial_simplex": begin + 0.15 * np.array([[0, 0], [1, 0], [0, 1]])})
    return *(near.x / scale), mean(near.x)


def find(number: np.ndarray, angle: np.ndarray, heads: int, sectors: float, track: float, cylinder: float, most: int) -> Slips:
    """`number`: of the tracks of a zone's requests as described. `angle`: at which those tracks begin (turns). `track`, `cylinder`: the
    description's skews of a head switch and from the last track of a cylinder to the next one (turns). `most`: spare tracks."""
    order = np.argsort(number, kind="stable")
    number, angle, most = number[order], angle[order], min(most, _MOST)
    tracks = int(number[-1]) + most + 1

    def tried(a: float, b: float, starts: np.ndarray) -> tuple[np.ndarray, float, float]:
        return _skipped(number, angle, starts, beginnings(a, b, heads, tracks), most)

    grid = [(track + a / sectors, (heads - 1) * (track + a / sectors) + cylinder + b / sectors)
            for a, b in itertools.product(_NEAR, repeat=2)]
    everywhere = np.arange(_STARTS) / _STARTS
    (skipped, cost, _), (a, b) = min(((tried(a, b, everywhere), (a, b)) for a, b in grid), key=lambda one: one[0][1])
    for _ in range(_ROUNDS):
        a, b, mean = _skews(number + skipped, angle, heads, a, b)
        skipped, cost, start = tried(a, b, np.angle(mean) / (2 * np.pi) + np.array([-0.01, 0.0, 0.01]))
    off = angle - start - beginnings(a, b, heads, tracks)[number + skipped]
    return Slips(start, float(a), float(b), _between(number, skipped), float(abs(np.exp(2j * np.pi * off).mean())), len(number) - cost)


def _between(number: np.ndarray, skipped: np.ndarray) -> tuple[int, ...]:
    """The tracks left out, each in the middle between the requests that tell of it."""
    found = list(range(int(skipped[0])))
    for i in np.flatnonzero(np.diff(skipped)):
        behind = (int(number[i]) + int(number[i + 1])) // 2 + 1  # the first track, as described, that lies further on
        found += [behind + k for k in range(int(skipped[i]), int(skipped[i + 1]))]
    return tuple(found)

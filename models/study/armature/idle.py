"""`armature idle`: how long drives have nothing to do, and how much energy the best spin-down policy could save in that time.

An idle period lasts from the moment at which a drive has completed all that it was sent until the host sends it the next
request. What a drive does by itself meanwhile (written data that go to the medium, a media scan) does not end it. The times
before the first and after the last request are none.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np

from .errors import InputError
from .runs import System

LAGS = 50
QUANTILES = (0.5, 0.9, 0.99)
LEAST_S, MOST_S, POINTS = 0.01, 100.0, 41  # of the ways down and up together, for the bound


@dataclass
class Powers:
    """What a drive draws: W, and s and J of the ways to standby and back together."""

    idle_w: float
    standby_w: float
    ways_s: float
    ways_j: float

    @property
    def ways_w(self) -> float:
        return self.ways_j / self.ways_s


@dataclass
class Idle:
    """The idle periods of one drive, s."""

    label: str
    begins: np.ndarray
    lengths: np.ndarray
    until: float  # from the first request that was sent until the last completion, s
    energy_j: float | None  # of the whole run
    powers: Powers | None


def periods(sent: np.ndarray, completed: np.ndarray, since: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Begin and length of the times in which no request is at the drive; times in s, in any order. The time before the first
    request counts from `since` on, if it is given."""
    order = np.argsort(sent, kind="stable")
    sent, done = sent[order], np.maximum.accumulate(completed[order])
    if since is not None:
        sent, done = np.append(since, sent), np.append(since, done)
    lengths = sent[1:] - done[:-1]
    return done[:-1][lengths > 0], lengths[lengths > 0]


def autocorrelation(values: np.ndarray, lags: int = LAGS) -> np.ndarray:
    """Of lags 1, 2, ...: sum of (x_i - m)(x_i+k - m) over sum of (x_i - m)^2. Empty of fewer than two different values."""
    away = values - values.mean() if len(values) else values
    power = float((away**2).sum())
    if power <= 0:
        return np.empty(0)
    return np.array([float((away[:-k] * away[k:]).sum()) / power for k in range(1, min(lags, len(values) - 1) + 1)])


def oracle_saves(lengths: np.ndarray, powers: Powers, ways_s: float) -> float:
    """J that a drive saves at the most which knows how long each idle period is, and is back at its end: in each period
    that is long enough for the ways it stops the stack, if that takes less than idle. The ways take `ways_s` together, and
    draw what the drive's own ways draw on average."""
    saved = (powers.idle_w - powers.standby_w) * lengths - (powers.ways_w - powers.standby_w) * ways_s
    return float(np.maximum(saved, 0)[lengths >= ways_s].sum())


def oracle_saves_of_exponential(mean_s: float, powers: Powers, ways_s: float) -> float:
    """The same for one period, on average, of exponentially distributed ones."""
    less, more = powers.idle_w - powers.standby_w, (powers.ways_w - powers.standby_w) * ways_s
    least = max(ways_s, more / less)
    return math.exp(-least / mean_s) * (less * (least + mean_s) - more)


def _number(system: System, key: str) -> float | None:
    told = system.configuration.get(key)
    return float(told) if isinstance(told, (int, float)) and not isinstance(told, bool) else None


def _watts(system: System, name: str) -> float | None:
    """A figure of the drive file: by its currents on 5 V and 12 V, or the total."""
    amperes = system.configuration.get(f"power.{name}_a")
    if isinstance(amperes, list) and amperes:
        return sum(ampere * volt for ampere, volt in zip(amperes, (5.0, 12.0)))
    watts = _number(system, f"power.{name}_w")
    return watts if watts is not None and watts >= 0 else None


def powers_of(system: System, options: argparse.Namespace) -> Powers | None:
    """As the drive file has them, and as the command line says otherwise; None if a figure is missing."""
    ways = ("spin_up", "spin_down")
    ramp = ("load", "unload") if (_number(system, "seek.load_ms") or 0) > 0 else ()
    seconds = [_number(system, f"spindle.{way}_s") for way in ways]
    seconds += [(_number(system, f"seek.{way}_ms") or 0) / 1000 for way in ramp]
    joules = [_number(system, f"power.{way}_j") for way in ways]
    joules += [_number(system, f"power.{way}_j") for way in ramp if (_number(system, f"power.{way}_j") or -1) >= 0]
    known = None not in joules and all(joule is not None and joule >= 0 for joule in joules)
    told = (
        options.idle_w if options.idle_w is not None else _watts(system, "idle"),
        options.standby_w if options.standby_w is not None else _watts(system, "standby"),
        options.ways_s if options.ways_s is not None else (None if None in seconds else sum(seconds)),
        options.ways_j if options.ways_j is not None else (sum(joules) if known else None),
    )
    if None in told:
        return None
    powers = Powers(*told)
    if not (powers.ways_s > 0 and 0 <= powers.standby_w < powers.idle_w and powers.ways_j >= 0):
        raise InputError(f"{system.label}: standby must draw less than idle, and the ways must take some time")
    return powers


def analyse(system: System, options: argparse.Namespace) -> Idle:
    log = system.logs[0]
    arrival, waited, done = (log.column(name) / 1e6 for name in ("arrival_us", "host_queue_us", "completion_us"))
    sent = arrival + waited
    if not len(sent):
        raise InputError(f"{system.label}: no request has completed")
    begins, lengths = periods(sent, done)
    energy = system.totals[0].get("energy.energy_j") if system.totals else None
    return Idle(system.label, begins, lengths, float(done.max() - sent.min()),
                float(energy) if isinstance(energy, (int, float)) else None, powers_of(system, options))


def bound(idle: Idle) -> list[tuple[float, float]]:
    """Times of the ways together, s, and the part of what the drive takes in idle that an oracle saves."""
    if not idle.powers or not len(idle.lengths):
        return []
    whole = idle.powers.idle_w * float(idle.lengths.sum())
    return [(float(ways), oracle_saves(idle.lengths, idle.powers, float(ways)) / whole)
            for ways in np.geomspace(LEAST_S, MOST_S, POINTS)]

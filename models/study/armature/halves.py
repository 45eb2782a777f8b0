"""What DiskSim's rms is on each half of a trace, where only that on the whole trace is published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import measured as m


@dataclass(frozen=True)
class Halves:
    """The rms of one model on a trace and on its halves, ms."""

    whole: float
    first: float
    second: float

    @staticmethod
    def of(measured_ms: np.ndarray, simulated_ms: np.ndarray) -> Halves:
        half = len(measured_ms) // 2
        return Halves(*(m.rms(measured_ms[part], simulated_ms[part]) for part in (slice(None), slice(0, half), slice(half, None))))

    @property
    def apart(self) -> float:
        """Square of what the halves' errors do not have in common, ms^2: the errors are c + d and c - d, so the mean of their squares
        is c^2 + d^2, and the error on the whole trace is c. Two halves that chance makes alike give 0."""
        return max((self.first**2 + self.second**2) / 2 - self.whole**2, 0.0)


def estimate(whole_rms: float, beside: Halves) -> float:
    """The rms on half of a trace, ms, of a model that has `whole_rms` on all of it: the quadratic mean over both halves. What makes the
    halves differ (the drive drifts, and the requests of a half are chance) is taken from another model of the same drive, on the
    same requests."""
    return float(np.sqrt(whole_rms**2 + beside.apart))


def check(pairs: list[tuple[Halves, Halves]]) -> tuple[float, float] | None:
    """The least and the greatest ratio of a half's rms to its estimate, of the models whose halves are known: each with the model that the
    estimate is made from. None without any."""
    ratios = [half / estimate(known.whole, beside) for known, beside in pairs for half in (known.first, known.second)]
    return (min(ratios), max(ratios)) if ratios else None

"""What the times of a trace tell of the disk's rotation: its true period, where it was, and which way think times count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .measured import CALIBRATION, Replay, Trace

_RANGE = 0.02  # of the nominal period, either way
_NEAR_MS = 1_000.0  # between two requests whose period is looked for first
_LEAST = 10  # pairs
_HEADS = 256  # at most
_LEAST_SPREAD = 1e-3  # turns: of angles of requests to one track
_SURE = 0.07  # turns, as one standard error
_FURTHER = 8.0  # times as far apart, in a step
_UNLIKE = 1e-4  # 1 less the mean phasor: angles are known to some thousandths of a turn
_CLEAR = 4.0  # logarithm of a likelihood: one number gains as much in one of 200 by chance


@dataclass(frozen=True)
class Phase:
    """Two requests to one track (or one cylinder, where tracks are read into a buffer whole) tell the turns between them, whatever the layout is: `coherence` is the length of the
    mean phasor of such pairs, 1 if each found the disk where the period says, up to about `noise` (99.9 %) if the
    times are not related. All requests tell where the disk was only if the layout's angles are right everywhere: `whole`.
    """

    think: str  # the trace's think time of a request lies "after" it or "before" it
    period_ms: float
    phase: float  # turns: angle at time 0, from `whole`
    coherence: float
    noise: float
    pairs: int
    later: float  # pairs of the requests that nothing was taken from
    later_noise: float
    whole: float
    whole_noise: float
    whole_later: float
    requests: int
    gain: float  # logarithm of the likelihood with this period over that with the drive file's, of the first requests' pairs
    later_gain: float  # of the later ones'

    @property
    def other_speed(self) -> bool:
        """The pairs of the first requests tell of another speed than the drive file, and so do those of the later ones."""
        return self.coherent and min(self.gain, self.later_gain) > _CLEAR

    @property
    def coherent(self) -> bool:
        """Think time and period are known."""
        return self.coherence > max(self.noise, 0.5) and self.later > max(3 * self.later_noise, 0.3)

    @property
    def coherent_everywhere(self) -> bool:
        """The angle of each request is known, too."""
        return self.coherent and self.whole > 1.5 * self.whole_noise and self.whole_later > 0.5


@dataclass(frozen=True)
class Passages:
    """When the first sectors of a trace's requests passed in reality, and where they lie in the model."""

    chosen: np.ndarray  # those that went to the media once
    before_ms: np.ndarray  # of the passage, from the request's arrival
    angle: np.ndarray  # turns
    track: np.ndarray  # a number each
    write: np.ndarray


def passages(trace: Trace, paced: Replay, period_ms: float, start: float = 0) -> Passages:
    """A passage is the measured time less what follows it in the model, `paced` (whose disk has a known angle, `start`
    turns at time 0)."""
    chosen = (paced.accesses == 1) & (paced.rotation_ms > 0)
    # From the media, not from or into a cache that the model does not have.
    chosen &= trace.measured_ms > paced.after_first_sector_ms + 0.15 * period_ms
    return Passages(chosen, trace.measured_ms - paced.after_first_sector_ms,
                    (paced.first_sector_ms / period_ms + start) % 1,
                    paced.cylinder.astype(np.int64) * _HEADS + paced.head.astype(np.int64), trace.write)


def _length(turns: np.ndarray) -> float:
    return float(abs(np.exp(2j * np.pi * turns).mean())) if len(turns) else 0.0


def _best(low: float, high: float, step: float, turns) -> tuple[float, float, int]:
    """The period in [low, high] with the longest mean phasor of turns(period), its length, and how many were tried."""
    tried = np.arange(low, high + step, step)
    best = max(tried, key=lambda period: _length(turns(period)))
    for _ in range(4):
        step /= 4
        best = max(best + step * np.arange(-5, 6), key=lambda period: _length(turns(period)))
    return float(best), _length(turns(best)), len(tried)


@dataclass(frozen=True)
class _Pairs:
    """Requests to one track, or to one cylinder where few come to one track again, next to each other in time."""

    apart_ms: np.ndarray
    angle: np.ndarray

    def turns(self, period: float) -> np.ndarray:
        return self.apart_ms / period - self.angle

    def within(self, reach_ms: float) -> _Pairs:
        chosen = self.apart_ms < reach_ms
        return _Pairs(self.apart_ms[chosen], self.angle[chosen])


def _pairs(p: Passages, at: np.ndarray, which: np.ndarray, place: np.ndarray) -> _Pairs:
    number = np.flatnonzero(p.chosen & which)
    number = number[np.lexsort((number, p.write[number], place[number]))]
    a, b = number[:-1], number[1:]
    same = (place[a] == place[b]) & (p.write[a] == p.write[b])
    return _Pairs((at[b] - at[a])[same], (p.angle[b] - p.angle[a])[same])


def places(p: Passages, at: np.ndarray, which: np.ndarray, nominal_ms: float) -> np.ndarray:
    """What counts as one place: the track, or the cylinder if that tells more. It does where few requests come to one track again
    and the angles between its tracks are right."""
    return max((p.track, p.track // _HEADS), key=lambda place: _told(_pairs(p, at, which, place), nominal_ms))


def _told(pairs: _Pairs, nominal_ms: float) -> float:
    _, length, _ = period_of(pairs, nominal_ms)
    return _likely(_near(pairs), length)


def exact_period(p: Passages, at: np.ndarray, which: np.ndarray, nominal_ms: float) -> float:
    """From all pairs of the requests `which`, however far apart."""
    return period_of(_pairs(p, at, which, places(p, at, which, nominal_ms)), nominal_ms)[0]


def _likely(pairs: _Pairs, length: float) -> float:
    """The logarithm of the likelihood of pairs with that mean phasor: what is left of them is normal with the variance that suits it
    best. 0 if they are not related."""
    return -0.5 * len(pairs.angle) * float(np.log(max(1 - length, _UNLIKE)))


def _gain(pairs: _Pairs, period: float, nominal_ms: float) -> float:
    """By what the pairs are likelier with this period than with the nominal one."""
    return _likely(pairs, _length(pairs.turns(period))) - _likely(pairs, _length(pairs.turns(nominal_ms)))


def _nearest(pairs: _Pairs, period: float) -> float:
    """The period with the least squares of what is left, from one that tells the turns between the pairs; those that are off by a
    quarter of a turn went elsewhere than the model says."""
    for _ in range(5):
        left = (pairs.turns(period) + 0.5) % 1 - 0.5
        right = np.abs(left) < 0.25
        apart = pairs.apart_ms[right]
        period += period**2 * float(left[right] @ apart) / max(float(apart @ apart), 1.0)
    return period


def _near(pairs: _Pairs) -> _Pairs:
    return pairs.within(_NEAR_MS)


def period_of(pairs: _Pairs, nominal_ms: float) -> tuple[float, float, float]:
    """Period, coherence, and that of unrelated times: from pairs less than a second apart, then with those further and
    further apart, as each tells the turns between the next ones."""
    near = _near(pairs)
    if len(near.angle) < _LEAST:
        return nominal_ms, 0.0, 1.0
    low, high = nominal_ms * (1 - _RANGE), nominal_ms * (1 + _RANGE)
    step = nominal_ms**2 / max(float(near.apart_ms.max()), nominal_ms) / 6
    period, length, tried = _best(low, high, step, near.turns)
    # The largest of about k independent lengths, each Rayleigh with variance 1/n.
    noise = float(np.sqrt(np.log(max(tried / 6, 1) * 2 / 0.001) / len(near.angle)))
    reach = _NEAR_MS
    while length > 0.5:
        some = pairs.within(reach)
        left = (some.turns(period) + 0.5) % 1 - 0.5
        turns = some.apart_ms / period
        spread = 1.5 * float(np.median(np.abs(left))) + _LEAST_SPREAD
        # As far apart as the period still tells the turns between two requests.
        further = min(period * _SURE * float(np.sqrt(turns @ turns)) / spread, _FURTHER * reach)
        wider = pairs.within(further)
        if further < 1.1 * reach or reach > pairs.apart_ms.max():
            break
        better = _nearest(wider, period)
        if _length(wider.turns(better)) < 0.5 * length:  # what drifts over minutes tells no more
            break
        period, reach = better, further
    return period, length, noise


def find(trace: Trace, paced: Replay, nominal_ms: float, start: float = 0) -> Phase | None:
    """From the first requests; the rest is what they are tried on. None if too few of them tell.

    `trace` is as in the file: whether its think times lie after or before their requests is what comes out."""
    p = passages(trace, paced, nominal_ms, start)
    number = np.arange(len(trace))
    early, late = number < CALIBRATION, number >= CALIBRATION
    found = None
    for think, arranged in (("after", trace), ("before", trace.thought_before())):
        at = arranged.arrival_ms + p.before_ms
        place = places(p, at, early, nominal_ms)
        pairs = _pairs(p, at, early, place)
        period, length, noise = period_of(pairs, nominal_ms)
        told = _likely(_near(pairs), length)
        if length > 0 and (found is None or told > found[0]):
            found = (told, think, period, length, noise, at, place, _near(pairs))
    if found is None:
        return None
    _, think, period, length, noise, at, place, pairs = found
    later = _near(_pairs(p, at, late, place))
    first, rest = p.chosen & early, p.chosen & late

    def turns(which: np.ndarray, period: float) -> np.ndarray:
        return at[which] / period - p.angle[which]

    span = float(at[first].max() - at[first].min()) or nominal_ms
    step = period**2 / span / 6
    exact, whole, tried = _best(period - 20 * step, period + 20 * step, step, lambda x: turns(first, x))
    whole_noise = float(np.sqrt(np.log(max(tried / 6, 1) / 0.001) / first.sum()))
    if whole > 1.5 * whole_noise:
        period = exact
    mean = np.exp(2j * np.pi * turns(first, period)).mean()
    return Phase(think, period, float(-np.angle(mean) / (2 * np.pi) % 1), length, noise, len(pairs.angle),
                 _length(later.turns(period)), float(1 / np.sqrt(max(len(later.angle), 1))), whole, whole_noise,
                 _length(turns(rest, period)), int(first.sum()), _gain(pairs, period, nominal_ms), _gain(later, period, nominal_ms))

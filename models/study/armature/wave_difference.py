"""Where the waves of two runs begin to differ."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from .wave_reader import Instant, Waves


@dataclass
class Comparison:
    """Two dumps from their beginning to the first instant at which a signal that both have differs."""

    only: tuple[list[str], list[str]]  # signals that the other one does not have
    signals: int = 0  # that both have
    equal: int = 0  # changes of these, before the difference
    last: list[tuple[int, str, str]] = field(default_factory=list)  # the last of them: time in ps, signal, value
    time: int | None = None  # ps, of the difference; None if there is none
    differing: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)  # values there, None before any
    end: int = 0  # ps, of the last instant that is the same

    @property
    def same(self) -> bool:
        return self.time is None and not any(self.only)


def _of_both(waves: Waves, both: set[str]) -> Iterator[Instant]:
    for instant in waves.instants():
        if chosen := {signal: value for signal, value in instant.changes.items() if signal in both}:
            yield Instant(instant.time, chosen)


def compare(one: Waves, other: Waves, last: int) -> Comparison:
    """Reads both dumps as far as they are the same. `last`: how many equal changes before the difference are kept."""
    both = one.signals & other.signals
    found = Comparison((sorted(one.signals - both), sorted(other.signals - both)), len(both))
    kept: deque[tuple[int, str, str]] = deque(maxlen=last)
    streams = [_of_both(one, both), _of_both(other, both)]
    known: list[dict[str, str]] = [{}, {}]
    heads = [next(stream, None) for stream in streams]
    while any(heads):
        time = min(head.time for head in heads if head)
        changed: dict[str, None] = {}
        for side, head in enumerate(heads):
            if head and head.time == time:
                known[side] |= head.changes
                changed |= dict.fromkeys(head.changes)
                heads[side] = next(streams[side], None)
        apart = {signal: (known[0].get(signal), known[1].get(signal)) for signal in changed if known[0].get(signal) != known[1].get(signal)}
        same = [signal for signal in changed if signal not in apart]
        found.equal += len(same)
        kept.extend((time, signal, known[0][signal]) for signal in same)
        if apart:
            found.time, found.differing = time, dict(sorted(apart.items()))
            break
        found.end = time
    for stream in streams:
        stream.close()
    found.last = list(kept)
    return found

"""How far a sweep has come: one line that moves on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time

_FIRST_S, _EVERY_S = 10, 30  # without a terminal


def duration(seconds: float) -> str:
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


class Progress:
    """Counts what is done; the time left follows from the points that ran, not from those that were known."""

    def __init__(self, what: str, total: int, quiet: bool = False):
        self._what, self._total = what, total
        self._done = self._known = self._failed = 0
        self._begun = time.monotonic()
        self._terminal = sys.stderr.isatty()
        self._quiet = quiet
        self._next = self._begun + _FIRST_S

    def known(self, count: int) -> None:
        self._done += count
        self._known += count
        self._show()

    def advance(self, failed: bool = False) -> None:
        self._done += 1
        self._failed += failed
        self._show()

    def text(self) -> str:
        ran = self._done - self._known
        parts = [f"{self._done} of {self._total} {self._what}"]
        if self._known:
            parts.append(f"{self._known} known")
        if self._failed:
            parts.append(f"{self._failed} failed")
        if ran and self._done < self._total:
            left = (time.monotonic() - self._begun) / ran * (self._total - self._done)
            parts.append(f"{duration(left)} left")
        return ", ".join(parts)

    def _show(self) -> None:
        if self._quiet:
            return
        if self._terminal:
            share = self._done / max(1, self._total)
            bar = "#" * int(20 * share)
            sys.stderr.write(f"\r\033[K[{bar:<20}] {self.text()}")
            sys.stderr.flush()
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY_S
            sys.stderr.write(self.text() + "\n")

    def end(self) -> None:
        if self._terminal and not self._quiet:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

"""The picture of `armature idle`: distribution of the idle periods, their autocorrelation, and the energy bound."""

from __future__ import annotations

import html
import math

import numpy as np

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
_LEFT, _RIGHT, _TOP, _HEIGHT, _PANEL = 78, 740, 50, 200, 280  # in the picture's units
_MOST_POINTS = 400

Curve = tuple[str, np.ndarray, np.ndarray, list[tuple[float, float]], "float | None"]


class _Axes:
    """A panel with a linear or logarithmic axis along and a linear or logarithmic one upwards."""

    def __init__(self, number: int, title: str, along: tuple[float, float, bool], up: tuple[float, float, bool]):
        self.top, self.along, self.up = _TOP + number * _PANEL, along, up
        self.parts = [f'<text x="{_LEFT}" y="{self.top - 10}" font-weight="bold">{title}</text>',
                      f'<path d="M{_LEFT} {self.top}V{self.top + _HEIGHT}H{_RIGHT}" stroke="#888" fill="none"/>']

    @staticmethod
    def _place(value: np.ndarray | float, axis: tuple[float, float, bool]) -> np.ndarray:
        low, high, logarithmic = axis
        if logarithmic:
            low, high, value = math.log10(low), math.log10(high), np.log10(value)
        return (np.asarray(value) - low) / (high - low)

    def x(self, value: np.ndarray | float) -> np.ndarray:
        return _LEFT + (_RIGHT - _LEFT) * self._place(value, self.along)

    def y(self, value: np.ndarray | float) -> np.ndarray:
        return self.top + _HEIGHT * (1 - self._place(value, self.up))

    def marks(self, along: list[float], up: list[float], under: str) -> None:
        for value in along:
            x = float(self.x(value))
            self.parts.append(f'<path d="M{x:.1f} {self.top}v{_HEIGHT + 4}" stroke="#e4e4e4"/>'
                              f'<text x="{x:.1f}" y="{self.top + _HEIGHT + 18}" text-anchor="middle">{value:g}</text>')
        for value in up:
            y = float(self.y(value))
            self.parts.append(f'<path d="M{_LEFT - 4} {y:.1f}H{_RIGHT}" stroke="#e4e4e4"/>'
                              f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        self.parts.append(f'<text x="{(_LEFT + _RIGHT) / 2}" y="{self.top + _HEIGHT + 38}" text-anchor="middle">{under}</text>')

    def line(self, along: np.ndarray, up: np.ndarray, colour: str) -> None:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(self.x(along), self.y(up)))
        self.parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"/>')


def _decades(low: float, high: float) -> tuple[float, float]:
    low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
    return low, high if high > low else 10 * low


def _powers(low: float, high: float) -> list[float]:
    return [10.0**n for n in range(round(math.log10(low)), round(math.log10(high)) + 1)]


def _distribution(curves: list[Curve]) -> list[str]:
    found = [lengths for _, lengths, *_ in curves if len(lengths)]
    low, high = _decades(min(l.min() for l in found), max(l.max() for l in found))
    least = _decades(min(1 / len(l) for l in found) / 1.001, 1.0)[0]
    axes = _Axes(0, "Part of the idle periods that are longer", (low, high, True), (least, 1.0, True))
    axes.marks(_powers(low, high), _powers(least, 1.0), "length, s")
    for number, (_, lengths, *_rest) in enumerate(curves):
        if not len(lengths):
            continue
        ordered = np.sort(lengths)
        left = 1 - np.arange(len(ordered)) / len(ordered)
        # Evenly on the picture's logarithmic axis, so that the tail keeps its points.
        picked = np.unique(len(ordered) - np.geomspace(1, len(ordered), min(_MOST_POINTS, len(ordered))).astype(int))
        axes.line(ordered[picked], left[picked], _COLOURS[number % len(_COLOURS)])
    return axes.parts


def _autocorrelation(curves: list[Curve]) -> list[str]:
    lags = max(len(along) for _, _, along, *_ in curves)
    most = max(0.1, max(float(np.abs(along).max()) for _, _, along, *_ in curves if len(along))) * 1.1
    axes = _Axes(1, "Autocorrelation of their lengths; shaded: what independent ones have in 95 of 100 cases",
                 (0.0, lags + 1.0, False), (-most, most, False))
    step = 0.05 if most < 0.2 else 0.1 if most < 0.4 else 0.25
    axes.marks([float(lag) for lag in range(0, lags + 1, 5)], [n * step for n in range(-int(most / step), int(most / step) + 1)],
               "lag, periods")
    for number, (_, lengths, along, *_rest) in enumerate(curves):
        if not len(along):
            continue
        band = 1.96 / math.sqrt(len(lengths))
        high, low = float(axes.y(min(band, most))), float(axes.y(max(-band, -most)))
        colour = _COLOURS[number % len(_COLOURS)]
        axes.parts.append(f'<rect x="{_LEFT}" y="{high:.1f}" width="{_RIGHT - _LEFT}" height="{low - high:.1f}" fill="{colour}" '
                          'fill-opacity=".08"/>')
        axes.line(np.arange(1, len(along) + 1), along, colour)
    return axes.parts


def _bound(curves: list[Curve]) -> list[str]:
    along = [ways for ways, _ in next(bound for *_, bound, _ in curves if bound)]
    axes = _Axes(2, "What an oracle saves of the energy in idle periods, %; dots: the drive's own ways",
                 (along[0], along[-1], True), (0.0, 100.0, False))
    axes.marks(_powers(along[0], along[-1]), [0, 25, 50, 75, 100], "spin-down and spin-up together, s")
    for number, (*_, bound, own) in enumerate(curves):
        if not bound:
            continue
        ways, saved = np.array(bound).T
        colour = _COLOURS[number % len(_COLOURS)]
        axes.line(ways, 100 * saved, colour)
        if own is not None and along[0] <= own <= along[-1]:
            at = 100 * float(np.interp(math.log(own), np.log(ways), saved))
            axes.parts.append(f'<circle cx="{float(axes.x(own)):.1f}" cy="{float(axes.y(at)):.1f}" r="4.5" fill="{colour}"/>')
    return axes.parts


def picture(curves: list[Curve]) -> str:
    """An SVG with a line for each drive: (name, lengths in s, autocorrelation, bound, the drive's own ways in s)."""
    parts: list[str] = []
    if any(len(lengths) for _, lengths, *_ in curves):
        parts += _distribution(curves)
    if any(len(along) for _, _, along, *_ in curves):
        parts += _autocorrelation(curves)
    if any(bound for *_, bound, _ in curves):
        parts += _bound(curves)
    bottom = _TOP + 3 * _PANEL
    for number, (name, *_rest) in enumerate(curves):
        y = bottom + 18 * number
        parts.append(f'<path d="M{_LEFT} {y - 4}h26" stroke="{_COLOURS[number % len(_COLOURS)]}" stroke-width="2.4"/>'
                     f'<text x="{_LEFT + 34}" y="{y}">{html.escape(name)}</text>')
    height = bottom + 18 * len(curves) + 6
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {height}" width="780" height="{height}" '
            f'font-family="sans-serif" font-size="13"><rect width="780" height="{height}" fill="white"/>{"".join(parts)}</svg>\n')

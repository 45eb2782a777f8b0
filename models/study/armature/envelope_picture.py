"""The picture of `armature envelope`: rise of the case and mean response time, within the thermal envelope and beyond it."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
_LEFT, _RIGHT, _TOP, _HEIGHT, _PANEL = 64, 740, 40, 240, 310  # in the picture's units


@dataclass(frozen=True)
class Line:
    name: str
    points: list[tuple[float, float, float, float]]  # along, rise in C, allowed rise in C, mean response time in ms


def _round_step(span: float, least: int = 4) -> float:
    step = 10.0 ** math.floor(math.log10(span / least))
    return next(step * factor for factor in (5, 2, 1) if span / (step * factor) >= least)


class _Panel:
    def __init__(self, number: int, title: str, along: tuple[float, float], most: float):
        self.top, self.along, self.most = _TOP + number * _PANEL, along, most
        self.parts = [f'<text x="{_LEFT}" y="{self.top - 12}" font-weight="bold">{title}</text>',
                      f'<path d="M{_LEFT} {self.top}V{self.top + _HEIGHT}H{_RIGHT}" stroke="#888" fill="none"/>']
        step = _round_step(most)
        for n in range(int(most / step) + 1):
            y = self.y(n * step)
            self.parts.append(f'<path d="M{_LEFT - 4} {y:.1f}H{_RIGHT}" stroke="#e4e4e4"/>'
                              f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{n * step:g}</text>')

    def x(self, value: float) -> float:
        low, high = self.along
        return _LEFT + 12 + (_RIGHT - _LEFT - 24) * (value - low) / (high - low)

    def y(self, value: float) -> float:
        return self.top + _HEIGHT * (1 - value / self.most)

    def marks(self, values: list[float], under: str) -> None:
        for value in values:
            self.parts.append(f'<text x="{self.x(value):.1f}" y="{self.top + _HEIGHT + 18}" text-anchor="middle">{value:g}</text>')
        self.parts.append(f'<text x="{(_LEFT + _RIGHT) / 2}" y="{self.top + _HEIGHT + 36}" text-anchor="middle">{html.escape(under)}</text>')

    def curve(self, points: list[tuple[float, float, bool]], colour: str) -> None:
        """Of places, heights, and whether a point is within the envelope."""
        path = " ".join(f"{self.x(a):.1f},{self.y(v):.1f}" for a, v, _ in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        for a, v, within in points:
            self.parts.append(f'<circle cx="{self.x(a):.1f}" cy="{self.y(v):.1f}" r="5" stroke="{colour}" stroke-width="1.8" '
                              f'fill="{colour if within else "#fff"}"/>')


def picture(lines: list[Line], along: str) -> str:
    places = sorted({point[0] for line in lines for point in line.points})
    span = (places[0], places[-1])
    most_rise = 1.05 * max(max(rise, allowed) for line in lines for _, rise, allowed, _ in line.points)
    rises = _Panel(0, "Rise of the case above the air in the steady state, C", span, most_rise)
    means = _Panel(1, "Mean response time, ms (full dots: within the envelope)", span, 1.05 * max(p[3] for line in lines for p in line.points))
    limit = [(a, allowed) for a, _, allowed, _ in lines[0].points]
    path = " ".join(f"{rises.x(a):.1f},{rises.y(allowed):.1f}" for a, allowed in limit)
    left, right = rises.x(span[0]), rises.x(span[1])
    rises.parts.insert(0, f'<polygon points="{path} {right:.1f},{rises.y(0):.1f} {left:.1f},{rises.y(0):.1f}" fill="#e6f4ea"/>')
    rises.parts.append(f'<polyline points="{path}" fill="none" stroke="#b3261e" stroke-dasharray="7 5"/>'
                       f'<text x="{left + 6:.1f}" y="{rises.y(limit[0][1]) - 6:.1f}" fill="#b3261e">allowed</text>')
    legend = []
    for number, line in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        rises.curve([(a, rise, rise <= allowed) for a, rise, allowed, _ in line.points], colour)
        means.curve([(a, mean, rise <= allowed) for a, rise, allowed, mean in line.points], colour)
        y = _TOP + 2 * _PANEL + 6 + 18 * number
        legend.append(f'<path d="M{_LEFT} {y - 4}h26" stroke="{colour}" stroke-width="3"/><text x="{_LEFT + 34}" y="{y}">{html.escape(line.name)}</text>')
    for panel in (rises, means):
        panel.marks(places, along)
    height = _TOP + 2 * _PANEL + 14 + 18 * len(lines)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {height}" font-family="sans-serif" font-size="13">'
            f'<rect width="780" height="{height}" fill="#fff"/>{"".join(rises.parts)}{"".join(means.parts)}{"".join(legend)}</svg>\n')

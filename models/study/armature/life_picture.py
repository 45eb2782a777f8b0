"""The picture of `armature life`: how many drives are alive after so many years, by arithmetic as lines and of the fleet as dots."""

from __future__ import annotations

import html

import numpy as np

from .lifetimes import Rates, alive

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 740, 40, 340  # in the picture's units
_YEAR_H = 365.25 * 24
_DOTS = 12


def picture(curves: list[tuple[str, Rates, np.ndarray]]) -> str:
    """Of each curve its name, its rates, and the lives of its fleet, h."""
    longest = max(float(np.quantile(lives, 0.9)) for *_, lives in curves)
    hours = np.linspace(0, longest, 121)

    def x(value: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * value / longest

    def y(part: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * part

    parts = [f'<text x="{_LEFT}" y="{_TOP - 14}" font-weight="bold">Part of the drives that are alive</text>',
             f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}" stroke="#888" fill="none"/>']
    for part in (0, 0.2, 0.4, 0.6, 0.8, 1):
        parts.append(f'<path d="M{_LEFT - 4} {y(part):.1f}H{_RIGHT}" stroke="#e4e4e4"/>'
                     f'<text x="{_LEFT - 8}" y="{y(part) + 4:.1f}" text-anchor="end">{100 * part:g} %</text>')
    step = next((s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000) if longest / _YEAR_H / s <= 9), 100_000)
    for years in range(0, int(longest / _YEAR_H) + 1, step):
        at = x(years * _YEAR_H)
        parts.append(f'<path d="M{at:.1f} {_TOP}v{_BOTTOM - _TOP + 4}" stroke="#e4e4e4"/>'
                     f'<text x="{at:.1f}" y="{_BOTTOM + 18}" text-anchor="middle">{years}</text>')
    parts.append(f'<text x="{(_LEFT + _RIGHT) / 2}" y="{_BOTTOM + 38}" text-anchor="middle">years</text>')
    for number, (name, rates, lives) in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(f"{x(h):.1f},{y(part):.1f}" for h, part in zip(hours, alive(rates, hours)))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        for at in np.linspace(0, longest, _DOTS + 1)[1:]:
            parts.append(f'<circle cx="{x(at):.1f}" cy="{y(float((lives > at).mean())):.1f}" r="3.5" fill="{colour}"/>')
        top = _BOTTOM + 62 + 18 * number
        parts.append(f'<path d="M{_LEFT} {top - 4}h26" stroke="{colour}" stroke-width="3"/>'
                     f'<text x="{_LEFT + 34}" y="{top}">{html.escape(name)}</text>')
    height = _BOTTOM + 76 + 18 * len(curves)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {height}" font-family="sans-serif" font-size="13">'
            f'<rect width="780" height="{height}" fill="#fff"/>{"".join(parts)}</svg>\n')

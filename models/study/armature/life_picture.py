"""The picture of `armature life`: how many drives are alive after so many years, by arithmetic as lines and of the fleet as dots."""

from __future__ import annotations

import numpy as np

from . import drawing
from .lifetimes import HOURS_PER_YEAR, Rates, alive

_DOTS = 12


def picture(curves: list[tuple[str, Rates, np.ndarray]]) -> str:
    """Of each curve its name, its rates, and the lives of its fleet, h."""
    longest = max(float(np.quantile(lives, 0.9)) for *_, lives in curves)
    along, dots = np.linspace(0, longest, 121), np.linspace(0, longest, _DOTS + 1)[1:]
    figure, (axes,) = drawing.panels(height_in=4)
    drawing.label(axes, "Part of the drives that are alive, %", "years")
    axes.set(xlim=(0, longest / HOURS_PER_YEAR), ylim=(0, 101))
    for number, (name, rates, lives) in enumerate(curves):
        colour = drawing.colour(number)
        axes.plot(along / HOURS_PER_YEAR, 100 * alive(rates, along), color=colour, label=name)
        axes.plot(dots / HOURS_PER_YEAR, [100 * (lives > at).mean() for at in dots], "o", color=colour, markersize=4)
    return drawing.svg(figure)

"""The picture of `armature idle`: distribution of the idle periods, their autocorrelation, and the energy bound."""

from __future__ import annotations

import math

import numpy as np

from . import drawing

_MOST_POINTS = 400

Curve = tuple[str, np.ndarray, np.ndarray, list[tuple[float, float]], "float | None"]


def picture(curves: list[Curve]) -> str:
    """An SVG with a line for each drive: (name, lengths in s, autocorrelation, bound, the drive's own ways in s)."""
    figure, (lasting, correlated, saving) = drawing.panels(3)
    drawing.label(lasting, "Part of the idle periods that are longer", "length, s")
    drawing.label(correlated, "Autocorrelation of their lengths; shaded: what independent ones have in 95 of 100 cases", "lag, periods")
    drawing.label(saving, "What an oracle saves of the energy in idle periods, %; dots: the drive's own ways",
                  "spin-down and spin-up together, s")
    lasting.set(xscale="log", yscale="log")
    saving.set(xscale="log", ylim=(0, 100))
    for number, (name, lengths, along, bound, own) in enumerate(curves):
        colour = drawing.colour(number)
        ordered = np.sort(lengths)
        # Evenly on the logarithmic axis, so that the tail keeps its points.
        picked = np.unique(len(ordered) - np.geomspace(1, max(len(ordered), 1), min(_MOST_POINTS, len(ordered))).astype(int))
        lasting.plot(ordered[picked], 1 - picked / max(len(ordered), 1), color=colour, label=name)
        if len(along):
            band = 1.96 / math.sqrt(len(lengths))
            correlated.axhspan(-band, band, color=colour, alpha=0.08, linewidth=0)
            correlated.plot(np.arange(1, len(along) + 1), along, color=colour)
        if bound:
            ways, saved = np.array(bound).T
            saving.plot(ways, 100 * saved, color=colour)
            if own is not None and ways[0] <= own <= ways[-1]:
                saving.plot(own, 100 * np.interp(math.log(own), np.log(ways), saved), "o", color=colour)
    return drawing.svg(figure)

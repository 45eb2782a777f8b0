"""The picture of `armature envelope`: rise of the case and mean response time, within the thermal envelope and beyond it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import drawing


@dataclass(frozen=True)
class Line:
    name: str
    points: list[tuple[float, float, float, float]]  # along, rise in C, allowed rise in C, mean response time in ms


def picture(lines: list[Line], along: str) -> str:
    figure, (rises, means) = drawing.panels(2)
    drawing.label(rises, "Rise of the case above the air in the steady state, C", along)
    drawing.label(means, "Mean response time, ms (full dots: within the envelope)", along)
    place, _, allowed, _ = np.array(lines[0].points).T
    rises.fill_between(place, allowed, color="#e6f4ea")
    rises.plot(place, allowed, "--", color="#b3261e", label="allowed")
    for number, line in enumerate(lines):
        colour = drawing.colour(number)
        place, rise, allowed, mean = np.array(line.points).T
        for axes, values, name in ((rises, rise, line.name), (means, mean, None)):
            axes.plot(place, values, color=colour, label=name)
            axes.scatter(place, values, edgecolors=colour, color=np.where(rise <= allowed, colour, "#fff"), zorder=3)
    for axes in (rises, means):
        axes.set_ylim(0)
        axes.set_xticks(place)
    return drawing.svg(figure)

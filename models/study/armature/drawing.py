"""Pictures that are files by themselves: matplotlib's, as SVG whose text stays text. The same figure gives the same bytes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")


def colour(number: int) -> str:
    """Of the line with that number, from 0."""
    return _COLOURS[number % len(_COLOURS)]


def panels(count: int = 1, height_in: float = 3.2) -> tuple[Figure, list[Axes]]:
    """A figure of panels below each other, and their axes."""
    from matplotlib.figure import Figure  # half a second to load

    figure = Figure(figsize=(7.8, height_in * count), layout="constrained")
    axes = list(figure.subplots(count, squeeze=False)[:, 0])
    for one in axes:
        one.grid(color="#e4e4e4", linewidth=0.7)
        one.set_axisbelow(True)
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def label(axes: Axes, title: str, under: str) -> None:
    axes.set_title(title, loc="left", fontsize="medium", fontweight="bold")
    axes.set_xlabel(under)


def svg(figure: Figure) -> str:
    """With a legend of all labelled lines above the panels."""
    from matplotlib import rc_context

    named = {name: handle for axes in figure.axes for handle, name in zip(*axes.get_legend_handles_labels())}
    if named:
        figure.axes[0].legend(named.values(), named.keys(), loc="lower left", bbox_to_anchor=(-0.02, 1.1), ncol=2, frameon=False)
    stream = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "armature"}):
        figure.savefig(stream, format="svg", metadata={"Date": None}, dpi=150)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"

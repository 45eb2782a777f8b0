"""Pictures of experiments: lines over measures, stacked bars, distributions of a column of requests."""

from __future__ import annotations

from . import page
from .measures import Measured

_Curves = dict[tuple[int, int], tuple[list[float], list[float]]]


def _line(figure, series: dict, found: dict[str, Measured], colour: str) -> None:
    ours = [found[m] for m in series["measures"]]
    half = [m.estimate.half_width if m.estimate else 0 for m in ours]
    figure.add_scatter(
        x=series["x"],
        y=[m.estimate.value if m.estimate else m.value for m in ours],
        name=series["name"],
        mode="lines+markers",
        line={"color": colour},
        marker={"size": 7},
        error_y={"array": half} if any(half) else None,
    )


def _published(figure, series: dict, told: dict, colour: str) -> None:
    figure.add_scatter(
        x=series["x"],
        y=series["published"],
        mode="markers",
        name=f"{series['name']}, {told.get('published', 'published')}",
        marker={"symbol": "circle-open", "size": 12, "color": colour, "line": {"width": 2}},
    )


def picture(told: dict, number: int, found: dict[str, Measured], curves: _Curves, name: str) -> str:
    """Our figures as points with lines, stacked bars, or curves; published ones as open marks of the same colour."""
    import plotly.graph_objects as go

    figure = go.Figure()
    kind = told.get("kind", "lines")
    for i, series in enumerate(told["series"]):
        colour = page.COLOURS[i % len(page.COLOURS)]
        if (number, i) in curves:
            x, y = curves[number, i]
            step = "hv" if kind == "cdf" else "linear"
            figure.add_scatter(x=x, y=y, name=series["name"], mode="lines", line={"color": colour, "shape": step})
        elif "measures" in series and kind == "bars":
            y = [found[m].value for m in series["measures"]]
            figure.add_bar(x=series["x"], y=y, name=series["name"], marker={"color": colour})
        elif "measures" in series:
            _line(figure, series, found, colour)
        if "published" in series:
            _published(figure, series, told, colour)
    x_axis = {"title": told["x"], **(_log(figure, "x") if told.get("log_x") else _counts(figure))}
    if "most_x" in told and not told.get("log_x"):
        x_axis["range"] = [0, told["most_x"]]
    figure.update_layout(
        title=told["title"],
        height=460,
        barmode="stack" if kind == "bars" else None,
        xaxis=x_axis,
        yaxis={"title": told["y"], **(_log(figure, "y") if told.get("log_y") else {"type": "linear"})},
    )
    return page.picture(figure, name)


def _counts(figure) -> dict:
    """Ticks of an axis that counts few things: there is no half of an arm."""
    values = [value for line in figure.data for value in line["x"]]
    few = values and all(isinstance(value, int) for value in values) and max(values) - min(values) <= 10
    return {"dtick": 1} if few else {}


def _log(figure, axis: str) -> dict:
    """A logarithmic axis for what is drawn."""
    return page.log_axis([value for line in figure.data for value in line[axis] if value > 0])

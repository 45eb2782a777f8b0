"""What `armature fleet` writes: its tables and its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import page, study_page, tabular, templates
from .figures import spans_decade

if TYPE_CHECKING:
    import numpy as np

    from .fleet import Fleet, Sampled, Told


def table(parts: dict[str, list[Told]]) -> str:
    """fleet.tsv: a row a class, `all` of them first, and figure."""
    return tabular.tsv(["class", "figure", "unit", "value", "low_95", "high_95"],
                    [[name, told.name, told.unit, told.value, told.low, told.high] for name, figures in parts.items() for told in figures])


def drives(fleet: Fleet, sampled: Sampled, weights: np.ndarray) -> str:
    """drives.tsv: a row a sampled drive, with what was drawn for it."""
    keys = list(dict.fromkeys(key for point in sampled.points for key, _ in point))
    rows = []
    for i, point in enumerate(sampled.points):
        given = dict(point)
        rows.append([fleet.classes[sampled.classes[i]].name, float(weights[i]), *(given.get(key, "") for key in keys),
                     *(float(values[i]) for values in sampled.rows.values())])
    return tabular.tsv(["class", "stands_for", *keys, "mean_ms", "p99_ms", "requests_per_s", "average_w"], rows)


def _spread(fleet: Fleet, sampled: Sampled, name: str, title: str, axis: str) -> str:
    """A box a class, and each sampled drive as a point beside it."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for number, one in enumerate(fleet.classes):
        values = sampled.rows[name][sampled.classes == number].tolist()
        if values:
            figure.add_box(x=values, name=one.name, orientation="h", boxpoints="all", jitter=0.5, pointpos=0, fillcolor="rgba(0,0,0,0)",
                           marker={"color": page.COLOURS[number % len(page.COLOURS)], "size": 5})
    everything = sampled.rows[name].tolist()
    figure.update_layout(title=title, height=150 + 90 * len(fleet.classes), showlegend=False,
                         xaxis={"title": axis, **(page.log_axis(everything) if spans_decade(everything) else {"rangemode": "tozero"})}, yaxis={"autorange": "reversed"})
    return page.picture(figure, name)


def html(fleet: Fleet, sampled: Sampled, parts: dict[str, list[Told]], counts: dict[str, int], title: str) -> str:
    header = ["", "drives", "sampled", *(page.text(f"{told.name}, {told.unit}") for told in parts["all"])]
    shares = {"all": 1.0, **{one.name: one.share for one in fleet.classes}}
    rows = [[page.text(name), str(round(fleet.drives * shares[name])), str(counts.get(name, len(sampled.points))),
             *(f"{page.number(told.value)}<br><small>{page.number(told.low)} to {page.number(told.high)}</small>" for told in figures)]
            for name, figures in parts.items()]
    spread = [_spread(fleet, sampled, *about) for about in (
        ("watts", "Average power of a drive", "average power, W"),
        ("p99", "Response time within which 99 % of a drive's requests are answered", "p99, ms"),
        ("requests_per_s", "Requests a second of a drive", "requests a second, 1/s"))]
    body = templates.fill("fleet.html", failed=sampled.failed, figures=page.table(header, rows), spread="\n".join(spread),
                          meanings=study_page.meanings(parts["all"]))
    return page.page(f"{title}: fleet of {fleet.drives} drives", body)

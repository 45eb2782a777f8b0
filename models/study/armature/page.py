"""One HTML file with tables and pictures that zoom; it fetches nothing."""

from __future__ import annotations

import html
import json
import math
import os
import re
import shlex
import sys
import time
from pathlib import Path
from typing import Iterable

from . import templates

# One style and one set of colours for the report of a run and for these pages.
_ASSETS = Path(__file__).resolve().parent / "assets"  # a link to those of models/observe, so that a wheel has them
_PALETTE = (_ASSETS / "palette.js").read_text()
PALETTE = json.loads(_PALETTE[_PALETTE.index("\n{") : _PALETTE.rindex("}") + 1])
# Of systems: those of drives first, then others that can be told apart.
COLOURS = (*PALETTE["drives"], "#6b8e23", "#44aa99", "#8c6d31", "#a0527d", "#5b7db1", "#c98f4a")


def text(value: object) -> str:
    return html.escape(str(value))


def number(value: float, digits: int = 4) -> str:
    """A figure with so many significant digits, without an exponent."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(places, 9)}f}"


def with_interval(value: float, half: float, beside: float = math.nan) -> str:
    """A figure and half its interval, both to the interval's second digit. Without an interval a difference has the decimals of
    the figure that it stands beside."""
    if not math.isfinite(half):
        if math.isfinite(beside) and beside and math.isfinite(value):
            places = min(9, max(0, 3 - math.floor(math.log10(abs(beside)))))
            return f"{round(value, places) + 0.0:.{places}f}"  # no negative zero
        return number(value)
    if half == 0:
        return f"{number(value)} ± 0"
    places = min(9, max(0, 1 - math.floor(math.log10(half))))
    return f"{value:.{places}f} ± {half:.{places}f}"


def table(header: list[str], rows: Iterable[list[str]], numeric_from: int = 1) -> str:
    """Cells are HTML already."""

    def cells(row: list[str], tag: str) -> str:
        return "".join(f"<{tag}{' class=n' if i >= numeric_from else ''}>{cell}</{tag}>" for i, cell in enumerate(row))

    body = "".join(f"<tr>{cells(row, 'td')}</tr>\n" for row in rows)
    return (f'<div class="wide"><table><thead><tr>{cells(header, "th")}</tr></thead>\n<tbody>{body}</tbody></table></div>\n')


def picture(figure, name: str) -> str:
    """A plotly figure as a part of a page. Its title is a heading of the page, and the legend stands above, so that neither
    covers the axes."""
    title = figure.layout.title.text
    figure.update_layout(
        template="plotly_white",
        title=None,
        font={"size": 13},
        margin={"l": 70, "r": 20, "t": 10, "b": 60},
        colorway=list(COLOURS),
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": 1.04, "yanchor": "bottom", "x": 0},
    )
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        # Unseen ticks keep the labels of two axes apart where they meet.
        axis.update(automargin=True, title_standoff=12, ticks="outside", ticklen=5, tickcolor="rgba(0,0,0,0)")
    config = {
        "displaylogo": False,
        "scrollZoom": True,
        "responsive": True,
        "toImageButtonOptions": {"format": "svg", "filename": name},
    }
    drawn = figure.to_html(full_html=False, include_plotlyjs=False, config=config, auto_play=False)
    if own := re.search(r'<div id="([^"]+)"', drawn):  # div_id is not known to the plotly of Debian 12
        drawn = drawn.replace(own[1], name)
    return f'<div class="picture">{f"<h3>{title}</h3>" if title else ""}{drawn}</div>'


def command_line() -> str:
    """The command as it was given, for a shell."""
    return shlex.join([os.path.basename(os.environ.get("ARMATURE_PROGRAM", "armature")), *sys.argv[1:]])


def _slug(title: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in title.lower()).strip("-")


def _with_contents(body: str) -> tuple[str, list[tuple[str, str]]]:
    """The body with a name on each heading that has none, and the names and texts of the headings."""
    entries = []

    def named(match: re.Match) -> str:
        attributes, title = match[1], match[2]
        found = re.search(r'id="([^"]*)"', attributes)
        plain = re.sub("<[^>]*>", "", title)
        place = found[1] if found else _slug(html.unescape(plain))
        entries.append((place, plain))
        return f"<h2{attributes}>{title}</h2>" if found else f'<h2{attributes} id="{place}">{title}</h2>'

    return re.sub(r"<h2([^>]*)>(.*?)</h2>", named, body, flags=re.S), entries


def page(title: str, body: str, scripts: tuple[str, ...] = ()) -> str:
    """A whole page: `scripts` run at its end."""
    from plotly.offline import get_plotlyjs

    body, headings = _with_contents(body)
    return templates.fill("page.html", title=title, body=body, headings=headings, scripts=scripts, command=command_line(),
                          date=time.strftime("%Y-%m-%d %H:%M"), style=(_ASSETS / "report.css").read_text(),
                          plotly=get_plotlyjs() if "Plotly.newPlot" in body or scripts else "")


def log_axis(values: list[float]) -> dict:
    """A logarithmic axis with labels at 1, 2 and 5 of each decade, or at 1 of many: all nine would run into each other."""
    low, high = min(values), max(values)
    digits = (1, 2, 5) if high < 2000 * low else (1,)
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    return {"type": "log", "tickvals": [float(f"{digit}e{decade}") for decade in decades for digit in digits]}

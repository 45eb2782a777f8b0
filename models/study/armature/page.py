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

# One style and one set of colours for the report of a run and for these pages.
_ASSETS = Path(__file__).resolve().parent / "assets"  # a link to those of models/observe, so that a wheel has them
_PALETTE = (_ASSETS / "palette.js").read_text()
PALETTE = json.loads(_PALETTE[_PALETTE.index("\n{") : _PALETTE.rindex("}") + 1])
# Of systems: those of drives first, then others that can be told apart.
COLOURS = (*PALETTE["drives"], "#6b8e23", "#44aa99", "#8c6d31", "#a0527d", "#5b7db1", "#c98f4a")
_STYLE = """
main { max-width: 1320px; } .wide { overflow-x: auto; } .note { color: var(--soft); font-size: .92em; }
th, td { text-align: left; white-space: normal; vertical-align: top; padding-right: 11px; }
td:not(.n) { overflow-wrap: anywhere; min-width: 6em; } .wide { margin-top: 10px; }
td.n, th.n { text-align: right; } td.n { white-space: nowrap; } code { font-size: .93em; }
.light { background: #fff; color: #1b2330; border-radius: 6px; }  /* a picture that is a file too */
.good { color: var(--good); } .bad { color: var(--bad); }
h2 { margin-top: 28px; } header + section { margin-top: 20px; }
"""
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
# When the window changes, plotly keeps the legend where it was for the old number of its lines, over the picture.
_RESIZED = """<script>
let armatureResized;
addEventListener('resize', () => {
  clearTimeout(armatureResized);
  armatureResized = setTimeout(() => document.querySelectorAll('.js-plotly-plot').forEach(plot => Plotly.redraw(plot)), 200);
});
</script>
"""


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
    return (
        f'<div class="wide"><table><thead><tr>{cells(header, "th")}</tr></thead>\n<tbody>{body}</tbody></table></div>\n'
    )


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
    drawn = figure.to_html(full_html=False, include_plotlyjs=False, div_id=name, config=config, auto_play=False)
    return f'<div class="picture">{f"<h3>{title}</h3>" if title else ""}{drawn}</div>'


def command_line() -> str:
    """The command as it was given, for a shell."""
    return shlex.join([os.path.basename(os.environ.get("ARMATURE_PROGRAM", "armature")), *sys.argv[1:]])


def _slug(title: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in title.lower()).strip("-")


def _with_contents(body: str) -> tuple[str, str]:
    """The body with a name on each heading that has none, and a list of the headings."""
    entries = []

    def named(match: re.Match) -> str:
        attributes, title = match[1], match[2]
        found = re.search(r'id="([^"]*)"', attributes)
        plain = re.sub("<[^>]*>", "", title)
        place = found[1] if found else _slug(html.unescape(plain))
        entries.append(f'<a href="#{place}">{plain}</a>')
        return f"<h2{attributes}>{title}</h2>" if found else f'<h2{attributes} id="{place}">{title}</h2>'

    body = re.sub(r"<h2([^>]*)>(.*?)</h2>", named, body, flags=re.S)
    return body, f'<nav class="contents">{"".join(entries)}</nav>\n' if len(entries) > 1 else ""


def page(title: str, parts: list[str], scripts: tuple[str, ...] = (), about: str = "") -> str:
    """A whole page: `scripts` run at its end; `about` stands below the title, beside the command and the date."""
    from plotly.offline import get_plotlyjs

    body, contents = _with_contents("\n".join(parts))
    plotly = f"<script>{get_plotlyjs()}</script>\n{_RESIZED}" if "Plotly.newPlot" in body or scripts else ""
    told = [about] if about else []
    told += [f"<code>{text(command_line())}</code>", time.strftime("%Y-%m-%d %H:%M")]
    end = "".join(f"<script>\n{script}</script>\n" for script in scripts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<link rel="icon" href="data:,">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{(_ASSETS / 'report.css').read_text()}{_STYLE}</style>\n{plotly}</head>\n"
        f'<body><main><header><div class="kicker">Armature</div><h1>{text(title)}</h1><p>{" · ".join(told)}</p></header>\n'
        f"{contents}<section>{body}\n</section></main>\n{end}</body></html>\n"
    )


def tsv(header: list[str], rows: Iterable[list[object]]) -> str:
    def cell(value: object) -> str:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return ""
        return (repr(value) if isinstance(value, float) else str(value)).replace("\t", " ").replace("\n", " ")

    return "".join("\t".join(cell(value) for value in row) + "\n" for row in [header, *rows])


def log_axis(values: list[float]) -> dict:
    """A logarithmic axis with labels at 1, 2 and 5 of each decade, or at 1 of many: all nine would run into each other."""
    low, high = min(values), max(values)
    digits = (1, 2, 5) if high < 2000 * low else (1,)
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    return {"type": "log", "tickvals": [float(f"{digit}e{decade}") for decade in decades for digit in digits]}

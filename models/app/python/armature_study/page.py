"""One HTML file with tables and pictures that zoom; it fetches nothing."""

from __future__ import annotations

import html
import math
from typing import Iterable

# Told apart by people who see colours in other ways too (Okabe, Ito 2008), the yellow left out.
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#e69f00",
    "#444444",
    "#882255",
    "#999933",
    "#44aa99",
    "#8c6d31",
    "#b3b3b3",
    "#7b6fd0",
    "#f4a582",
)
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 1100px; margin: 2em auto;
       padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; border-bottom: 1px solid #ddd; }
table { border-collapse: collapse; margin: 1em 0; } td, th { padding: .25em .7em; border-bottom: 1px solid #e4e4e4;
       text-align: left; vertical-align: top; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.n { white-space: nowrap; }
.wide { overflow-x: auto; } .note { color: #555; font-size: .92em; } .good { color: #00663f; } .bad { color: #b00020; }
code { font-size: .93em; }
"""
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


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


def with_interval(value: float, half: float) -> str:
    """A figure and half its interval, both to the interval's second digit."""
    if not math.isfinite(half):
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
    """A plotly figure as a part of a page."""
    figure.update_layout(
        template="plotly_white",
        font={"size": 13},
        margin={"l": 70, "r": 20, "t": 40, "b": 60},
        colorway=list(COLOURS),
        legend={"orientation": "h", "y": -0.18, "yanchor": "top"},
    )
    config = {
        "displaylogo": False,
        "scrollZoom": True,
        "responsive": True,
        "toImageButtonOptions": {"format": "svg", "filename": name},
    }
    return figure.to_html(full_html=False, include_plotlyjs=False, div_id=name, config=config, auto_play=False)


def page(title: str, parts: list[str]) -> str:
    from plotly.offline import get_plotlyjs

    body = "\n".join(parts)
    script = f"<script>{get_plotlyjs()}</script>\n" if "Plotly.newPlot" in body else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<link rel="icon" href="data:,">\n'
        f"<title>{text(title)}</title>\n<style>{_STYLE}</style>\n{script}</head>\n<body><h1>{text(title)}</h1>\n{body}\n"
        f"</body></html>\n"
    )


def tsv(header: list[str], rows: Iterable[list[object]]) -> str:
    def cell(value: object) -> str:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return ""
        return (repr(value) if isinstance(value, float) else str(value)).replace("\t", " ").replace("\n", " ")

    return "".join("\t".join(cell(value) for value in row) + "\n" for row in [header, *rows])

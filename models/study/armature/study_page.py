"""What the pages of sweep and compare share: data for study.js, which draws them, and tables for a terminal."""

from __future__ import annotations

import json
import math
from pathlib import Path

from . import page
from .figures import Figure, watts_by_mode
from .statistics import Estimate

_SCRIPT = Path(__file__).with_name("study.js")


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def figure_data(figure: Figure) -> dict:
    return {"name": figure.name, "unit": figure.unit, "heading": figure.heading, "meaning": figure.meaning,
            "better": figure.better}


def mean_modes(totals: list[dict[str, object]]) -> dict[str, float]:
    """Power by mode, W, the mean of replications given by their figures."""
    each = [watts_by_mode(flat) for flat in totals]
    return {mode: sum(one.get(mode, 0.0) for one in each) / len(each) for mode in dict.fromkeys(mode for one in each for mode in one)}


def row_data(label: str, series: str, given: dict[str, object], told: dict[str, Estimate], modes: dict[str, float] | None = None) -> dict:
    """A point of the pictures: `series` has a colour, `given` are the keys that were set, `modes` W."""
    return {
        "modes": modes or {},
        "label": label,
        "series": series,
        "given": given,
        "values": {name: finite(e.value) for name, e in told.items()},
        "half": {name: e.half_width for name, e in told.items() if math.isfinite(e.half_width)},
    }


_MOST_FIGURES = 7  # beside each other: more are wider than a window of 1,280 pixels


def figure_tables(left: list[str], figures: list[Figure], rows: list[tuple[list[str], dict[str, str]]]) -> str:
    """Tables below each other that hold the figures of each row: response times, then the others, as many as have room. `left` and the
    first of a row name it and stand in each table; cells are HTML, those of figures by their names."""
    groups = [[f for f in figures if f.unit == "ms"], [f for f in figures if f.unit != "ms"]]
    parts = []
    for group in groups:
        tables = -(-len(group) // _MOST_FIGURES)
        each = -(-len(group) // tables) if tables else 1
        for first in range(0, len(group), each):
            shown = group[first : first + each]
            parts.append(page.table([*left, *(page.text(f.heading) for f in shown)],
                                    [[*names, *(cells[f.name] for f in shown)] for names, cells in rows], len(left)))
    return "\n".join(parts)


def meanings(figures: list) -> str:
    """The table of figures, or of what else has a name, a unit and a meaning."""
    rows = [[f"<code>{page.text(f.name)}</code>", page.text(f.unit), page.text(f.meaning)] for f in figures]
    return page.table(["figure", "unit", "meaning"], rows, 99)


def scripts(data: dict) -> tuple[str, ...]:
    told = json.dumps({**data, "colours": page.COLOURS, "modeColours": page.PALETTE["modes"]}, ensure_ascii=True).replace("<", "\\u003c")
    return (f"window.armatureStudy = {told};\n", _SCRIPT.read_text())


def verdict(figure: Figure, difference: Estimate) -> str:
    """good or bad if the interval does not hold 0 and one direction is better; otherwise nothing."""
    if not figure.better or not math.isfinite(difference.half_width) or abs(difference.value) <= difference.half_width:
        return ""
    return "good" if difference.value * figure.better > 0 else "bad"

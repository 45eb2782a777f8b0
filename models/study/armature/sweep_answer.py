"""What a sweep answers: chosen figures of each drive at each point, and how drives differ from one of them, within the point.

Points that differ in `simulation.seed` only are replications of one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path

import numpy as np

from . import page, study_page, tabular, templates
from .compare import differences
from .errors import InputError
from .figures import DEFAULT, SHORT, Figure, choose, value
from .program import Program
from .runs import Log, System, log_of
from .statistics import Estimate, replications
from .swept import Swept

_SEED = "simulation.seed"
_MOST_ROWS = 60  # of the table in a terminal


@dataclass
class Answer:
    """A drive or an array at a point."""

    points: list[int]
    given: dict[str, object]
    drive: str
    figures: dict[str, Estimate] = field(default_factory=dict)
    paired: str = ""
    differences: dict[str, Estimate] = field(default_factory=dict)  # empty: it is the baseline, or there is none
    modes: dict[str, float] = field(default_factory=dict)  # W; empty without an account of energy


@dataclass
class Answers:
    rows: list[Answer]  # arrays, and drives that are of none
    parts: list[Answer]  # the drives of arrays
    chosen: list[Figure]
    figures: list[Figure]  # those of which a row has a value
    keys: list[str]  # that differ between points, the seed left out
    units: dict[str, str]  # of the keys
    baseline: str | None
    failed: int

    def label(self, row: Answer) -> str:
        told = " ".join(f"{short(key, self.keys)}={self.told(row, key)}" for key in self.keys)
        return f"{told} {row.drive}".strip()

    def heading(self, key: str) -> str:
        unit = self.units.get(key, "")
        name = short(key, self.keys)
        return f"{name}, {unit}" if unit and unit != name else name

    def told(self, row: Answer, key: str) -> str:
        """A key's value for people: six digits of a sampled one."""
        value = row.given[key]
        return f"{value:.6g}" if isinstance(value, float) else str(value)


def short(key: str, keys: list[str]) -> str:
    """The last part of a key's name where that tells it apart."""
    leaf = key.rsplit(".", 1)[-1]
    return leaf if [k.rsplit(".", 1)[-1] for k in keys].count(leaf) == 1 else key


def _flat(row: dict[str, object]) -> dict[str, object]:
    return {name.removeprefix("is "): told for name, told in row.items() if name.startswith("is ")}


def _groups(swept: Swept) -> dict[tuple, list[dict[str, object]]]:
    """Rows of the table by the point without its seed, and drive."""
    groups: dict[tuple, list[dict[str, object]]] = {}
    names = [key for key in swept.table.parameters if key != _SEED]
    for row in swept.table.rows:
        if row["status"] == "ok":
            groups.setdefault((*(str(row["set " + key]) for key in names), row["drive"]), []).append(row)
    return groups


def _system(swept: Swept, rows: list[dict[str, object]], several: bool) -> System:
    """The logs of a drive at a point, as compare has them."""
    logs = [Log(log_of(swept.entries[row["point"]], row["drive"], several), int(row["is completed"])) for row in rows]
    seeds = [int(row.get("set " + _SEED) or 0) for row in rows]
    return System(str(rows[0]["drive"]), logs, seeds, {}, False, drive=str(rows[0]["drive"]), totals=[_flat(row) for row in rows])


def _estimate(figure: Figure, rows: list[dict[str, object]], cost: dict[str, float]) -> Estimate:
    told = [value(figure, _flat(row), row["drive"], cost) for row in rows]
    if any(one is None for one in told):
        return Estimate(math.nan, math.nan, 0)
    return replications(np.array(told)) if len(told) > 1 else Estimate(told[0], math.nan, 1)


def answers(swept: Swept, figures: str | None, baseline: str | None, cost: dict[str, float]) -> Answers:
    """InputError if no drive is called `baseline`, or a figure is unknown."""
    table = swept.table
    units = {name.removeprefix("is "): unit for name, unit in table.units.items() if name.startswith("is ")}
    chosen = choose(figures, DEFAULT, units)
    everything = _groups(swept)
    groups = {key: group for key, group in everything.items() if not group[0]["part"]}
    drives = list(dict.fromkeys(key[-1] for key in groups))
    if baseline and drives and baseline not in drives:
        raise InputError(f"--baseline {baseline}: no such drive; there are {', '.join(drives)}")

    def answer(group: list[dict[str, object]]) -> Answer:
        return Answer([row["point"] for row in group], {key: group[0]["set " + key] for key in table.parameters if key != _SEED},
                      group[0]["drive"], {f.name: _estimate(f, group, cost) for f in chosen},
                      modes=study_page.mean_modes([_flat(row) for row in group]))

    rows = [answer(group) for group in groups.values()]
    parts = [answer(group) for group in everything.values() if group[0]["part"]]
    if baseline:
        # Of whole runs, as the figures are: their difference is that of the table's figures.
        systems = {key: _system(swept, group, len({name for *_, name in everything}) > 1) for key, group in groups.items()}
        for row, key in zip(rows, groups):
            base = systems.get((*key[:-1], baseline))
            if base is None or row.drive == baseline:
                continue
            of_base = next(r for r, other in zip(rows, groups) if other == (*key[:-1], baseline))
            row.paired, row.differences = differences(systems[key], base, 0, chosen, row.figures, of_base.figures, cost)
    shown = [f for f in chosen if any(math.isfinite(row.figures[f.name].value) for row in rows)]
    keys = [key for key in table.parameters if key != _SEED and len({str(row.given[key]) for row in rows}) > 1]
    return Answers(rows, parts, chosen, shown, keys, {key: table.units.get(key, "") for key in keys}, baseline, swept.failed)


def refuse_drives(program: Program, scenario: str, baseline: str | None, cost: dict[str, float]) -> None:
    """Before anything runs: InputError if the scenario has no drive of these names. An array is one too."""
    import tomllib

    if not baseline and not cost:
        return
    told = tomllib.loads(program.resolve(scenario, []))
    drives, array = list(told.get("drives", {})), told.get("array", {})
    parts = [*array.get("members", []), *array.get("spares", []), array.get("staging", {}).get("store", "")]
    systems = ["array"] * ("array" in told) + [name for name in drives if not any(fnmatch(name, part) for part in parts)]
    for option, names, known in (("--baseline", [baseline] if baseline else [], systems),
                                 ("--cost", list(cost), drives + ["array"] * ("array" in told))):
        for name in names:
            if name not in known:
                raise InputError(f"{option} {name}: no such drive; there are {', '.join(known)}")


# ---- What is shown ---------------------------------------------------------------------------------------------------


def _shown(told: Estimate, beside: Estimate) -> str:
    """A figure, or its difference from another drive's: then with the decimals of the figure."""
    return page.with_interval(told.value, told.half_width, math.nan if told is beside else beside.value)


def text_table(found: Answers, chosen: bool) -> str:
    """For a terminal: the figures, and below them the differences. Without --figures the most asked for."""
    shown = [f for f in found.figures if chosen or f.name in SHORT]
    keys = [found.heading(key) for key in found.keys]

    def lines(rows: list[Answer], told) -> str:
        table = [[*keys, "drive", *(f.heading for f in shown)]]
        for row in rows[:_MOST_ROWS]:
            table.append([*(found.told(row, key) for key in found.keys), row.drive,
                          *(_shown(told(row)[f.name], row.figures[f.name]) for f in shown)])
        more = f"\n{len(rows) - _MOST_ROWS} more rows: table.csv, sweep.html" if len(rows) > _MOST_ROWS else ""
        return tabular.aligned(table, len(keys) + 1) + more

    parts = [lines(found.rows, lambda row: row.figures)]
    if different := [row for row in found.rows if row.differences]:
        parts.append(f"\nminus {found.baseline} at the same point, with 95 % intervals ({different[0].paired}):\n"
                     + lines(different, lambda row: row.differences))
    if found.parts:
        parts.append("\ndrives of the array:\n" + lines(found.parts, lambda row: row.figures))
    return "\n".join(parts)


def differences_table(found: Answers) -> str:
    """differences.tsv: a row a point and drive but the baseline; response times in ms, the rest in the unit of its name."""
    header = ["point", *(f"{key} [{found.units[key]}]" if found.units[key] else key for key in found.keys), "drive", "from", "paired"]
    header += [f"{f.column}_{what}" for f in found.figures for what in ("difference", "half_width")]
    return tabular.tsv(header, [
        [row.points[0], *(row.given[key] for key in found.keys), row.drive, found.baseline, row.paired,
         *(x for f in found.figures for x in (row.differences[f.name].value, row.differences[f.name].half_width))]
        for row in found.rows if row.differences
    ])


def _tables(rows: list[Answer], found: Answers, told, judged: bool = False) -> str:
    """Of each row the figures that `told` has for it; judged: coloured if they say which is better."""
    cells = []
    for row in rows:
        figures = {}
        for figure in found.figures:
            e = told(row)[figure.name]
            shown = _shown(e, row.figures[figure.name])
            style = study_page.verdict(figure, e) if judged else ""
            figures[figure.name] = f'<span class="{style}">{shown}</span>' if style else shown
        cells.append(([*(page.text(found.told(row, key)) for key in found.keys), page.text(row.drive)], figures))
    return study_page.figure_tables([*(page.text(found.heading(key)) for key in found.keys), "drive"], found.figures, cells)


def _data(found: Answers) -> dict:
    return {
        "figures": [study_page.figure_data(figure) for figure in found.figures],
        "series": list(dict.fromkeys(row.drive for row in found.rows)),
        "keys": [{"name": key, "short": short(key, found.keys), "heading": found.heading(key)} for key in found.keys],
        "rows": [study_page.row_data(found.label(row), row.drive, row.given, row.figures, row.modes) for row in found.rows],
    }


def _pictures(found: Answers, sample: bool) -> list[tuple[str, str, str]]:
    """Title, note and place of each that study.js draws."""
    several, keys = len(found.rows) >= 2, len(found.keys)
    told = [
        (keys >= 1 and not sample, "Over a key", "", "lines"),
        (keys >= 2 and not sample, "Over two keys", "", "heat"),
        (several and len(found.figures) >= 2, "One figure against another", "", "tradeoff"),
        (any(row.modes for row in found.rows), "Power by operating mode", "", "modes"),
        (several and (sample or keys >= 3), "All keys and figures",
         "A line is a drive at a point; each axis goes from the least value to the greatest.", "parallel"),
    ]
    return [picture for wanted, *picture in told if wanted]


def html(found: Answers, title: str, sample: bool) -> str:
    """sweep.html, whole."""
    different = [row for row in found.rows if row.differences]
    body = templates.fill(
        "sweep.html", failed=found.failed, pictures=_pictures(found, sample), baseline=found.baseline,
        differences=_tables(different, found, lambda row: row.differences, judged=True) if different else "",
        paired=different[0].paired if different else "", figures=_tables(found.rows, found, lambda row: row.figures),
        meanings=study_page.meanings(found.figures), parts=_tables(found.parts, found, lambda row: row.figures) if found.parts else "")
    return page.page(title, body, study_page.scripts(_data(found)))


def write(found: Answers, out: Path, title: str, sample: bool) -> None:
    """sweep.html and, with a baseline, differences.tsv."""
    (out / "sweep.html").write_text(html(found, title, sample))
    if found.baseline:
        (out / "differences.tsv").write_text(differences_table(found))
    else:
        (out / "differences.tsv").unlink(missing_ok=True)

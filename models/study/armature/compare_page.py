"""What compare shows: compare.html, its tables, and the figures for a terminal."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from . import page, statistics, study_page, tabular, templates
from .compare import OF_LOG, Comparison, after
from .figures import TERMINAL, Figure, spans_decade, value
from .runs import PHASES, System, differing_keys
from .statistics import Estimate

_CURVE_POINTS = 400


def curve(system: System, cut: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of the cumulative distribution: response time and share, closer together at the upper end."""
    ordered = np.sort(np.concatenate([after(log, cut) for log in system.logs]))
    share = np.unique(
        np.concatenate([np.linspace(0, 1, _CURVE_POINTS // 2), 1 - np.geomspace(1, 1 / len(ordered), _CURVE_POINTS // 2)])
    )
    share = share[(share > 0) & (share <= 1)]
    return ordered[np.ceil(np.round(share * len(ordered), 9)).astype(int) - 1], share


def _half(estimates: list[Estimate]) -> dict:
    return {"array": [e.half_width if math.isfinite(e.half_width) else 0 for e in estimates]}


def _upright(height: int, title: str, axis: dict, **more) -> dict:
    """Of a picture whose systems stand below each other, the first on top."""
    return {"height": height, "title": title, "xaxis": axis, "yaxis": {"autorange": "reversed", "automargin": True}, **more}


def _means(found: Comparison, labels: list[str]):
    import plotly.graph_objects as go

    means = go.Figure()
    everything: list[float] = []
    for name, symbol in (("mean", "circle"), ("p50", "triangle-up"), ("p99", "diamond")):
        told = [estimates[name] for estimates in found.figures]
        everything += [e.value for e in told]
        means.add_scatter(y=labels, x=[e.value for e in told], name=name, mode="markers", marker={"symbol": symbol, "size": 9},
                          error_x=_half(told))
    log = spans_decade(everything)
    axis = {"title": "response time, ms", **(page.log_axis(everything) if log else {"rangemode": "tozero"})}
    means.update_layout(**_upright(140 + 34 * len(labels), "Response times with 95 % intervals", axis))
    return means


def _distributions(found: Comparison, colours: list[str]):
    import plotly.graph_objects as go

    cdf, tail = go.Figure(), go.Figure()
    reach: list[float] = []
    for system, colour in zip(found.systems, colours):
        x, share = curve(system, found.warm_up.cut)
        reach += [float(x[x > 0].min(initial=math.inf)), float(x.max())]
        cdf.add_scatter(x=x, y=share, name=system.label, mode="lines", line={"color": colour})
        beyond = 1 - share
        tail.add_scatter(x=x[beyond > 0], y=beyond[beyond > 0], name=system.label, mode="lines", line={"color": colour})
    axis = {"title": "response time, ms", **page.log_axis(reach)}
    cdf.update_layout(height=480, title="Cumulative distribution", xaxis=axis,
                      yaxis={"title": "share of requests", "range": [0, 1.01]})
    tail.update_layout(height=480, title="The tail: share of requests that take longer", xaxis=axis,
                       yaxis={"title": "share of requests", "type": "log", "dtick": 1, "exponentformat": "none"})
    return cdf, tail


def _phases(found: Comparison, labels: list[str]):
    import plotly.graph_objects as go

    bars = go.Figure()
    for phase in (phase for phase in PHASES if any(phases[phase] > 0.0005 for phases in found.phases)):
        bars.add_bar(y=labels, x=[phases[phase] for phases in found.phases], name=phase.replace("_", " "), orientation="h",
                     marker={"color": page.PALETTE["phases"][phase]})
    bars.update_layout(barmode="stack", legend_traceorder="normal",
                       **_upright(160 + 34 * len(labels), "Where the time goes", {"title": "mean time in each phase, ms"}))
    return bars


def _apart(found: Comparison, labels: list[str]):
    import plotly.graph_objects as go

    others = [i for i, told in enumerate(found.differences) if told]
    apart = go.Figure()
    for name, symbol in (("mean", "circle"), ("p99", "diamond")):
        told = [found.differences[i][1][name] for i in others]
        apart.add_scatter(y=[labels[i] for i in others], x=[e.value for e in told], mode="markers",
                          marker={"size": 9, "symbol": symbol}, error_x=_half(told), name=name)
    apart.add_vline(x=0, line={"color": "#888", "dash": "dot"})
    apart.update_layout(**_upright(140 + 34 * len(others), f"Response time, difference from {labels[found.base]}",
                                   {"title": "ms; left of 0 is faster"}))
    return apart


def pictures(found: Comparison) -> list[str]:
    labels = [system.label for system in found.systems]
    colours = [page.COLOURS[i % len(page.COLOURS)] for i in range(len(labels))]
    cdf, tail = _distributions(found, colours)
    parts = [page.picture(_means(found, labels), "means")]
    if any(found.differences):
        parts.append(page.picture(_apart(found, labels), "differences"))
    return [*parts, page.picture(cdf, "cdf"), page.picture(tail, "tail"), page.picture(_phases(found, labels), "phases")]


def _about(found: Comparison) -> dict:
    """What the scatter of any two figures is drawn from."""
    return {
        "figures": [study_page.figure_data(figure) for figure in found.shown],
        "series": [system.label for system in found.systems],
        "rows": [
            study_page.row_data(system.label, system.label, {}, {f.name: told[f.name] for f in found.shown},
                                study_page.mean_modes(system.totals))
            for system, told in zip(found.systems, found.figures)
        ],
    }


def _parts(found: Comparison) -> str:
    """The drives of arrays: parts of the systems, of whole runs."""
    shown = [figure for figure in found.shown if figure.path]
    rows = []
    for system in found.systems:
        for part, totals in system.parts.items():
            told = {figure.name: [value(figure, flat, part, {}) for flat in totals] for figure in shown}
            cells = {name: page.number(math.nan if None in each else sum(each) / len(each)) for name, each in told.items()}
            rows.append(([page.text(system.label), page.text(part)], cells))
    return study_page.figure_tables(["run", "drive"], shown, rows) if rows else ""


def _value(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _more(found: Comparison) -> list[Figure]:
    """Figures that were chosen beside the five of response times that the tables have in any case."""
    return [figure for figure in found.shown if figure.name not in OF_LOG]


def _figures_tsv(found: Comparison, keys: list[str]) -> str:
    columns = [f"{name}_{what}" for name in OF_LOG for what in ("ms", "half_width_ms", "batches")]
    columns += [f"{figure.column}{what}" for figure in _more(found) for what in ("", "_half_width")]
    rows = []
    for system, told, length in zip(found.systems, found.figures, found.cut_lengths):
        rows.append([
            system.label,
            len(system.logs),
            length,
            *(x for name in OF_LOG for x in (told[name].value, told[name].half_width, told[name].batches)),
            *(x for figure in _more(found) for x in (told[figure.name].value, told[figure.name].half_width)),
            *(_value(system.configuration.get(key, "")) for key in keys),
            "; ".join([*system.notes, *sorted({e.warning for e in told.values() if e.warning})]),
        ])
    return tabular.tsv(["run", "replications", "requests", *columns, *keys, "notes"], rows)


def _differences_tsv(found: Comparison) -> str:
    names = [(name, f"{name}_{{}}_ms") for name in OF_LOG] + [(figure.name, f"{figure.column}_{{}}") for figure in _more(found)]
    columns = [column.format(what) for _, column in names for what in ("difference", "half_width")]
    rows = [
        [system.label, found.systems[found.base].label, told[0],
         *(x for name, _ in names for x in (told[1][name].value, told[1][name].half_width))]
        for system, told in zip(found.systems, found.differences)
        if told
    ]
    return tabular.tsv(["run", "from", "paired", *columns], rows)


def _phases_tsv(found: Comparison) -> str:
    return tabular.tsv(["run", *(f"{phase}_ms" for phase in PHASES)],
                    [[system.label, *phases.values()] for system, phases in zip(found.systems, found.phases)])


def _cdf_tsv(found: Comparison) -> str:
    return tabular.tsv(["run", "response_ms", "share"],
                    [[system.label, x, share] for system in found.systems
                     for x, share in zip(*(values.tolist() for values in curve(system, found.warm_up.cut)))])


def _notes(found: Comparison) -> list[str]:
    labels = [system.label for system in found.systems]
    notes = [f"{system.label}: {note}" for system in found.systems for note in system.notes]
    for warning in dict.fromkeys(e.warning for told in found.figures for e in told.values() if e.warning):
        runs = {
            label: ", ".join(name for name, e in told.items() if e.warning == warning)
            for label, told in zip(labels, found.figures)
            if any(e.warning == warning for e in told.values())
        }
        notes.append(f"{warning}: " + "; ".join(f"{label} ({names})" for label, names in runs.items()))
    return notes + [
        f"{label}: MSER-5 finds no steady state; the run is too short, or requests come faster than they are served"
        for label in found.warm_up.unsettled
    ]


def _figures_part(found: Comparison) -> str:
    rows = []
    for system, told, length in zip(found.systems, found.figures, found.cut_lengths):
        intervals = f"{len(system.logs)} replications" if len(system.logs) > 1 else f"{told['mean'].batches} batches"
        cells = {f.name: page.with_interval(told[f.name].value, told[f.name].half_width) for f in found.shown}
        rows.append(([page.text(system.label), str(length), intervals], cells))
    return study_page.figure_tables(["run", "requests", "intervals from"], found.shown, rows)


def _differences_part(found: Comparison) -> tuple[str, str]:
    """A table, and how the systems were compared; nothing of a single one."""
    rows, paired = [], {}
    for system, of, told in zip(found.systems, found.figures, found.differences):
        if not told:
            continue
        cells = {}
        for figure in found.shown:
            e = told[1][figure.name]
            cells[figure.name] = f'<span class="{study_page.verdict(figure, e)}">{_shown(e, of[figure.name])}</span>'
        rows.append(([page.text(system.label)], cells))
        paired.setdefault(told[0], []).append(system.label)
    compared = "; ".join(f"{how} ({', '.join(names)})" if len(paired) > 1 else how for how, names in paired.items())
    return study_page.figure_tables(["run"], found.shown, rows) if rows else "", compared


def _keys_part(found: Comparison, keys: list[str]) -> str:
    rows = [[f"<code>{page.text(key)}</code>", *(page.text(_value(s.configuration.get(key, ""))) for s in found.systems)] for key in keys]
    return page.table(["key", *(page.text(system.label) for system in found.systems)], rows, numeric_from=99) if rows else ""


def _phases_part(found: Comparison) -> str:
    used = [phase for phase in PHASES if any(phases[phase] for phases in found.phases)]
    rows = [[page.text(system.label), *(f"{phases[phase]:.4f}" for phase in used)] for system, phases in zip(found.systems, found.phases)]
    return page.table(["run", *(phase.replace("_", " ") for phase in used)], rows)


def _html(found: Comparison, keys: list[str]) -> str:
    places = [("One figure against another", "tradeoff")] if len(found.systems) > 1 and len(found.shown) > 1 else []
    if any(study_page.mean_modes(system.totals) for system in found.systems):
        places.append(("Power by operating mode", "modes"))
    differences, paired = _differences_part(found)
    body = templates.fill(
        "compare.html", cut=found.warm_up.cut, why=found.warm_up.why, notes=_notes(found), figures=_figures_part(found),
        base=found.systems[found.base].label, differences=differences, paired=paired, pictures=places, drawn="\n".join(pictures(found)),
        keys=_keys_part(found, keys), phases=_phases_part(found), parts=_parts(found), rules=statistics.RULES)
    return page.page("Comparison of runs", body, study_page.scripts(_about(found)))


def write(found: Comparison, out: Path) -> None:
    """compare.html and the tables figures.tsv, differences.tsv, phases.tsv, cdf.tsv."""
    keys = differing_keys(found.systems)
    out.mkdir(parents=True, exist_ok=True)
    (out / "figures.tsv").write_text(_figures_tsv(found, keys))
    (out / "differences.tsv").write_text(_differences_tsv(found))
    (out / "phases.tsv").write_text(_phases_tsv(found))
    (out / "cdf.tsv").write_text(_cdf_tsv(found))
    (out / "compare.html").write_text(_html(found, keys))


def _shown(told: Estimate, beside: Estimate) -> str:
    """A figure, or its difference from another system's: then with the decimals of the figure."""
    return page.with_interval(told.value, told.half_width, math.nan if told is beside else beside.value)


def text_table(found: Comparison, chosen: bool) -> str:
    """The figures for a terminal: those that were chosen, or the most asked for."""
    shown = [figure for figure in found.shown if chosen or figure.name in TERMINAL]
    rows = [["", *(figure.heading for figure in shown)]]
    base = found.systems[found.base].label
    for system, told in zip(found.systems, found.figures):
        rows.append([system.label, *(_shown(told[f.name], told[f.name]) for f in shown)])
    for system, told, of in zip(found.systems, found.differences, found.figures):
        if told:
            rows.append([f"{system.label} - {base}", *(_shown(told[1][f.name], of[f.name]) for f in shown)])
    return tabular.aligned(rows)

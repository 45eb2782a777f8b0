"""`armature compare`: runs side by side, with intervals, and how they differ."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import page, statistics
from .errors import InputError, refuse_unwritable, writing
from .runs import PHASES, Log, System, differing_keys, read
from .statistics import Estimate
from .sweep import program_name

FIGURES = ("mean", "p50", "p90", "p95", "p99")
_CURVE_POINTS = 400


def _figure(series: np.ndarray, name: str) -> Estimate:
    return statistics.mean(series) if name == "mean" else statistics.quantile(series, int(name[1:]) / 100)


@dataclass
class WarmUp:
    """How many requests at the start are left out, and why."""

    cut: int
    why: str
    unsettled: list[str]


def warm_up(systems: list[System], rule: str) -> WarmUp:
    """One cut for all, so that the same requests are compared: the longest that a run needs."""
    if rule == "none":
        return WarmUp(0, "nothing is left out, as asked", [])
    if rule.isdigit():
        return WarmUp(int(rule), "as asked", [])
    if rule == "auto" and all(system.trace for system in systems):
        return WarmUp(0, "nothing is left out: a trace is a finite number of requests, and all were asked for", [])
    cut, longest, unsettled = 0, "", []
    for system in systems:
        for log in system.logs:
            here = statistics.mser5(log.response_ms)
            if statistics.never_settles(log.response_ms, here):
                unsettled.append(system.label)
            if here > cut:
                cut, longest = here, system.label
    return WarmUp(
        cut, f"MSER-5, the longest of all runs{f' ({longest})' if longest else ''}", list(dict.fromkeys(unsettled))
    )


def after(log: Log, cut: int) -> np.ndarray:
    return log.response_ms[log.ids >= cut]


def estimates(system: System, cut: int) -> dict[str, Estimate]:
    """The figures of a system: of its one run, or over its replications."""
    if len(system.logs) == 1:
        series = after(system.logs[0], cut)
        return {name: _figure(series, name) for name in FIGURES}
    each = [after(log, cut) for log in system.logs]
    return {
        name: statistics.replications(np.array([_figure(series, name).value for series in each])) for name in FIGURES
    }


def common(a: Log, b: Log, cut: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Response times of the requests that both completed, in order; None if the streams are not the same."""
    ids, in_a, in_b = np.intersect1d(a.ids, b.ids, assume_unique=True, return_indices=True)
    if len(ids) == 0 or not np.array_equal(a.stream[in_a], b.stream[in_b]):
        return None
    chosen = ids >= cut
    return a.response_ms[in_a][chosen], b.response_ms[in_b][chosen]


def differences(
    system: System, base: System, cut: int, of: dict[str, Estimate], of_base: dict[str, Estimate]
) -> tuple[str, dict[str, Estimate]]:
    """System minus base for each figure, and how they were paired."""
    if len(system.logs) == len(base.logs) == 1:
        if both := common(system.logs[0], base.logs[0], cut):
            a, b = both
            result = {"mean": statistics.mean(a - b)}
            result |= {name: statistics.paired_quantile(a, b, int(name[1:]) / 100) for name in FIGURES[1:]}
            return f"the same {len(a)} requests one by one", result
    elif system.seeds == base.seeds:
        logs = list(zip(system.logs, base.logs))
        return f"{len(logs)} replications by seed", {
            name: statistics.replications(
                np.array([_figure(after(a, cut), name).value - _figure(after(b, cut), name).value for a, b in logs])
            )
            for name in FIGURES
        }
    return "as independent runs", {name: statistics.unpaired(of[name], of_base[name]) for name in FIGURES}


@dataclass
class Comparison:
    """Everything that tables and pictures are made of."""

    systems: list[System]
    warm_up: WarmUp
    figures: list[dict[str, Estimate]]
    phases: list[dict[str, float]]
    base: int
    differences: list[tuple[str, dict[str, Estimate]] | None]
    cut_lengths: list[int]


def compare(systems: list[System], rule: str = "auto", base: int = 0) -> Comparison:
    cut = warm_up(systems, rule)
    for system in systems:
        for log in system.logs:
            if not len(after(log, cut.cut)):
                raise InputError(
                    f"{system.label}: nothing is left of its {len(log.ids)} requests after a warm-up of {cut.cut}"
                )
    figures = [estimates(system, cut.cut) for system in systems]
    phases = []
    for system in systems:
        parts = [log.phase_means_ms(cut.cut) for log in system.logs]
        phases.append({phase: sum(part[phase] for part in parts) / len(parts) for phase in PHASES})
    told = [
        None if i == base else differences(system, systems[base], cut.cut, figures[i], figures[base])
        for i, system in enumerate(systems)
    ]
    lengths = [sum(len(after(log, cut.cut)) for log in system.logs) for system in systems]
    return Comparison(systems, cut, figures, phases, base, told, lengths)


# ---- Pictures --------------------------------------------------------------------------------------------------------


def curve(system: System, cut: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of the cumulative distribution: response time and share, closer together at the upper end."""
    ordered = np.sort(np.concatenate([after(log, cut) for log in system.logs]))
    share = np.unique(
        np.concatenate(
            [np.linspace(0, 1, _CURVE_POINTS // 2), 1 - np.geomspace(1, 1 / len(ordered), _CURVE_POINTS // 2)]
        )
    )
    share = share[(share > 0) & (share <= 1)]
    return ordered[np.ceil(np.round(share * len(ordered), 9)).astype(int) - 1], share


def pictures(found: Comparison) -> list[str]:
    import plotly.graph_objects as go

    labels = [system.label for system in found.systems]
    colours = [page.COLOURS[i % len(page.COLOURS)] for i in range(len(labels))]
    means = go.Figure()
    for name, symbol in (("mean", "circle"), ("p50", "triangle-up"), ("p99", "diamond")):
        told = [estimates[name] for estimates in found.figures]
        means.add_scatter(
            y=labels,
            x=[e.value for e in told],
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": 9},
            error_x={"array": [e.half_width if math.isfinite(e.half_width) else 0 for e in told]},
        )
    means.update_layout(
        height=180 + 34 * len(labels),
        xaxis={"title": "response time, ms", "rangemode": "tozero"},
        yaxis={"autorange": "reversed", "automargin": True},
        title="Figures with 95 % intervals",
    )
    cdf, tail = go.Figure(), go.Figure()
    for system, colour in zip(found.systems, colours):
        x, share = curve(system, found.warm_up.cut)
        cdf.add_scatter(x=x, y=share, name=system.label, mode="lines", line={"color": colour})
        beyond = 1 - share
        tail.add_scatter(x=x[beyond > 0], y=beyond[beyond > 0], name=system.label, mode="lines", line={"color": colour})
    axis = {"title": "response time, ms", "type": "log", "exponentformat": "none"}
    cdf.update_layout(
        height=480,
        title="Cumulative distribution",
        xaxis=axis,
        yaxis={"title": "share of requests", "range": [0, 1.01]},
    )
    tail.update_layout(
        height=480,
        title="The tail: share of requests that take longer",
        xaxis=axis,
        yaxis={"title": "share of requests", "type": "log", "exponentformat": "power"},
    )
    bars = go.Figure()
    shown = [phase for phase in PHASES if any(phases[phase] > 0.0005 for phases in found.phases)]
    for phase in shown:
        bars.add_bar(
            y=labels,
            x=[phases[phase] for phases in found.phases],
            name=phase,
            orientation="h",
            marker={"color": page.COLOURS[PHASES.index(phase)]},
        )
    bars.update_layout(
        barmode="stack",
        legend_traceorder="normal",
        height=200 + 34 * len(labels),
        title="Where the time goes",
        xaxis={"title": "mean time in each phase, ms"},
        yaxis={"autorange": "reversed", "automargin": True},
    )
    parts = [
        page.picture(means, "means"),
        page.picture(cdf, "cdf"),
        page.picture(tail, "tail"),
        page.picture(bars, "phases"),
    ]
    if others := [i for i, told in enumerate(found.differences) if told]:
        apart = go.Figure()
        told = [found.differences[i][1]["mean"] for i in others]
        apart.add_scatter(
            y=[labels[i] for i in others],
            x=[e.value for e in told],
            mode="markers",
            marker={"size": 9},
            error_x={"array": [e.half_width if math.isfinite(e.half_width) else 0 for e in told]},
            name="mean",
        )
        apart.add_vline(x=0, line={"color": "#888", "dash": "dot"})
        apart.update_layout(
            height=180 + 34 * len(others),
            title=f"Mean response time, difference from {labels[found.base]}",
            xaxis={"title": "ms; left of 0 is faster"},
            yaxis={"autorange": "reversed", "automargin": True},
        )
        parts.insert(1, page.picture(apart, "differences"))
    return parts


# ---- Tables ----------------------------------------------------------------------------------------------------------


def _value(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def write(found: Comparison, out: Path) -> None:
    """compare.html and the tables figures.tsv, differences.tsv, phases.tsv, cdf.tsv."""
    labels = [system.label for system in found.systems]
    keys = differing_keys(found.systems)
    out.mkdir(parents=True, exist_ok=True)

    def save(name: str, content: str) -> None:
        (out / name).write_text(content)

    columns = [f"{name}_{what}" for name in FIGURES for what in ("ms", "half_width_ms", "batches")]
    save(
        "figures.tsv",
        page.tsv(
            ["run", "replications", "requests", *columns, *keys, "notes"],
            [
                [
                    label,
                    len(system.logs),
                    length,
                    *(x for name in FIGURES for x in (told[name].value, told[name].half_width, told[name].batches)),
                    *(_value(system.configuration.get(key, "")) for key in keys),
                    "; ".join([*system.notes, *sorted({e.warning for e in told.values() if e.warning})]),
                ]
                for label, system, told, length in zip(labels, found.systems, found.figures, found.cut_lengths)
            ],
        ),
    )
    save(
        "differences.tsv",
        page.tsv(
            [
                "run",
                "from",
                "paired",
                *(f"{name}_{what}_ms" for name in FIGURES for what in ("difference", "half_width")),
            ],
            [
                [
                    labels[i],
                    labels[found.base],
                    told[0],
                    *(x for name in FIGURES for x in (told[1][name].value, told[1][name].half_width)),
                ]
                for i, told in enumerate(found.differences)
                if told
            ],
        ),
    )
    save(
        "phases.tsv",
        page.tsv(
            ["run", *(f"{phase}_ms" for phase in PHASES)],
            [[label, *phases.values()] for label, phases in zip(labels, found.phases)],
        ),
    )
    save(
        "cdf.tsv",
        page.tsv(
            ["run", "response_ms", "share"],
            [
                [system.label, x, share]
                for system in found.systems
                for x, share in zip(*(values.tolist() for values in curve(system, found.warm_up.cut)))
            ],
        ),
    )

    notes = [f"{system.label}: {note}" for system in found.systems for note in system.notes]
    for warning in dict.fromkeys(e.warning for told in found.figures for e in told.values() if e.warning):
        runs = {
            label: ", ".join(name for name, e in told.items() if e.warning == warning)
            for label, told in zip(labels, found.figures)
            if any(e.warning == warning for e in told.values())
        }
        notes.append(f"{warning}: " + "; ".join(f"{label} ({names})" for label, names in runs.items()))
    notes += [
        f"{label}: MSER-5 finds no steady state; the run is too short, or requests come faster than they are served"
        for label in found.warm_up.unsettled
    ]
    parts = [
        f"<p>Response times in ms with 95 % intervals. Warm-up: the first {found.warm_up.cut} requests of each run are "
        f"left out ({page.text(found.warm_up.why)}).</p>"
    ]
    parts.append(
        page.table(
            ["run", "requests", *FIGURES, "intervals from"],
            [
                [
                    page.text(system.label),
                    str(length),
                    *(page.with_interval(told[n].value, told[n].half_width) for n in FIGURES),
                    f"{len(system.logs)} replications" if len(system.logs) > 1 else f"{told['mean'].batches} batches",
                ]
                for system, told, length in zip(found.systems, found.figures, found.cut_lengths)
            ],
        )
    )
    if any(found.differences):
        rows = []
        for i, told in enumerate(found.differences):
            if not told:
                continue
            cells = []
            for name in FIGURES:
                e = told[1][name]
                style = (
                    ""
                    if not math.isfinite(e.half_width) or abs(e.value) <= e.half_width
                    else "good"
                    if e.value < 0
                    else "bad"
                )
                cells.append(f'<span class="{style}">{page.with_interval(e.value, e.half_width)}</span>')
            rows.append([page.text(labels[i]), *cells, page.text(told[0])])
        parts += [
            f"<h2>Difference from {page.text(labels[found.base])}</h2>",
            page.table(["run", *FIGURES, "compared"], rows),
            '<p class="note">ms; coloured where the interval does not hold 0. Each interval is a 95 % interval by '
            "itself: of twenty differences that are none, one is coloured by chance.</p>",
        ]
    parts += ["<h2>Pictures</h2>", *pictures(found)]
    if keys:
        parts += [
            "<h2>In what they differ</h2>",
            page.table(
                ["key", *map(page.text, labels)],
                [
                    [
                        f"<code>{page.text(key)}</code>",
                        *(page.text(_value(s.configuration.get(key, ""))) for s in found.systems),
                    ]
                    for key in keys
                ],
                numeric_from=99,
            ),
        ]
    parts += [
        "<h2>Mean time in each phase, ms</h2>",
        page.table(
            ["run", *PHASES],
            [[page.text(label), *(f"{v:.4f}" for v in phases.values())] for label, phases in zip(labels, found.phases)],
        ),
    ]
    parts += ["<h2>Rules</h2>", f'<p class="note">{page.text(statistics.RULES)}</p>']
    if notes:
        parts[1:1] = ["<ul>" + "".join(f"<li>{page.text(note)}</li>" for note in notes) + "</ul>"]
    save("compare.html", page.page("Comparison of runs", parts))


def text_table(found: Comparison) -> str:
    """The figures for a terminal."""
    rows = [["", *FIGURES]]
    for system, told in zip(found.systems, found.figures):
        rows.append([system.label, *(page.with_interval(told[n].value, told[n].half_width) for n in FIGURES)])
    for i, told in enumerate(found.differences):
        if told:
            rows.append(
                [
                    f"{found.systems[i].label} - {found.systems[found.base].label}",
                    *(page.with_interval(told[1][n].value, told[1][n].half_width) for n in FIGURES),
                ]
            )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))]) for row in rows
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="directory of a run, or of a sweep with --requests")
    parser.add_argument("--out", default="out/compare", metavar="DIR", help="directory of the results (out/compare)")
    parser.add_argument(
        "--warm-up",
        default="auto",
        metavar="RULE",
        help="mser5, none, or a number of requests to leave out; auto (default): none if all are traces, "
        "otherwise mser5",
    )
    parser.add_argument("--baseline", metavar="RUN", help="from which differences are taken (the first)")


def command(options: argparse.Namespace, _program: object) -> int:
    if options.warm_up not in ("auto", "mser5", "none") and not options.warm_up.isdigit():
        raise InputError(f"--warm-up {options.warm_up}: auto, mser5, none or a number of requests")
    out = Path(options.out)
    if out.is_dir() and any(out.iterdir()) and not (out / "compare.html").exists():
        raise InputError(f"--out {out}: there is something else in it")
    refuse_unwritable("--out", out)
    systems = read(options.runs)
    labels = [system.label for system in systems]
    base = 0
    if options.baseline:
        if options.baseline not in labels:
            raise InputError(f"--baseline {options.baseline}: no such run; there are {', '.join(labels)}")
        base = labels.index(options.baseline)
    found = compare(systems, options.warm_up, base)
    with writing("--out", out):
        write(found, out)
    print(f"response time, ms, after {found.warm_up.cut} requests ({found.warm_up.why})")
    print(text_table(found))
    for label in found.warm_up.unsettled:
        print(f"{program_name()}: {label}: MSER-5 finds no steady state", file=sys.stderr)
    print(f"page: {out / 'compare.html'}")
    return 0

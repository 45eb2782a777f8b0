"""Errors of a validation request by request: a table, and a picture against distance, size and class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import drawing, tabular
from . import measured as m

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DOTS = 2_500
_COLOURS = {"writes": "#d55e00", "reads from the buffer": "#009e73", "reads from the media": "#0072b2"}
_SHORT, _LONG = 0.1, 0.9  # quantiles of a bar


def served(trace: m.Trace, replay: m.Replay) -> np.ndarray:
    """What the model served each request by, with the words of docs/reference/results.md, "Medium or buffer"."""
    media = (replay.accesses > 0) | (replay.phases["seek"] + replay.phases["rotation"] + replay.phases["transfer"] > 0)
    return np.select([~trace.write & media, replay.phases["buffer_fill"] > 0, trace.write & (replay.phases["write_back"] > 0),
                      trace.write & media], ["medium", "buffer_fill", "write_back", "medium"], "buffer")


def order(trace: m.Trace) -> np.ndarray:
    """How a request lies to the end of the one before it."""
    gap, _ = m.before(trace)
    return np.select([gap == 0, np.abs(gap) < m.NEAR], ["sequential", "near"], "far")


def classes(trace: m.Trace, replay: m.Replay) -> np.ndarray:
    """Of each request, as DiskSim counts them: a hit (in the buffer, or on its way there) or a miss of a read or write."""
    by = served(trace, replay)
    outcome = np.select([by == "buffer", by == "buffer_fill"], ["hit", "partial hit"], "miss")
    return np.char.add(np.where(trace.write, "write ", "read "), outcome)


def requests_csv(trace: m.Trace, replay: m.Replay, first: int = 0) -> str:
    """A row a request from number `first` on; times in ms."""
    gap, _ = m.before(trace)
    by, kind, near = served(trace, replay), classes(trace, replay), order(trace)
    names = list(replay.phases)
    header = ["number", "op", "lbn", "sectors", "outcome", "measured_ms", "simulated_ms", "error_ms", "class", "served_by",
              "order", "distance_sectors", "seek_cylinders", "accesses", "think_ms", *(f"{name}_ms" for name in names)]
    rows = []
    for i in range(first, len(trace)):
        seek = "" if replay.seek_cylinders[i] < 0 else int(replay.seek_cylinders[i])
        rows.append([i, "write" if trace.write[i] else "read", trace.lbn[i], trace.sectors[i], trace.outcome[i],
                      f"{trace.measured_ms[i]:.6f}", f"{replay.response_ms[i]:.6f}",
                      f"{replay.response_ms[i] - trace.measured_ms[i]:.6f}", kind[i], by[i], near[i],
                      gap[i] if i else "", seek, int(replay.accesses[i]), f"{trace.think_ms[i]:.6f}",
                      *(f"{replay.phases[name][i]:.6f}" for name in names)])
    return tabular.csv(header, rows)


# ---- Picture -----------------------------------------------------------------------------------------------------------


def _dots(axes: Axes, place: np.ndarray, error: np.ndarray, colour: str) -> None:
    """As pixels: thousands of shapes make a large file."""
    axes.plot(place, error, "o", color=colour, markersize=2, alpha=0.45, markeredgewidth=0, rasterized=True)


def _bar(axes: Axes, place: float, error: np.ndarray, width: float) -> None:
    """10 to 90 % of the errors as a bar, their mean as a stroke."""
    low, high = np.quantile(error, (_SHORT, _LONG))
    axes.bar(place, high - low, width, low, color="#4443", edgecolor="#444", linewidth=0.7)
    axes.hlines(error.mean(), place - 0.7 * width, place + 0.7 * width, color="#000", linewidth=2)


def _against(axes: Axes, place: np.ndarray, error: np.ndarray, kinds: list[tuple[str, np.ndarray]], bins: int) -> None:
    """`place` along the axis from 0 to 1."""
    picked = np.zeros(len(error), bool)
    picked[np.unique(np.linspace(0, len(error) - 1, min(_DOTS, len(error))).astype(int))] = True
    shake = np.random.default_rng(1).uniform(-0.008, 0.008, len(error))
    for name, kind in kinds:
        _dots(axes, (place + shake)[kind & picked], error[kind & picked], _COLOURS[name])
    where = np.minimum((place * bins).astype(int), bins - 1)
    for one in range(bins):
        if (where == one).sum() >= 10:
            _bar(axes, float(place[where == one].mean()), error[where == one], 0.014)


def _distance(axes: Axes, gap: np.ndarray, error: np.ndarray, kinds: list[tuple[str, np.ndarray]]) -> None:
    """Logarithmic; requests that go on where the one before ended stand by themselves on the left."""
    decades = int(max(1.0, np.ceil(np.log10(max(np.abs(gap).max(), 10)))))
    _against(axes, np.where(gap == 0, 0.0, 0.1 + 0.9 * np.log10(np.maximum(np.abs(gap), 1)) / decades), error, kinds, 24)
    axes.set_xticks([0, *(0.1 + 0.9 * i / decades for i in range(decades + 1))], ["0", *(f"{10**i:,}" for i in range(decades + 1))])
    axes.set_xlabel("distance from the end of the request before, sectors, either way")


def _size(axes: Axes, sectors: np.ndarray, error: np.ndarray, kinds: list[tuple[str, np.ndarray]]) -> None:
    octaves = int(max(1.0, np.ceil(np.log2(sectors.max()))))
    _against(axes, np.log2(sectors) / octaves, error, kinds, 2 * octaves + 1)
    axes.set_xticks(np.arange(octaves + 1) / octaves, [str(2**i) for i in range(octaves + 1)])
    axes.set_xlabel("size, sectors")


def _class(axes: Axes, label: np.ndarray, error: np.ndarray) -> None:
    names, counts = np.unique(label, return_counts=True)
    shake = np.random.default_rng(2).uniform(-0.3, 0.3, len(error))
    for i, (name, count) in enumerate(zip(names, counts)):
        here = label == name
        some = np.flatnonzero(here)[:: max(1, int(count) * len(names) // _DOTS)]
        _dots(axes, i + shake[some], error[some], _COLOURS["writes" if name.startswith("write") else
              "reads from the buffer" if "hit" in name else "reads from the media"])
        _bar(axes, i, error[here], 0.04 * len(names))
    axes.set_xticks(range(len(names)), ["\n".join([*name.replace(",", "").split(" "), f"{n:,}"]) for name, n in zip(names, counts)])


def picture(title: str, trace: m.Trace, replay: m.Replay, first: int = 0) -> str:
    """An SVG: errors of the requests from number `first` on against distance, size and class."""
    chosen = np.arange(len(trace)) >= first
    error = (replay.response_ms - trace.measured_ms)[chosen]
    write, media = trace.write[chosen], replay.accesses[chosen] > 0
    kinds = [("writes", write), ("reads from the buffer", ~write & ~media), ("reads from the media", ~write & media)]
    gap = m.before(trace)[0][chosen].copy()
    if first == 0:
        gap[0] = 0
    label = np.char.add(np.char.add(classes(trace, replay)[chosen], ", "), order(trace)[chosen])
    edge = max(float(np.quantile(np.abs(error), 0.98)), 0.01)
    figure, panels = drawing.panels(3)
    inside = np.clip(error, -edge, edge)
    _distance(panels[0], gap, inside, kinds)
    _size(panels[1], trace.sectors[chosen], inside, kinds)
    _class(panels[2], label, inside)
    for axes, what in zip(panels, ("distance", "size", "class")):
        drawing.label(axes, f"{title}: simulated less measured, ms, against {what}", axes.get_xlabel())
        axes.set_ylim(-1.03 * edge, 1.03 * edge)
    for name, colour in _COLOURS.items():
        panels[0].plot([], [], "o", color=colour, label=name)
    panels[0].plot([], [], color="#000", label="bar: 10 to 90 %; stroke: mean")
    return drawing.svg(figure)

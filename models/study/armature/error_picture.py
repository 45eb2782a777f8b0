"""Errors of a validation request by request: a table, and a picture against distance, size and class."""

from __future__ import annotations

import csv
import io

import numpy as np

from . import measured as m

NAME_SPACE = "http://www.w3.org/2000/svg"  # which an SVG has by itself, and not as a part of HTML
_DOTS = 2_500
_COLOURS = {"writes": "#d55e00", "reads from the buffer": "#009e73", "reads from the media": "#0072b2"}
_LEFT, _RIGHT, _TOP, _HEIGHT = 70, 700, 54, 210  # of a panel, in the picture's units
_PANEL = 285
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
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["number", "op", "lbn", "sectors", "outcome", "measured_ms", "simulated_ms", "error_ms", "class", "served_by",
                  "order", "distance_sectors", "seek_cylinders", "accesses", "think_ms", *(f"{name}_ms" for name in names)])
    for i in range(first, len(trace)):
        seek = "" if replay.seek_cylinders[i] < 0 else int(replay.seek_cylinders[i])
        out.writerow([i, "write" if trace.write[i] else "read", trace.lbn[i], trace.sectors[i], trace.outcome[i],
                      f"{trace.measured_ms[i]:.6f}", f"{replay.response_ms[i]:.6f}",
                      f"{replay.response_ms[i] - trace.measured_ms[i]:.6f}", kind[i], by[i], near[i],
                      gap[i] if i else "", seek, int(replay.accesses[i]), f"{trace.think_ms[i]:.6f}",
                      *(f"{replay.phases[name][i]:.6f}" for name in names)])
    return text.getvalue()


# ---- Picture -----------------------------------------------------------------------------------------------------------


class _Panel:
    """Axes with errors upwards. `place` of a value along is in [0, 1]."""

    def __init__(self, number: int, title: str, edge: float):
        self.top = _TOP + number * _PANEL
        self.edge = edge
        self.parts = [f'<text x="{_LEFT}" y="{self.top - 10}" font-weight="bold">{title}</text>']
        decade = 10 ** np.floor(np.log10(edge / 2))
        step = next(n * decade for n in (1, 2, 5, 10) if edge / (n * decade) <= 4)
        for i in range(-4, 5):
            if abs(i * step) <= edge * 1.001:
                y = self.y(i * step)
                self.parts.append(f'<path d="M{_LEFT} {y:.1f}H{_RIGHT}" stroke="{"#888" if i == 0 else "#e4e4e4"}" fill="none"/>'
                                  f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{f"{i * step:+g}" if i else 0}</text>')

    def x(self, place: np.ndarray | float) -> np.ndarray | float:
        return _LEFT + 8 + (_RIGHT - _LEFT - 16) * place

    def y(self, error: np.ndarray | float) -> np.ndarray | float:
        return self.top + _HEIGHT / 2 - _HEIGHT / 2 * np.clip(error / self.edge, -1, 1)

    def mark(self, place: float, text: str) -> None:
        self.parts.append(f'<text x="{self.x(place):.1f}" y="{self.top + _HEIGHT + 18}" text-anchor="middle">{text}</text>')

    def under(self, text: str) -> None:
        self.parts.append(f'<text x="{(_LEFT + _RIGHT) / 2}" y="{self.top + _HEIGHT + 38}" text-anchor="middle">{text}</text>')

    def dots(self, place: np.ndarray, error: np.ndarray, colour: str) -> None:
        path = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in zip(self.x(place), self.y(error)))
        self.parts.append(f'<path d="{path}" stroke="{colour}" stroke-width="2.4" stroke-linecap="round" stroke-opacity=".45" '
                          'fill="none"/>')

    def bar(self, place: float, error: np.ndarray, width: float) -> None:
        """10 to 90 % of the errors as a bar, their mean as a stroke."""
        low, high = (self.y(np.quantile(error, q)) for q in (_SHORT, _LONG))
        middle, x = self.y(error.mean()), self.x(place)
        self.parts.append(f'<rect x="{x - width / 2:.1f}" y="{high:.1f}" width="{width:.1f}" height="{max(low - high, 0.5):.1f}" '
                          'fill="#444" fill-opacity=".18" stroke="#444" stroke-width=".7"/>'
                          f'<path d="M{x - width / 2 - 2:.1f} {middle:.1f}h{width + 4:.1f}" stroke="#000" stroke-width="2"/>')


def _against(panel: _Panel, place: np.ndarray, error: np.ndarray, kinds: list[tuple[str, np.ndarray]], bins: int) -> None:
    picked = np.zeros(len(error), bool)
    picked[np.unique(np.linspace(0, len(error) - 1, min(_DOTS, len(error))).astype(int))] = True
    shake = np.random.default_rng(1).uniform(-0.008, 0.008, len(error))
    for name, kind in kinds:
        panel.dots((place + shake)[kind & picked], error[kind & picked], _COLOURS[name])
    where = np.minimum((place * bins).astype(int), bins - 1)
    for one in range(bins):
        if (where == one).sum() >= 10:
            panel.bar(float(place[where == one].mean()), error[where == one], 9)


def _short(number: int) -> str:
    return next((f"{number // unit}{letter}" for unit, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")) if number >= unit),
                str(number))


def _distance(panel: _Panel, gap: np.ndarray, error: np.ndarray, kinds: list[tuple[str, np.ndarray]]) -> None:
    """Logarithmic; requests that go on where the one before ended stand by themselves on the left."""
    decades = max(1.0, np.ceil(np.log10(max(np.abs(gap).max(), 10))))
    place = np.where(gap == 0, 0.0, 0.1 + 0.9 * np.log10(np.maximum(np.abs(gap), 1)) / decades)
    _against(panel, place, error, kinds, 24)
    panel.mark(0, "0")
    for i in range(int(decades) + 1):
        panel.mark(0.1 + 0.9 * i / decades, _short(10**i))
    panel.under("distance from the end of the request before, sectors, either way")


def _size(panel: _Panel, sectors: np.ndarray, error: np.ndarray, kinds: list[tuple[str, np.ndarray]]) -> None:
    octaves = max(1.0, np.ceil(np.log2(sectors.max())))
    _against(panel, np.log2(sectors) / octaves, error, kinds, int(2 * octaves) + 1)
    for i in range(int(octaves) + 1):
        panel.mark(i / octaves, f"{2**i:g}")
    panel.under("size, sectors")


def _class(panel: _Panel, label: np.ndarray, error: np.ndarray) -> None:
    names = sorted(set(label.tolist()))
    shake = np.random.default_rng(2).uniform(-0.3, 0.3, len(error))
    for i, name in enumerate(names):
        here = label == name
        place = (i + 0.5) / len(names)
        some = np.flatnonzero(here)[:: max(1, int(here.sum()) * len(names) // _DOTS)]
        panel.dots(place + shake[some] / len(names), error[some], _COLOURS["writes" if name.startswith("write") else
                   "reads from the buffer" if "hit" in name else "reads from the media"])
        panel.bar(place, error[here], 26)
        kind, _, where = name.partition(", ")
        for line, text in enumerate((*kind.split(" ", 1), where, f"{here.sum():,}")):
            panel.parts.append(f'<text x="{panel.x(place):.1f}" y="{panel.top + _HEIGHT + 18 + 14 * line}" text-anchor="middle">'
                               f'{text}</text>')


def picture(title: str, trace: m.Trace, replay: m.Replay, first: int = 0) -> str:
    """An SVG: errors of the requests from number `first` on against distance, size and class."""
    chosen = np.arange(len(trace)) >= first
    error = (replay.response_ms - trace.measured_ms)[chosen]
    write, media = trace.write[chosen], replay.accesses[chosen] > 0
    kinds = [("writes", write), ("reads from the buffer", ~write & ~media), ("reads from the media", ~write & media)]
    edge = max(float(np.quantile(np.abs(error), 0.98)), 0.01)
    gap = m.before(trace)[0][chosen].copy()
    if first == 0:
        gap[0] = 0
    label = np.char.add(np.char.add(classes(trace, replay)[chosen], ", "), order(trace)[chosen])
    panels = [_Panel(i, f"{title}: simulated less measured, ms, against {what}", edge)
              for i, what in enumerate(("distance", "size", "class"))]
    _distance(panels[0], gap, error, kinds)
    _size(panels[1], trace.sectors[chosen], error, kinds)
    _class(panels[2], label, error)
    height = _TOP + 3 * _PANEL + 15
    parts = [f'<svg xmlns="{NAME_SPACE}" viewBox="0 0 720 {height}" font-family="sans-serif" font-size="11">',
             f'<rect width="720" height="{height}" fill="#fff"/>']
    for i, (name, colour) in enumerate(_COLOURS.items()):
        parts.append(f'<circle cx="{_LEFT + 6 + 150 * i}" cy="16" r="4" fill="{colour}"/>'
                     f'<text x="{_LEFT + 16 + 150 * i}" y="20">{name}</text>')
    parts.append(f'<text x="{_LEFT + 460}" y="20">bar: 10 to 90 %; stroke: mean</text>')
    for panel in panels:
        parts += panel.parts
    return "\n".join([*parts, "</svg>"]) + "\n"

"""`armature validate`: a drive file held against the times that a real drive took."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from . import error_picture, page, tabular, templates
from . import measured as m
from . import phase as rotation
from .errors import InputError

_WORST = 20
_POINTS = 3_000  # of a picture


@dataclass
class Validation:
    """A drive beside measurements."""

    trace: m.Trace  # as it was replayed
    replay: m.Replay
    first: int
    taken: dict[str, float]  # keys that the trace's first requests gave
    phase: rotation.Phase | None
    paced: m.Errors | None  # with the phase that they gave, if it is coherent

    @property
    def chosen(self) -> np.ndarray:
        return np.arange(len(self.trace)) >= self.first

    def errors(self) -> list[tuple[str, m.Errors]]:
        return [(name, m.errors(self.trace.measured_ms[part & self.chosen], self.replay.response_ms[part & self.chosen]))
                for name, part in m.classes(self.trace, self.replay) if (part & self.chosen).any()]

    def whole(self) -> m.Errors:
        return m.errors(self.trace.measured_ms[self.chosen], self.replay.response_ms[self.chosen])


def validate(drive: m.Drive, trace: m.Trace, first: int = 0, as_given: bool = False) -> Validation:
    if first >= len(trace) - 20:
        raise InputError(f"--from {first}: the trace has {len(trace)} requests, and a comparison needs 20")
    drive.accept(trace)
    configuration = drive.resolved(trace)
    taken: dict[str, float] = {}
    replay = drive.replay(trace)
    if not as_given and not configuration["link"].get("bus_us_per_sector"):
        # DiskSim keeps a bus that is slower than the drive's own in another file: what the drive file does not know.
        slope = m.bus_time_us(trace, replay)
        if slope and slope > 10:  # Serial ATA's own is below 4
            taken["link.bus_us_per_sector"] = round(slope, 1)
    nominal_ms = 60_000 / configuration["spindle"]["rpm"]
    phase = rotation.find(trace, drive.replay(trace, taken, paced=True), nominal_ms,
                          configuration["spindle"].get("index_phase_rev", 0))
    if phase and phase.coherent:
        if phase.think == "before":
            trace = trace.thought_before()
        if not as_given and phase.other_speed:
            taken["spindle.rpm"] = round(60_000 / phase.period_ms, 3)
    replay = drive.replay(trace, taken)
    paced = None
    if phase and phase.coherent_everywhere and not as_given:
        # Requests come when they came to the real drive, whose disk turned as found.
        found = dict(taken, **{"spindle.rpm": round(60_000 / phase.period_ms, 3),
                               "spindle.index_phase_rev": round(phase.phase, 5) % 1})
        late = np.arange(len(trace)) >= max(first, m.CALIBRATION)
        there = drive.replay(trace, found, paced=True)
        paced = m.errors(trace.measured_ms[late], there.response_ms[late])
    return Validation(trace, replay, first, taken, phase, paced)


# ---- What is said ------------------------------------------------------------------------------------------------------

_HEADER = ["requests", "number", "measured ms", "simulated ms", "rms ms", "mean error ms", "mean absolute error ms",
           "90 % of the errors below ms"]


def _row(name: str, e: m.Errors) -> list:
    return [name, e.count, e.measured, e.simulated, e.rms, e.mean, e.absolute, e.absolute_p90]


def phase_sentence(phase: rotation.Phase | None) -> str:
    if phase is None:
        return "Rotation: too few of the first requests went to one track to tell."
    told = (f"coherence {phase.coherence:.3f} of {phase.pairs} pairs of the first requests to one track (unrelated times "
            f"would give up to {phase.noise:.3f}), {phase.later:.3f} of the later ones (unrelated: {phase.later_noise:.3f})")
    if not phase.coherent:
        return (f"Rotation: the times do not tell where the disk was ({told}), so the rotation of a single request is not "
                "to be had from this trace; its errors hold two random angles.")
    sentence = (f"Rotation: the trace is coherent: {told}; period {phase.period_ms:.5f} ms ({60_000 / phase.period_ms:.2f} rpm), "
                f"and its think times lie {phase.think} their requests; frozen from there on.")
    everywhere = f"{phase.whole_later:.3f} over all later requests"
    if phase.coherent_everywhere:
        return f"{sentence} The layout's angles are right from track to track, too ({everywhere}), phase {phase.phase:.4f} turns."
    return (f"{sentence} From track to track the layout's angles are not right (coherence {everywhere}), so a request far from "
            "the one before still holds two random angles.")


def taken_sentence(taken: dict[str, float]) -> str:
    if not taken:
        return ""
    return (f"Taken from the first {m.CALIBRATION} requests, not from the drive file: " + ", ".join(f"{key} = {value:.8g}" for key, value in taken.items()) + ".")


def pictures(validation: Validation) -> dict[str, object]:
    import plotly.graph_objects as go

    chosen = validation.chosen
    measured, simulated = validation.trace.measured_ms[chosen], validation.replay.response_ms[chosen]
    curves = go.Figure()
    share = np.linspace(0, 1, 1001)
    for name, values in (("measured", measured), ("simulated", simulated)):
        curves.add_scatter(x=np.quantile(values, share), y=100 * share, mode="lines", name=name)
    curves.update_layout(xaxis_title="response time (ms)", yaxis_title="requests that took at most this (%)", height=440)
    scatter = go.Figure()
    picked = np.unique(np.linspace(0, len(measured) - 1, min(_POINTS, len(measured))).astype(int))
    served = validation.replay.accesses[chosen] > 0
    write = validation.trace.write[chosen]
    for name, kind in (("writes", write), ("reads from the buffer", ~write & ~served), ("reads from the media", ~write & served)):
        at = picked[kind[picked]]
        if len(at):
            scatter.add_scatter(x=measured[at], y=simulated[at], mode="markers", name=name,
                                  marker={"size": 4, "opacity": 0.55})
    edge = float(max(measured.max(), simulated.max()))
    scatter.add_scatter(x=[0, edge], y=[0, edge], mode="lines", name="equal", line={"color": "#999", "width": 1})
    scatter.update_layout(xaxis_title="measured (ms)", yaxis_title="simulated (ms)", height=560)
    return {"distribution": curves, "requests": scatter}


def _worst(validation: Validation) -> list[list]:
    t, r = validation.trace, validation.replay
    off = np.where(validation.chosen, np.abs(r.response_ms - t.measured_ms), -1)
    rows = []
    for i in np.argsort(-off, kind="stable")[:_WORST]:
        rows.append([int(i), "write" if t.write[i] else "read", int(t.lbn[i]), int(t.sectors[i]),
                     float(t.measured_ms[i]), float(r.response_ms[i]), float(r.response_ms[i] - t.measured_ms[i]),
                     "buffer" if r.accesses[i] == 0 else f"{int(r.seek_cylinders[i])} cylinders"])
    return rows


_WORST_HEADER = ["number", "op", "LBN", "sectors", "measured ms", "simulated ms", "error ms", "where the model got it"]


def write_results(validation: Validation, out: Path, title: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    rows = [_row(name, e) for name, e in validation.errors()]
    (out / "validation.tsv").write_text(tabular.tsv(_HEADER, rows))
    (out / "requests.csv").write_text(error_picture.requests_csv(validation.trace, validation.replay, validation.first))
    shown_errors = error_picture.picture(title, validation.trace, validation.replay, validation.first)
    (out / "errors.svg").write_text(shown_errors)
    (out / "worst.tsv").write_text(tabular.tsv(_WORST_HEADER, _worst(validation)))
    (out / "validation.json").write_text(json.dumps({
        "drive": title, "trace": str(validation.trace.path), "from_request": validation.first,
        "taken_from_trace": validation.taken, "phase": asdict(validation.phase) if validation.phase else None,
        "coherent": bool(validation.phase and validation.phase.coherent),
        "coherent_everywhere": bool(validation.phase and validation.phase.coherent_everywhere),
        "errors_ms": {name: asdict(e) for name, e in validation.errors()},
        "with_phase_ms": asdict(validation.paced) if validation.paced else None}, indent=1) + "\n")
    shown = [[cell if isinstance(cell, (str, int)) else page.number(cell) for cell in row] for row in rows]
    figures = pictures(validation)
    worst = [[page.text(c) if isinstance(c, (str, int)) else page.number(c) for c in row] for row in _worst(validation)]
    body = templates.fill(
        "validation.html", count=len(validation.trace) - validation.first, trace=validation.trace.path.name,
        taken=taken_sentence(validation.taken), phase=phase_sentence(validation.phase), paced=validation.paced, number=page.number,
        distribution=page.picture(figures["distribution"], "distribution"), errors=page.table(_HEADER, shown),
        picture=base64.b64encode(shown_errors.encode()).decode(), near=m.NEAR, requests=page.picture(figures["requests"], "requests"),
        worst=page.table(_WORST_HEADER, worst, numeric_from=2))
    (out / "validation.html").write_text(page.page(f"{title}: simulated and measured", body))


def print_errors(validation: Validation) -> None:
    rows = [["times in ms", "number", "measured", "simulated", "rms", "error", "|error|", "p90"]]
    for name, e in validation.errors():
        rows.append([name, str(e.count), *(f"{x:.3f}" for x in (e.measured, e.simulated, e.rms)), f"{e.mean:+.3f}",
                     *(f"{x:.3f}" for x in (e.absolute, e.absolute_p90))])
    print(tabular.aligned(rows))

"""`armature fit`: improves the numbers of a drive file that no datasheet tells, with the times that a real drive took."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

import numpy as np

from . import bounds, layout
from . import measured as m
from . import phase as rotation
from .drive_text import table_text, with_keys
from .program import Program
from .progress import Progress
from .search import Choice, Found, Problem, Replays, Search, Variable
from .validate import Validation, validate

# Where the table of a seek curve is bent: cylinders, and the longest move.
_KNOTS = (1, 4, 20, 100, 500, 2_000)
_MORE_KNOTS = (1, 2, 4, 8, 16, 30, 60, 120, 250, 500, 1_000, 2_000, 4_000, 8_000)  # where each turn that is missed tells
_SAMPLES = 60  # of a curve that is made a table
_OVERHEADS = ("read_hit", "read_miss", "write_hit", "write_miss")
_CHANCES = 5  # replays of the half that was not seen, there
_JITTERED = 3  # replays of a trial where rotations are others than the real drive's
_TRUER = 0.9  # mean absolute error with other skews, over that with the file's
_KNOWN = 0.1  # turns
LEAST = 42  # requests: each half is validated by itself
_NEARER, _MUCH = 0.8, 1.25  # parts of the mean absolute error and of rms
_TOLD_WORSE = 1.02  # mean absolute error; it scatters with rotations


# ---- What is fitted ----------------------------------------------------------------------------------------------------


def _plain(key: str) -> Callable[[dict, float], None]:
    def apply(settings: dict, value: float) -> None:
        settings[key] = round(value, 6)

    return apply


def _variable(name: str, value: float, scale: float, apply: Callable[[dict, float], None]) -> Variable:
    return Variable(name, value, scale, *bounds.bound(name).around(value), apply)


def _bends(seek: dict, table: list[list[float]], at: tuple[int, ...]) -> list[Variable]:
    """The curve's table, bent at some distances and in between linearly over the logarithm of the distance. It rises
    where it rose before."""
    distances = np.array([row[0] for row in table])
    times = np.array([row[1] for row in table])
    knots = [knot for knot in at if knot < 0.9 * distances[-1]] + [int(distances[-1])]
    falls = np.diff(times, prepend=0) < 0

    def bend(settings: dict, index: int, value: float) -> None:
        shape = settings.setdefault("_bends", [0.0] * len(knots))
        shape[index] += value
        bent = times + np.interp(np.log(distances), np.log(knots), shape)
        for i in range(1, len(bent)):
            if not falls[i]:
                bent[i] = max(bent[i], bent[i - 1])
        settings["seek.table"] = [[float(d), max(float(round(t, 6)), 0.0)] for d, t in zip(distances, bent)]
        if seek["curve"] == "two_piece":
            settings.update({"seek.curve": "measured", "seek.two_piece": []})

    return [_variable(f"seek.table at {knot}", 0.0, 0.2, lambda settings, value, i=i: bend(settings, i, value))
            for i, knot in enumerate(knots)] + [_inward(seek, lambda settings, value: bend(settings, 0, value))]


def _inward(seek: dict, shorter: Callable[[dict, float], None]) -> Variable:
    """How much moves inwards differ from those outwards. That to the next cylinder inwards, which whoever chose the skews of
    cylinders knew, stays as it was: `shorter` adds to the mean of both ways."""
    value = float(seek["inward_ms"])

    def apply(settings: dict, now: float) -> None:
        _plain("seek.inward_ms")(settings, now)
        if now != value:
            shorter(settings, value - now)

    return _variable("seek.inward_ms", value, 0.2, apply)


def _sampled(configuration: dict) -> list[list[float]]:
    """A curve of two pieces as a table, whose shortest moves the file may have already: so it can be bent anywhere."""
    meet, a, b, c, e = (float(cell) for cell in configuration["seek"]["two_piece"][0])
    longest = max(int(zone[1]) for zone in configuration["geometry"]["zones"])
    shortest = configuration["seek"].get("table") or []
    known = int(shortest[-1][0]) if shortest else 0
    places = {*range(1, 21), *np.geomspace(20, longest, _SAMPLES).astype(int), meet - 1, meet, longest}
    return [*shortest, *([float(d), a + b * d**0.5 if d < meet else c + e * d] for d in sorted(places) if known < d <= longest)]


def _numbers(configuration: dict, exact: bool) -> list[Variable]:
    variables: list[Variable] = []
    knots = _MORE_KNOTS if exact else _KNOTS
    overheads, cache, seek = configuration["overheads"], configuration["cache"], configuration["seek"]
    for kind in _OVERHEADS:
        if (kind == "write_hit" and not cache["write"]) or (kind == "read_hit" and not cache["look_ahead"]):
            continue
        plain, after = float(overheads[f"{kind}_us"]), float(overheads[f"{kind}_after_write_us"])
        for suffix, value in (("_us", plain), ("_after_write_us", plain if after < 0 else after)):
            key = f"overheads.{kind}{suffix}"
            variables.append(_variable(key, value, max(50.0, value / 10), _plain(key)))
    if not cache["write"]:
        after = variables[-1].value  # of a write to the media behind a write
        sequential, data, last = (float(overheads[f"write_{kind}_us"]) for kind in ("sequential", "data", "last_data"))
        for key, value in (("write_sequential", after if sequential < 0 else sequential), ("write_data", data),
                           ("write_last_data", data if last < 0 else last)):
            variables.append(_variable(f"overheads.{key}_us", value, max(50.0, value / 10), _plain(f"overheads.{key}_us")))
    if cache["look_ahead"]:
        variables.append(_variable("overheads.end_read_ahead_us", float(overheads["end_read_ahead_us"]), 400.0,
                                   _plain("overheads.end_read_ahead_us")))
    for kind in ("read", "write"):
        key = f"overheads.{kind}_completion_us"
        variables.append(_variable(key, float(overheads[f"{kind}_completion_us"]), 50.0, _plain(key)))
    bus = float(configuration["link"]["bus_us_per_sector"])
    variables.append(_variable("link.bus_us_per_sector", bus, max(3.0, bus / 20), _plain("link.bus_us_per_sector")))
    written = float(configuration["link"].get("bus_us_per_written_sector", -1))
    if written > 0:
        variables.append(_variable("link.bus_us_per_written_sector", written, max(3.0, written / 20),
                                   _plain("link.bus_us_per_written_sector")))
    for key, scale in (("reposition_ms", 0.4), ("head_switch_ms", 0.2), ("write_settle_ms", 0.2)):
        variables.append(_variable(f"seek.{key}", float(seek[key]), scale, _plain(f"seek.{key}")))
    if seek["curve"] == "two_piece":
        variables += _bends(seek, _sampled(configuration), knots)
    elif seek.get("table"):
        variables += _bends(seek, seek["table"], knots)
    elif seek["curve"] in ("measured", "linear", "lee"):
        for key in ("single_track_ms", "average_ms", "full_stroke_ms"):
            value = float(seek[key])
            variables.append(_variable(f"seek.{key}", value, max(0.1, value / 20), _plain(f"seek.{key}")))
        variables.append(_inward(seek, _more_for_one_cylinder(seek)))
    return variables


def _more_for_one_cylinder(seek: dict) -> Callable[[dict, float], None]:
    def apply(settings: dict, value: float) -> None:
        settings["seek.single_track_ms"] = round(max(settings.get("seek.single_track_ms", float(seek["single_track_ms"])) + value, 0.01), 6)

    return apply


def problem(program: Program, configuration: dict, keep: list[str], exact: bool = False) -> Problem:
    variables = [v for v in _numbers(configuration, exact) if v.name not in keep and v.name.split(" ")[0] not in keep]
    choices = []
    for key, values in bounds.ways(program, configuration).items():
        section, leaf = key.split(".")
        if key not in keep:
            choices.append(Choice(key, configuration[section][leaf], values))
    return Problem(variables, choices)


# ---- Layout ------------------------------------------------------------------------------------------------------------


def layout_keys(drive: m.Drive, trace: m.Trace, configuration: dict, settings: dict) -> dict:
    """Speed and skews by which the trace's rotations come true; nothing if they do not make the times truer. `trace` is
    coherent, its think times arranged."""
    period_ms = 60_000 / settings.get("spindle.rpm", configuration["spindle"]["rpm"])
    passages = rotation.passages(trace, drive.replay(trace, settings, paced=True), period_ms)
    at = trace.arrival_ms + passages.before_ms
    every = np.ones(len(trace), bool)
    period_ms = rotation.exact_period(passages, at, every, period_ms)
    speed = {"spindle.rpm": round(60_000 / period_ms, 4)}
    tried = [{}, speed]
    if configuration["geometry"]["mapping"] not in ("serpentine", "serpentine_alternating", "inward_bands"):
        found = layout.angles(configuration["geometry"], passages, at, period_ms, every)
        if any(angle and angle.found for angle in found):
            tried.append({**speed, **layout.corrected(configuration["geometry"], found)})

    def off(keys: dict) -> float:
        return float(np.abs(drive.replay(trace, {**settings, **keys}).response_ms - trace.measured_ms).mean())

    # A layout that was right is not replaced by one that chance makes look a little truer.
    best = min(tried[:2], key=off)
    return tried[2] if len(tried) > 2 and off(tried[2]) < _TRUER * off(best) else best


def true_angles(replay: m.Replay, trace: m.Trace, turn_ms: float) -> bool:
    """Whether the model's disk is where the real one was, request by request: half of the accesses are then off by little.
    Two unrelated angles are 0.29 turns apart in the middle."""
    media = replay.accesses > 0
    return bool(media.sum() >= 20 and np.median(np.abs(replay.response_ms - trace.measured_ms)[media]) < _KNOWN * turn_ms)


# ---- Fit ---------------------------------------------------------------------------------------------------------------


@dataclass
class Fitted:
    """What a fit has found. `text` is the drive file."""

    task: Problem
    found: Found
    taken: dict[str, float]
    angles: dict  # keys of rotation and layout
    left_out: int  # tracks without blocks that the drive file does not know
    exact: bool  # the model's disk is where the real one was
    text: str
    failures: list[str]  # of replays


def fit(drive: m.Drive, trace: m.Trace, trials: int, keep: list[str], progress: Progress) -> Fitted:
    """Fits to the first half of the trace."""
    half = len(trace) // 2
    drive.accept(trace)
    configuration = drive.resolved(trace)
    first = validate(drive, trace.first(half))
    for key, value in first.taken.items():  # a bus that the file does not know
        section, leaf = key.split(".")
        configuration[section][leaf] = value
    base = dict(first.taken)
    angles: dict = {}
    if first.phase and first.phase.coherent:
        angles = layout_keys(drive, first.trace, configuration, base)
        angles = {key: value for key, value in angles.items() if key not in keep}
        base.update(angles)
    turn_ms = 60_000 / base.get("spindle.rpm", configuration["spindle"]["rpm"])
    exact = bool(first.phase and first.phase.coherent) and true_angles(drive.replay(first.trace, base), first.trace, turn_ms)
    task = problem(drive.program, configuration, keep, exact)
    traces = [first.trace]
    if not exact:
        jitter = np.random.default_rng(1)
        traces = [first.trace.with_think(first.trace.think_ms + jitter.uniform(0, turn_ms, half)) for _ in range(_JITTERED)]
    replays = Replays(drive, traces, base, trials, progress.advance)
    found = Search(task, replays, first.trace, turn_ms if exact else None).run()
    text = with_keys(Path(drive.file).read_text(), _written(task, found, base, angles),
                     f"fitted to {trace.path.name}, requests 0 to {half - 1}")
    slips, listed = ({(row[0], row[1] // geometry["zones"][int(row[0])][2]) for row in geometry.get("slips") or []}
                     for geometry in ({**configuration["geometry"], "slips": angles.get("geometry.slips")}, configuration["geometry"]))
    return Fitted(task, found, first.taken, angles, len(slips - listed), exact, text, replays.failures)


def _written(task: Problem, found: Found, base: dict, angles: dict) -> dict[str, str]:
    """The keys that the drive file gets: those that have changed."""
    then = task.settings(task.start, task.as_is)
    changed = {key: value for key, value in task.settings(found.values, found.chosen).items()
               if value != then[key] and not key.startswith("_")}
    keys = {key: table_text(value) if key == "seek.table" else m.toml(value) for key, value in {**base, **changed}.items()}
    for name in ("geometry.zones", "geometry.zone_fronts", "geometry.range_skews", "geometry.slips"):
        if name in angles:
            keys[name] = "[\n" + "".join(f"  [{', '.join(f'{cell:.9g}' for cell in row)}],\n" for row in angles[name]) + "]"
    return keys


@dataclass(frozen=True)
class Verdict:
    """On the half that was not seen: whether the fitted drive is refused, and what is worse there; empty if nothing is."""

    refused: bool
    worse: str


def unseen(validation: Validation, drive: m.Drive) -> m.Errors:
    """Errors on the half that was not seen. Where rotations are by chance, the mean rms over several chances counts: think
    times are changed by parts of a turn."""
    found, trace = validation.whole(), validation.trace
    turn_ms = 60_000 / validation.taken.get("spindle.rpm", float(drive.resolved(trace)["spindle"]["rpm"]))
    if validation.phase and validation.phase.coherent and true_angles(validation.replay, trace, turn_ms):
        return found
    jitter = np.random.default_rng(2)
    several = [m.errors(trace.measured_ms[validation.chosen], drive.replay(
        trace.with_think(trace.think_ms + jitter.uniform(0, turn_ms, len(trace))), validation.taken).response_ms[validation.chosen])
        for _ in range(_CHANCES)]
    return replace(found, rms=float(np.mean([one.rms for one in several])), absolute=float(np.mean([one.absolute for one in several])))


def judge(before: m.Errors, after: m.Errors) -> Verdict:
    """Distributions that agree by chance, as two unrelated rotations can, are given up for requests that are right one by
    one, but not for much."""
    told = [f"{name} {then:.4f} -> {now:.4f} ms" for name, then, now, allowed in
            (("rms", before.rms, after.rms, 1.0), ("mean absolute error", before.absolute, after.absolute, _TOLD_WORSE))
            if now > allowed * then]
    nearer = after.absolute < _NEARER * before.absolute and after.rms < _MUCH * before.rms
    return Verdict(bool(told) and not nearer, ", ".join(told))

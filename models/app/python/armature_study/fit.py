"""`armature fit`: improves the numbers of a drive file that no datasheet tells, with the times that a real drive took."""

from __future__ import annotations

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np

from . import layout
from . import measured as m
from . import phase as rotation
from .errors import InputError, refuse_unwritable, writing
from .program import Program, Refused
from .progress import Progress
from .validate import Validation, print_errors, taken_sentence, validate, write_results

# Where the table of a seek curve is bent: cylinders, and the longest move.
_KNOTS = (1, 4, 20, 100, 500, 2_000)
_OVERHEADS = ("read_hit", "read_miss", "write_hit", "write_miss")
_REPLAYS = 3  # of a trial


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = ("Fits speed, skews, command overheads, bus time, settling, the seek curve and what the drive reads "
                          "beside a request to the first half of a trace with measured times, and says how far off the result is on "
                          "the other half.")
    parser.add_argument("drive", metavar="DRIVE", help="drive file to begin with")
    parser.add_argument("trace", metavar="TRACE", help="R|W outcome LBN sectors measured_us think_us")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the fitted drive file")
    parser.add_argument("--out", metavar="DIR", default="out/fit", help="results on the other half (default: out/fit)")
    parser.add_argument("--trials", type=int, default=500, metavar="N", help="replays to spend (default: 500)")
    parser.add_argument("--keep", action="append", default=[], metavar="KEY", help="leave this key as it is")


# ---- What is fitted ----------------------------------------------------------------------------------------------------


@dataclass
class Variable:
    """A number that the fit changes. `scale` is what it may well be off. `apply` writes it into the settings of a
    replay."""

    name: str
    value: float
    scale: float
    least: float
    most: float
    apply: Callable[[dict, float], None]


@dataclass
class Choice:
    """A rule of the drive's firmware that is tried in each of its ways."""

    key: str
    value: object
    values: tuple


@dataclass
class Problem:
    variables: list[Variable]
    choices: list[Choice]

    def settings(self, values: list[float], chosen: list[object]) -> dict:
        made = {}
        for variable, value in zip(self.variables, values):
            variable.apply(made, value)
        for choice, value in zip(self.choices, chosen):
            made[choice.key] = value
        return made


def _plain(key: str) -> Callable[[dict, float], None]:
    def apply(settings: dict, value: float) -> None:
        settings[key] = round(value, 6)

    return apply


def problem(configuration: dict, keep: list[str]) -> Problem:
    variables: list[Variable] = []
    overheads = configuration["overheads"]
    for kind in _OVERHEADS:
        if kind.startswith("write_hit") and not configuration["cache"]["write"]:
            continue
        if kind == "read_hit" and not configuration["cache"]["look_ahead"]:
            continue
        plain = float(overheads[f"{kind}_us"])
        after = float(overheads[f"{kind}_after_write_us"])
        for suffix, value in (("_us", plain), ("_after_write_us", plain if after < 0 else after)):
            variables.append(Variable(f"overheads.{kind}{suffix}", value, max(100.0, value / 3), 0, 50_000,
                                      _plain(f"overheads.{kind}{suffix}")))
    bus = float(configuration["link"]["bus_us_per_sector"])
    variables.append(Variable("link.bus_us_per_sector", bus, max(10.0, bus / 10), 0, 5_000,
                              _plain("link.bus_us_per_sector")))
    seek = configuration["seek"]
    for key, scale in (("reposition_ms", 0.5), ("head_switch_ms", 0.3), ("write_settle_ms", 0.3)):
        variables.append(Variable(f"seek.{key}", float(seek[key]), scale, 0, 8, _plain(f"seek.{key}")))
    table = seek.get("table") or []
    if table:
        distances = np.array([row[0] for row in table])
        times = np.array([row[1] for row in table])
        knots = [knot for knot in _KNOTS if knot < distances[-1]] + [int(distances[-1])]
        bends = np.zeros(len(knots))

        def bend(index: int) -> Callable[[dict, float], None]:
            def apply(settings: dict, value: float) -> None:
                shape = settings.setdefault("_bends", bends.copy())
                shape[index] = value
                bent = times + np.interp(np.log(distances), np.log(knots), shape)
                settings["seek.table"] = [[float(d), max(float(round(t, 6)), 0.0)] for d, t in zip(distances, bent)]

            return apply

        for index, knot in enumerate(knots):
            variables.append(Variable(f"seek.table at {knot}", 0.0, 0.25, -10, 10, bend(index)))
    elif seek["curve"] in ("measured", "linear", "lee"):
        for key in ("single_track_ms", "average_ms", "full_stroke_ms"):
            if key in seek:
                variables.append(Variable(f"seek.{key}", float(seek[key]), 1.0, 0.01, 200, _plain(f"seek.{key}")))
    variables = [v for v in variables if v.name not in keep and v.name.split(" ")[0] not in keep]
    choices = []
    if configuration["cache"]["look_ahead"]:
        cache = configuration["cache"]
        choices = [Choice("cache.free_reads", cache["free_reads"], (False, True)),
                   Choice("cache.read_ahead", cache["read_ahead"], ("stream", "track", "cylinder", "segment")),
                   Choice("cache.keep_requested", cache["keep_requested"], (False, True)),
                   Choice("cache.written_segment", cache["written_segment"], ("larger", "front", "nothing")),
                   Choice("cache.read_on_arrival", cache["read_on_arrival"], (False, True)),
                   Choice("cache.read_watermark", cache["read_watermark"], (0.0, 1.0))]
    return Problem(variables, [choice for choice in choices if choice.key not in keep])


# ---- How good it is ----------------------------------------------------------------------------------------------------


def groups(trace: m.Trace) -> np.ndarray:
    """A number for each request: requests of one number should take times of one distribution, whatever the drive's
    numbers are. By operation, that of the request before, where it lies behind that one's end, and its size where
    the time hangs on it."""
    gap, after_write = m.before(trace)
    near = np.digitize(gap, [-512, -128, -16, 0, 1, 16, 128, 512])
    far = np.abs(gap) >= 512
    kind = near.astype(np.int64)
    if far.any():
        edges = np.quantile(np.abs(gap[far]), np.linspace(0, 1, 9)[1:-1])
        kind[far] = 20 + np.digitize(np.abs(gap[far]), edges)
    sized = trace.write | (gap == 0)
    edges = np.unique(np.quantile(trace.sectors[sized], [0.25, 0.5, 0.75])) if sized.any() else []
    size = np.where(sized, 1 + np.digitize(trace.sectors, edges), 0)
    return ((kind * 2 + trace.write) * 2 + after_write) * 8 + size


def layout_keys(drive: m.Drive, trace: m.Trace, configuration: dict, settings: dict) -> dict:
    """Speed and skews by which the trace's rotations come true; nothing if they do not make the times truer. `trace` is
    coherent, its think times arranged."""
    period_ms = 60_000 / settings.get("spindle.rpm", configuration["spindle"]["rpm"])
    passages = rotation.passages(trace, drive.replay(trace, settings, paced=True), period_ms)
    at = trace.arrival_ms + passages.before_ms
    every = np.ones(len(trace), bool)
    period_ms = rotation.exact_period(passages, at, every, period_ms)
    keys = {"spindle.rpm": round(60_000 / period_ms, 4)}
    if configuration["geometry"]["mapping"] != "serpentine":
        found = layout.angles(configuration["geometry"], passages, at, period_ms, every)
        if any(angle and angle.found for angle in found):
            keys.update(layout.corrected(configuration["geometry"], found))

    def off(with_keys: dict) -> float:
        return float(np.abs(drive.replay(trace, {**settings, **with_keys}).response_ms - trace.measured_ms).mean())

    return keys if off(keys) < off({}) else {}


class Loss:
    """How unlikely the measured times are: of each group the square of the difference of the means over the variance of
    the measured one, and for each number the square of its change over what a change may well be. Without the latter
    the numbers would follow the chance of rotations, and serve the other half worse than before.

    The model's means are over several replays whose think times differ by parts of a turn, if its rotations are
    others than the real drive's. If they are the same (`exact`), one replay tells, and the variance is that of the
    differences: a hundredth of a millisecond shows.
    """

    def __init__(self, drive: m.Drive, trace: m.Trace, task: Problem, turn_ms: float, base: dict, exact: bool):
        self.drive = drive
        self.task = task
        self.base = base
        number = groups(trace)
        self.parts = [part for part in (np.flatnonzero(number == g) for g in np.unique(number)) if len(part) >= 8]
        self.means = [float(trace.measured_ms[part].mean()) for part in self.parts]
        # A mean is known to 10 us at best: drives and buses do not stay the same.
        unlike = trace.measured_ms - (drive.replay(trace, base).response_ms if exact else 0)
        self.variances = [float(unlike[part].var()) / len(part) + 0.01**2 for part in self.parts]
        if exact:
            self.traces = [trace]
            return
        jitter = np.random.default_rng(1)
        self.traces = [trace.with_think(trace.think_ms + jitter.uniform(0, turn_ms, len(trace)))
                       for _ in range(_REPLAYS)]

    def residuals(self, values: np.ndarray, chosen: list[object]) -> np.ndarray | None:
        """Of each group and of each number, in units of what is likely; None if the program refuses the numbers."""
        settings = dict(self.base)
        settings.update((key, value) for key, value in self.task.settings(values.tolist(), chosen).items()
                        if not key.startswith("_"))
        sums = np.zeros(len(self.parts))
        for trace in self.traces:
            try:
                simulated = self.drive.replay(trace, settings).response_ms
            except Refused:
                return None
            sums += [simulated[part].mean() for part in self.parts]
        groups_off = (sums / len(self.traces) - self.means) / np.sqrt(self.variances)
        changes = [(value - v.value) / v.scale for value, v in zip(values, self.task.variables)]
        return np.concatenate([groups_off, changes])


def _loss(residuals: np.ndarray | None) -> float:
    return float("inf") if residuals is None else float(residuals @ residuals)


def search(task: Problem, loss: Loss, trials: int, tried_one: Callable[[], None]) -> tuple[dict, float, float]:
    """Settings, their loss, and that of the beginning.

    Levenberg and Marquardt's method. A group's mean is nearly linear in each number, so a round of one trial a number
    tells where the least loss lies; a trial's change is twice the number's scale, more than the chance of rotations.
    Choices are tried before a round. Two replays run at once.
    """
    variables = task.variables
    values = np.array([variable.value for variable in variables])
    low, high = np.array([v.least for v in variables]), np.array([v.most for v in variables])
    scale = np.array([v.scale for v in variables])
    chosen = [choice.value for choice in task.choices]
    spent = 0

    with ThreadPoolExecutor(2) as pool:

        def evaluate(many: list[tuple[np.ndarray, list[object]]]) -> list[np.ndarray | None]:
            nonlocal spent
            found = []
            for residuals in pool.map(lambda one: loss.residuals(*one), many):
                found.append(residuals)
                spent += 1
                if spent <= trials:
                    tried_one()
            return found

        here = evaluate([(values, chosen)])[0]
        start = _loss(here)
        if here is None:
            raise InputError("the drive file as it is cannot be replayed")
        damping = 0.01
        for round_number in range(20):
            before = _loss(here)
            for i, choice in enumerate(task.choices if round_number < 3 else []):
                others = [value for value in choice.values if value != chosen[i]]
                found = evaluate([(values, [*chosen[:i], other, *chosen[i + 1:]]) for other in others])
                best = min(range(len(others)), key=lambda n: _loss(found[n]))
                if _loss(found[best]) < _loss(here) - 4:
                    chosen[i], here = others[best], found[best]
            if spent + len(variables) + 1 > trials:
                break
            change = np.where(values + 2 * scale <= high, 2 * scale, -2 * scale)
            moved = evaluate([(values + change[i] * (np.arange(len(values)) == i), chosen) for i in range(len(values))])
            slopes = np.stack([np.zeros_like(here) if other is None else (other - here) / change[i]
                               for i, other in enumerate(moved)], axis=1)
            normal = slopes.T @ slopes
            improved = False
            for _ in range(4):
                if spent >= trials:
                    break
                step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -slopes.T @ here)
                there = np.clip(values + step, low, high)
                residuals = evaluate([(there, chosen)])[0]
                if _loss(residuals) < _loss(here):
                    values, here, improved = there, residuals, True
                    damping = max(damping / 10, 1e-4)
                    break
                damping *= 10
            if not improved or _loss(here) > before - 1:
                break
    return task.settings(values.tolist(), chosen), _loss(here), start


# ---- The drive file ----------------------------------------------------------------------------------------------------


def _span(lines: list[str], start: int) -> int:
    """The line behind a key's value, which may go over several."""
    depth = 0
    for number in range(start, len(lines)):
        code = re.sub(r'"[^"]*"', "", lines[number]).split("#")[0]
        depth += code.count("[") - code.count("]")
        if depth <= 0:
            return number + 1
    return len(lines)


def with_keys(text: str, keys: dict[str, str], remark: str) -> str:
    """A drive file's text with some keys set: in their lines, or at the end of their sections."""
    lines = text.splitlines()
    for name, value in keys.items():
        section, key = name.split(".", 1)
        header = next((i for i, line in enumerate(lines) if re.match(rf"\s*\[{re.escape(section)}\]\s*(#.*)?$", line)), None)
        if header is None:
            lines += ["", f"[{section}]"]
            header = len(lines) - 1
        end = next((i for i in range(header + 1, len(lines)) if re.match(r"\s*\[[A-Za-z_.]+\]\s*(#.*)?$", lines[i])),
                   len(lines))
        at = next((i for i in range(header + 1, end) if re.match(rf"\s*{re.escape(key)}\s*=", lines[i])), None)
        new = [f"{key} = {value}  # {remark}"] if "\n" not in value else [f"# {remark}", *f"{key} = {value}".split("\n")]
        if at is not None:
            lines[at:_span(lines, at)] = new
        else:
            while end > header + 1 and not lines[end - 1].strip():
                end -= 1
            lines[end:end] = new
    return "\n".join(lines) + "\n"


def _table_text(rows: list[list[float]]) -> str:
    text, line = "[\n", " "
    for distance, ms in rows:
        cell = f" [{distance:.0f}, {ms:.6g}],"
        if len(line) + len(cell) > 118:
            text += line + "\n"
            line = " "
        line += cell
    return text + line + "\n]"


@dataclass
class Fitted:
    """What a fit has found."""

    task: Problem
    settings: dict
    start: float  # loss
    found: float
    taken: dict[str, float]
    angles: dict  # keys of rotation and layout


def fit(drive: m.Drive, trace: m.Trace, target: Path, trials: int, keep: list[str], progress: Progress) -> Fitted:
    """Fits to the first half of the trace and writes the drive file; nothing is written if the result is refused."""
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
    task = problem(configuration, keep)
    settings, found, start = search(task, Loss(drive, first.trace, task, 60_000 / configuration["spindle"]["rpm"], base,
                                               "geometry.zones" in angles), trials, progress.advance)
    keys = {key: _table_text(value) if key == "seek.table" else m.toml(value)
            for key, value in {**base, **settings}.items() if not key.startswith("_")}
    for name in ("geometry.zones", "geometry.zone_fronts", "geometry.range_skews"):
        if name in angles:
            keys[name] = "[\n" + "".join(f"  [{', '.join(f'{cell:.9g}' for cell in row)}],\n" for row in angles[name]) + "]"
    remark = f"fitted to {trace.path.name}, requests 0 to {half - 1}"
    written = target.with_suffix(target.suffix + ".new")
    try:
        written.write_text(with_keys(Path(drive.file).read_text(), keys, remark))
        m.Drive(drive.program, str(written)).resolved(trace)
        written.replace(target)
    finally:
        written.unlink(missing_ok=True)
    return Fitted(task, settings, start, found, first.taken, angles)


def command(options: argparse.Namespace, program: Program) -> int:
    trace = m.read_trace(options.trace)
    if options.trials < 10:
        raise InputError("--trials: at least 10")
    drive = m.Drive(program, options.drive)
    for key in options.keep:
        if key not in program.keys:
            raise InputError(f"--keep {key}: there is no such key (armature describe lists them)")
    target = Path(options.output)
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no directory {target.parent}")
    refuse_unwritable("--out", Path(options.out))
    refuse_unwritable("-o", target.parent)
    half = len(trace) // 2
    before = validate(drive, trace, half)
    progress = Progress("trials", options.trials)
    fitted = fit(drive, trace, target, options.trials, options.keep, progress)
    progress.end()
    after = validate(m.Drive(program, str(target)), trace, half, as_given=True)
    report(before, after, fitted)
    with writing("--out", Path(options.out)):
        write_results(after, Path(options.out), target.stem)
    print(f"page: {options.out}/validation.html", file=sys.stderr)
    return 0


def report(before: Validation, after: Validation, fitted: Fitted) -> None:
    task, settings = fitted.task, fitted.settings
    if fitted.taken:
        print(taken_sentence(fitted.taken))
    if "geometry.zones" in fitted.angles:
        print(f"  skews of {len(fitted.angles['geometry.zones'])} zones from the rotations of the first half, at "
              f"{fitted.angles['spindle.rpm']:.4f} rpm")
    for variable in task.variables:
        if variable.name in settings and settings[variable.name] != variable.value:
            print(f"  {variable.name:38} {variable.value:12.6g} -> {settings[variable.name]:.6g}")
    knots = [variable.name for variable in task.variables if variable.name.startswith("seek.table at")]
    for name, bent in zip(knots, settings.get("_bends", [])):
        print(f"  {name + ' cylinders':38} {bent:+12.3f} ms")
    for choice in task.choices:
        if settings[choice.key] != choice.value:
            print(f"  {choice.key:38} {m.toml(choice.value):>12} -> {m.toml(settings[choice.key])}")
    print(f"first half (fitted): loss {fitted.start:.0f} -> {fitted.found:.0f}")
    a, b = before.whole(), after.whole()
    print(f"second half (not seen): rms {a.rms:.4f} -> {b.rms:.4f} ms, mean error {a.mean:+.3f} -> {b.mean:+.3f} ms, mean "
          f"absolute error {a.absolute:.3f} -> {b.absolute:.3f} ms")
    print_errors(after)

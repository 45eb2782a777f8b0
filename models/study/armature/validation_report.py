"""`armature validate --all`: docs/lab/validation.md and its pictures, from measured drives that lie beside the repository."""

from __future__ import annotations

import csv
import gzip
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import bounds, drawing, error_picture, templates, unexplained
from . import fit as fitting
from . import measured as m
from .errors import InputError
from .experiment import reference_directory
from .halves import Halves, check, estimate
from .program import Program
from .progress import Progress
from .tabular import markdown
from .validate import Validation, phase_sentence, taken_sentence, validate

_TRIALS = 500
_AT_ONCE = 2  # drives
_NONE = "-"
_HALVES = ["drive", "DiskSim rms", "imported rms", "fitted rms", "fitted / DiskSim", "DiskSim rms, estimate", "fitted / estimate",
           "DiskSim abs. error", "fitted abs. error"]
_CLASSES = ("reads from the buffer", "reads from the media", "sequential reads", "reads within 512 sectors", "other reads",
            "writes", "on the media, no move", "on the media, 1 cylinder", "on the media, 100 to 999 cylinders",
            "on the media, 1,000 cylinders and more")


@dataclass(frozen=True)
class Bar:
    """How far DiskSim is off, ms."""

    rms: float
    mean: float
    absolute: float


@dataclass
class Row:
    """A measured drive: DiskSim's description of it, its trace, and how DiskSim did on it."""

    name: str
    title: str
    disksim: Bar | None  # on the whole trace; None where DiskSim stops on it
    disksim_half: Bar | None  # on the second half; None where its time of each request is not known
    disksim_ms: np.ndarray | None  # that time
    halves: Halves  # of our rms, as imported
    imported: Validation
    imported_half: m.Errors
    fitted: Validation
    fit: fitting.Fitted
    verdict: fitting.Verdict
    back: Bar  # fitted to the second half, on the first
    disksim_back: Bar | None  # on the first half


def _bar(measured_ms: np.ndarray, simulated_ms: np.ndarray) -> Bar:
    found = m.errors(measured_ms, simulated_ms)
    return Bar(found.rms, found.mean, found.absolute)


def _published(reference: Path, name: str) -> Bar | None:
    """DiskSim's figures of a whole trace."""
    table = reference / "disksim" / "validation.csv"
    if not table.exists():
        return None
    with open(table) as stream:
        for row in csv.DictReader(stream):
            if row["files"] == name:
                return Bar(float(row["rms_quantile_exact_ms"]), float(row["simulated_mean_ms"]) - float(row["measured_mean_ms"]),
                           float(row["mean_abs_per_request_err_ms"]))
    return None


def _disksim_times(path: Path) -> np.ndarray | None:
    if not path.exists():
        return None
    with gzip.open(path, "rt") as stream:
        return np.array([float(row["simulated_response_ms"]) for row in csv.DictReader(stream)])


def description(parameters: Path, name: str) -> Path | None:
    """Of a drive: the whole system if it is there, whose bus and controller count, else the drive alone."""
    for ending in ("parv", "diskspecs"):
        if found := sorted(parameters.glob(f"{name}*.{ending}")):
            return found[0]
    return None


def _row(program: Program, reference: Path, path: Path, work: Path) -> Row | None:
    name = path.stem
    given = description(reference / "disksim" / "parameters", name)
    theirs = _disksim_times(reference / "disksim" / "per_request" / f"{name}_per_request.csv.gz")
    published = _published(reference, name)
    if not given:
        print(f"{name}: DiskSim's description is absent; left out", file=sys.stderr)
        return None
    imported = work / f"{name}.toml"
    program.said("import", "disksim", str(given), "-o", str(imported))
    trace = m.read_trace(str(path))
    drive = m.Drive(program, str(imported))
    whole = validate(drive, trace)
    half = len(trace) // 2
    later = np.arange(len(trace)) >= half
    before = m.errors(trace.measured_ms[later], whole.replay.response_ms[later])
    fit, better, after = _fitted(drive, trace, name, work)
    verdict = fitting.judge(fitting.unseen(validate(drive, trace, half), drive), fitting.unseen(after, better))
    back = _fitted(drive, trace.halves_swapped(), f"{name}_back", work)[2]
    earlier = np.arange(len(trace)) < len(trace) - half
    return Row(name, given.stem, published if theirs is None else _bar(trace.measured_ms, theirs),
               None if theirs is None else _bar(trace.measured_ms[later], theirs[later]), theirs,
               Halves.of(trace.measured_ms, whole.replay.response_ms), whole, before, after, fit, verdict,
               _bar(back.trace.measured_ms[back.chosen], back.replay.response_ms[back.chosen]),
               None if theirs is None else _bar(trace.measured_ms[earlier], theirs[earlier]))


def _fitted(drive: m.Drive, trace: m.Trace, name: str, work: Path) -> tuple[fitting.Fitted, m.Drive, Validation]:
    """To a trace's first half; validated on the other one."""
    progress = Progress(f"trials on {name}", _TRIALS)
    fit = fitting.fit(drive, trace, _TRIALS, [], progress)
    progress.end()
    path = work / f"{name}_fitted.toml"
    path.write_text(fit.text)
    better = m.Drive(drive.program, str(path))
    return fit, better, validate(better, trace, len(trace) // 2, as_given=True)


def _rows(program: Program, reference: Path, work: Path) -> list[Row]:
    directory = reference / "traces" / "measured_drives"
    traces = sorted(directory.glob("*.trace"))
    if not traces:
        raise InputError(f"{directory}: there are no measured traces (ARMATURE_REFERENCE says where reference files are)")
    with ThreadPoolExecutor(_AT_ONCE) as pool:  # of a fit's time a part is the search's own, beside its replays
        rows = pool.map(lambda path: _row(program, reference, path, work), traces)
        return [row for row in rows if row]


def picture(row: Row) -> str:
    """Cumulative distributions: measured, DiskSim's, imported, as an SVG."""
    measured_ms = row.imported.trace.measured_ms
    figure, (axes,) = drawing.panels(height_in=4.2)
    drawing.label(axes, f"{row.name}: requests that took at most this long, %", "response time, ms")
    share = np.linspace(0, 1, 601)
    for name, values, colour, style in (("measured", measured_ms, "#444444", "-"),
                                        ("Armature, imported", row.imported.replay.response_ms, "#d55e00", "--"),
                                        ("DiskSim 4.0", row.disksim_ms, "#009e73", ":")):
        if values is not None:
            axes.plot(np.quantile(values, share), 100 * share, style, color=colour, label=name)
    axes.set(xlim=(0, float(np.quantile(measured_ms, 0.998))), ylim=(0, 101))
    return drawing.svg(figure)


def _week(program: Program, reference: Path, root: Path, work: Path) -> str:
    """HP's workstation of 1992: a week on two HP 335H, with the times that its driver saw."""
    trace = reference / "traces" / "workloads" / "ajw.1week.csv"
    if not trace.exists():
        return ""
    lines = [line.split(",") for line in trace.read_text().splitlines() if not line.startswith("#")]
    measured, ours, moves = [], [], []
    for device in ("0", "1"):
        scenario = work / f"week{device}.toml"
        scenario.write_text(
            f'[workload]\nkind = "trace"\nfile = "{trace}"\nheader = ["t_s", "dev", "sector", "bytes", "op", '
            f'"start_us_after_enqueue", "stop_us_after_enqueue", "ioflags_hex"]\ndevices = [{device}]\n'
            "round_to_sectors = true\ncolumns.address_sector_bytes = 256\n[host]\nncq = false\n"
            f'[drives.d]\nmodel = "{root}/scenarios/drives/hp_335h.toml"\n')
        program.run(scenario, work / "week")
        with open(work / "week" / "requests.csv") as stream:
            rows = sorted(csv.DictReader(stream), key=lambda row: int(row["id"]))
        ours += [(float(row["response_us"]) - float(row["host_queue_us"])) / 1000 for row in rows]
        moves += [int(float(row["seek_cylinders"] or 0)) for row in rows]
        measured += [(float(line[6]) - float(line[5])) / 1000 for line in lines if line[1] == device]
    a, b, distance = np.array(measured), np.array(ours), np.array(moves)
    parts = []
    for low, high, name in ((0, 1, "0"), (1, 11, "1 to 10"), (11, 101, "11 to 100"), (101, 401, "101 to 400"),
                            (401, 10_000, "more")):
        chosen = (distance >= low) & (distance < high)
        parts.append([name, str(int(chosen.sum())), f"{a[chosen].mean():.2f}", f"{b[chosen].mean():.2f}",
                      f"{np.quantile(a[chosen], 0.02):.2f}", f"{np.quantile(b[chosen], 0.02):.2f}"])
    header = ["move, cylinders", "requests", "measured mean ms", "simulated mean ms", "measured 2 % point ms", "simulated 2 % point ms"]
    return templates.fill("validation_week.md", requests=len(a), measured=f"{a.mean():.2f}", simulated=f"{b.mean():.2f}",
                          apart=f"{b.mean() - a.mean():+.2f}", moves=markdown(header, parts))


def _classes(row: Row) -> str:
    """The kinds of requests of a drive as imported, beside DiskSim's where that is known."""
    trace, lines = row.imported.trace, []
    for name, chosen in m.classes(trace, row.imported.replay):
        if name not in _CLASSES:
            continue
        e = m.errors(trace.measured_ms[chosen], row.imported.replay.response_ms[chosen])
        line = [name, str(e.count), f"{e.measured:.3f}", f"{e.simulated:.3f}", f"{e.rms:.3f}", f"{e.absolute:.3f}"]
        if row.disksim_ms is not None:
            d = m.errors(trace.measured_ms[chosen], row.disksim_ms[chosen])
            line += [f"{d.simulated:.3f}", f"{d.rms:.3f}", f"{d.absolute:.3f}"]
        lines.append(line)
    header = ["requests", "number", "measured ms", "ours ms", "our rms", "our abs. error"]
    if row.disksim_ms is not None:
        header += ["DiskSim ms", "DiskSim rms", "DiskSim abs. error"]
    return markdown(header, lines)


def _changes(row: Row) -> str:
    """What the fit has changed and what it leaves."""
    task, found = row.fit.task, row.fit.found
    ways = [f"`{choice.key}` = {m.toml(found.chosen[choice.key])}" for choice in task.choices if found.chosen[choice.key] != choice.value]
    numbers = [f"`{v.name}` {v.value:.4g} to {value:.4g}" for v, value in zip(task.variables, found.values) if abs(value - v.value) > 1e-6]
    text = f"The fit chooses {', '.join(ways) or 'no other rules'}"
    text += f" and changes {', '.join(numbers)}.\n\n" if numbers else "; numbers stay as they were.\n\n"
    left = [*unexplained.limits(task.variables, found.values), *unexplained.sentences(row.fitted)]
    return text + "\n".join(f"-{line[1:]}" if line.startswith("  ") else line + "\n" for line in left) + "\n"


def _estimated(row: Row, fitted_rms: float) -> list[str]:
    """Cells of a drive whose DiskSim times are known for the whole trace only: an estimate for half of it, and our ratio to that."""
    if row.disksim_half or not row.disksim:
        return ["known" if row.disksim_half else _NONE, _NONE]
    theirs = estimate(row.disksim.rms, row.halves)
    return [f"{theirs:.3f}", f"{fitted_rms / theirs:.2f}"]


def _of_the_estimate(rows: list[Row]) -> str:
    """How the estimate is made, and how it does where DiskSim's time of each request is known."""
    known = [row for row in rows if row.disksim_ms is not None]
    ends = check([(Halves.of(row.imported.trace.measured_ms, row.disksim_ms), row.halves) for row in known])
    text = """If DiskSim's time of each request is not available, its figures are for the whole trace. On halves of a trace rms is greater on
average: the errors of two halves make up for each other where the drive drifts and where chance decides. The column *DiskSim rms, estimate*
is what DiskSim would have on a half. The halves' errors are c + d and c - d; the whole trace's is c. DiskSim's c is published. d^2 is
taken from our replay of the same description: the mean of the halves' squared rms, less the squared rms of the whole trace. The estimate
is the square root of c^2 + d^2. It holds for the mean over both halves, and does not know which of them is the worse one."""
    if ends:
        text += f"""
Where DiskSim's times of each request are known, its rms on either half is {ends[0]:.2f} to {ends[1]:.2f} of this estimate."""
    return text


def _swapped(rows: list[Row]) -> str:
    """The table of fits to the second half."""
    lines = []
    for row in rows:
        cells = [_NONE, _NONE]
        if row.disksim:
            theirs = row.disksim_back.rms if row.disksim_back else estimate(row.disksim.rms, row.halves)
            cells = [f"{theirs:.3f}{'' if row.disksim_back else ' (estimate)'}", f"{row.back.rms / theirs:.2f}"]
        lines.append([row.name, cells[0], f"{row.halves.first:.3f}", f"**{row.back.rms:.3f}**", cells[1], f"{row.back.absolute:.3f}"])
    return markdown(["drive", "DiskSim rms, first half", "imported rms", "fitted rms", "fitted / DiskSim", "fitted abs. error"], lines)


_MAIN = ["drive", "requests", "measured mean", "DiskSim rms", "our rms", "ratio", "DiskSim error", "our error", "DiskSim abs. error",
         "our abs. error", "90 % below"]


def _main_row(row: Row) -> list[str]:
    trace, ours, bar = row.imported.trace, row.imported.whole(), row.disksim
    theirs = [f"{bar.rms:.3f}", f"{ours.rms / bar.rms:.2f}", f"{bar.mean:+.3f}", f"{bar.absolute:.3f}"] if bar else [_NONE] * 4
    return [row.name, str(len(trace)), f"{ours.measured:.3f}", theirs[0], f"**{ours.rms:.3f}**", theirs[1], theirs[2],
            f"{ours.mean:+.3f}", theirs[3], f"{ours.absolute:.3f}", f"{ours.absolute_p90:.2f}"]


def _half_row(row: Row) -> list[str]:
    half, fitted = row.disksim_half or row.disksim, row.fitted.whole()
    mark = "" if row.disksim_half else " (whole trace)"
    known = [f"{half.rms:.3f}{mark}", f"{fitted.rms / half.rms:.2f}", f"{half.absolute:.3f}{mark}"] if half else [_NONE] * 3
    return [row.name, known[0], f"{row.imported_half.rms:.3f}", f"**{fitted.rms:.3f}**" + (" (refused)" if row.verdict.refused else ""),
            known[1], *_estimated(row, fitted.rms), known[2], f"{fitted.absolute:.3f}"]


def _of_drive(row: Row) -> str:
    taken = taken_sentence(row.imported.taken)
    return (f"## {row.name}\n\n![cumulative distributions](../pictures/validation-{row.name}.svg)\n\n"
            f"![errors](../pictures/validation-{row.name}-errors.svg)\n\n"
            + (taken + " " if taken else "") + phase_sentence(row.imported.phase) + "\n\n" + _classes(row) + "\n\n" + _changes(row))


def _text(rows: list[Row], week: str) -> str:
    return templates.fill(
        "validation.md",
        main=markdown(_MAIN, [_main_row(row) for row in rows]),
        calibration=m.CALIBRATION,
        trials=_TRIALS,
        halves=markdown(_HALVES, [_half_row(row) for row in rows]),
        of_the_estimate=_of_the_estimate(rows),
        swapped=_swapped(rows),
        bounds=bounds.table(),
        drives="\n".join(_of_drive(row) for row in rows),
        week=week,
    )


def write(program: Program, root: Path) -> int:
    with tempfile.TemporaryDirectory(prefix="armature-validation-") as work:
        rows = _rows(program, reference_directory(root), Path(work))
        week = _week(program, reference_directory(root), root, Path(work))
    for row in rows:
        (root / "docs" / "pictures" / f"validation-{row.name}.svg").write_text(picture(row))
        (root / "docs" / "pictures" / f"validation-{row.name}-errors.svg").write_text(
            error_picture.picture(f"{row.name}, imported", row.imported.trace, row.imported.replay))
    (root / "docs" / "lab" / "validation.md").write_text(_text(rows, week))
    print(f"wrote docs/lab/validation.md and {2 * len(rows)} pictures")
    return 0

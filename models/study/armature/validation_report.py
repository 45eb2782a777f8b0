"""`armature validate --all`: docs/lab/validation.md and its pictures, from measured drives that lie beside the repository."""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import bounds, error_picture, unexplained
from . import fit as fitting
from . import measured as m
from .errors import InputError
from .experiment import reference_directory
from .halves import Halves, check, estimate
from .program import Program
from .progress import Progress
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
    done = subprocess.run([program.binary, "import", "disksim", str(given), "-o", str(imported)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(done.stderr.strip())
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


def _curve(values: np.ndarray, edge: float, colour: str, dash: str = "") -> str:
    share = np.linspace(0, 1, 601)
    points = " ".join(f"{60 + 620 * min(x, edge) / edge:.1f},{340 - 300 * y:.1f}" for x, y in zip(np.quantile(values, share), share))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"/>'


def picture(row: Row) -> str:
    """Cumulative distributions: measured, DiskSim's, imported, as an SVG."""
    trace = row.imported.trace
    longest = float(np.quantile(trace.measured_ms, 0.998))
    decade = 10 ** np.floor(np.log10(longest / 5))
    step = float(next(n * decade for n in (1, 2, 5, 10) if longest / (n * decade) <= 7))
    columns = int(np.ceil(longest / step))
    edge = columns * step
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 400" font-family="sans-serif" font-size="13">',
             '<rect width="720" height="400" fill="#fff"/>']
    for i in range(columns + 1):
        x = 60 + 620 * i / columns
        parts.append(f'<path d="M{x:.1f} 40V340" stroke="#e4e4e4" fill="none"/>'
                     f'<text x="{x:.1f}" y="358" text-anchor="middle">{step * i:g}</text>')
    for i in range(6):
        y = 340 - 60 * i
        parts.append(f'<path d="M60 {y}H680" stroke="#e4e4e4" fill="none"/>'
                     f'<text x="52" y="{y + 4}" text-anchor="end">{20 * i} %</text>')
    parts += ['<text x="370" y="382" text-anchor="middle">response time (ms)</text>',
              f'<text x="60" y="22" font-weight="bold">{row.name}: requests that took at most this long</text>',
              _curve(trace.measured_ms, edge, "#444444"), _curve(row.imported.replay.response_ms, edge, "#d55e00", "7 3")]
    legend = [("measured", "#444444", ""), ("Armature, imported", "#d55e00", "7 3")]
    if row.disksim_ms is not None:
        parts.append(_curve(row.disksim_ms, edge, "#009e73", "2 3"))
        legend.append(("DiskSim 4.0", "#009e73", "2 3"))
    for i, (name, colour, dash) in enumerate(legend):
        parts.append(f'<path d="M470 {250 + 22 * i}h40" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
                     f'<text x="518" y="{254 + 22 * i}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


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
        done = subprocess.run([program.binary, "run", str(scenario), "--out", str(work / "week"), "--quiet"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise InputError(done.stderr.strip())
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
    return f"""## HP 335H: a week of 1992

The trace has the time between start and stop of each request in the driver of an HP workstation. The drive file is
`scenarios/drives/hp_335h.toml`, made from the numbers in the header of the same trace. {len(a)} requests on two drives: measured mean
{a.mean():.2f} ms, simulated {b.mean():.2f} ms ({b.mean() - a.mean():+.2f}).

{_table(["move, cylinders", "requests", "measured mean ms", "simulated mean ms", "measured 2 % point ms", "simulated 2 % point ms"], parts)}
Requests that need no move take about 5 ms longer in reality, for which there are no numbers: the times of driver, bus and drive beyond
the command overhead in the header. Long moves are simulated too long: the fastest of them took less time than the header's seek curve
allows, so some of them did not go where their addresses point.

"""


def _table(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]) + "\n"


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
    return _table(header, lines)


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
    return _table(["drive", "DiskSim rms, first half", "imported rms", "fitted rms", "fitted / DiskSim", "fitted abs. error"], lines)


def _text(rows: list[Row], week: str) -> str:
    main, halves, parts = [], [], []
    for row in rows:
        trace, ours = row.imported.trace, row.imported.whole()
        bar, half, fitted = row.disksim, row.disksim_half or row.disksim, row.fitted.whole()
        theirs = [f"{bar.rms:.3f}", f"{ours.rms / bar.rms:.2f}", f"{bar.mean:+.3f}", f"{bar.absolute:.3f}"] if bar else [_NONE] * 4
        main.append([row.name, str(len(trace)), f"{ours.measured:.3f}", theirs[0], f"**{ours.rms:.3f}**", theirs[1], theirs[2],
                     f"{ours.mean:+.3f}", theirs[3], f"{ours.absolute:.3f}", f"{ours.absolute_p90:.2f}"])
        mark = "" if row.disksim_half else " (whole trace)"
        known = [f"{half.rms:.3f}{mark}", f"{fitted.rms / half.rms:.2f}", f"{half.absolute:.3f}{mark}"] if half else [_NONE] * 3
        halves.append([row.name, known[0], f"{row.imported_half.rms:.3f}",
                       f"**{fitted.rms:.3f}**" + (" (refused)" if row.verdict.refused else ""), known[1],
                       *_estimated(row, fitted.rms), known[2], f"{fitted.absolute:.3f}"])
        taken = taken_sentence(row.imported.taken)
        parts.append(f"## {row.name}\n\n![cumulative distributions](../pictures/validation-{row.name}.svg)\n\n"
                     f"![errors](../pictures/validation-{row.name}-errors.svg)\n\n"
                     + (taken + " " if taken else "") + phase_sentence(row.imported.phase) + "\n\n" + _classes(row) + "\n" + _changes(row))
    return f"""# Validation against measured drives

Written by `./armature validate --all`; do not edit. DiskSim's authors published traces with the service times of real drives. The
command replays these traces with one request in flight: each request is issued one think time after the previous one has completed.
The drive files are DiskSim's own descriptions of these drives, imported by `armature import disksim` ([import.md](../reference/import.md)) without
further changes. The traces and descriptions are not part of the repository (`ARMATURE_REFERENCE`).

*rms* is DiskSim's measure: the root mean square horizontal distance between the measured and the simulated cumulative
distribution, at 10,000 quantiles. Errors are simulated minus measured, in ms. DiskSim 4.0 stops with an assertion on the ST41601N.

{_table(["drive", "requests", "measured mean", "DiskSim rms", "our rms", "ratio", "DiskSim error", "our error", "DiskSim abs. error", "our abs. error", "90 % below"], main)}
`validate` infers what a drive file does not say from the first {m.CALIBRATION} requests, and reports it:

- the disk's true speed, if it is clearly not the description's: the pairs below must be likelier with it by 4 in the logarithm,
  those of the first {m.CALIBRATION} requests and those of the later ones,
- whether a request's think time comes before or after it (the traces differ),
- a bus slower than Serial ATA, if DiskSim keeps its time in another file.

Speed and think times come from pairs of requests to one track, because the time between them is a known number of turns whatever the
layout is. The angle of other requests cannot be reproduced: the descriptions' skews are wrong by some sectors per cylinder. The
absolute error of a request far from the previous one therefore includes the difference of two unrelated rotations, about a third of a
turn.

## Files that `validate` writes

| file | holds |
| --- | --- |
| `validation.html` | everything below on one page |
| `requests.csv` | one row per request: operation, outcome in the trace, measured and simulated time and their difference, class (hit, partial hit or miss of a read or write, as DiskSim counts them), what served it, its position relative to the previous request, and the time in each phase ([results.md](results.md)) |
| `errors.svg` | errors against distance, size and class: a dot per request, a bar from the 10th to the 90th percentile, a stroke at the mean |
| `validation.tsv`, `validation.json` | the errors by kind of request; what was inferred from the trace |
| `worst.tsv` | the requests with the largest errors |

## After the fit

`armature fit` uses the first half of a trace. First it fits the layout and the rules:

- If the trace is coherent, each request to the media shows the angle of its sector. These angles give the skews of heads, cylinders and
  spare ranges, and the start of each zone.
- A drive that spares whole tracks skips bad tracks, and some descriptions do not list them. In zones without a listed track the fit
  finds a skipped track because all blocks after it pass one track skew later.
- If the speed of the disk wanders, the fit takes the angle at a request from the forty or so requests around it.
- Then it tries the rules of the firmware (every switch and choice of `[cache]`, the number of segments) and changes numbers, with at
  most {_TRIALS} settings in all. It changes a rule only if both quarters of the first half become likelier after the numbers have been
  adapted, or if the error falls in each of four parts of the first half, by 2 % together.
  Rules that may tell only together are first tried in all combinations: those of reading ahead; when a write begins, and on which tracks.

If the angle of the disk is known at each request, each request contributes on its own:

- If the model misses a turn that the real drive catches, the real arm arrived before the sector; and the other way round. The fit
  looks for the most likely numbers, with an arm's arrival scattered by a logistic distribution whose width is fitted too. The
  remaining error, apart from whole turns, follows a Cauchy distribution, scaled by what is usual for the kind of request.
- The last round moves the arms so that in the later quarter as many turns are missed wrongly as are caught wrongly, unless chance
  explains the difference. This corrects for a scatter whose median is not its mean, and for drives that slow down as they warm up.
- Few drives need time to end reading ahead (`overheads.end_read_ahead_us`), or read ahead by less than they say
  (`cache.read_ahead_sectors`). Both stay as they are, unless each quarter of the first half becomes likelier by them.
- A number's distance from the drive file's value has a normal distribution. The numbers stay unchanged if the numbers fitted to one
  quarter do not improve the next quarter, or if they gain less than 2 %.
- Among the rounds, the fit takes the result with the least mean absolute error and rms together on the first half.

If the angle is not known, rotations are random, and the fit compares kinds of requests:

- It compares the mean and quantiles of each kind, and the quantiles of all requests, in units of their standard error. Errors beyond
  three standard errors count by their logarithm, so a kind that the model cannot reproduce does not distort the numbers.
- Each number is drawn towards the drive file's value. The quarters choose the strength by predicting each other. If no strength
  predicts better than the unchanged numbers, these stay.

No number leaves its range (below).

`fit` then replays the second half, which it has not seen. If the angles of the disk are not known, it replays it five times with
different rotations and takes the mean. If rms is worse than before, or the mean absolute error is worse by more than 2 %, `fit` reports
this first, writes no drive file and ends with status 1; `--even-if-worse` writes it anyway. There is one exception, which `fit` also
reports first: it writes the file if rms rises by less than a quarter while the mean absolute error falls by a fifth or more, because
two distributions can agree although no request does. Finally `fit` names the kinds of requests that no key explains. The table is for
the second half:

{_table(_HALVES, halves)}
{_of_the_estimate(rows)}

The other way round, fitted to the second half (a trace whose second half comes first) and compared on the first:

{_swapped(rows)}
### Ranges

{bounds.table()}
A value of the drive file outside its range stays allowed, because somebody has measured it. The ranges are in
`models/study/armature/bounds.py`.

{chr(10).join(parts)}
{week}## Known weaknesses

- Requests to the track that the arm is on take longer in reality than the head switch and the rotation explain. The importer gives
  them half of the shortest seek's time (`seek.reposition_ms`, [mechanics.md](../guide/mechanics.md)), which the fit corrects.
- When a write overwrites part of a segment, drives differ in what they keep of it (`cache.written_segment`). The importer follows
  DiskSim, the fit chooses.
- Without a write cache, drives differ in when a write begins on the media. The C2247A begins 0.6 ms after eight sectors, or the last
  one, have come. It continues if the next eight are there 0.4 ms before they pass. The importer derives both from Minimum seek delay and
  Write disconnect overhead. The ST41601N begins with the first data, as its Low (write) water mark of 0 says. By its mark of 1 the
  C3323A is imported as a drive that waits for all of the data. In reality it does so in its outer zones, of 104 sectors a track and
  more. In the inner ones, of 96 and fewer, it begins with a quarter of the data. No description says so; the fit finds both in the first
  half (`cache.write_watermark`, `cache.write_watermark_track_sectors`). The limit has a reason: a sector takes 0.1455 ms on the bus. On a
  track of 96 sectors it passes in 0.1158 ms, so no sector comes too late if a share of 1 - 0.1158 / 0.1455 = 0.20 of the data is there at
  the start; a track of 104 needs 0.27. The rule lowers the mean absolute error of the second half from 0.603 to 0.588 ms and raises rms
  from 0.160 to 0.166 ms, because the arms of that half come later than those of the first: writes that were simulated a turn too late
  made up for it.
- The Cheetah 9LP goes to the media for one in 23 of the sequential reads that follow a read of the media (39 of 886), and finds the
  others in its buffer. No key expresses it: of 21 properties of those reads and of the ones before (place, think times, rotation, moves,
  sizes, how long ago a write came) none is distributed otherwise than for the reads that hit (Kolmogorov and Smirnov, p above 0.03). They
  are a quarter of its rms after the fit: without all reads of the kind it is 0.077 ms for 0.099 ms.
- The Barracuda's reads go to the host with a part of their data there, though its High (read) water mark is 0; the fit finds that
  (`cache.read_watermark`).
- The C3323A's skews are all one sector smaller than described, and more than a hundred skipped tracks are not listed; the fit finds
  both. In its second half one read of 187 sectors, the slowest request, misses a turn and raises rms from 0.09 to 0.13 ms.
- Behind a read of the media, the C3323A's arm comes about half a millisecond late until 128 sectors have been read ahead. It also sends
  the data of a longer read when 128 sectors are in its buffer. No description says so; the fit finds both in the first half
  (`overheads.end_read_ahead_us`, `cache.read_ahead_sectors`).
- A read from the C2247A's buffer takes 4.2 us longer for each sector of the track: 0.17 ms between its outermost and its innermost
  zone, and in a zone always as much, whatever the arm does and wherever on the track the read begins. No description says so, and the
  Atlas 10K, Atlas III, Barracuda, C3323A and 18ES show nothing of the kind. `overheads.read_hit_track_sector_us` expresses it. The fit does not learn it: tried, it
  found 4.24 us in the first half and lowered the mean absolute error of these reads from 0.071 to 0.041 ms, but rms of all requests
  became 0.059 for 0.058 ms, and a drive that was spoilt on purpose was mended less well. With the ranges inside the likelihood, and with
  the mean of all hits kept as it is, rms became 0.068 ms, and with the halves swapped 0.092 for 0.090 ms.
- The fit learns nothing from the turns that are missed on a request's second track. The fitted C2247A loses a turn at the border of a
  cylinder in two zones (of 88 and 92 sectors a track): all of the twelve writes there in its first half are late. The move to the next
  cylinder and the settling before a write take 3.70 ms in the fitted file, the zones' skews 3.63 and 3.66 ms. Learning from second tracks
  was tried. It raised the C2247A's rms from 0.058 to 0.087 ms, because these late writes make up for arms that come too early (below),
  and it mended a drive that was spoilt on purpose less well. So did a last round that keeps a change of one number if the mean absolute
  errors of both quarters fall (tried with the key for hits: mean absolute error 0.234 for 0.261 ms, rms 0.139 for 0.059 ms).
- rms hangs on a few requests: a turn that the slowest request of a half misses wrongly is 0.16 ms of the rms of the two HP drives.
- The C2247A's rms after the fit is 0.055 to 0.065 ms by chance. The search itself ends where it should: with a round's slopes Newton's
  method finds the same likelihood, to 0.003 of its logarithm. But the likelihood does not see second tracks. Between two rounds, whose
  numbers differ by at most a tenth of their scales, 20 requests of the first half lose a turn that the real drive does not lose. 18 of them
  go to two tracks, over the border of a cylinder. rms on the second half is 0.058 ms before and 0.075 ms after that. With the
  halves swapped it is 0.090, 0.351 and 0.837 ms in three successive steps. The choice of the round that is nearest on the seen half saves
  the fit there. Of settings drawn around the likeliest numbers, the mean of the six that are nearest on the first half is nearer request by
  request (mean absolute error 0.175 for 0.190 ms on the first half, 0.237 for 0.248 ms on the second). But its rms on the second half is
  0.083 ms: late writes at borders make up for arms that come too early (below).
- Tried, each time with fits to either half, and left out:
    - bends of the seek curve that are alike where they are neighbours (a covariance that falls exponentially over the logarithm of the
      distance, by 1 or 3; C2247A, C3323A, 18ES): the logarithm of the evidence of the seen half (Laplace's approximation) changes by +0.2
      to -3.0;
    - settings drawn from the likelihood's peak and replayed, and the mean of the nearest ones, twice (the same drives): rms on the other
      half is 0.68 to 1.43 of what it was, 1.03 in geometric mean;
    - the mean of all rounds (the same drives): rms changes by up to 0.02 of DiskSim's, that of the C2247A, where a round's late writes
      decide, to 0.075 and 0.092 ms;
    - halving a step after which the seen half is further off than chance explains (C2247A): 0.058 ms as before, and with the halves swapped
      0.097 for 0.090 ms.
- That the difference between moves inwards and outwards grows with the distance was looked for in the turns of six drives (not of the Cheetah 9LP and the
  ST41601N). In no
  first half does it gain the 6 in the logarithm of the likelihood that the fit asks of a rare behaviour (4.6 at most, the C3323A).
- The time of a move scatters randomly: the distribution is logistic with a width of 0.07 ms (Atlas III) to 0.28 ms (C3323A). With this
  scatter, even a drive file with exact numbers misses or catches 20 to 100 turns of 5,000 requests wrongly, and its rms is off by 0.02
  to 0.05 ms.
- The C2247A's arms become slower by about 0.12 ms in the five minutes of its trace. Of the moves that arrive less than 0.3 ms before
  their sector, it misses 7 % in the first quarter and 47 % in the last one. No key expresses this, so the first half predicts arms that
  are too fast for the second. It is the drive and not the fit: a fit to the second half predicts arms that are too slow for the first
  (mean error +0.058 ms). Neither half tells of it: by the turns, arms become slower by -0.03 +- 0.06 ms within the first half, and by
  +0.08 +- 0.07 ms within the second. Within the first half none of these six drives becomes slower by more than chance explains (by 1.6 standard
  errors at most), so the fit extrapolates no trend.
- Some errors that remain are of the model and not of the numbers, for they are alike in both halves. The Barracuda goes to the media for 24
  of some 970 reads that the model has in its buffer. Writes near the last request take 0.10 ms less in reality, those far from it 0.04 ms
  more. The Atlas 10K takes 2 ms less than the model, not a whole turn, for one in twelve of the reads on the track that the arm is on.
- DiskSim's description may be of another unit or revision of the drive than the one that was measured.
"""


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

"""`armature validate --all`: docs/validation.md and its pictures, from measured drives that lie beside the repository."""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import fit as fitting
from . import measured as m
from .errors import InputError
from .experiment import reference_directory
from .program import Program
from .progress import Progress
from .validate import Validation, phase_sentence, taken_sentence, validate

_TRIALS = 500
_CLASSES = ("reads from the buffer", "reads from the media", "sequential reads", "reads within 512 sectors", "other reads",
            "writes", "on the media, no move", "on the media, 1 cylinder", "on the media, 100 to 999 cylinders",
            "on the media, 1,000 cylinders and more")


@dataclass
class Row:
    """A measured drive: DiskSim's description of it, its trace, and how DiskSim did on it."""

    name: str
    title: str
    disksim_ms: np.ndarray  # its time of each request
    imported: Validation
    imported_half: m.Errors
    fitted: Validation


def _disksim_times(path: Path) -> np.ndarray:
    with gzip.open(path, "rt") as stream:
        return np.array([float(row["simulated_response_ms"]) for row in csv.DictReader(stream)])


def _rows(program: Program, reference: Path, work: Path) -> list[Row]:
    directory = reference / "traces" / "measured_drives"
    traces = sorted(directory.glob("*.trace"))
    if not traces:
        raise InputError(f"{directory}: there are no measured traces (ARMATURE_REFERENCE says where reference files are)")
    rows = []
    for path in traces:
        parameters = sorted((reference / "disksim" / "parameters").glob(f"{path.stem}*.diskspecs"))
        times = reference / "disksim" / "per_request" / f"{path.stem}_per_request.csv.gz"
        if not parameters or not times.exists():
            print(f"{path.stem}: DiskSim's description or times are absent; left out", file=sys.stderr)
            continue
        imported = work / f"{path.stem}.toml"
        done = subprocess.run([program.binary, "import", "disksim", str(parameters[0]), "-o", str(imported)],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise InputError(done.stderr.strip())
        trace = m.read_trace(str(path))
        drive = m.Drive(program, str(imported))
        whole = validate(drive, trace)
        half = len(trace) // 2
        later = np.arange(len(trace)) >= half
        progress = Progress(f"trials on {path.stem}", _TRIALS)
        fitted = work / f"{path.stem}_fitted.toml"
        fitting.fit(drive, trace, fitted, _TRIALS, [], progress)
        progress.end()
        rows.append(Row(path.stem, parameters[0].stem, _disksim_times(times), whole,
                        m.errors(trace.measured_ms[later], whole.replay.response_ms[later]),
                        validate(m.Drive(program, str(fitted)), trace, half, as_given=True)))
    return rows


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
              _curve(row.disksim_ms, edge, "#009e73", "2 3"), _curve(trace.measured_ms, edge, "#444444"),
              _curve(row.imported.replay.response_ms, edge, "#d55e00", "7 3")]
    for i, (name, colour, dash) in enumerate((("measured", "#444444", ""), ("Armature, imported", "#d55e00", "7 3"),
                                              ("DiskSim 4.0", "#009e73", "2 3"))):
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

The trace has the times between start and stop of each request in the driver of an HP workstation; the drive file is
`scenarios/drives/hp_335h.toml`, made from the numbers in the header of the same trace. {len(a)} requests on two drives: measured mean
{a.mean():.2f} ms, simulated {b.mean():.2f} ms ({b.mean() - a.mean():+.2f}).

{_table(["move, cylinders", "requests", "measured mean ms", "simulated mean ms", "measured 2 % point ms", "simulated 2 % point ms"], parts)}
Requests that need no move take about 5 ms longer in reality: the driver's, the bus's and the drive's times beside the command overhead
of the header, of which there are no numbers. Long moves are too long by what the addresses say: the fastest of them took less than the
seek curve of the header allows, so a part of them did not go where their addresses point.

"""


def _table(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]) + "\n"


def _text(rows: list[Row], week: str) -> str:
    main, halves, parts = [], [], []
    for row in rows:
        trace = row.imported.trace
        disksim = m.errors(trace.measured_ms, row.disksim_ms)
        ours = row.imported.whole()
        main.append([row.name, str(len(trace)), f"{ours.measured:.3f}", f"{disksim.rms:.3f}", f"**{ours.rms:.3f}**",
                     f"{ours.rms / disksim.rms:.2f}", f"{disksim.mean:+.3f}", f"{ours.mean:+.3f}", f"{disksim.absolute:.3f}",
                     f"{ours.absolute:.3f}", f"{ours.absolute_p90:.2f}"])
        later = row.fitted.chosen
        theirs = m.errors(trace.measured_ms[later], row.disksim_ms[later])
        fitted = row.fitted.whole()
        halves.append([row.name, f"{theirs.rms:.3f}", f"{row.imported_half.rms:.3f}", f"**{fitted.rms:.3f}**",
                       f"{fitted.rms / theirs.rms:.2f}", f"{theirs.absolute:.3f}", f"{fitted.absolute:.3f}"])
        kinds = []
        for name, chosen in m.classes(trace, row.imported.replay):
            if name not in _CLASSES:
                continue
            e = m.errors(trace.measured_ms[chosen], row.imported.replay.response_ms[chosen])
            d = m.errors(trace.measured_ms[chosen], row.disksim_ms[chosen])
            kinds.append([name, str(e.count), f"{e.measured:.3f}", f"{d.simulated:.3f}", f"{e.simulated:.3f}", f"{d.rms:.3f}",
                          f"{e.rms:.3f}", f"{d.absolute:.3f}", f"{e.absolute:.3f}"])
        taken = taken_sentence(row.imported.taken)
        parts.append(f"## {row.name}\n\n![cumulative distributions](pictures/validation-{row.name}.svg)\n\n"
                     + (taken + " " if taken else "") + phase_sentence(row.imported.phase) + "\n\n"
                     + _table(["requests", "number", "measured ms", "DiskSim ms", "ours ms", "DiskSim rms", "our rms",
                               "DiskSim abs. error", "our abs. error"], kinds))
    return f"""# Held against measured drives

Written by `./armature validate --all`; do not edit. Traces with the service times of real drives, which DiskSim's authors
published with it, are replayed one request in flight: each request comes a think time after the one before has completed. The
drives are DiskSim's own descriptions of them, imported by `armature import disksim` ([import.md](import.md)), nothing else. They lie
outside of the repository (`ARMATURE_REFERENCE`).

*rms* is DiskSim's measure: the root mean square horizontal distance between the measured and the simulated cumulative
distribution, at 10,000 quantiles. Errors are simulated minus measured, in ms.

{_table(["drive", "requests", "measured mean", "DiskSim rms", "our rms", "ratio", "DiskSim error", "our error", "DiskSim abs. error", "our abs. error", "90 % below"], main)}
What a drive file does not say is taken from the first {m.CALIBRATION} requests and told: the disk's true speed; whether a request's
think time is the one before it or behind it, which the traces do differently; a bus slower than Serial ATA, where DiskSim keeps its
time in another file. Speed and think times come from pairs of requests to one track: the turns between them are known, whatever the
layout says. A random angle stays random: from track to track the descriptions' skews are off by some sectors a cylinder, so that the
absolute error of a request far from the one before holds the difference of two unrelated rotations, about a third of a turn.

## What `validate` leaves

| file | holds |
| --- | --- |
| `validation.html` | everything below on one page |
| `requests.csv` | a row a request: operation, outcome as the trace has it, measured and simulated time and their difference, class (hit, partial hit or miss of a read or write, as DiskSim counts them), what served it, how it lies to the request before, and the time in each phase ([results.md](results.md)) |
| `errors.svg` | errors against distance, size and class: each request a dot, 10 to 90 % of them a bar, their mean a stroke |
| `validation.tsv`, `validation.json` | the errors by kind of request; what was taken from the trace |
| `worst.tsv` | the requests that are furthest off |

## After the fit

`armature fit` takes the first half of a trace. Where it is coherent, each request to the media tells at which angle its sector lies:
from these come the skews of heads, cylinders and spare ranges, and where each zone begins. Then overheads, bus time, settling, seek
curve and the drive's ways of reading ahead are changed ({_TRIALS} replays). This is the second half, which it has not seen.

{_table(["drive", "DiskSim rms", "imported rms", "fitted rms", "fitted / DiskSim", "DiskSim abs. error", "fitted abs. error"], halves)}
{chr(10).join(parts)}
{week}## Known weaknesses

- Requests to the very track that the arm is on take longer in reality than the head switch and the rotation explain. The importer
  gives them the shortest seek's time (`seek.reposition_ms`, [mechanics.md](mechanics.md)), which the fit corrects.
- What of a segment stays when a write falls into it differs from drive to drive (`cache.written_segment`). The importer leaves the larger
  part, the fit chooses.
- The Atlas 10K answers more reads just before and behind earlier ones from its buffer than what passes under its head explains: it
  reads more of a track than `cache.free_reads` does.
- A write to the media begins when all data of its track have come over the bus. On a bus slower than the media (C3323A) a real drive
  begins earlier; sequential writes there lose a revolution too often.
- Written data do not stay in the buffer for later reads once they are on the media.
- DiskSim's description may be of another specimen or revision of a drive than the one that was measured.
"""


def write(program: Program, root: Path) -> int:
    with tempfile.TemporaryDirectory(prefix="armature-validation-") as work:
        rows = _rows(program, reference_directory(root), Path(work))
        week = _week(program, reference_directory(root), root, Path(work))
    for row in rows:
        (root / "docs" / "pictures" / f"validation-{row.name}.svg").write_text(picture(row))
    (root / "docs" / "validation.md").write_text(_text(rows, week))
    print(f"wrote docs/validation.md and {len(rows)} pictures")
    return 0

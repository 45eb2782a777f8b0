"""A drive beside measurements of the real one: traces with measured times, replays, and how far off a model is."""

from __future__ import annotations

import re
import tempfile
import tomllib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from .errors import InputError, read_input
from .program import Program, Refused, as_options
from .runs import PHASES, read_log

_TRACE_COLUMNS = ("write", "lbn", "sectors", "measured_ms", "think_ms", "line", "outcome")
NEAR = 512  # sectors from the end of one request to the beginning of the next, less than which it is near
CALIBRATION = 500  # requests at the beginning that phase, period and what a drive file leaves open are taken from
_STEPS = 10_000
COLUMNS = ("id", "accesses", "cylinder", "head", "seek_cylinders", "response_us", "completion_us",
           *(f"{phase}_us" for phase in PHASES))


class Unfinished(InputError):
    """A replay that the program did not bring to its end."""


@dataclass(frozen=True)
class Trace:
    """Requests with the times that a real drive took, one in flight: DiskSim's `validate` format."""

    path: Path
    write: np.ndarray
    lbn: np.ndarray
    sectors: np.ndarray
    measured_ms: np.ndarray
    think_ms: np.ndarray  # from a request's completion to the next one's arrival; as in the file until `thought_before`
    line: np.ndarray  # of the file
    outcome: np.ndarray  # Hit, Miss, ...: what the file says of it; nothing follows from it here

    def __len__(self) -> int:
        return len(self.lbn)

    @property
    def arrival_ms(self) -> np.ndarray:
        """When the requests came to the real drive."""
        return np.concatenate([[0.0], np.cumsum(self.measured_ms + self.think_ms)[:-1]])

    def first(self, count: int) -> Trace:
        return replace(self, **{name: getattr(self, name)[:count] for name in _TRACE_COLUMNS})

    def halves_swapped(self) -> Trace:
        """Its second half, then its first. Only the time between the two is not one of the real drive's."""
        order = np.roll(np.arange(len(self)), len(self) // 2)
        return replace(self, **{name: getattr(self, name)[order] for name in _TRACE_COLUMNS})

    def with_think(self, think_ms: np.ndarray) -> Trace:
        return replace(self, think_ms=think_ms)

    def thought_before(self) -> Trace:
        """The same if the file's think time of a request is the one before it, not the one behind it."""
        return self.with_think(np.append(self.think_ms[1:], 0.0))

    def told(self, message: str, replayed: Path, header: int) -> str:
        """A message about a copy of the trace as one about its file."""
        def place(match: re.Match) -> str:
            row = int(match[1]) - 1 - header
            return f"{self.path}:{self.line[row] if 0 <= row < len(self.line) else match[1]}"

        return re.sub(re.escape(str(replayed)) + r":(\d+)", place, message)

    @cached_property
    def text(self) -> str:
        """In DiskSim's `validate` format."""
        return "".join(f"{'W' if w else 'R'} Miss {lbn} {n} {m:.5f} {t:.5f}\n" for w, lbn, n, m, t in zip(
            self.write, self.lbn, self.sectors, self.measured_ms * 1000, self.think_ms * 1000))

    def paced(self) -> str:
        """The same as a CSV trace whose requests come when they came to the real drive."""
        rows = "".join(f"{a:.6f},{lbn},{n},{'W' if w else 'R'}\n" for a, lbn, n, w in zip(
            self.arrival_ms, self.lbn, self.sectors, self.write))
        return "time_ms,lbn,sectors,op\n" + rows


def read_trace(name: str) -> Trace:
    path = Path(name)
    columns: list[list] = [[] for _ in _TRACE_COLUMNS]
    try:
        text = read_input(path)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error.strerror if isinstance(error, OSError) else 'is not text'}") from None
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        try:
            if len(fields) != 6 or fields[0].upper() not in ("R", "W"):
                raise ValueError
            values = (fields[0].upper() == "W", int(fields[2]), int(fields[3]), float(fields[4]) / 1000,
                      float(fields[5]) / 1000)
            if values[1] < 0 or values[2] < 1 or not 0 <= values[3] < 1e6 or not 0 <= values[4] < 1e9:
                raise ValueError
        except ValueError:
            raise InputError(f"{path}:{number}: a line of measurements is \"R|W outcome LBN sectors measured_us think_us\""
                             ) from None
        for column, value in zip(columns, (*values, number, fields[1])):
            column.append(value)
    if len(columns[0]) < 20:
        raise InputError(f"{path}: holds {len(columns[0])} requests; a comparison needs 20")
    return Trace(path, np.array(columns[0], bool), np.array(columns[1], np.int64), np.array(columns[2], np.int64),
                 np.array(columns[3]), np.array(columns[4]), np.array(columns[5], np.int64), np.array(columns[6]))


@dataclass(frozen=True)
class Replay:
    """What the model made of the requests, in their order. Times in ms."""

    response_ms: np.ndarray
    accesses: np.ndarray
    cylinder: np.ndarray  # of the last access; -1: none
    head: np.ndarray
    seek_cylinders: np.ndarray  # -1: no access
    rotation_ms: np.ndarray
    after_first_sector_ms: np.ndarray  # from the first sector's passage to completion
    first_sector_ms: np.ndarray  # since the beginning of time
    phases: dict[str, np.ndarray]  # they add up to the response


_OF_DRIVE = "drives.drive."  # before a key: the program takes keys of the drive only there


class Drive:
    """A drive file with some keys set, and replays on it, one request in flight."""

    def __init__(self, program: Program, file: str, sets: list[str] | None = None):
        self.program = program
        self.file = str(Path(file).resolve())
        self.sets = list(sets or [])
        self.outside = 0  # requests behind the drive's end that are replayed all the same, modulo its size
        if not Path(self.file).is_file():
            raise InputError(f"{file}: there is no such drive file")
        for assignment in self.sets:
            if "." not in assignment.split("=")[0]:
                raise InputError(f"--set {assignment}: a key of the drive is expected, for instance spindle.rpm=5400")

    def accept(self, trace: Trace) -> None:
        """Some descriptions tell a few blocks less than the drive had that was measured: up to one request in a hundred
        may lie behind the end. Refused if it is more."""
        try:
            self.replay(trace)
        except Refused as refusal:
            capacity = re.search(r"outside the drive of (\d+) sectors", str(refusal))
            if not capacity:
                raise
            outside = int((trace.lbn + trace.sectors > int(capacity[1])).sum())
            if outside * 100 > len(trace):
                raise
            self.outside = outside

    def replay(self, trace: Trace, settings: dict[str, object] | None = None, paced: bool = False) -> Replay:
        keys = settings or {}
        with tempfile.TemporaryDirectory(prefix="armature-replay-", ignore_cleanup_errors=True) as folder:
            place = Path(folder)
            scenario = self._scenario(place, trace.paced() if paced else trace.text, "csv" if paced else "validate", keys)
            sets = [_OF_DRIVE + assignment for assignment in self.sets if assignment.split("=")[0].strip() not in keys]
            done = self.program.call("run", str(scenario), "--out", str(place / "out"), "--quiet",
                                     *as_options("--set", ["output.timelines=0", *sets]))
            if done.returncode == 2:
                raise _refused(done.stderr.strip(), trace, place / "trace", 1 if paced else 0)
            if done.returncode != 0:
                raise Unfinished(f"the replay ended with status {done.returncode}: {done.stderr.strip()}")
            return _read_log(place / "out" / "requests.csv", len(trace))

    def _scenario(self, place: Path, trace: str, kind: str, keys: dict[str, object]) -> Path:
        (place / "trace").write_text(trace)
        path = place / "replay.toml"
        path.write_text(f'[workload]\nkind = "trace"\nformat = "{kind}"\nfile = "{place}/trace"\n'
                        f'out_of_range = "{"wrap" if self.outside else "fail"}"\n'
                        f'[host]\nncq = false\n[drives.drive]\nmodel = "{self.file}"\n'
                        + "".join(f"{key} = {toml(value)}\n" for key, value in keys.items()))
        return path

    def resolved(self, trace: Trace) -> dict:
        """The drive's configuration as tables. InputError if it is no disk drive."""
        with tempfile.TemporaryDirectory(prefix="armature-replay-") as folder:
            scenario = self._scenario(Path(folder), trace.first(20).text, "validate", {})
            try:
                text = self.program.resolve(scenario, [_OF_DRIVE + assignment for assignment in self.sets])
            except Refused as refusal:
                raise _refused(str(refusal), trace, Path(folder) / "trace", 0) from None
        configuration = tomllib.loads(text)["drives"]["drive"]
        if "spindle" not in configuration:
            raise InputError(f"{self.file}: a MEMS store has no rotation; validate and fit take a disk drive")
        return configuration


def _refused(message: str, trace: Trace, replayed: Path, header: int) -> Refused:
    """The program's message, with the trace's own lines and the keys as --set had them."""
    return Refused(trace.told(message, replayed, header).replace(_OF_DRIVE, ""))


def toml(value: object) -> str:
    """A value as a scenario or --set has it: a word, a number, or rows of numbers."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (float, int)):
        return repr(value)
    return "[" + ", ".join("[" + ", ".join(f"{x:.9g}" for x in row) + "]" for row in value) + "]"


def _read_log(path: Path, count: int) -> Replay:
    table = read_log(path, list(COLUMNS)).fillna(-1.0)
    columns = {name: table[name].to_numpy(float) for name in COLUMNS}
    if len(table) != count:
        raise InputError(f"of {count} requests {len(table)} completed")
    after = (columns["transfer_us"] + columns["buffer_fill_us"] + columns["link_wait_us"] + columns["link_data_us"] +
             columns["link_status_us"]) / 1000
    return Replay(columns["response_us"] / 1000, columns["accesses"], columns["cylinder"], columns["head"],
                  columns["seek_cylinders"], columns["rotation_us"] / 1000, after, columns["completion_us"] / 1000 - after,
                  {phase: columns[f"{phase}_us"] / 1000 for phase in PHASES})


# ---- Measures --------------------------------------------------------------------------------------------------------


def quantiles(values: np.ndarray) -> np.ndarray:
    """Linear in between, at (i + 0.5) / 10,000: those that DiskSim's validation compares."""
    return np.quantile(values, (np.arange(_STEPS) + 0.5) / _STEPS)


def rms(measured: np.ndarray, simulated: np.ndarray) -> float:
    """Root mean square horizontal distance of the two cumulative distributions."""
    return float(np.sqrt(np.mean((quantiles(measured) - quantiles(simulated)) ** 2)))


@dataclass(frozen=True)
class Errors:
    """How far off: rms of the distributions; mean of simulated minus measured; of its size the mean and 90th
    percentile. ms."""

    count: int
    measured: float
    simulated: float
    rms: float
    mean: float
    absolute: float
    absolute_p90: float


def errors(measured: np.ndarray, simulated: np.ndarray) -> Errors:
    if len(measured) == 0:
        return Errors(0, *([float("nan")] * 6))
    off = np.abs(simulated - measured)
    return Errors(len(measured), float(measured.mean()), float(simulated.mean()), rms(measured, simulated),
                  float((simulated - measured).mean()), float(off.mean()), float(np.quantile(off, 0.9)))


def before(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Of each request: where it begins behind the end of the one before (sectors), and whether that was a write."""
    end = np.concatenate([[-(1 << 40)], (trace.lbn + trace.sectors)[:-1]])
    return trace.lbn - end, np.concatenate([[False], trace.write[:-1]])


def classes(trace: Trace, replay: Replay) -> list[tuple[str, np.ndarray]]:
    """Parts of the requests, each with a name; those of a group are all of them."""
    gap, _ = before(trace)
    read = ~trace.write
    served = replay.accesses > 0
    seek = replay.seek_cylinders
    parts = [("all", np.ones(len(trace), bool)),
             ("reads", read), ("writes", trace.write),
             ("reads from the buffer", read & ~served), ("reads from the media", read & served),
             ("sequential reads", read & (gap == 0)), (f"reads within {NEAR} sectors", read & (gap != 0) & (np.abs(gap) < NEAR)),
             ("other reads", read & (np.abs(gap) >= NEAR)),
             ("sequential writes", trace.write & (gap == 0)), ("other writes", trace.write & (gap != 0))]
    for low, high, name in ((0, 1, "no move"), (1, 2, "1 cylinder"), (2, 100, "2 to 99 cylinders"),
                            (100, 1000, "100 to 999 cylinders"), (1000, 1 << 40, "1,000 cylinders and more")):
        parts.append((f"on the media, {name}", served & (seek >= low) & (seek < high)))
    for low, high in ((1, 4), (5, 8), (9, 16), (17, 1 << 40)):
        name = f"{low} to {high} sectors" if high < 1 << 40 else f"{low} sectors and more"
        parts.append((name, (trace.sectors >= low) & (trace.sectors <= high)))
    return [(name, chosen) for name, chosen in parts if chosen.any()]


# ---- What a drive file leaves open -------------------------------------------------------------------------------------


def bus_time_us(trace: Trace, replay: Replay) -> float | None:
    """Microseconds a sector that reads from the buffer take on the bus, from the first requests: the median slope
    (Theil, Sen) of what the model lacks over their sizes. None if they do not tell."""
    count = min(CALIBRATION, len(trace))
    gap, _ = before(trace)
    chosen = np.flatnonzero((~trace.write & (replay.accesses == 0) & (gap == 0))[:count])
    lack = (trace.measured_ms - replay.response_ms)[chosen]
    sectors = trace.sectors[chosen].astype(float)
    if len(chosen) < 20 or len(np.unique(sectors)) < 3:
        return None
    apart = sectors[:, None] - sectors[None, :]
    slopes = (lack[:, None] - lack[None, :])[apart > 0] / apart[apart > 0]
    slope = float(np.median(slopes)) * 1000
    return slope if slope > 0 else None

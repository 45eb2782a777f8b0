"""Runs and sweeps from Python: `armature.run`, `armature.sweep`, `armature.read`; results as pandas DataFrames."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from .errors import InputError, RunFailed
from .locate import program_path
from .points import Point, as_set
from .pool import local_cores
from .program import Program, as_options
from .store import Store, default_directory
from .swept import sweep as run_points

_BAD_INPUT = 2  # exit status of the program
_ENERGY = ("component", "rail", "view", "name", "time_s", "energy_j", "average_w")
_PHASES = ("id", "begin_us", "end_us", "phase", "link_below")


def _key(name: str) -> str:
    """A key as --set writes it: `arms__count`, which Python takes as a keyword, is `arms.count`."""
    return name.replace("__", ".")


def _plain(value: object) -> object:
    """Numbers of numpy and pandas as Python's own, paths as text, lists likewise."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _assignment(name: str, value: object) -> tuple[str, str]:
    key = _key(name)
    return key, as_set(_plain(value), key)


@dataclass
class Result:
    """What a run left in its folder. The tables are read when they are asked for."""

    directory: Path
    log: str = ""  # what the program printed on standard error
    _kept: tempfile.TemporaryDirectory | None = field(default=None, repr=False)  # a folder that goes with this object

    @cached_property
    def summary(self) -> dict:
        """summary.json: figures with units and definitions, and the resolved configuration (docs: results)."""
        path = self.directory / "summary.json"
        try:
            return json.loads(path.read_text())
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}; no run has ended there") from None
        except ValueError as error:
            raise InputError(f"{path}: the file is damaged ({error})") from None

    @property
    def drives(self) -> list[str]:
        """Names of the drives and arrays, as in the summary."""
        return [drive["name"] for drive in self.summary["drives"]]

    def of(self, drive: str | None = None) -> dict:
        """The part of the summary about a drive; without a name about the only one."""
        if drive is None and len(self.drives) == 1:
            drive = self.drives[0]
        for entry in self.summary["drives"]:
            if entry["name"] == drive:
                return entry
        raise InputError(f"{'no drive ' + drive if drive else 'several drives'}; there are {', '.join(self.drives)}")

    def _table(self, name: str, columns: tuple[str, ...]) -> pd.DataFrame:
        parts = []
        for drive in self.drives:
            place = self.directory / drive if len(self.drives) > 1 else self.directory
            path = next((path for path in (place / name, place / f"{name}.gz") if path.exists()), None)
            if path is None:
                continue
            try:
                # A drive or a job may be called "nan"; what is empty is missing.
                part = pd.read_csv(path, keep_default_na=False, na_values=[""])
            except (ValueError, OSError, EOFError) as error:
                raise InputError(f"{path}: the file is damaged ({error}); run the scenario again") from None
            part.insert(0, "drive", drive)
            parts.append(part)
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["drive", *columns])

    @cached_property
    def requests(self) -> pd.DataFrame:
        """A row a completed request, in order of completion; times in us (`armature describe requests.csv`). InputError if
        the run kept none (output.request_log)."""
        table = self._table("requests.csv", ())
        if table.columns.size == 1:
            raise InputError(f"{self.directory}: no requests.csv (output.request_log keeps it)")
        return table

    @cached_property
    def energy(self) -> pd.DataFrame:
        """Joules by component, rail, and mode or state: energy.csv. Empty where no drive file says what the drive draws."""
        return self._table("energy.csv", _ENERGY)

    @cached_property
    def phases(self) -> pd.DataFrame:
        """A row a phase of a request, with begin and end in us: events.csv, which has the slowest 1000 requests
        (output.timelines) and those of output.explain. The time of each phase of all requests is in `requests`."""
        return self._table("events.csv", _PHASES)

    def _file(self, name: str) -> Path | None:
        path = self.directory / name
        return path if path.exists() else None

    @property
    def report(self) -> Path | None:
        return self._file("report.html")

    @property
    def waves(self) -> Path | None:
        return self._file("waves.fst")

    def __repr__(self) -> str:
        return f"Result({str(self.directory)!r}, drives={self.drives})"


def read(directory: str | os.PathLike[str]) -> Result:
    """The result of a run that has been made before. InputError if there is none."""
    result = Result(Path(directory))
    result.summary  # noqa: B018  (refuses what is no run)
    return result


def _program(program: str | os.PathLike[str] | None) -> Program:
    return Program(program if program is not None else program_path())


def run(
    scenario: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    waves: bool = False,
    options: Iterable[str] = (),
    program: str | os.PathLike[str] | None = None,
    **overrides: object,
) -> Result:
    """Simulates a scenario file.

    Overrides are keys of the configuration as `armature run --set` takes them, with the key's unit or with one:
    `**{"spindle.rpm": 5400}` or `spindle__rpm=5400`, `arbiter__policy="sptf"`, `seek__average_ms="8 ms"`. `out` is the
    folder of the results; without one they lie in a temporary folder that is gone with the Result. `waves` writes
    waves.fst. `options` are further options of `armature run`, such as ["--until", "10"].

    Raises InputError with the program's message for bad input, and RunFailed if the run did not end well.
    """
    found = _program(program)
    kept = tempfile.TemporaryDirectory(prefix="armature-run-") if out is None else None
    directory = Path(kept.name if kept else out)
    sets = as_options("--set", ("=".join(_assignment(name, value)) for name, value in overrides.items()))
    done = found.call("run", os.fspath(scenario), "--out", str(directory), "--quiet", *(["--waves"] if waves else []), *sets, *options)
    message = done.stderr.strip()
    if done.returncode == _BAD_INPUT:
        raise InputError(message)
    result = Result(directory, message, kept)
    if done.returncode != 0:
        status = done.returncode if done.returncode > 0 else 128 - done.returncode
        raise RunFailed(message or f"armature run ended with status {status}", status, result)
    return result


@dataclass
class Sweep:
    """The points of a sweep: `table` has a row a point and drive, with its keys, its status and all figures of its summary;
    units stand in the names of the columns."""

    table: pd.DataFrame
    points: list[dict[str, str]]  # what was set, as --set takes it
    directories: list[Path | None]  # of the points' results; None where a point has none
    ran: int  # by this call
    known: int  # results of earlier sweeps
    failed: int

    def result(self, point: int) -> Result:
        """Of a point, by its number in the table. InputError if it has none."""
        if not 0 <= point < len(self.directories):
            raise InputError(f"no point {point}; there are {len(self.directories)}")
        if (directory := self.directories[point]) is None:
            row = self.table[self.table["point"] == point].iloc[0]
            raise InputError(f"point {point} has no results: {row['status']}: {row['message']}")
        return Result(directory)


def _points(varied: Mapping[str, object] | Iterable[Mapping[str, object]], fixed: Mapping[str, object]) -> list[Point]:
    same = tuple(_assignment(name, value) for name, value in fixed.items())
    if isinstance(varied, Mapping):
        axes = []
        for name, values in varied.items():
            values = _plain(list(values) if isinstance(values, (range, set, frozenset)) else values)
            if not isinstance(values, list) or not values:
                raise InputError(f"{_key(name)}: a list of values is expected, not {values!r}")
            axes.append([_assignment(name, value) for value in values])
        points = [tuple(point) for point in itertools.product(*axes)]
    else:
        points = [tuple(_assignment(name, value) for name, value in point.items()) for point in varied]
    for point in points:
        keys = [key for key, _ in (*point, *same)]
        if twice := {key for key in keys if keys.count(key) > 1}:
            raise InputError(f"{', '.join(sorted(twice))}: given twice")
    if not points or not all(points):
        raise InputError("nothing to vary: a key with a list of values is expected, or a list of points")
    return [point + same for point in points]


def sweep(
    scenario: str | os.PathLike[str],
    varied: Mapping[str, object] | Iterable[Mapping[str, object]],
    *,
    replications: int | None = None,
    requests: bool = False,
    jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    scheduler: str | None = None,
    progress: bool = False,
    program: str | os.PathLike[str] | None = None,
    **overrides: object,
) -> Sweep:
    """Simulates many configurations of a scenario, as `armature sweep` does, and keeps their results for the next time.

    `varied` is {key: list of values}, of which all combinations run, or a list of points [{key: value, ...}, ...].
    Overrides hold for all points. `replications` runs each point with simulation.seed 1 to N, `requests` keeps the request
    logs, `jobs` programs run side by side (as many as cores), `scheduler` is the address of a dask scheduler.

    Raises InputError for a value with which no point works. A point that fails alone has its message in the table.
    """
    found = _program(program)
    points = _points(varied, overrides)
    if replications is not None:
        if not isinstance(replications, int) or replications < 1:
            raise InputError(f"replications: a whole number from 1 on is expected, not {replications!r}")
        points = [(*point, ("simulation.seed", str(seed))) for point in points for seed in range(1, replications + 1)]
    store = Store(Path(cache) if cache is not None else default_directory())
    swept = run_points(found, os.fspath(scenario), points, store=store, requests=requests, at_once=jobs or local_cores(),
                       scheduler=scheduler, quiet=not progress)
    if swept.interrupted:
        raise KeyboardInterrupt
    return Sweep(pd.DataFrame(swept.table.values()), [dict(point) for point in points], swept.entries, swept.ran, swept.known, swept.failed)

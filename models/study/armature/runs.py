"""Runs as compare sees them: which there are, their request logs, which of them are replications of one another."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .errors import InputError
from .figures import parts_of_arrays
from .points import flat
from .table import figures

if TYPE_CHECKING:
    import pandas as pd

PHASES = ("host_queue", "link_command", "firmware", "drive_queue", "arbitration", "seek", "write_settle", "channel_wait", "rotation",
          "transfer", "buffer_fill", "write_back", "link_wait", "link_data", "link_status")
_FORMAT_VERSION = 1  # of summary.json
_IDENTITY = ("device", "lbn", "sectors")
COLUMNS = ("id", *_IDENTITY, "op", "response_us")  # of requests.csv, that a Log always reads


def read_log(path: Path, columns: list[str]) -> pd.DataFrame:
    """Columns of a log of requests in the order of their arrival; what is empty is nan. InputError for a damaged file."""
    import pandas as pd  # half a second to load

    numbers = {name: float for name in columns if name.endswith("_us") or name in _IDENTITY}
    try:
        table = pd.read_csv(path, usecols=columns, dtype={"id": "int64", **numbers}, keep_default_na=False, na_values=[""])
    except ValueError as error:
        raise InputError(f"{path}: the file is damaged ({error}); run the scenario again") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: {error}") from None
    return table.sort_values("id", kind="stable")


@dataclass
class Log:
    """A drive's requests in the order of their arrival; `completed` of them by the run's summary, None if that is not
    known. InputError if the file does not hold them all, or ends within a line."""

    path: Path
    completed: int | None = None

    def _refuse_cut(self, rows: int) -> None:
        if self.completed is not None and rows != self.completed:
            raise InputError(f"{self.path}: holds {rows} requests; by summary.json {self.completed} completed: it is cut off or "
                             "belongs to another run")
        if self.path.suffix != ".gz":  # a compressed file that is cut off cannot be read to its end
            with open(self.path, "rb") as stream:
                stream.seek(-1, 2)
                if stream.read(1) != b"\n":
                    raise InputError(f"{self.path}: ends within a line")

    @cached_property
    def _columns(self) -> pd.DataFrame:
        table = read_log(self.path, list(COLUMNS))
        self._refuse_cut(len(table))
        if len(twice := table["id"][table["id"].duplicated()]):
            raise InputError(f"{self.path}: request {twice.iloc[0]} stands in it twice")
        if len(bad := table["id"][~(np.isfinite(table["response_us"]) & (table["response_us"] >= 0))]):
            raise InputError(f"{self.path}: request {bad.iloc[0]}: its response_us is no time")
        return table

    @property
    def ids(self) -> np.ndarray:
        return self._columns["id"].to_numpy()

    @cached_property
    def response_ms(self) -> np.ndarray:
        return self._columns["response_us"].to_numpy() / 1000

    @cached_property
    def stream(self) -> np.ndarray:
        """What makes each the same request in another run, as one number."""
        from pandas.util import hash_pandas_object

        return hash_pandas_object(self._columns[["op", *_IDENTITY]], index=False).to_numpy()

    def phase_means_ms(self, first_id: int) -> dict[str, float]:
        """Means of the phases over the requests from a number on."""
        table = read_log(self.path, ["id", *(f"{phase}_us" for phase in PHASES)]).set_index("id")
        for name in table:
            if not np.isfinite(table[name]).all():
                raise InputError(f"{self.path}: column {name} holds what is no time")
        means = table[table.index >= first_id].mean().fillna(0)
        return {phase: float(means[f"{phase}_us"]) / 1000 for phase in PHASES}

    def column(self, name: str) -> np.ndarray:
        """Another column, in the order of arrival."""
        return read_log(self.path, ["id", name])[name].to_numpy()


@dataclass
class System:
    """An array, or a drive that is of none; of a run, or of several that differ in their seed only."""

    label: str
    logs: list[Log]
    seeds: list[int]
    configuration: dict
    trace: bool
    notes: list[str] = field(default_factory=list)
    drive: str = ""
    totals: list[dict[str, object]] = field(default_factory=list)  # figures of each whole run by path, as the logs
    units: dict[str, str] = field(default_factory=dict)
    parts: dict[str, list[dict[str, object]]] = field(default_factory=dict)  # of an array: the figures of its drives, as `totals`


def log_of(directory: Path, drive: str, several: bool) -> Path:
    """requests.csv of a drive, compressed or not."""
    place = directory / drive if several else directory
    for name in ("requests.csv", "requests.csv.gz"):
        if (place / name).exists():
            return place / name
    raise InputError(f"{place}: no requests.csv (output.request_log, or sweep --requests, keeps it)")


def _point_label(path: Path, directory: Path) -> str:
    """A point by what is varied: rpm=7200 policy=fcfs; by its number if that cannot be told."""
    try:
        points = json.loads((path / "sweep.json").read_text())["points"]
        point = points[int(directory.name)]
        varied = [key for key in point if key != "simulation.seed" and len({other.get(key) for other in points}) > 1]
        leaves = [key.rsplit(".", 1)[-1] for key in varied]
        names = [leaf if leaves.count(leaf) == 1 else key for key, leaf in zip(varied, leaves)]
        told = " ".join(f"{name}={point[key]}" for name, key in zip(names, varied))
    except (ValueError, KeyError, IndexError):
        told = ""
    return told or f"{path.name}/{directory.name}"


def _refuse_other_sweep(path: Path) -> None:
    """InputError for one of another version. A sweep that was cut short has no version yet."""
    try:
        about = json.loads(path.read_text())
    except ValueError:
        return
    if isinstance(about, dict):
        _refuse_version(path, about)


def _directories(path: Path) -> list[tuple[str, Path]]:
    """Runs below what was named: itself, or the points of a sweep."""
    if (path / "sweep.json").exists():
        _refuse_other_sweep(path / "sweep.json")
        points = sorted((path / "points").glob("*/summary.json"))
        if not points:
            raise InputError(f"{path}: a sweep without results")
        return [(_point_label(path, point.parent), point.parent) for point in points]
    if not (path / "summary.json").exists():
        raise InputError(f"{path}: neither a run nor a sweep (there is no summary.json)")
    return [(str(path), path)]


def _without_seed(configuration: dict, drive: str, parts: list[str]) -> str:
    told = {key: value for key, value in configuration.items() if key not in ("output", "drives", "simulation")}
    told["simulation"] = {k: v for k, v in configuration["simulation"].items() if k != "seed"}
    told["drives"] = {name: configuration["drives"][name] for name in parts}
    return json.dumps([drive, told], sort_keys=True)


def _keys(configuration: dict, parts: list[str]) -> dict[str, object]:
    """What the scenario says of the drive or, of an array, of its drives: once where they agree, else by drive."""
    each = {name: flat(configuration["drives"][name]) for name in parts}
    told: dict[str, object] = {}
    for key in dict.fromkeys(key for keys in each.values() for key in keys):
        values = {name: keys[key] for name, keys in each.items() if key in keys}
        alike = len(values) == len(each) and len({json.dumps(value) for value in values.values()}) == 1
        told |= {key: next(iter(values.values()))} if alike else {f"{name}.{key}": value for name, value in values.items()}
    return told


def _no_number(told: str) -> float:
    raise ValueError(f"{told} is no figure")


def _refuse_version(path: Path, told: dict) -> None:
    if (version := told.get("format_version")) != _FORMAT_VERSION:
        raise InputError(f"{path}: its format_version is {version!r}; this program reads {_FORMAT_VERSION}")


def _summary(path: Path) -> dict:
    """What is used of a run's summary is there: InputError otherwise."""
    try:
        summary = json.loads(path.read_text(), parse_constant=_no_number)
        configuration = summary["configuration"]
        _refuse_version(path, summary)
        if not summary["drives"]:
            raise InputError(f"{path}: the run has no drives")
        for drive in summary["drives"]:
            int(drive["completed"]), int(drive["unfinished"]), drive["name"]
            for name in drive.get("members") or [drive["name"]]:
                configuration["drives"][name]
        summary["complete"], summary["definitions"], summary["run"]["simulated_s"]
        configuration["simulation"]["seed"], configuration["workload"]["kind"]
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: the file is damaged ({error.msg}); run the scenario again") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: is not the summary of a run ({error})") from None
    return summary


def read(paths: list[str], each_drive: bool = False) -> list[System]:
    """The systems of the named runs and sweeps, in their order, with short labels that tell them apart: arrays, and drives that
    are of none. each_drive: instead all drives."""
    systems: dict[str, System] = {}
    for text in paths:
        for label, directory in _directories(Path(text)):
            if len(paths) > 1 and Path(text) != directory:
                label = f"{Path(text).name}: {label}"
            summary = _summary(directory / "summary.json")
            configuration = summary["configuration"]
            parts = {drive["name"]: drive.get("members") or [drive["name"]] for drive in summary["drives"]}
            left_out = set(parts) - set(configuration["drives"]) if each_drive else parts_of_arrays(summary)
            names = [name for name in parts if name not in left_out]
            completed = {drive["name"]: int(drive["completed"]) for drive in summary["drives"]}
            for name in names:
                key = _without_seed(configuration, name, parts[name])
                seed = configuration["simulation"]["seed"]
                log = Log(log_of(directory, name, len(parts) > 1), completed[name])
                if key in systems and seed in systems[key].seeds:
                    if len(paths) == 1 or seed != systems[key].seeds[0]:
                        continue
                    key += label  # the same run named twice: shown twice
                totals, units = figures(summary, name)
                of_parts = {part: figures(summary, part)[0] for part in parts[name] if part != name}
                if key in systems:
                    systems[key].logs.append(log)
                    systems[key].seeds.append(seed)
                    systems[key].totals.append(totals)
                    for part, of_part in of_parts.items():
                        systems[key].parts[part].append(of_part)
                    continue
                system = System(
                    (f"{label}/{name}" if label == str(directory) else f"{label} {name}") if len(names) > 1 else label,
                    [log],
                    [seed],
                    {
                        **flat({k: v for k, v in configuration.items() if k not in ("output", "drives")}),
                        **_keys(configuration, parts[name]),
                    },
                    configuration["workload"]["kind"] == "trace",
                    drive=name,
                    totals=[totals],
                    units=units,
                    parts={part: [of_part] for part, of_part in of_parts.items()},
                )
                if not summary["complete"]:
                    system.notes.append(f"incomplete: {summary['reason']}")
                if unfinished := sum(d["unfinished"] for d in summary["drives"] if d["name"] == name):
                    system.notes.append(f"{unfinished} requests had not completed and are in no figure")
                systems[key] = system
    found = list(systems.values())
    for system in found:
        order = np.argsort(system.seeds, kind="stable")
        system.logs = [system.logs[i] for i in order]
        system.totals = [system.totals[i] for i in order]
        system.seeds = [system.seeds[i] for i in order]
    return found


def differing_keys(systems: list[System]) -> list[str]:
    """Keys in which they are not all alike; the seed of single runs is among them."""
    keys = dict.fromkeys(key for system in systems for key in system.configuration)
    return [
        key
        for key in keys
        if key != "simulation.seed" and len({json.dumps(system.configuration.get(key)) for system in systems}) > 1
    ]

"""`armature oracle`: spin-down policies of a scenario's drives beside an oracle that knows the future.

Two passes. The first run has no spin-down: its request log tells when each drive has nothing to do, and until when. In the second
one the host plans with that: it sends STANDBY IMMEDIATE at the begin of each idle period that pays, and IDLE IMMEDIATE so early
that the drive is back when the next request comes (host.standby_plan). The other runs have the policies of the firmware
(idle.spin_down), with the break-even time in place of their times.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .errors import InputError
from .idle import Powers, periods
from .points import flat
from .program import Program, Refused
from .runs import System, read

SPIN_DOWN = ("fixed", "adaptive", "probabilistic")
POLICIES = (*SPIN_DOWN, "drpm")
COLUMNS = ("drive", "policy", "power_w", "energy_j", "saved_percent", "of_the_oracle_percent", "standby_percent",
            "mean_ms", "p99_ms", "longest_ms", "waited")
NO_STANDBY_BY_THE_HOST = {"host.standby_timer_s": 0, "host.standby_after_s": 0, "host.standby_plan": "[]"}
_WAITED_MS = 100.0  # longer than without spin-down: for a way back, not for a sector


@dataclass
class Plan:
    """A drive's standbys, s from the begin of the run: STANDBY IMMEDIATE, IDLE IMMEDIATE, and the next request."""

    drive: str
    spans: list[tuple[float, float, float]]


def break_even_s(powers: Powers) -> float:
    """The idle time in which idle takes what the ways to standby and back take more than standby."""
    return (powers.ways_j - powers.standby_w * powers.ways_s) / (powers.idle_w - powers.standby_w)


def plan(begins: np.ndarray, lengths: np.ndarray, powers: Powers, back_s: float, lead_s: float) -> list[tuple[float, float, float]]:
    """Of the idle periods those in which standby pays. The drive is back `lead_s` before they end."""
    worth = (powers.idle_w - powers.standby_w) * (lengths - lead_s) > powers.ways_j - powers.standby_w * powers.ways_s
    chosen = worth & (lengths >= powers.ways_s + lead_s)
    ends = begins + lengths
    return [(float(b), float(e - back_s - lead_s), float(e)) for b, e in zip(begins[chosen], ends[chosen])]


def back_s(system: System) -> float:
    """The way back from standby: the stack comes to speed, and the arms from the ramp if there is one."""
    load_ms = float(system.configuration.get("seek.load_ms") or 0)
    return float(system.configuration["spindle.spin_up_s"]) + load_ms / 1000


def with_plans(resolved: str, plans: list[Plan]) -> str:
    """The resolved configuration, with each drive's plan in place of what it has."""
    for one in plans:
        head = f"[drives.{one.drive}.host]\n"
        place = resolved.find(head)
        if place < 0:
            raise InputError(f"the resolved configuration has no section drives.{one.drive}.host")
        end = resolved.find("\n[", place)
        end = len(resolved) if end < 0 else end
        rows = ", ".join(f"[{down:.9f}, {up:.9f}]" for down, up, _ in one.spans)
        key = re.compile(r"^standby_plan = ", re.MULTILINE).search(resolved, place, end)
        if key is None:
            raise InputError(f"the resolved configuration has no key drives.{one.drive}.host.standby_plan")
        resolved = resolved[: key.end()] + f"[{rows}]" + resolved[_end_of_list(resolved, key.end()) :]
    return resolved


def _end_of_list(text: str, begin: int) -> int:
    """Behind the list of numbers that begins there, over as many lines as it takes."""
    depth = 0
    for place in range(begin, len(text)):
        depth += {"[": 1, "]": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)


def keys_of_drive(drive: str, keys: dict[str, object]) -> list[str]:
    return [f"drives.{drive}.{key}={value}" for key, value in keys.items()]


def keys_of(policy: str, powers: dict[str, Powers], options: argparse.Namespace) -> list[str]:
    """The keys of a run with a policy of the firmware."""
    sets = list(options.set)
    if policy == "drpm":
        for name in powers:
            sets += keys_of_drive(name, {"speed.policy": "drpm", "idle.spin_down": "never", **NO_STANDBY_BY_THE_HOST})
        return sets
    for name, of_drive in powers.items():
        seconds = options.spin_down_s if options.spin_down_s is not None else max(break_even_s(of_drive), 0.001)
        sets += keys_of_drive(name, {
            "idle.spin_down": policy, "idle.spin_down_s": f"{seconds:.6f}",
            "idle.spin_down_least_s": f"{min(seconds, 1):.6f}", "idle.spin_down_most_s": f"{max(seconds, 60):.6f}",
            **NO_STANDBY_BY_THE_HOST,
        })
    return sets


def refuse_runs(program: Program, scenario: str, never: list[str], sets_of: dict[str, list[str]], spin_down_s: float | None) -> None:
    """Before anything runs: InputError if the program refuses one of the runs."""
    program.resolve(scenario, never)
    given = "the break-even time (--spin-down-s tells another)" if spin_down_s is None else f"--spin-down-s {spin_down_s:g}"
    for sets in sets_of.values():
        try:
            program.resolve(scenario, sets)
        except Refused as refusal:
            raise InputError(f"{given}: {re.sub('^--set [^ ]+: ', '', str(refusal))}") from None


def run(program: Program, place: Path, scenario: str, sets: Iterable[str] = ()) -> dict[str, System]:
    """The drives of a run, by name."""
    program.run(scenario, place, ["output.request_log=true", *sets])
    return {system.drive: system for system in read([str(place)], each_drive=True)}


def resolved_systems(program: Program, scenario: str, sets: list[str]) -> dict[str, System]:
    """The drives of the scenario, without logs."""
    configuration = tomllib.loads(program.resolve(scenario, sets))
    common = flat({key: value for key, value in configuration.items() if key not in ("output", "drives")})
    return {name: System(name, [], [], {**common, **flat(keys)}, False, drive=name)
            for name, keys in configuration["drives"].items()}


def _whole_s(system: System) -> float:
    """The time that the drive's energy account covers."""
    watts = figure_of(system, "energy.average_w")
    return figure_of(system, "energy.energy_j") / watts if watts else 0.0


def idle_periods(system: System) -> tuple[np.ndarray, np.ndarray]:
    """With the time before the first request, and of a member of an array the time after its last one."""
    log = system.logs[0]
    arrival, waited, done = (log.column(name) / 1e6 for name in ("arrival_us", "host_queue_us", "completion_us"))
    begins, lengths = periods(arrival + waited, done, 0.0)
    last = float(done.max()) if len(done) else 0.0
    rest = _whole_s(system) - last
    return (np.append(begins, last), np.append(lengths, rest)) if rest > 1e-6 else (begins, lengths)


def figure_of(system: System, path: str) -> float:
    value = system.totals[0].get(path)
    return float(value) if isinstance(value, (int, float)) else 0.0


def _waited(system: System, never: System) -> str:
    """Requests that waited for the drive's way back; empty if an array has sent the drive others than without spin-down."""
    one, other = system.logs[0].response_ms, never.logs[0].response_ms
    return str(int((one - other > _WAITED_MS).sum())) if len(one) == len(other) else ""


def row_of(system: System, never: System, policy: str, oracle_j: float | None) -> list[str]:
    response = system.logs[0].response_ms
    idle_j = figure_of(never, "energy.energy_j")
    energy, watts, whole_s = figure_of(system, "energy.energy_j"), figure_of(system, "energy.average_w"), _whole_s(system)
    times = [f"{ms:.3f}" for ms in (response.mean(), np.quantile(response, 0.99), response.max())] if len(response) else [""] * 3
    saved = 100 * (idle_j - energy) / idle_j
    part = f"{100 * (idle_j - energy) / (idle_j - oracle_j):.1f}" if oracle_j is not None and idle_j > oracle_j else ""
    standby = 100 * figure_of(system, "energy.modes.standby.time_s") / whole_s if whole_s else 0.0
    return [system.drive, policy, f"{watts:.4f}", f"{energy:.2f}", f"{saved:.2f}", part, f"{standby:.2f}",
            *times, _waited(system, never)]

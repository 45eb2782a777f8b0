"""Runs a scenario in several ways and says what is wrong with it, if anything."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import arrays
import figures
import program
import stores
from draw import PLACE
from scenario import Scenario


LARGE = "drives/seagate_barracuda_es_750.toml"


@dataclass
class Verdict:
    """A kind of failure, the same for a scenario and its smaller versions, and what was seen."""

    kind: str
    what: str


LEFT = r" +array: \d+ sectors of the (?:cache|store) were not taken by the members\n?"
LOST = re.compile(
    rf"(?:.*: the waves are empty\n)?host\.verify: no sector was read wrong, but the array's data are not sound\n(?:{LEFT}){{1,2}}")


def excused(ended: program.Ended, scenario: Scenario) -> bool:
    """Members that fail may leave the array's cache, or the store in front of it, with data that nobody takes; the run says so and
    ends with status 1."""
    return ended.status == 1 and may_fail(scenario) and LOST.fullmatch(ended.err) is not None


def ended_badly(ended: program.Ended, scenario: Scenario) -> Verdict | None:
    """A run ends with status 0, or with 2 and a place and a reason; nothing else."""
    if excused(ended, scenario):
        return None
    if ended.hung:
        return Verdict("hang: no end", ended.message)
    if ended.status < 0:
        return Verdict(f"signal {-ended.status}", ended.message)
    if ended.status == 2:
        first = ended.message.splitlines()[0] if ended.message else ""
        return None if PLACE.match(first) else Verdict("refused without a place", ended.message or "no message")
    if ended.status == 3:
        reason = "nothing is scheduled" if "nothing is scheduled" in ended.err else "nothing has completed"
        return Verdict(f"hang: {reason}", ended.message)
    if ended.status == 1 and "verified:" in ended.out and "mismatch" in ended.err + ended.out and "internal" not in ended.err:
        return Verdict("wrong data", ended.out[-500:] + ended.message)
    if ended.status != 0:
        words = "".join(c for c in " ".join(ended.message.split()[:40]) if not c.isdigit())
        return Verdict(f"status {ended.status}: {words[:60]}", ended.message)
    return None


class Bench:
    """Runs one program in folders of its own."""

    def __init__(self, binary: str, place: Path):
        self.binary = binary
        self.place = place
        self.runs = 0

    def run(self, scenario_file: Path, *options: str, shuffle: int = 0) -> tuple[program.Ended, Path]:
        """A run in a fresh folder; results in its folder `out`."""
        self.runs += 1
        directory = self.place / f"run{self.runs}"
        directory.mkdir()
        return program.start(
            self.binary, ["run", str(scenario_file), "--out", "out", "--quiet", *options], directory, shuffle=shuffle
        ), directory / "out"


def slow(bench: Bench, file: Path, scenario: Scenario) -> bool:
    """Whether a run that "stands" ends when it is given time: a slow drive is no failure, one that never ends is."""
    drop = ["--set", "simulation.stall_s=0"]
    if scenario.any("host.reset_interval_ms"):
        drop += ["--set", "host.reset_interval_ms=0"]  # resets more often than a request takes let none complete
    ended, _ = bench.run(file, *drop)
    return ended.status == 0


def differ(a: Path, b: Path, names: list[str], files: tuple[str, ...]) -> str:
    """The first file of a drive in which two runs differ; empty if none does."""
    for name in names:
        for file in files:
            one, other = (base / (name if (base / name).is_dir() else "") / file for base in (a, b))
            if one.exists() != other.exists():
                return f"{name}/{file} is in one run only"
            if one.exists() and one.read_bytes() != other.read_bytes():
                lines = zip(one.read_text().splitlines(), other.read_text().splitlines())
                first = next((f"{x}\n{y}" for x, y in lines if x != y), "one ends before the other")
                return f"{name}/{file} differs:\n{first}"
    return ""


def without_stack(summary: dict) -> dict:
    """Only an ELF's stack is measured."""
    for drive in summary.get("drives", []):
        for name in [name for name in drive.get("counters", {}) if name.startswith("stack_")]:
            del drive["counters"][name]
    return summary


def same_summary(a: Path, b: Path) -> str:
    """Drives and utilisation of two summaries of the same run must be alike."""
    one, other = (without_stack(json.loads((base / "summary.json").read_text())) for base in (a, b))
    for part in ("drives", "utilisation", "verify", "complete"):
        if one.get(part) != other.get(part):
            return f"summary.json differs in {part}"
    return ""


# Of a longer run only so much is recorded: a drive that reads for itself all the time changes 100,000 values a second.
MOST_WAVES_S = 30


def waves_of(scenario: Scenario, first: Path) -> list[str]:
    """Options of the run with waves; of a long run without a window the beginning, which may be all of a request's time."""
    options = list(scenario.waves)
    summary = json.loads((first / "summary.json").read_text())
    requests = min(drive["completed"] for drive in summary["drives"])
    at = options.index("--around") if "--around" in options else None
    if at is not None and int(options[at + 1]) >= requests:  # there is no such request
        options[at : at + 2] = ["--around", str(requests - 1)] if requests else []
    if "--from" in options or summary["run"]["simulated_s"] <= MOST_WAVES_S:
        return options
    if at is not None and "--around" in options:
        del options[at : at + 2]
    return ["--from", "0", "--to", str(MOST_WAVES_S), *options]


# Firmware on the instruction-set simulator is a hundred times slower where it has much to do.
MOST_NATIVE_S = 0.5


def run_seconds(out: Path) -> float:
    """Wall time of a run."""
    return json.loads((out / "summary.json").read_text())["run"]["wall_s"]


def again(bench: Bench, file: Path, first: Path, scenario: Scenario, thorough: bool) -> Verdict | None:
    """Runs that must give the same: from resolved.toml with waves on; the same again; with firmware as an ELF; each drive
    alone."""
    names = arrays.names(scenario)
    ways = [("waves or resolved.toml", first / "resolved.toml", waves_of(scenario, first))]
    if thorough:
        ways += [("repeated", file, [])]
        if run_seconds(first) < MOST_NATIVE_S:
            ways += [("firmware as an ELF", file, ["--set", "controller.processor=iss"])]
    for kind, source, options in ways:
        ended, out = bench.run(source, *options)
        nothing_in_waves = ended.status == 2 and "the waves are empty" in ended.err
        bad = ended_badly(ended, scenario)
        if not bad and ended.status and not nothing_in_waves and not excused(ended, scenario):
            bad = Verdict("status", ended.message)
        if bad:
            return Verdict(f"{kind}: {bad.kind}", bad.what)
        difference = differ(first, out, names, ("requests.csv", "energy.csv", "members.csv")) or same_summary(first, out)
        if difference:
            return Verdict(f"not the same: {kind}", difference)
    if scenario.shuffle and (bad := shuffled(bench, first, scenario)):
        return bad
    if thorough and run_seconds(first) < MOST_NATIVE_S and (bad := in_time(bench, file, first, scenario)):
        return bad
    if len(names) > 1 and thorough and not arrays.is_one(scenario):
        return alone(bench, first, scenario)
    return None


def in_time(bench: Bench, file: Path, first: Path, scenario: Scenario) -> Verdict | None:
    """With firmware whose instructions take time, requests come at other times, and the run ends as well. Waves and the order
    of what is due at one instant change nothing."""
    time = ["--set", "controller.processor=iss", "--set", "firmware.time=instructions"]
    ended, out = bench.run(file, *time)
    bad = ended_badly(ended, scenario)
    if bad and bad.kind.startswith("hang") and scenario.any("host.reset_interval_ms"):
        return None  # resets come more often than a request takes now
    if bad:
        return Verdict(f"instructions: {bad.kind}", bad.what)
    if ended.status:
        return None
    shuffled_run, other = bench.run(file, *time, *waves_of(scenario, first), shuffle=scenario.shuffle or 7)
    if shuffled_run.status:
        return None  # the waves hold nothing
    if difference := differ(out, other, arrays.names(scenario), ("requests.csv", "members.csv")):
        return Verdict("not the same: instructions, with waves and another order", difference)
    return None


def shuffled(bench: Bench, first: Path, scenario: Scenario) -> Verdict | None:
    """Beside another drive, and with what is due at one instant in another order, nothing changes: the same drive once more, or
    beside an array one that holds all its load."""
    beside = scenario.copy()
    table = next(iter(scenario.drives.values()))
    beside.drives["beside"] = {"model": LARGE} if arrays.is_one(scenario) else dict(table)
    ended, out = bench.run(beside.write(bench.place / "beside"), shuffle=scenario.shuffle)
    if ended.status == 2:  # one file of contents cannot be of two drives
        return None
    if ended.status != 0:
        return Verdict("shuffled: status", ended.message)
    if difference := differ(first, out, arrays.names(scenario), ("requests.csv", "members.csv")):
        return Verdict("not the same: shuffled beside another drive", difference)
    return None


def alone(bench: Bench, first: Path, scenario: Scenario) -> Verdict | None:
    """A drive beside others does what it does alone, and draws the same."""
    if scenario.any("simulation.until_s"):
        return None
    for name in scenario.drives:
        single = scenario.copy()
        single.drives = {name: scenario.drives[name]}
        ended, out = bench.run(single.write(bench.place / f"alone_{name}"))
        if ended.status == 3 and "nothing has completed" in ended.err:
            return None  # drives beside it had hidden that it waits for long, or forever for its resets
        if ended.status != 0:
            return Verdict("alone: status", ended.message)
        if difference := differ(first, out, [name], ("requests.csv", "energy.csv")):
            return Verdict("not the same: alone", difference)
    return None


# What `run` may find that `check` does not look for: a random arrival of a far future, memory that is missing, a file
# system that has no room for a file of contents.
ONLY_IN_RUN = ("would arrive after the end", "out of memory", "File too large")


def refused(binary: str, scenario: Scenario) -> tuple[Verdict | None, bool]:
    """A trace with a wrong line, or without any: `check` and `run` must name it."""
    place = Path(tempfile.mkdtemp(prefix="scenario"))
    try:
        file = scenario.write(place)
        line = scenario.wrong_line or max(1, len(scenario.trace_head))  # without requests: the last line
        for command in ("check", "run"):
            options = ["--out", "out", "--quiet"] if command == "run" else []
            ended = program.start(binary, [command, str(file), *options], place)
            if ended.status != 2 or f"{scenario.trace_name}:{line}" not in ended.err:
                kind = "a broken trace is taken" if ended.status == 0 else "a broken trace is refused badly"
                return Verdict(kind, f"{command}: status {ended.status}, line {line} is wrong: {ended.message}"), True
        return None, True
    finally:
        shutil.rmtree(place, ignore_errors=True)


def of(binary: str, scenario: Scenario, thorough: bool = False) -> tuple[Verdict | None, bool]:
    """The verdict on a scenario, and whether the program took it (a scenario that it refuses with a reason is no failure)."""
    if scenario.wrong_line is not None:
        return refused(binary, scenario)
    place = Path(tempfile.mkdtemp(prefix="scenario"))
    try:
        file = scenario.write(place)
        bench = Bench(binary, place)
        ended, out = bench.run(file)
        verdict = ended_badly(ended, scenario)
        if verdict and verdict.kind == "hang: nothing has completed" and slow(bench, file, scenario):
            return None, True
        if verdict or ended.status == 2:
            if not verdict and not any(text in ended.err for text in ONLY_IN_RUN):
                verdict = Verdict("run refuses what check takes", ended.message)
            return verdict, not ended.status == 2
        try:
            summary = figures.check(out, arrays.names(scenario), excused(ended, scenario))
            if arrays.is_one(scenario):
                report = program.start(binary, ["check", str(file)], place).out
                arrays.check(out, scenario, report)
        except (figures.Wrong, arrays.Wrong) as wrong:
            return Verdict("figures: " + str(wrong).partition(":")[0], str(wrong)), True
        failed = sum(drive["failed"] for drive in summary["drives"])
        if failed and not may_fail(scenario):
            return Verdict("failed requests", f"{failed} requests failed, and nothing in the scenario lets them"), True
        if excused(ended, scenario):
            scenario = scenario.copy()
            scenario.shuffle = 0  # the run would end with that status, too
        return again(bench, file, out, scenario, thorough), True
    finally:
        shutil.rmtree(place, ignore_errors=True)


def may_fail(scenario: Scenario) -> bool:
    """Whether something in the scenario makes requests fail."""
    if any(stores.loses_blocks({**scenario.shared, **table}) for table in scenario.drives.values() if "tips.failures" in table):
        return True
    return arrays.may_fail(scenario) or scenario.any(
        "channel.", "faults", "firmware.spin_up_limit_s", "spindle.spin_up_s", "spindle.motor.",
        "spindle.initially_spinning", "host.reset_interval_ms", "host.timeout_s", "host.standby_after_s", "host.standby_timer_s", "host.standby_plan", "geometry.logical_sector_bytes",
    )  # fmt: skip

"""Reads the results of a run and checks that its figures agree with each other."""

from __future__ import annotations

import csv
import json
import math
from decimal import Decimal
from pathlib import Path

PHASES = (
    "host_queue link_command firmware drive_queue arbitration seek write_settle channel_wait rotation transfer buffer_fill "
    "write_back link_wait link_data link_status"
).split()


class Wrong(Exception):
    """A figure that contradicts another; its first word names the kind."""


def near(a: float, b: float, relative: float = 1e-9, absolute: float = 1e-12) -> bool:
    return math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def picoseconds(text: str) -> int:
    """A time in microseconds with six decimals."""
    return int(Decimal(text).scaleb(6))


def rows_of(path: Path) -> list[dict]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if None in row or None in row.values():
            raise Wrong(f"torn: {path.name} has a row of another length")
    return rows


def requests(path: Path) -> list[dict]:
    """Rows of requests.csv, each checked alone and against the one before."""
    rows = rows_of(path)
    if rows and not set(f"{phase}_us" for phase in PHASES) <= set(rows[0]):
        raise Wrong(f"columns: {path.name} lacks a phase")
    last, seen = 0, set()
    for row in rows:
        number = row["id"]
        if number in seen:
            raise Wrong(f"twice: request {number} completes twice")
        seen.add(number)
        for name, text in row.items():
            if name.endswith("_us") and text and not name.startswith("predicted") and Decimal(text) < 0:
                raise Wrong(f"negative: {name} of request {number} is {text}")
        parts = sum(picoseconds(row[f"{phase}_us"]) for phase in PHASES)
        response = picoseconds(row["response_us"])
        if parts != response:
            raise Wrong(f"phases: of request {number} they add up to {parts} ps, its response time is {response} ps")
        arrival, completion = picoseconds(row["arrival_us"]), picoseconds(row["completion_us"])
        # An array that lacks members refuses at once.
        at_once = response == 0 and row["status"] != "ok" and path.parent.name == "array"
        if completion - arrival != response or (response <= 0 and not at_once):
            raise Wrong(f"response: of request {number} is {response} ps from {arrival} to {completion}")
        if completion < last:
            raise Wrong(f"order: request {number} completes at {completion} ps, after one at {last} ps")
        last = completion
    return rows


def events(path: Path) -> None:
    """events.csv: the phases of a request follow each other without gap or overlap."""
    ends: dict[str, int] = {}
    for row in rows_of(path):
        begin, end = picoseconds(row["begin_us"]), picoseconds(row["end_us"])
        if end < begin or ends.get(row["id"], begin) != begin:
            raise Wrong(f"events: request {row['id']} has a phase from {begin} to {end}, the one before ended at {ends.get(row['id'])}")
        ends[row["id"]] = end


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def drive_summary(figures: dict, rows: list[dict], run: dict, complete: bool) -> None:
    """One drive of summary.json against its requests.csv."""
    name = figures["name"]
    if figures["completed"] != len(rows):
        raise Wrong(f"count: {name} completed {figures['completed']} requests, requests.csv has {len(rows)}")
    if figures["arrived"] != figures["completed"] + figures["unfinished"]:
        raise Wrong(f"count: {name}: {figures['arrived']} arrived, {figures['completed']} completed, {figures['unfinished']} unfinished")
    if complete and figures["unfinished"]:
        raise Wrong(f"count: {name} left {figures['unfinished']} requests in a complete run")
    failed = sum(row["status"] != "ok" for row in rows)
    if figures["failed"] != failed:
        raise Wrong(f"count: {name} has {figures['failed']} failed, requests.csv {failed}")
    if not rows:
        return
    everything = figures["response"]["all"]
    responses = [picoseconds(row["response_us"]) for row in rows]
    if not near(everything["mean_ms"], mean(responses) * 1e-9):
        raise Wrong(f"mean: {name} says {everything['mean_ms']} ms, requests.csv {mean(responses) * 1e-9}")
    if not near(everything["max_ms"], max(responses) * 1e-9) or not near(everything["min_ms"], min(responses) * 1e-9):
        raise Wrong(f"mean: {name}: longest or shortest response time is not that of requests.csv")
    if not near(sum(everything["phase_means_ms"].values()), everything["mean_ms"], absolute=1e-9):
        raise Wrong(f"phases: the means of {name} do not add up")
    little(figures, responses, complete)
    positive(figures, name)
    utilised = [arm["utilisation"] for arm in figures.get("arms", [])]
    if any(not 0 <= share <= 1 + 1e-12 for share in utilised):
        raise Wrong(f"utilisation: the arms of {name} have {utilised}")
    if "energy" in figures:
        energy_summary(figures["energy"], name)
        if not near(figures["energy"]["average_w"] * figures["end_s"], figures["energy"]["energy_j"], 1e-9, 1e-9):
            raise Wrong(f"energy: {name} has {figures['energy']['energy_j']} J in {figures['end_s']} s, not {figures['energy']['average_w']} W")


def little(figures: dict, responses: list[int], complete: bool) -> None:
    """Mean depth is rate times mean time in the system, if nothing is left in it."""
    if not complete or figures["unfinished"]:
        return
    depth = figures["queue"]["mean_depth"]
    expected = figures["requests_per_s"] * mean(responses) * 1e-12
    if not near(depth, expected, 1e-6):
        raise Wrong(f"little: {figures['name']} has a mean depth of {depth}, rate times mean response is {expected}")
    if depth > figures["queue"]["max_depth"] * (1 + 1e-9):
        raise Wrong(f"little: {figures['name']} has a mean depth of {depth} above its greatest")


# What may be below zero: an error of prediction, a number that stands for none.
SIGNED = ("mean_prediction_error_ms", "mean_error_ms", "head")


def positive(value, where: str) -> None:
    """No figure of a drive is negative or not a number; temperatures (_c) may be below 0."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in SIGNED:
                positive(inner, f"{where}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            positive(inner, f"{where}[{number}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if not math.isfinite(value) or value < 0 and not where.endswith("_c"):
            raise Wrong(f"negative: {where} is {value}")


def energy_summary(energy: dict, name: str) -> None:
    """The parts of the energy add up, and averages lie below peaks."""
    total = energy["energy_j"]
    for part in ("rails", "modes", "components"):
        parts = sum(entry["energy_j"] for entry in energy[part].values())
        if not near(parts, total, 1e-9):
            raise Wrong(f"energy: the {part} of {name} add up to {parts} J, not {total} J")
    if energy["peak_w"] * (1 + 1e-9) < energy["average_w"]:
        raise Wrong(f"energy: the average power of {name}, {energy['average_w']} W, is above its peak, {energy['peak_w']} W")
    for window in energy["rolling"]:
        if window["most_w"] > energy["peak_w"] * (1 + 1e-9) or window["most_w"] * (1 + 1e-9) < 0:
            raise Wrong(f"energy: {name} has an average of {window['most_w']} W above its peak, {energy['peak_w']} W")


def energy_file(path: Path, energy: dict, name: str, views: tuple[str, ...]) -> None:
    """energy.csv against itself and summary.json; it shows twelve digits."""
    rows = rows_of(path)
    for view in views:
        parts = sum(float(row["energy_j"]) for row in rows if row["view"] == view and row["component"] != "all")
        if not near(parts, energy["energy_j"], 1e-8, 1e-9):
            raise Wrong(f"energy: the rows {view} of {name} add up to {parts} J, summary.json has {energy['energy_j']} J")
    for row in rows:
        if float(row["energy_j"]) < 0 or float(row["time_s"]) < 0:
            raise Wrong(f"energy: {name} has a negative row: {row}")
        if row["view"] == "total" and row["rail"] == "all" and not near(float(row["energy_j"]), energy["energy_j"], 1e-10, 1e-10):
            raise Wrong(f"energy: energy.csv of {name} has {row['energy_j']} J in all, summary.json {energy['energy_j']} J")


def states(summary: dict) -> None:
    """Each component is in exactly one state at a time."""
    for component in summary["utilisation"]:
        shares = [state["share"] for state in component["states"].values()]
        times = [state["time_s"] for state in component["states"].values()]
        if any(not 0 <= share <= 1 + 1e-12 for share in shares) or any(time < 0 for time in times):
            raise Wrong(f"utilisation: {component['component']} has {component['states']}")
        # A drive that no request of the load reaches is done at once: its account is of no time.
        if sum(times) > 0 and not near(sum(shares), 1, 1e-9):
            raise Wrong(f"utilisation: the states of {component['component']} add up to {sum(shares)}")


def sum_of_members(summary: dict) -> None:
    """The joules of an array up to the end of the run are those of its members and spares; up to its own end they are no more than
    these drew up to theirs."""
    of = {drive["name"]: drive for drive in summary["drives"]}
    for array in summary["drives"]:
        if "energy" not in array or "members" not in array:
            continue
        parts = sum(of[name]["common_window"]["energy_j"] for name in array["members"])
        if not near(array["common_window"]["energy_j"], parts, 1e-9):
            raise Wrong(f"energy: the members of {array['name']} have {parts} J, it says {array['common_window']['energy_j']} J")
        parts = sum(of[name]["energy"]["energy_j"] for name in array["members"])
        if array["energy"]["energy_j"] > parts * (1 + 1e-9):
            raise Wrong(f"energy: {array['name']} has {array['energy']['energy_j']} J, more than its members' {parts} J")


def check(directory: Path, names: list[str], lost: bool = False) -> dict:
    """All results of a run; returns its summary. `lost`: its data may differ, which was looked at before."""
    summary = json.loads((directory / "summary.json").read_text())
    if [drive["name"] for drive in summary["drives"]] != names:
        raise Wrong(f"count: the drives are {[drive['name'] for drive in summary['drives']]}")
    verified = summary.get("verify")
    if verified and (verified["mismatches"] or verified["array_faults"]) and not lost:
        raise Wrong(f"contents: {verified}")
    states(summary)
    sum_of_members(summary)
    for figures in summary["drives"]:
        place = directory / figures["name"] if len(names) > 1 else directory
        drive_summary(figures, requests(place / "requests.csv"), summary["run"], summary["complete"])
        events(place / "events.csv")
        if "energy" in figures:
            energy_file(place / "energy.csv", figures["energy"], figures["name"], ("mode",) if "members" in figures else ("mode", "state"))
    if (directory / "report.html").stat().st_size < 1000:
        raise Wrong("report: report.html is empty")
    return summary

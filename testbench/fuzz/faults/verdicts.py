"""Runs a case and says what is wrong with it, if anything."""

from __future__ import annotations

import json
import re
from pathlib import Path

import program
import smart_story
from cases import FAULTY, Case
from smart_story import kind_of, rows

BASE_LIMIT_S = 8.0  # of a request: the queue before it, a spin-up, retries

# Error registers that a request may end with, by what has broken.
ERRORS = {
    "media_defect": {"UNC", "ABRT"},  # of a write: there is no spare, as in all MEMS stores
    "weak_code": {"UNC"},
    "buffer_flip": {"ICRC|ABRT", "UNC"},
    "link_crc": {"ICRC|ABRT"},
    "dead_head": {"IDNF", "ABRT", "UNC"},
    "dead_arm": {"ABRT"},
    "dead_tip": {"UNC", "ABRT"},
    "power_cut": {"UNC"},  # of a sector that was under a head
}
CHANGES = {"stopped", "spin_up", "spin_down", "slow_down"}  # states of a stack
AFTER = re.compile(r"after the loss of power LBN (\d+) (is unreadable|holds )")


def overlaps(fault: dict, lbn: int, sectors: int) -> bool:
    first = fault["lbn"] // 8 * 8  # of the physical sector
    return lbn < fault["lbn"] + fault["sectors"] + 8 and first < lbn + sectors


def lost_rightly(case: Case, lbn: int) -> bool:
    """A place that is broken, or data of which the RAM knew that they were wrong, cannot be read; nothing else may be lost."""
    kinds = {kind_of(fault) for fault in case.faults}
    if any(fault["kind"] == "media_defect" and overlaps(fault, lbn, 1) for fault in case.faults):
        return True
    if any(fault["kind"] == "buffer_flip" and fault["bits"] > 1 for fault in case.faults):
        return True
    return bool(kinds & {"dead_tip"})


def of(binary: str, case: Case, place: Path, again: bool, smart: bool) -> str:
    ended = program.start(binary, ["run", "s.toml", "--out", "out", "--quiet"], place)
    if ended.hung or ended.status not in (0, 1):
        return f"status {ended.status}: {ended.message[-1500:]}"
    if case.array:
        wrong = of_array(case, ended, place / "out")
    else:
        wrong = data(case, ended, place / "out") or requests(case, place / "out") or story(case, place / "out", smart)
    if wrong or not again:
        return wrong
    second = program.start(binary, ["run", "s.toml", "--out", "again", "--quiet", "--waves", "--scope", "*faults*"], place, shuffle=7)
    if second.status != ended.status:
        return f"with waves it ends with {second.status}: {second.message[-1000:]}"
    for name in ("array/requests.csv", f"{FAULTY}/faults.csv") if case.array else ("requests.csv", "faults.csv"):
        if (place / "out" / name).read_bytes() != (place / "again" / name).read_bytes():
            return f"{name} differs with waves and another order of what is due at one instant"
    return ""


def of_array(case: Case, ended: program.Ended, out: Path) -> str:
    """No request fails and no data are lost: one member is gone, one has faults, and the level bears both."""
    if ended.status:
        return f"status {ended.status}: {(ended.err + ended.out)[-1000:]}"
    done = rows(out / "array/requests.csv")
    if len(done) < len(case.trace) - 1:  # what was written is read again at the end
        return f"{len(done)} of {len(case.trace) - 1} requests ended"
    for row in done:
        if row["status"] != "ok":
            return f"request {row['id']} failed with {row['status']}"
    counters = json.loads((out / "summary.json").read_text())["drives"][0]["counters"]
    return "" if "rebuild_share" in counters else "no rebuild has begun"


def told(out: Path, lbn: int) -> bool:
    """Whether a flush has failed since the last write of the block that was acknowledged: the host knows of the loss."""
    done = rows(out / "requests.csv")
    written = [
        float(row["completion_us"])
        for row in done
        if row["op"] == "write" and row["status"] == "ok" and int(row["lbn"]) <= lbn < int(row["lbn"]) + int(row["sectors"])
    ]
    failed = [float(row["completion_us"]) for row in done if row["op"] == "flush" and row["status"] != "ok"]
    return bool(written and failed and max(failed) > max(written))


def data(case: Case, ended: program.Ended, out: Path) -> str:
    """No wrong data, and nothing lost that was acknowledged and flushed."""
    if ended.status == 0:
        return ""
    lines = [line for line in (ended.err + "\n" + ended.out).splitlines() if "LBN" in line]
    for line in lines:
        found = AFTER.search(line)
        if not found:
            return "wrong data: " + line
        dead = {kind_of(fault) for fault in case.faults} & {"dead_arm", "dead_head"}
        if dead and told(out, int(found[1])):
            continue
        if found[2] == "holds " or not lost_rightly(case, int(found[1])):
            return "lost: " + line
    return "" if lines else f"status 1: {ended.message[-1000:]}"


def between_speeds(summary: dict) -> float:
    """Seconds in which the stack starts, stops, or changes its speed: no arm serves a request then."""
    stacks = [component["states"] for component in summary["utilisation"] if component["component"].endswith(".spn")]
    return sum(state["time_s"] for states in stacks for name, state in states.items() if name in CHANGES)


def background_failed(case: Case, counters: dict, broken: set[str]) -> str:
    """A background read fails for what has broken, too; the time that one takes depends on the requests."""
    failed = {name: number for name, number in counters.items() if name.startswith("background_failed_")}
    if counters.get("background_gave_up", 0):
        failed["background_gave_up"] = counters["background_gave_up"]
    if sum(failed.values()) != counters.get("background_failed", 0):
        return f"{counters['background_failed']} background reads failed; by their errors {failed}"
    allowed = set().union(*(ERRORS.get(kind, set()) for kind in broken))
    for name in failed:
        if name.removeprefix("background_failed_").upper().replace("_", "|") not in allowed:
            return f"{failed[name]} background reads: {name}; what has broken is {', '.join(sorted(broken))}"
    return ""


def requests(case: Case, out: Path) -> str:
    """Each request ends in time, and one that fails does so for what broke, with the right error."""
    done = rows(out / "requests.csv")
    summary = json.loads((out / "summary.json").read_text())
    drive = summary["drives"][0]
    if drive["unfinished"] or len(done) != len(case.trace) - 1:
        return f"{len(done)} of {len(case.trace) - 1} requests ended"
    touched: dict[int, set[str]] = {}
    for row in rows(out / "faults.csv"):
        if row["event"] == "touches" and row["request"]:
            touched.setdefault(int(row["request"]), set()).add(kind_of(case.faults[int(row["fault"])]))
    broken = {kind_of(fault) for fault in case.faults}
    limit = BASE_LIMIT_S + sum(fault.get("for_ms", 0) * max(fault.get("most", 1), 1) for fault in case.faults) * 1e-3
    limit += between_speeds(summary)
    limit += 3 * case.keys["host.timeout_s"] if drive["counters"].get("command_timeouts") else 0
    for row in done:
        number, seconds = int(row["id"]), float(row["response_us"]) * 1e-6
        if seconds > limit:
            return f"request {number} took {seconds:.3f} s; the limit is {limit:.3f} s"
        if row["status"] == "ok":
            continue
        causes = touched.get(number, set())
        if not causes:
            return f"request {number} failed with {row['status']}, and no fault has touched it"
        allowed = set().union(*(ERRORS.get(kind, set()) for kind in causes | (broken & {"dead_arm", "dead_head"})))
        if row["status"] not in allowed:
            return f"request {number} failed with {row['status']}; touched by {', '.join(sorted(causes))}"
    return background_failed(case, drive["counters"], broken)


def story(case: Case, out: Path, smart: bool) -> str:
    """The counters tell what happened."""
    counters = json.loads((out / "summary.json").read_text())["drives"][0]["counters"]
    events = rows(out / "faults.csv")
    for number, fault in enumerate(case.faults):
        begun = sum(row["event"] == "begins" and int(row["fault"]) == number for row in events)
        most = fault.get("most", 1)
        if begun > most:
            return f"fault {number} began {begun} times"
    if counters["faults"] < sum(row["event"] == "begins" for row in events):
        return f"{counters['faults']} faults are counted"
    damaged = sum(fault.get("count", 1) * fault.get("most", 1) for fault in case.faults if fault["kind"] == "link_crc")
    if counters.get("link_crc_errors", 0) > damaged:
        return f"{counters['link_crc_errors']} frames were damaged; the faults damage {damaged}"
    dead = {fault["arm"] for fault in case.faults if kind_of(fault) == "dead_arm"}
    if counters.get("failed_arms", 0) > len(dead):
        return f"{counters['failed_arms']} arms are out of service; {len(dead)} are dead"
    heads = {(fault["arm"], fault["surface"]) for fault in case.faults if fault["kind"] == "dead_head"}
    if counters.get("failed_heads", 0) > len(heads):
        return f"{counters['failed_heads']} heads are out of service; {len(heads)} are dead"
    if counters.get("buffer_words_silent", 0):
        return "ECC has let a word with wrong bits pass"
    store = any(fault["kind"] in ("media_defect", "dead_tip") for fault in case.faults) and "arms.count" not in case.keys  # without spares
    if counters.get("lost_sectors", 0) and not dead and not heads and not store:
        return f"{counters['lost_sectors']} acknowledged sectors were lost"
    return smart_story.of(case, counters, out) if smart else ""

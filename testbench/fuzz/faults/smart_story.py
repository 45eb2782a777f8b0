"""SMART attributes, error log and device statistics held against what broke in a run and what its host saw.

The scenario reads them when the load is over, cuts the power, and reads the attributes again. What is expected comes from requests.csv,
faults.csv and the counters of the link and the channels. Power cuts within the run lose what the drive has counted since it last saved: then
there are upper limits only.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from cases import ERROR_PAGES, READINGS, STATISTICS, Case

PAGE = 512
KEPT = (5, 187, 188, 196, 197, 199)  # attributes that the loss of power at the end leaves as they are
SEEK_FAULTS = {"stuck_arm", "dead_arm", "slow_arm", "servo_lost", "slow_spindle"}  # after which an arm may leave its track
READ_FAULTS = {"media_defect", "weak_code", "dead_head", "dead_arm", "dead_tip", "buffer_flip", "power_cut"}  # after which sectors cannot be read
LATE_READS = 8
UNC, ICRC, DF = 0x40, 0x80, 0x20


def kind_of(fault: dict) -> str:
    return "dead_arm" if fault["kind"] == "stuck_arm" and not fault.get("for_ms") else fault["kind"]


def rows(file: Path) -> list[dict]:
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def number(data: bytes, at: int, length: int) -> int:
    return int.from_bytes(data[at : at + length], "little")


@dataclass
class Error:
    """An entry of log 03h."""

    status: int
    error: int
    lba: int


@dataclass
class Told:
    """What the drive has told at the end of the run, and its attributes after a loss of power."""

    attributes: dict[int, int]  # raw values
    errors: list[Error]  # oldest first, as far as the log has them
    error_count: int
    statistics: dict[int, list[int]]  # by page: values of bytes 8, 16, ...
    after: dict[int, int]
    damaged: int = 0  # pages of earlier readings
    damaged_after: int = 0
    flush_failed: bool = False  # the typed one, before the first reading


def attributes(page: bytes) -> dict[int, int]:
    found = {}
    for at in range(2, 362, 12):
        if page[at]:
            found[page[at]] = number(page, at + 5, 6)
    return found


def error_log(data: bytes) -> tuple[list[Error], int]:
    newest, entries = number(data, 2, 2), []
    for index in range(ERROR_PAGES * 4):
        at = index // 4 * PAGE + 4 + index % 4 * 124 + 90
        low, high = data[at + 4 : at + 10 : 2], data[at + 5 : at + 10 : 2]
        entries.append(Error(data[at + 11], data[at + 1], int.from_bytes(low + high, "little")))
    return [entry for entry in entries[newest:] + entries[:newest] if entry.status], number(data, 500, 2)


def well(row: dict) -> bool:
    return row["end"] == "ok"


def damaged(row: dict) -> bool:
    """A frame of its data arrived damaged, or was wrong in the buffer. Nobody tries a typed command again."""
    return row["end"] == "error" and int(row["error"], 16) & ICRC != 0


def read(out: Path) -> Told | None:
    """The first reading of which nothing was damaged. None: a fault has kept the drive from answering.
    @throws ValueError if none has"""
    answers = rows(out / "commands.csv")
    each = 2 + len(STATISTICS)
    faults = rows(out / "faults.csv")
    late = [row for row in faults if float(row["time_us"]) * 1e-6 >= float(answers[0]["due_s"])]
    if wrong := [row for row in answers[1:] if not well(row) and not damaged(row)]:  # a flush fails if written data are lost
        if not late:
            raise ValueError(f"{wrong[0]['name']} ended with {wrong[0]['end']} {wrong[0]['status']} {wrong[0]['error']}")
        return None
    broken = [row for row in answers[1:] if damaged(row)]
    if broken and not any(row["kind"] in ("link_crc", "buffer_flip") for row in faults):
        raise ValueError(f"{broken[0]['name']} ended with ICRC, and no fault damages data")
    readings = [answers[1 + n * each : 1 + (n + 1) * each] for n in range(READINGS)]
    whole = next((n for n, reading in enumerate(readings) if all(map(well, reading))), None)
    if whole is None or not well(answers[-1]):
        return None
    data: dict[int, bytearray] = {}
    for line in (out / "commands.hex").read_text().splitlines():
        if line.startswith("#"):
            current = data.setdefault(int(re.search(r"\d+", line)[0]), bytearray())
        else:
            current += bytes.fromhex(line[8:57])
    first = 1 + whole * each
    errors, count = error_log(data[first + 1])
    pages = {page: [number(data[first + 2 + i], at, 6) for at in range(8, 64, 8)] for i, page in enumerate(STATISTICS)}
    before = sum(damaged(row) for row in answers[1:first])
    after = sum(damaged(row) for row in answers[first:])
    return Told(attributes(data[first]), errors, count, pages, attributes(data[len(answers) - 1]), before, after, not well(answers[0]))


def of(case: Case, counters: dict, out: Path) -> str:
    try:
        told = read(out)
    except ValueError as wrong:
        return f"SMART: {wrong}"
    if told is None:
        return ""
    seen = Seen(case, counters, out)
    for check in CHECKS:
        if wrong := check(told, seen):
            return "SMART: " + wrong
    return ""


class Seen:
    """What the host and the model have counted."""

    def __init__(self, case: Case, counters: dict, out: Path) -> None:
        self.case, self.counters = case, counters
        self.requests = rows(out / "requests.csv")
        events = [(row["event"], kind_of(case.faults[int(row["fault"])])) for row in rows(out / "faults.csv")]
        self.begun = {kind for event, kind in events if event == "begins"}
        arms = [case.faults[int(row["fault"])] for row in rows(out / "faults.csv") if row["event"] == "touches"]
        self.dead_arms = len({fault["arm"] for fault in arms if kind_of(fault) == "dead_arm"})
        self.cuts = sum(event == ("begins", "power_cut") for event in events)
        self.flips = sum(event == ("begins", "buffer_flip") for event in events)
        self.disk = "arms.count" in case.keys

    def ended(self, status: str) -> int:
        """Requests and background reads that ended with this bit of the error register."""
        return sum(status in row["status"] for row in self.requests) + self.background(status)

    def background(self, status: str) -> int:
        named = ((name.split("_")[2:], number) for name, number in self.counters.items() if name.startswith("background_failed_"))
        return sum(number for bits, number in named if status.lower() in bits)

    def read_in_background(self, lbn: int) -> bool:
        return any(first <= lbn < first + sectors for first, sectors in self.case.keys.get("host.background_ranges", []))

    def sectors(self, op: str, well: bool) -> int:
        found = sum(int(row["sectors"]) for row in self.requests if row["op"] == op and (row["status"] == "ok" or not well))
        if op == "read":
            found += self.counters.get("background_sectors", 0)
            if not well:
                found += self.counters.get("background_failed", 0) * self.case.keys.get("host.background_sectors", 0)
        return found


def limits(seen: Seen) -> dict[int, tuple[float, float]]:
    """Least and most of each raw value."""
    counters, most = seen.counters, float("inf")
    unread = seen.ended("UNC")
    broken = counters.get("link_retries", 0) + seen.ended("ICRC")
    moved = counters["reallocated_sectors"]
    readable = not seen.begun & READ_FAULTS
    dead = seen.dead_arms
    # COMRESETs with which the host starts after the run's losses of power, the one at its end included, meet no command.
    resets = counters["soft_resets"] + counters["comresets"] - seen.cuts - 1
    resets = max(resets, 0)  # a second loss may come before it
    # A reset that a drive finds with all that the host has sent still in its FIFO is none of a command under way. Only a command that
    # has timed out makes the host reset a drive at work.
    at_work = min(resets, counters.get("command_timeouts", 0))
    # One damaged frame, or one word that is wrong in the buffer, ends one command; with queuing the host sends all of them again.
    queued = seen.case.keys.get("host.ncq", True)
    causes = counters.get("link_crc_errors", 0) + seen.flips
    # Of the first loss of power the arms know: they were over the disk.
    retracted = seen.disk and seen.cuts > 0 and not dead
    found: dict[int, tuple[float, float]] = {
        1: (0, 0 if readable and not seen.begun & SEEK_FAULTS else most),
        5: (moved, moved),
        7: (dead, most if seen.begun & SEEK_FAULTS else 0),
        10: (0, 0),
        187: (unread, unread),
        188: (0, at_work),
        196: (moved, 0 if readable else most),
        197: (counters["pending_sectors"], counters["pending_sectors"] if not readable else 0),
        198: (0, 0),
        199: (bool(broken) if queued else broken, min(broken, causes) if queued else broken),
        241: (seen.sectors("write", True), seen.sectors("write", False)),
        242: (seen.sectors("read", True), seen.sectors("read", False)),
    }
    if "failed_sector_reads" in counters:
        failed = counters["failed_sector_reads"]
        # Those of an access that was dropped or stopped, as reading ahead is, are counted with the next one, and a sector that is given
        # up counts once more.
        ends = any(row["status"] != "ok" for row in seen.requests) or counters.get("background_failed") or broken or resets or seen.begun & {"dead_head", "dead_arm"}
        dropped = LATE_READS if ends or seen.case.keys.get("cache.look_ahead", True) else 0
        found[1] = (failed - dropped, failed + unread + dropped)
    if seen.cuts or resets:  # what had been counted is lost, or what had ended was sent again
        found = {key: (0, high if key not in (187, 199, 241, 242) or not resets else most) for key, (low, high) in found.items()}
    if seen.cuts:  # what was pending or moved is kept, and the counters begin anew
        del found[5], found[197]
    found[12] = (min(seen.cuts, 1) + 1, seen.cuts + 1)  # firmware may not have started between two
    found[192] = (int(retracted), seen.cuts)
    return found


def only_spoilt(seen: Seen) -> bool:
    """Nothing made sectors unreadable but writes that left their track: the sector under the head is spoilt then, and reading ahead may
    meet it before it is written again. Of channels with a ladder the failed reads are counted."""
    return not seen.begun & READ_FAULTS and "failed_sector_reads" not in seen.counters


def by_attribute(told: Told, seen: Seen) -> str:
    for key, (least, most) in limits(seen).items():
        if key == 1 and only_spoilt(seen) and not told.attributes[7]:
            most = 0
        if key == 199:  # pages of earlier readings of SMART count, too, if the drive has seen the error
            most += told.damaged
        raw = told.attributes.get(key)
        if raw is None and not seen.disk and key in (3, 4, 10, 193, 240):
            continue
        if raw is None or not least <= raw <= most:
            return f"attribute {key} is {raw}; {least} to {most} follow from what happened"
    if seen.disk and not 1 <= told.attributes[4] <= seen.cuts + 1:
        return f"attribute 4 is {told.attributes[4]} with {seen.cuts} losses of power"
    return ""


def by_sector(told: Told, seen: Seen) -> str:
    """Blocks on a defect that was there for good: pending until they are written, and then on spares."""
    if seen.cuts or seen.begun & {"dead_head", "dead_arm"}:  # what no head reaches is no defect
        return ""
    pending, moved = 0, 0
    for fault in seen.case.faults:
        if fault["kind"] != "media_defect" or fault["rereads"] or "rate_per_s" in fault:
            continue
        for lbn in range(fault["lbn"], fault["lbn"] + fault["sectors"]):
            failed = [float(row["completion_us"]) for row in seen.requests if "UNC" in row["status"] and covers(row, lbn)]
            if not failed or not any(entry.lba == lbn and entry.error & UNC for entry in told.errors):
                continue
            writes = [r for r in seen.requests if r["op"] == "write" and r["status"] == "ok" and covers(r, lbn)]
            pending += all(float(r["completion_us"]) < min(failed) for r in writes)  # one under way then may come later
            moved += any(float(r["arrival_us"]) > min(failed) for r in writes)
    if told.attributes[197] < pending:
        return f"attribute 197 is {told.attributes[197]}; {pending} sectors could not be read, and have not been written"
    if seen.disk and moved and not told.attributes[5]:
        return f"attribute 5 is 0; {moved} sectors could not be read, and have been written since"
    return ""


def covers(row: dict, lbn: int) -> bool:
    return int(row["lbn"]) <= lbn < int(row["lbn"]) + int(row["sectors"])


def by_log(told: Told, seen: Seen) -> str:
    """The error log has each error of the media, of the link and of the device, with its place."""
    unread = [row for row in seen.requests if "UNC" in row["status"]]
    for entry in told.errors:
        known = any(covers(row, entry.lba) for row in unread) or seen.background("UNC") and seen.read_in_background(entry.lba)
        if entry.error & UNC and not seen.cuts and not known:
            return f"the error log has UNC at LBA {entry.lba}, and no request has failed there"
        if not entry.error & (UNC | ICRC) and not entry.status & DF and not seen.ended("ABRT"):
            return f"the error log has status {entry.status:02X}h, error {entry.error:02X}h"
    errors = told.attributes[187] + told.attributes[199]
    others = seen.ended("ABRT") - seen.ended("ICRC") + seen.ended("IDNF")
    errors += told.flush_failed
    # A drive without an arm refuses what comes, and logs it.
    refused = others if seen.disk and seen.dead_arms == seen.case.arms and not seen.ended("IDNF") else 0
    if not seen.cuts and not errors + refused - told.damaged <= told.error_count <= errors + others:
        return f"the error log counts {told.error_count} errors; attributes 187 and 199 count {errors}, and {others} commands were aborted"
    if told.error_count and not told.errors:
        return "the error log is empty"
    return ""


def by_statistics(told: Told, seen: Seen) -> str:
    """Log 04h counts what the attributes count."""
    raw, pages = told.attributes, told.statistics
    same = {"sectors written": (pages[1][2], raw[241]), "sectors read": (pages[1][4], raw[242]), "power-on resets": (pages[1][0], raw[12])}
    same |= {"uncorrectable errors": (pages[4][0], raw[187]), "resets": (pages[4][1], raw[188]), "CRC errors": (pages[6][2], raw[199])}
    if seen.disk:
        same |= {"reallocated sectors": (pages[3][3], raw[5]), "read recoveries": (pages[3][4], raw[1]), "pending sectors": (pages[3][6], raw[197])}
        same |= {"head loads": (pages[3][2], raw[193])}
    for name, (statistic, attribute) in same.items():
        if statistic != attribute:
            return f"log 04h has {statistic} {name}, the attribute {attribute}"
    return ""


def after_power_off(told: Told, seen: Seen) -> str:
    for key in KEPT:
        if key == 199 and told.attributes[199] - told.damaged <= told.after[199] <= told.attributes[199] + told.damaged_after:
            continue  # the errors of pages of SMART are saved with the next save, or lost
        if told.after[key] != told.attributes[key]:
            return f"attribute {key} is {told.attributes[key]} before a loss of power and {told.after[key]} after it"
    if told.after[12] != told.attributes[12] + 1:
        return f"attribute 12 is {told.attributes[12]} before a loss of power and {told.after[12]} after it"
    if not told.attributes[192] <= told.after[192] <= told.attributes[192] + 1:
        return f"attribute 192 is {told.attributes[192]} before a loss of power and {told.after[192]} after it"
    if told.after[7] < seen.dead_arms and not seen.cuts:
        return f"attribute 7 is {told.after[7]} after a loss of power; {seen.dead_arms} arms have failed"
    return ""


CHECKS = (by_attribute, by_sector, by_log, by_statistics, after_power_off)

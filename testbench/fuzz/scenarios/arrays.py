"""Draws of arrays of drives, and what their member operations must be: an address map of its own, from docs/arrays.md."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from pathlib import Path
from random import Random

from scenario import Scenario

LEVELS = ("concat", "raid0", "raid1", "raid10", "raid4", "raid5", "raid5")
# Keys that `draw` sets, whose ranges depend on each other or on the load.
KEYS = ("level", "members", "spares", "stripe_unit", "failures", "rebuild_unit", "rebuild_mb_s", "rebuild_to_end")


class Wrong(Exception):
    """A member operation that is not what the layout says; its first word names the kind."""


def draw(rng: Random, scenario: Scenario, drive, small) -> None:
    """Gives the scenario drives m0 to mN of an array, spares, and sometimes one that is in no array.

    `drive` draws a drive, `small` one of few sectors; the members are equal, or one of them is another drive.
    """
    level = rng.choice(LEVELS)
    few = {"raid4": 3, "raid5": 3, "raid10": 2, "raid1": 2}.get(level, 1)
    count = rng.choice((few, few + 1, few + 2, 5))
    count += count % 2 if level == "raid10" else 0
    at_once = rng.random() < 0.4  # small enough to be rebuilt within a run
    kind = small if at_once else drive
    table = kind()
    for number in range(count):
        scenario.drives[f"m{number}"] = dict(kind() if number and rng.random() < 0.05 else table)
    spares = [f"s{number}" for number in range(rng.choice((0, 0, 1, 1, 2)))]
    for name in spares:
        scenario.drives[name] = dict(table)
    if rng.random() < 0.15:
        scenario.drives["alone"] = dict(table)
    shared = scenario.shared
    shared["array.level"] = level
    shared["array.members"] = ["m*"] if rng.random() < 0.5 else [f"m{number}" for number in range(count)]
    if spares:
        shared["array.spares"] = spares
    shared["array.stripe_unit"] = rng.choice((4, 8, 8, 32, 64, 128)) if rng.random() < 0.8 else rng.choice((0.5, 1.5, 20, 1024))
    if rng.random() < 0.6:
        many = 1 if rng.random() < 0.7 else rng.randint(1, count)
        rows = [[rng.choice((0, round(10 ** rng.uniform(-3, 0.5), 4))), member] for member in rng.sample(range(count), many)]
        shared["array.failures"] = rows
    if rng.random() < 0.5:
        shared["array.rebuild_unit"] = rng.choice((0.5, 4, 64, 256, 4096))
    # As fast as it goes only where it ends soon.
    shared["array.rebuild_mb_s"] = rng.choice((0, 0, 1, 20)) if at_once else rng.choice((0.1, 1, 5))
    if at_once and rng.random() < 0.6:
        shared["array.rebuild_to_end"] = True


def is_one(scenario: Scenario) -> bool:
    return bool(scenario.shared.get("array.members"))


def names(scenario: Scenario) -> list[str]:
    """Of all that have results: the array first."""
    return (["array"] if is_one(scenario) else []) + list(scenario.drives)


def members(scenario: Scenario) -> list[str]:
    listed = scenario.shared["array.members"]
    return [name for name in scenario.drives if name.startswith("m")] if listed == ["m*"] else listed


def level_of(scenario: Scenario) -> str:
    return scenario.shared.get("array.level", "raid5")


def may_fail(scenario: Scenario) -> bool:
    """Whether more members go out of service than the level survives, the spares aside."""
    if not is_one(scenario):
        return False
    gone = {row[1] for row in scenario.shared.get("array.failures", [])}
    level, count = level_of(scenario), len(members(scenario))
    if level == "raid10":
        return any({2 * pair, 2 * pair + 1} <= gone for pair in range(count // 2))
    return len(gone) > {"raid1": count - 1, "raid4": 1, "raid5": 1}.get(level, 0)


def sectors_of(report: str) -> dict[str, int]:
    """Sectors of each drive and of the array in what `check` says."""
    return {match[1]: int(match[2]) for match in re.finditer(r"^  (\w+): .*, (\d+) sectors\b", report, re.MULTILINE)}


class Layout:
    """Where the blocks of an array lie: for each piece, all members that hold a copy of its data."""

    def __init__(self, scenario: Scenario, sizes: dict[str, int]):
        self.level = level_of(scenario)
        self.members = members(scenario)
        self.sizes = [sizes[name] for name in self.members]
        self.unit = int(scenario.shared.get("array.stripe_unit", 64) * 2)

    def pieces(self, lbn: int, sectors: int):
        """(members that hold it, LBN there, sectors) of each piece, in order."""
        while sectors:
            holders, at, most = self.piece(lbn)
            part = min(most, sectors)
            yield holders, at, part
            lbn, sectors = lbn + part, sectors - part

    def piece(self, lbn: int) -> tuple[list[int], int, int]:
        count = len(self.members)
        if self.level == "raid1":
            return list(range(count)), lbn, 1 << 62
        if self.level == "concat":
            member = 0
            while lbn >= self.sizes[member]:
                lbn -= self.sizes[member]
                member += 1
            return [member], lbn, self.sizes[member] - lbn
        unit, inside = divmod(lbn, self.unit)
        data = {"raid0": count, "raid10": count // 2}.get(self.level, count - 1)
        row, column = divmod(unit, data)
        holders = [column]
        if self.level == "raid10":
            holders = [2 * column, 2 * column + 1]
        elif self.level == "raid5":
            parity = count - 1 - row % count
            holders = [(parity + 1 + column) % count]
        return holders, row * self.unit + inside, self.unit - inside


def merged(extents) -> list[tuple[int, int]]:
    """Ranges (first, end) in order, those that touch joined; ranges that overlap are an error."""
    out: list[tuple[int, int]] = []
    for first, end in sorted(extents):
        if out and first < out[-1][1]:
            raise Wrong(f"array: sectors from {first} on are moved twice")
        if out and first == out[-1][1]:
            out[-1] = (out[-1][0], end)
        else:
            out.append((first, end))
    return out


def rows_of(path: Path) -> list[dict]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def check(directory: Path, scenario: Scenario, report: str) -> None:
    """members.csv against the requests of the drives and the address map; what the controller compared at the end."""
    operations = rows_of(directory / "array" / "members.csv")
    of_the_drives(directory, scenario, operations)
    where_data_lie(directory, scenario, operations, Layout(scenario, sectors_of(report)))


def of_the_drives(directory: Path, scenario: Scenario, operations: list[dict]) -> None:
    """Each request of a member is an operation of the array, with the same times, and the other way round."""
    listed = members(scenario) + scenario.shared.get("array.spares", [])
    done = {(name, row["id"]): row for name in listed for row in rows_of(directory / name / "requests.csv")}
    for operation in operations:
        row = done.pop((operation["drive"], operation["id"]), None)
        if row is None:
            raise Wrong(f"array: request {operation['id']} of {operation['drive']} is an operation, and not in its requests.csv")
        said = (operation["op"], operation["lbn"], operation["sectors"], Decimal(operation["end_us"]))
        if said != (row["op"], row["lbn"], row["sectors"], Decimal(row["completion_us"])):
            raise Wrong(f"array: an operation is {operation}, the drive's request {row}")
    if done:
        raise Wrong(f"array: {len(done)} requests of members are no operation: {next(iter(done))}")


def where_data_lie(directory: Path, scenario: Scenario, operations: list[dict], layout: Layout) -> None:
    """The data of a request are moved where the level puts them, each sector once, as long as all members are there.

    A member leaves when the scenario says so, and at its first write that fails.
    """
    leaves = [row[0] * 1e6 for row in scenario.shared.get("array.failures", [])]
    leaves += [float(row["end_us"]) for row in operations if row["op"] == "write" and row["status"] != "ok"]
    until = min(leaves, default=float("inf"))
    by_request: dict[str, list[dict]] = {}
    for operation in operations:
        if operation["request"]:
            by_request.setdefault(operation["request"], []).append(operation)
    for request in rows_of(directory / "array" / "requests.csv"):
        own = by_request.get(request["id"], [])
        undisturbed = all(operation["status"] == "ok" and float(operation["end_us"]) < until for operation in own)
        if request["op"] == "flush" or request["status"] != "ok" or not undisturbed:
            continue
        one_request(request, [operation for operation in own if operation["purpose"] == "data"], layout)


def one_request(request: dict, data: list[dict], layout: Layout) -> None:
    numbers = {name: number for number, name in enumerate(layout.members)}
    moved: dict[int, list] = {}
    for operation in data:
        first = int(operation["lbn"])
        moved.setdefault(numbers[operation["drive"]], []).append((first, first + int(operation["sectors"])))
    expected: dict[int, list] = {}
    for holders, at, sectors in layout.pieces(int(request["lbn"]), int(request["sectors"])):
        if request["op"] == "read":  # one copy, whichever
            holders = [h for h in holders if any(first <= at and at + sectors <= end for first, end in merged(moved.get(h, [])))][:1]
            if not holders:
                raise Wrong(f"array: request {request['id']} reads no copy of {sectors} sectors from {at} of the members")
        for holder in holders:
            expected.setdefault(holder, []).append((at, at + sectors))
    found, wanted = ({member: merged(extents) for member, extents in part.items()} for part in (moved, expected))
    if found != wanted:
        raise Wrong(f"array: request {request} moves {found} of the members, the layout says {wanted}")

"""Draws of arrays of drives, and what their member operations must be: an address map of its own, from docs/guide/arrays.md."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from pathlib import Path
from random import Random

from scenario import Scenario

LEVELS = ("concat", "raid0", "raid1", "raid10", "raid4", "raid5", "raid5")
# Keys that `draw` sets, whose ranges depend on each other or on the load.
KEYS = ("level", "members", "spares", "stripe_unit", "failures", "rebuild_unit", "rebuild_mb_s", "rebuild_to_end", "copies")
KEYS += ("cache.size", "cache.line", "cache.write", "cache.replacement", "cache.nonvolatile", "cache.hit_us")
KEYS += ("cache.destage_at", "cache.destage_idle_ms", "cache.destage_depth")
KEYS += ("scrub_mb_s", "scrub_unit", "scrub_to_end", "bus.count", "bus.mb_s", "bus.overhead_us", "bus.assignment")
KEYS += ("deferred.after_s", "deferred.age_s", "deferred.most", "deferred.copies", "extents", "staging.store")
KEYS += ("staging.line", "staging.largest", "staging.destage_at", "staging.destage_idle_ms", "staging.destage_depth")
KEYS += ("staging.lazy", "staging.age_s", "staging.fails_s")


class Wrong(Exception):
    """A member operation that is not what the layout says; its first word names the kind."""


def draw(rng: Random, scenario: Scenario, drive, small) -> None:
    """Gives the scenario drives m0 to mN of an array, spares, and sometimes one that is in no array.

    `drive` draws a drive, `small` one of few sectors; the members are equal, or one of them is another drive.
    """
    level = rng.choice(LEVELS)
    few = {"raid4": 3, "raid5": 3, "raid10": 2, "raid1": 2}.get(level, 1)
    count = rng.choice((few, few + 1, few + 2, 5))
    copies = rng.choice((2, 2, 2, 3)) if level == "raid10" else 2
    count += -count % copies if level == "raid10" else 0
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
    if copies != 2:
        shared["array.copies"] = copies
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
    if level in ("raid1", "raid10") and rng.random() < 0.4:
        shared["array.deferred.after_s"] = rng.choice((1e-3, 0.05, 1))
        shared["array.deferred.age_s"] = rng.choice((0.001, 0.1, 5, 1000))
        shared["array.deferred.most"] = rng.choice((0, 0.01, 64))
        shared["array.deferred.copies"] = rng.choice((1, 1, 2, 5))
    elif level not in ("concat", "raid0") and rng.random() < 0.4:
        shared["array.scrub_mb_s"] = rng.choice((0.1, 1, 10)) if at_once else rng.choice((0.1, 0.5))
        shared["array.scrub_unit"] = rng.choice((4, 64, 256))
        if at_once and rng.random() < 0.6:
            shared["array.scrub_to_end"] = True
    if level == "concat" and rng.random() < 0.5:
        shared["array.extents"] = [[rng.choice((0.001953125, 0.25, 1, 8)), rng.randrange(count)] for _ in range(rng.choice((1, 2, 4, 9)))]
    if rng.random() < 0.4:
        draw_cache(rng, shared)
    if rng.random() < 0.3:
        draw_staging(rng, scenario, table)
    if rng.random() < 0.4:
        shared["array.bus.count"] = rng.choice((1, 2, 2, 3))
        shared["array.bus.mb_s"] = rng.choice((5, 40, 160, 2000))
        shared["array.bus.overhead_us"] = rng.choice((0, 0, 20, 0.5))
        shared["array.bus.assignment"] = rng.choice(("groups", "alternate"))


def draw_cache(rng: Random, shared: dict) -> None:
    """Memory of the controller, from a few lines to more than the load touches."""
    line = rng.choice((0.5, 4, 4, 16, 32))
    shared["array.cache.line"] = line
    shared["array.cache.size"] = rng.choice((2, 10, 100, 1000)) * line / 1024
    shared["array.cache.write"] = rng.choice(("back", "back", "through"))
    shared["array.cache.replacement"] = rng.choice(("lru", "fifo", "clock"))
    shared["array.cache.nonvolatile"] = rng.random() < 0.5
    shared["array.cache.hit_us"] = rng.choice((0.001, 1, 100))
    shared["array.cache.destage_at"] = rng.choice((0, 0.1, 0.5, 1))
    shared["array.cache.destage_idle_ms"] = rng.choice((0, 10, 1000))
    shared["array.cache.destage_depth"] = rng.choice((1, 2, 8, 64))


def draw_staging(rng: Random, scenario: Scenario, table: dict) -> None:
    """A store in front of the members, of their kind or a MEMS store."""
    host = {key: value for key, value in table.items() if key.startswith("host.")}
    scenario.drives["store"] = {"model": "drives/mems/g2.toml", **host} if rng.random() < 0.6 else dict(table)
    shared = scenario.shared
    shared["array.staging.store"] = "store"
    shared["array.staging.line"] = rng.choice((0.5, 4, 4, 32))
    shared["array.staging.largest"] = rng.choice((0.5, 16, 64, 1024))
    shared["array.staging.destage_at"] = rng.choice((0, 0.001, 0.5, 1))
    shared["array.staging.destage_idle_ms"] = rng.choice((0, 10, 1000))
    shared["array.staging.destage_depth"] = rng.choice((1, 2, 8, 64))
    shared["array.staging.lazy"] = rng.random() < 0.4
    shared["array.staging.age_s"] = rng.choice((0, 0, 0.1, 5))
    if rng.random() < 0.2:
        shared["array.staging.fails_s"] = round(10 ** rng.uniform(-3, 0.5), 4)


def drives_of(scenario: Scenario) -> list[str]:
    """Members, spares, and the store in front of them."""
    store = scenario.shared.get("array.staging.store", "")
    return members(scenario) + scenario.shared.get("array.spares", []) + ([store] if store else [])


def is_staged(scenario: Scenario) -> bool:
    return bool(scenario.shared.get("array.staging.store"))


def has_cache(scenario: Scenario) -> bool:
    return scenario.shared.get("array.cache.size", 0) > 0


def defers(scenario: Scenario) -> bool:
    """Writes may reach some copies later, and go to all copies only by then."""
    return scenario.shared.get("array.deferred.after_s", 0) > 0


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


def copies_of(scenario: Scenario) -> int:
    """Members that hold each block with raid10."""
    return scenario.shared.get("array.copies", 2)


def may_fail(scenario: Scenario) -> bool:
    """Whether more members go out of service than the level survives, the spares aside."""
    if not is_one(scenario):
        return False
    if scenario.any("host.timeout_s"):  # a member whose command the host gives up is out of service
        return True
    if is_staged(scenario) and scenario.shared.get("array.staging.fails_s", 0) > 0:
        return True
    gone = {row[1] for row in scenario.shared.get("array.failures", [])}
    level, count = level_of(scenario), len(members(scenario))
    if level == "raid10":
        copies = copies_of(scenario)
        kept = min(copies, scenario.shared.get("array.deferred.copies", 1)) if defers(scenario) else copies
        return any(len(gone.intersection(range(first, first + copies))) >= kept for first in range(0, count, copies))
    kept = min(count, scenario.shared.get("array.deferred.copies", 1)) if defers(scenario) else count
    return len(gone) > {"raid1": kept - 1, "raid4": 1, "raid5": 1}.get(level, 0)


def sectors_of(report: str) -> dict[str, int]:
    """Sectors of each drive and of the array in what `check` says."""
    return {match[1]: int(match[2]) for match in re.finditer(r"^  (\w+): .*, (\d+) sectors\b", report, re.MULTILINE)}


class Layout:
    """Where the blocks of an array lie: for each piece, all members that hold a copy of its data."""

    def __init__(self, scenario: Scenario, sizes: dict[str, int]):
        self.level = level_of(scenario)
        self.copies = copies_of(scenario)
        self.members = members(scenario)
        self.sizes = [sizes[name] for name in self.members]
        self.unit = int(scenario.shared.get("array.stripe_unit", 64) * 2)
        extents = scenario.shared.get("array.extents") or [[size / 2048, number] for number, size in enumerate(self.sizes)]
        self.extents = [(int(size * 2048), member) for size, member in extents]

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
            taken = [0] * count
            for size, member in self.extents:
                if lbn < size:
                    return [member], taken[member] + lbn, size - lbn
                lbn -= size
                taken[member] += size
        unit, inside = divmod(lbn, self.unit)
        data = {"raid0": count, "raid10": count // self.copies}.get(self.level, count - 1)
        row, column = divmod(unit, data)
        holders = [column]
        if self.level == "raid10":
            holders = list(range(self.copies * column, self.copies * (column + 1)))
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


def covers(whole: tuple[int, int], part: tuple[int, int]) -> bool:
    return whole[0] <= part[0] and part[1] <= whole[1]


def rows_of(path: Path) -> list[dict]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def check(directory: Path, scenario: Scenario, report: str) -> None:
    """members.csv against the requests of the drives and the address map; what the controller compared at the end."""
    operations = rows_of(directory / "array" / "members.csv")
    if has_cache(scenario):
        of_the_cache(directory, scenario, operations)
    operations = [row for row in operations if row["drive"] != "cache"]
    of_the_drives(directory, scenario, operations)
    of_the_buses(scenario, operations)
    where_data_lie(directory, scenario, operations, Layout(scenario, sectors_of(report)))


def of_the_drives(directory: Path, scenario: Scenario, operations: list[dict]) -> None:
    """Each request of a member is an operation of the array, with the same times, and the other way round."""
    listed = drives_of(scenario)
    done = {(name, row["id"]): row for name in listed for row in rows_of(directory / name / "requests.csv")}
    for operation in operations:
        row = done.pop((operation["drive"], operation["id"]), None)
        if row is None:
            raise Wrong(f"array: request {operation['id']} of {operation['drive']} is an operation, and not in its requests.csv")
        end = Decimal(operation["end_us"])
        if operation["bus"] and operation["op"] == "read":  # its data went over the bus after the drive
            end -= Decimal(operation["bus_wait_us"]) + Decimal(operation["bus_us"])
        said = (operation["op"], operation["lbn"], operation["sectors"], end)
        if said != (row["op"], row["lbn"], row["sectors"], Decimal(row["completion_us"])):
            raise Wrong(f"array: an operation is {operation}, the drive's request {row}")
    done = {key: row for key, row in done.items() if not on_the_bus(scenario, operations, *key, row)}
    if done:
        raise Wrong(f"array: {len(done)} requests of members are no operation: {next(iter(done))}")


def bus_of(scenario: Scenario, drive: str) -> int:
    count = scenario.shared["array.bus.count"]
    number = (members(scenario) + scenario.shared.get("array.spares", [])).index(drive)
    if scenario.shared.get("array.bus.assignment") == "alternate":
        return number % count
    return min(number // -(-len(members(scenario)) // count), count - 1)


def on_the_bus(scenario: Scenario, operations: list[dict], drive: str, _id: str, row: dict) -> bool:
    """The run was cut short when the drive had done its read and the data were on their way: its turn, after all
    transfers that ended, would have ended later."""
    until = scenario.shared.get("simulation.until_s")
    if drive == scenario.shared.get("array.staging.store"):
        return False
    if until is None or not scenario.shared.get("array.bus.count", 0) or row["op"] != "read":
        return False
    rate, overhead = scenario.shared.get("array.bus.mb_s", 160), scenario.shared.get("array.bus.overhead_us", 0)
    bus = str(bus_of(scenario, drive))
    ends = [Decimal(one["end_us"]) for one in operations if one["bus"] == bus and one["op"] == "read"]
    free = max([Decimal(row["completion_us"]), *ends])
    return float(free) + overhead + int(row["sectors"]) * 512 / rate > until * 1e6 - 1e-3


def of_the_cache(directory: Path, scenario: Scenario, operations: list[dict]) -> None:
    """A request is served by the cache alone, in its time, or by members; never by both, or by nobody."""
    alone = {row["request"]: row for row in operations if row["drive"] == "cache"}
    members_ = {row["request"] for row in operations if row["drive"] != "cache"}
    for request in rows_of(directory / "array" / "requests.csv"):
        row = alone.get(request["id"])
        if row is None:
            if request["id"] not in members_ and request["status"] == "ok" and request["op"] != "flush":
                raise Wrong(f"array: request {request['id']} was served by nobody")
            continue
        if request["id"] in members_:
            raise Wrong(f"array: request {request['id']} was served by the cache, and by members")
        said = (row["op"], row["lbn"], row["sectors"], row["end_us"])
        if said != (request["op"], request["lbn"], request["sectors"], request["completion_us"]):
            raise Wrong(f"array: the cache served {row}, the request is {request}")
        if Decimal(row["response_us"]) < Decimal(str(scenario.shared.get("array.cache.hit_us", 20))):
            raise Wrong(f"array: the cache served {row} in less than its time")


def of_the_buses(scenario: Scenario, operations: list[dict]) -> None:
    """One transfer at a time on each bus, of its bytes' time, on the bus of its drive."""
    count = scenario.shared.get("array.bus.count", 0)
    rate, overhead = scenario.shared.get("array.bus.mb_s", 160), scenario.shared.get("array.bus.overhead_us", 0)
    turns: dict[str, list] = {}
    for row in operations:
        needs = count > 0 and row["drive"] != scenario.shared.get("array.staging.store") and (row["op"] != "read" or row["status"] == "ok")
        if row["bus"] == "":
            if needs:
                raise Wrong(f"array: operation {row} went past the buses")
            continue
        expected = bus_of(scenario, row["drive"])
        if int(row["bus"]) != expected:
            raise Wrong(f"array: operation {row} is on another bus than {expected}")
        time = Decimal(row["bus_us"])
        if abs(float(time) - overhead - int(row["sectors"]) * 512 / rate) > 2e-6:
            raise Wrong(f"array: {row['sectors']} sectors take {time} us on a bus of {rate} MB/s")
        if row["op"] == "read":
            begin = Decimal(row["end_us"]) - time
        else:
            begin = Decimal(row["begin_us"]) + Decimal(row["bus_wait_us"])
        turns.setdefault(row["bus"], []).append((begin, begin + time, row["id"]))
    for bus, list_ in turns.items():
        list_.sort()
        for (_, end, one), (begin, _, other) in zip(list_, list_[1:]):
            if begin < end:
                raise Wrong(f"array: bus {bus} has operations {one} and {other} at the same time")


def where_data_lie(directory: Path, scenario: Scenario, operations: list[dict], layout: Layout) -> None:
    """The data of a request are moved where the level puts them, each sector once, as long as all members are there.

    A member leaves when the scenario says so, and at its first write or flush that fails.
    """
    leaves = [row[0] * 1e6 for row in scenario.shared.get("array.failures", [])]
    leaves += [float(row["end_us"]) for row in operations if row["op"] in ("write", "flush") and row["status"] != "ok"]
    until = min(leaves, default=float("inf"))
    by_request: dict[str, list[dict]] = {}
    for operation in operations:
        if operation["request"]:
            by_request.setdefault(operation["request"], []).append(operation)
    for request in rows_of(directory / "array" / "requests.csv"):
        own = by_request.get(request["id"], [])
        undisturbed = all(operation["status"] == "ok" and float(operation["end_us"]) < until for operation in own)
        if request["op"] == "flush" or request["status"] != "ok" or not undisturbed or has_cache(scenario) or is_staged(scenario):
            continue
        if defers(scenario) and request["op"] == "write":
            continue
        more = request["op"] == "read" and scenario.shared.get("array.read_parity") == "check"
        one_request(request, [operation for operation in own if operation["purpose"] == "data"], layout, more)


def one_request(request: dict, data: list[dict], layout: Layout, more: bool) -> None:
    """`more`: what is read to compare the parity is part of these operations where it touches the data."""
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
    if more:
        found = {member: [part for part in parts if any(covers(whole, part) for whole in found.get(member, []))] for member, parts in wanted.items()}
    if found != wanted:
        raise Wrong(f"array: request {request} moves {found} of the members, the layout says {wanted}")

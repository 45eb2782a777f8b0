"""Draws whole scenarios: one from each (seed, number), the same on every machine."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from random import Random

import arrays
import corners
import drives
import extremes
import keys as described
import loads
import program
import stores
import traces
from scenario import Scenario

PLACE = re.compile(r"^((?P<file>[^\s:]+):(?P<line>\d+)(:\d+)?|--\w[\w .-]*): .*\S")
MOST_REPAIRS = 120
# A drive of its own or a load is nothing without these.
NEEDED = ("model", "geometry.zones", "workload.kind", "workload.file", "workload.format", "workload.count")
# Where the cause of a refusal may lie if its section says nothing in the scenario.
BESIDE = {"power": ("spindle", "geometry", "arms"), "geometry": ("format", "arms"), "seek": ("spindle", "geometry"), "buffer": ("cache", "spindle")}
# Of these a drive has its own; the rest is of the run.
SHARED_SECTIONS = ("simulation", "workload", "output")


class Refused(Exception):
    """A drawn scenario that the program still refuses after all repairs, or refuses without saying where."""


def plain_keys(rng: Random, schema: dict[str, described.Key], sections: set[str], share: float) -> dict:
    """Values for a part of the keys of these sections that stand alone."""
    drawn = {}
    for key in schema.values():
        if key.section not in sections or key.name in drives.BOUND or key.name in described.NOT_DRAWN:
            continue
        if rng.random() < share:
            value = described.value(rng, key)
            if value is not None:
                drawn[key.name] = value
    return drawn


def drive(rng: Random, schema: dict[str, described.Key]) -> dict:
    """Keys of one drive, under "model" its file if it is a shipped one."""
    keys: dict = {}
    arms = drives.arms(rng) if rng.random() < 0.5 else {"total": 1}
    total = arms.pop("total")
    multiple = drives.surfaces_needed(arms)
    heads = None
    if rng.random() < 0.45:
        keys["model"] = rng.choice(drives.shipped())
        if multiple > 1:
            keys["geometry.heads"] = heads = multiple * rng.choice((1, 2, 4))
    else:
        keys.update(drives.geometry(rng, multiple))
        heads = keys["geometry.heads"]
        keys.update(drives.seek(rng, int(keys["geometry.zones"][-1][1]) + 1))
    keys.update(arms)
    if total > 1 and heads and rng.random() < 0.25:
        keys.update(drives.failures(rng, arms, total, heads))
    if rng.random() < 0.2:
        keys.update(drives.channel(rng, heads or 2))
    if rng.random() < 0.2:
        keys.update(drives.power(rng))
    if rng.random() < 0.7:
        keys.update(drives.buffers(rng))
    if rng.random() < 0.3:
        keys["link.rate_gbps"] = rng.choice((1.5, 6.0))
    if rng.random() < 0.04:
        keys["arbiter.model"] = rng.choice(("rtl", "lockstep"))
        keys["arbiter.lanes"] = rng.choice((1, 4))
    if rng.random() < 0.1:
        keys.update(drives.writer_offset(rng))
    if rng.random() < 0.1:
        keys.update(drives.motor(rng, keys.get("spindle.rpm", 7200)))
    if rng.random() < 0.2:
        keys["host.tags"] = rng.choice((1, 2, 4, 8, 31, 32, 33, 64, 256))
        if rng.random() < 0.4:
            keys["host.depth"] = rng.randint(1, keys["host.tags"])
    if rng.random() < 0.1:
        keys["host.standby_plan"] = drives.standby_plan(rng)
    if "model" in keys and rng.random() < 0.1:
        keys["power_cap.cap_w"] = round(10 ** rng.uniform(0, 1.5), 2)
    if "model" in keys and rng.random() < 0.1:  # refused of a drive without powers, and taken away
        keys |= {"thermal.case_k_w": round(rng.uniform(0.5, 3), 2), "thermal.mass_g": rng.choice((1, 30, 700)), "thermal.start_c": 60,
                 "throttle.at_c": rng.choice((40, 58)), "throttle.every_s": 1}
    if rng.random() < 0.1:
        keys.setdefault("faults", []).extend(drives.defects(rng))
    if rng.random() < 0.1:
        keys.setdefault("faults", []).extend(drives.faults(rng))
    whole = {key.section for key in schema.values()} - {"power", "head"}
    whole = {section for section in whole if section.split(".")[0] not in SHARED_SECTIONS}
    sections = {section for section in sorted(whole) if rng.random() < 0.2}
    if any(key.startswith("power.") for key in keys):
        sections.add("power")
    for key, value in plain_keys(rng, schema, sections, rng.choice((0.1, 0.3, 0.6))).items():
        keys.setdefault(key, value)
    return keys


def contents(rng: Random, scenario: Scenario) -> None:
    """Most runs carry contents that are compared."""
    if rng.random() < 0.75:
        scenario.shared["host.verify"] = True
        scenario.shared["media.contents"] = "memory"
        if len(scenario.drives) == 1 and rng.random() < 0.1:
            scenario.shared["media.contents"] = "file"
            scenario.shared["media.contents_file"] = "contents.bin"


def culprits(scenario: Scenario, message: str) -> list[tuple[str | None, str]]:
    """Keys that a refusal is about, as (drive or None, key): those it names, or else all of its section or of one beside it."""
    drive = re.search(r"drive (\w+): ", message)
    texts = [(name, table) for name, table in scenario.drives.items() if not drive or name == drive[1]] + [(None, scenario.shared)]
    entries = [(name, key) for name, table in texts for key in table if key not in NEEDED]
    full = [(n, k) for n, k in entries if re.search(rf"(?<![\w.]){re.escape(k)}(?![\w.])", message)]
    if full:
        return full
    reason = re.sub(r"^[^\s:]+:\d+(:\d+)?: (drive \w+: )?", "", message)
    section = re.match(r"(?:workload, for drive \w+: )?(?:drives\.\w+\.)?(\w+)", reason)
    name = section[1] if section else ""
    inside = [(n, k) for n, k in entries if k.startswith(name + ".")]
    words = set(re.findall(r"\w+", reason))
    named = [(n, k) for n, k in inside if k.rpartition(".")[2] in words]
    beside = [(n, k) for n, k in entries if k.split(".")[0] in BESIDE.get(name, ())]
    return named or [(n, k) for n, k in inside if k != "geometry.heads"] or beside


def repaired(rng: Random, scenario: Scenario, message: str) -> str:
    """Drops a key that a refusal is about, the one on the line that it names, or any; returns which."""
    found = culprits(scenario, message)
    line = re.match(r"\S*scenario\.toml:(\d+)", message)
    texts = [*scenario.drives.items(), (None, scenario.shared)]
    if not found and line:
        written = scenario.text().splitlines()
        last = written[min(int(line[1]), len(written)) - 1].partition(" = ")[0]
        found = [(n, k) for n, table in texts for k in table if k not in NEEDED and last in (k, k.partition(".")[2])]
    if not found:
        found = [(n, k) for n, table in texts for k in table if k not in NEEDED]
    if not found:
        raise Refused("")
    name, key = rng.choice(found)
    del (scenario.shared if name is None else scenario.drives[name])[key]
    return key


def accepted(rng: Random, binary: str, scenario: Scenario, directory: Path) -> str:
    """What `check` says of a scenario, which loses keys until it is in order. A refusal must say where and why."""
    for _ in range(MOST_REPAIRS):
        scenario.write(directory)
        ended = program.start(binary, ["check", "scenario.toml"], directory)
        if ended.status == 0:
            return ended.out
        message = ended.message.splitlines()[0] if ended.message else ""
        if ended.status != 2 or not PLACE.match(message):
            raise Refused(f"check ended with status {ended.status}: {ended.message or 'no message'}\n\n{scenario.text()}")
        repaired(rng, scenario, message)
    raise Refused("")


def blocks_of(report: str, drawn: Scenario) -> int:
    """Blocks that the load may address: of the smallest drive, or of an array that all drives are in."""
    if arrays.is_one(drawn) and "alone" not in drawn.drives:
        return arrays.sectors_of(report)["array"]
    return min(int(match) for match in re.findall(r", (\d+) sectors,", report))


def without(scenario: Scenario, beginnings: tuple[str, ...]) -> None:
    """Leaves out keys that begin so."""
    for table in (scenario.shared, *scenario.drives.values()):
        for key in [key for key in table if beginnings and key.startswith(beginnings)]:
            del table[key]


# Every so many-th scenario is one of an array, whatever else its seed would have drawn.
SHARE_OF_ARRAYS = 0.08
SHARE_OF_STORES = 0.12  # of the drives of others
SHARE_OF_CORNERS = 0.15  # of the scenarios: things that seldom meet
SHARE_SHUFFLED = 0.2


def scenario(
    binary: str,
    schema: dict[str, described.Key],
    seed: str,
    left_out: tuple[str, ...] = (),
    share_of_arrays: float = SHARE_OF_ARRAYS,
    share_of_stores: float = SHARE_OF_STORES,
    share_of_corners: float = SHARE_OF_CORNERS,
) -> Scenario | None:
    """The scenario of a seed; None if nothing legal came out."""
    rng = Random(seed)
    array = Random(f"{seed}/array").random() < share_of_arrays
    corner = Random(f"{seed}/corner").random() < share_of_corners
    order = Random(f"{seed}/shuffle")
    for _ in range(3):
        try:
            if corner:
                drawn = of_a_corner(rng, binary, left_out)
            else:
                drawn = attempt(rng, binary, schema, left_out, array, share_of_stores)
            drawn.shuffle = order.randrange(1, 1 << 32) if order.random() < SHARE_SHUFFLED else 0
            return drawn
        except Refused as refused:
            if str(refused):
                raise
    return None


def single_drives(rng: Random, schema: dict[str, described.Key], drawn: Scenario, of_stores: float) -> None:
    """One drive or several, each for itself."""
    def one() -> dict:
        if rng.random() < of_stores:
            return stores.store(rng, lambda sections, share: plain_keys(rng, schema, sections, share))
        at_ends = rng.random() < 0.3
        return extremes.drive(rng, schema, (*SHARED_SECTIONS, "array")) if at_ends else drive(rng, schema)

    for name in "defghijk"[: rng.choice((1,) * 20 + (2, 2, 2, 2, 2, 3, 3, 3, 8))]:
        drawn.drives[name] = one()
    if rng.random() < 0.1:  # the same drive with another key
        first = next(iter(drawn.drives.values()))
        drawn.drives["twin"] = dict(first)


def an_array(rng: Random, schema: dict[str, described.Key], drawn: Scenario) -> None:
    """The drives of an array and its keys."""

    def own(table: dict) -> dict:
        return {key: value for key, value in table.items() if not key.startswith("array.")}

    arrays.draw(rng, drawn, lambda: own(drive(rng, schema)), lambda: own(extremes.tiny(rng)))
    for name, value in plain_keys(rng, schema, {"array"}, 0.3).items():
        if name.partition(".")[2] not in arrays.KEYS:
            drawn.shared[name] = value


def of_a_corner(rng: Random, binary: str, left_out: tuple[str, ...]) -> Scenario:
    """A draw of corners.py: few keys, which belong together."""
    drawn = Scenario()
    load_for = corners.draw(rng, drawn)
    without(drawn, left_out)
    with tempfile.TemporaryDirectory(prefix="draw") as place:
        directory = Path(place)
        if load_for:
            drawn.shared.update({"workload.kind": "open", "workload.size_sectors": 8})
            report = accepted(rng, binary, drawn, directory)
            del drawn.shared["workload.size_sectors"]
            load_for(blocks_of(report, drawn))
        accepted(rng, binary, drawn, directory)
    waves(rng, drawn)
    return drawn


def attempt(rng: Random, binary: str, schema: dict[str, described.Key], left_out: tuple[str, ...], array: bool, of_stores: float) -> Scenario:
    """One draw; an empty Refused if keys cannot be made legal."""
    drawn = Scenario()
    if array:
        an_array(rng, schema, drawn)
    else:
        single_drives(rng, schema, drawn, of_stores)
    contents(rng, drawn)
    shared = {section for section in ("host", "output") if rng.random() < 0.4}
    drawn.shared.update({k: v for k, v in plain_keys(rng, schema, shared, 0.25).items() if k not in drawn.shared})
    with tempfile.TemporaryDirectory(prefix="draw") as place:
        directory = Path(place)
        drawn.shared["workload.kind"] = "open"
        drawn.shared["workload.size_sectors"] = 8
        without(drawn, left_out)
        report = accepted(rng, binary, drawn, directory)
        load(rng, schema, drawn, blocks_of(report, drawn))
        shorten(drawn)
        without(drawn, left_out)
        accepted(rng, binary, drawn, directory)
    if drawn.trace is not None:
        form_of(rng, drawn)
    waves(rng, drawn)
    return drawn


def shorten(drawn: Scenario) -> None:
    """A drive that scans its media while nobody asks for anything works all the time: such runs last some minutes at most."""
    rate = drawn.shared.get("workload.rate_per_s", 0)
    think_s = drawn.shared.get("workload.think_ms", 0) / 1000
    if think_s:
        rate = drawn.shared.get("workload.outstanding", 1) / think_s
    if rate and any(table.get("background.scan_idle_ms") for table in drawn.drives.values()):
        count = drawn.shared.get("workload.count", 1)
        drawn.shared["workload.count"] = max(1, min(count, int(100 * rate)))


def form_of(rng: Random, drawn: Scenario) -> None:
    """What the file of a trace is packed in and how its lines end; now and then a line that is wrong."""
    if rng.random() < 0.15:
        drawn.packing = rng.choice(traces.PACKINGS)
        if rng.random() < 0.5:
            drawn.trace_name = drawn.shared["workload.file"] = f"{drawn.trace_name}.{drawn.packing}"
    drawn.line_end = rng.choice(("\n", "\n", "\n", "\r\n"))
    drawn.last_line_end = rng.random() < 0.8
    drawn.byte_order_mark = rng.random() < 0.05
    form = Path(drawn.shared["workload.file"]).suffixes[0][1:]
    if rng.random() < 0.02:
        drawn.trace, drawn.wrong_line = [], 0
    elif rng.random() < 0.04 and form in ("csv", "spc", "disksim", "msr", "ssdsim", "validate") and "workload.limit" not in drawn.shared:
        separator = traces.SEPARATORS[drawn.shared.get("workload.separator", "comma")]
        spoiled = traces.spoiled(rng, drawn.trace, separator if form in ("csv", "spc", "msr") else "")
        if spoiled is not None:
            drawn.wrong_line = len(drawn.trace_head) + spoiled + 1


GLOBS = ("*.disk.*", "*.link*", "*srv0*", "*.host.*", "*power*", "*chn*", "d.*", "*.queue_length", "*")


def waves(rng: Random, drawn: Scenario) -> None:
    """What of the second run is recorded."""
    options: list[str] = []
    for glob in rng.sample(GLOBS, rng.choice((0, 0, 1, 3))):
        options += ["--scope", glob]
    if rng.random() < 0.2:
        options += ["--set", f'output.exclude=["{rng.choice(GLOBS)}"]']
    choice = rng.random()
    if choice < 0.25:
        options += ["--around", str(rng.choice((0, 1, 7, 100)))]
        if rng.random() < 0.3:
            options += ["--set", f"output.tail_ms={rng.choice((0, 1e6))}"]
    elif choice < 0.5:
        begin = 10 ** rng.uniform(-4, 1)
        options += ["--from", f"{begin:.6f}", "--to", f"{begin * rng.choice((1, 1.01, 3)):.6f}"]
    drawn.waves = options + ["--waves"]


def load(rng: Random, schema: dict[str, described.Key], drawn: Scenario, blocks: int) -> None:
    """A trace or a synthetic load for drives of so many blocks."""
    drawn.shared.pop("workload.size_sectors", None)
    grain = 8 if any(drawn.value(name, "geometry.logical_sector_bytes") == 4096 for name in drawn.drives) else 1
    if grain == 1 and rng.random() < 0.3:
        grain = 8
    usual = 30_000 if len(drawn.drives) == 1 else 10_000
    sectors = rng.choice((usual // 10, usual, usual, usual, usual, 200_000))
    if rng.random() < 0.45:
        keys, drawn.trace_name, drawn.trace_head, drawn.trace = loads.trace(rng, blocks, grain, sectors)
    elif rng.random() < 0.25:
        keys = extremes.load(rng, schema, blocks, grain)
    else:
        keys = loads.synthetic(rng, blocks, grain, sectors)
    drawn.shared.update(keys)
    if rng.random() < 0.3:
        sections = {s for s in ("workload", "workload.bursts", "workload.iolog") if rng.random() < 0.5}
        for key, value in plain_keys(rng, schema, sections, 0.3).items():
            drawn.shared.setdefault(key, value)
    if rng.random() < 0.5:
        drawn.shared["simulation.seed"] = rng.randrange(1 << 40)
    if rng.random() < 0.05:
        drawn.shared["simulation.until_s"] = round(10 ** rng.uniform(-2, 0.5), 4)

"""Draws of a MEMS store: sled, tips, layout, power, and what a host does with one."""

from __future__ import annotations

from random import Random
from typing import Callable

import drives

# Sections of a drive that a store has too.
SHARED_SECTIONS = {"link", "identity", "buffer", "cache", "controller", "firmware", "overheads", "arbiter", "background"}
# Usable and active tips whose numbers of tracks are 10, 5, 1, 100, 2, 25, 7.
ARRAYS = ((6400, 640), (6400, 1280), (6400, 6400), (6400, 64), (6400, 3200), (3200, 128), (448, 64))


def shipped() -> list[str]:
    return [path for path in drives.shipped() if path.startswith("drives/mems/")]


def share(rng: Random, keys: dict, odds: float, name: str, draw: Callable[[], object]) -> None:
    """Sets a key now and then."""
    if rng.random() < odds:
        keys[name] = draw()


def sled(rng: Random) -> dict:
    """Movement, forces and the seek model; short ranges, so that requests meet in few cylinders, and long ones."""
    keys: dict = {}
    share(rng, keys, 0.3, "sled.count", lambda: rng.choice((1, 2, 3, 8)))
    share(rng, keys, 0.5, "sled.move_x_um", lambda: rng.choice((0.04, 0.4, 0.52, 4.0, 40.0, 100.0)))
    share(rng, keys, 0.3, "sled.move_y_um", lambda: rng.choice((8.0, 20.0, 95.08, 99.96, 120.0)))
    share(rng, keys, 0.1, "sled.bit_nm", lambda: rng.choice((20.0, 30.0, 50.0)))
    for axis in "xy":
        share(rng, keys, 0.1, f"sled.acceleration_{axis}_m_s2", lambda: rng.choice((200.0, 803.6, 1500.0, 5000.0)))
    share(rng, keys, 0.3, "sled.spring_factor", lambda: rng.choice((0.0, 0.3, 0.75, 0.95)))
    share(rng, keys, 0.2, "sled.access_kb_s", lambda: rng.choice((100.0, 400.0, 700.0, 1300.0)))
    share(rng, keys, 0.1, "sled.resonance_hz", lambda: rng.choice((220.0, 739.0, 1000.0)))
    share(rng, keys, 0.4, "sled.settle_time_constants", lambda: rng.choice((0.0, 1.0, 2.0, 3.5)))
    share(rng, keys, 0.5, "sled.seek_model", lambda: rng.choice(("disksim", "piecewise", "exact")))
    share(rng, keys, 0.2, "sled.pieces", lambda: rng.choice((1, 3, 8, 16)))
    if keys.get("sled.seek_model") == "exact":
        share(rng, keys, 0.3, "sled.damping_ratio", lambda: rng.choice((0.05, 0.3, 0.9)))
    share(rng, keys, 0.3, "sled.idle_ms", lambda: rng.choice((0.0, 0.3, 2.0, 20.0)))
    share(rng, keys, 0.2, "sled.startup_ms", lambda: rng.choice((0.0, 0.5, 5.0)))
    return keys


def tips(rng: Random, sleds: int) -> dict:
    """Layout, what shares parts, and tips that fail."""
    keys: dict = {}
    usable, active = rng.choice(ARRAYS)
    keys["tips.usable"], keys["tips.active"], keys["tips.per_block"] = usable, active, 64
    tracks = usable // active
    share(rng, keys, 0.1, "tips.sector_bits", lambda: rng.choice((64, 80, 100)))
    share(rng, keys, 0.2, "tips.servo_bits", lambda: rng.choice((0, 5, 11)))
    share(rng, keys, 0.3, "tips.bidirectional", lambda: False)
    share(rng, keys, 0.3, "tips.rows", lambda: rng.choice(("straight", "serpentine")))
    if rng.random() < 0.4:
        keys["tips.spread"] = "die"
        keys["tips.shared"] = rng.choice([n for n in (1, 2, 4, 5, 7, 10) if tracks % n == 0])
    share(rng, keys, 0.4, "tips.reach_bits", lambda: rng.choice((0, 1, 2, 5)))
    share(rng, keys, 0.4, "tips.ride_along", lambda: True)
    share(rng, keys, 0.4, "tips.spare", lambda: rng.choice((0, 1, 4, 100)))
    share(rng, keys, 0.3, "tips.correctable", lambda: rng.choice((0, 1, 3, 64)))
    if rng.random() < 0.4:
        failing = rng.sample(range(usable * sleds), rng.choice((1, 3, 10, 40)))
        first = failing[0] // 64 * 64  # neighbours too, so that a block loses more than its parity restores
        failing += [tip for tip in range(first, first + rng.choice((0, 2, 5))) if tip not in failing]
        keys["tips.failures"] = [[round(rng.choice((0.0, rng.uniform(0, 0.2), rng.uniform(0, 3))), 4), tip] for tip in failing]
    return keys


def power(rng: Random, keys: dict) -> dict:
    """What parts draw, and now and then a budget in place of a number of active tips."""
    drawn: dict = {}
    for name in ("sled_mw", "inactive_mw", "electronics_mw", "electronics_idle_mw", "electronics_standby_mw", "interface_mw"):
        share(rng, drawn, 0.2, f"power.{name}", lambda: round(10 ** rng.uniform(0, 2.5), 1))
    share(rng, drawn, 0.2, "power.tip_mw", lambda: rng.choice((0.0, 0.5, 1.0, 3.0)))
    if rng.random() < 0.2:
        keys["tips.active"] = 0
        drawn["power.budget_mw"] = rng.choice((300.0, 1100.0, 1500.0, 5000.0))
    return drawn


def host(rng: Random) -> dict:
    """One command at a time, requests that go together."""
    keys: dict = {}
    if rng.random() < 0.4:
        keys["host.ncq"] = False
        keys["host.parallel"] = rng.random() < 0.85
    share(rng, keys, 0.5, "host.policy", lambda: rng.choice(("fcfs", "clook", "sstf", "sptf", "asptf")))
    share(rng, keys, 0.2, "host.tags", lambda: rng.choice((1, 2, 8, 32, 33, 64, 256)))
    share(rng, keys, 0.2, "host.reset_interval_ms", lambda: rng.choice((2.3, 20.0, 300.0)))
    share(rng, keys, 0.3, "host.reset_kind", lambda: rng.choice(("soft", "comreset")))
    share(rng, keys, 0.1, "host.standby_after_s", lambda: rng.choice((0.001, 0.05)))
    return keys


def channel(rng: Random, tracks: int) -> dict:
    """Reads that fail; lists of heads are lists of tracks."""
    return drives.channel(rng, tracks)


def store(rng: Random, plain: Callable[[set[str], float], dict]) -> dict:
    """Keys of a store. `plain` draws values of keys of these sections that stand alone."""
    keys: dict = {"model": rng.choice(shipped())}
    if rng.random() < 0.8:
        keys.update(sled(rng))
    if rng.random() < 0.8:
        keys.update(tips(rng, keys.get("sled.count", 1)))
    if rng.random() < 0.4:
        keys.update(power(rng, keys))
    if rng.random() < 0.6:
        keys.update(host(rng))
    if rng.random() < 0.25:
        active = keys.get("tips.active", 640) or 640
        keys.update(channel(rng, max(1, keys.get("tips.usable", 6400) // active)))
    if rng.random() < 0.7:
        keys.update(drives.buffers(rng))
    share(rng, keys, 0.1, "electronics.command_us", lambda: rng.choice((1.0, 200.0)))
    if rng.random() < 0.25:
        keys["arbiter.model"] = rng.choice(("rtl", "lockstep"))
        keys["arbiter.lanes"] = rng.choice((1, 4))
    share(rng, keys, 0.5, "arbiter.policy", lambda: rng.choice(("fcfs", "sstf", "clook", "sptf", "asptf", "zsptf", "mst")))
    sections = {section for section in sorted(SHARED_SECTIONS) if rng.random() < 0.2}
    for key, value in plain(sections, rng.choice((0.1, 0.3))).items():
        keys.setdefault(key, value)
    return keys


def loses_blocks(keys: dict) -> bool:
    """Whether so many tips of a block fail behind the spares that its parity does not restore it."""
    rows = keys.get("tips.failures", [])
    if not rows or "example" in keys["model"]:
        return bool(rows)
    usable = keys.get("tips.usable", 6400)
    blocks = usable // 64
    spare, correctable = keys.get("tips.spare", 0), keys.get("tips.correctable", 1)
    replaced: dict[int, int] = {}
    lost: dict[tuple[int, int], int] = {}
    for at, tip in sorted(rows, key=lambda row: row[0]):
        sled, own = divmod(tip, usable)
        # What lay under a tip that fails in service is restored from the blocks' parity, if they have any.
        if (at == 0 or correctable > 0) and replaced.get(sled, 0) < spare:
            replaced[sled] = replaced.get(sled, 0) + 1
            continue
        block = own % blocks if keys.get("tips.spread") == "die" else own // 64
        lost[sled, block] = lost.get((sled, block), 0) + 1
    return any(count > correctable for count in lost.values())

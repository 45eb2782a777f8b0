"""Draws of scenarios in which things meet that separate keys seldom bring together: what failed before, and its like."""

from __future__ import annotations

from random import Random

import arrays
import drives
import loads
from scenario import Scenario

IDLE_MS = (0, 2, 10, 100, 1000)
CAPPED = {  # shipped drives whose accounts know the power of each state, and what the idle drive draws
    "drives/seagate_barracuda_es_750.toml": 9.3,
    "drives/hitachi_ultrastar_a7k1000.toml": 9.0,
    "drives/hitachi_travelstar_7k60.toml": 2.0,
}


def failing(rng: Random) -> dict:
    """Reads that fail often, with few retries."""
    if rng.random() < 0.5:
        keys = {"channel.errors": "rate", "channel.sector_error_rate": rng.choice((0.005, 0.02, 0.1, 0.3))}
    else:
        keys = {"channel.errors": "margin", "channel.margin_db": rng.choice((0.0, 0.5, 1.0))}
    if rng.random() < 0.6:
        keys["channel.ladder"] = [[1, 0, 0, 0]]
    return keys


def small(rng: Random) -> dict:
    """A drive of some thousand sectors."""
    keys: dict = {"geometry.heads": rng.choice((2, 4, 8))}
    grain = 1
    if rng.random() < 0.3:
        keys["geometry.physical_sector_bytes"] = 4096
        grain = 8
    track = grain * (rng.choice((64, 144, 333, 680)) // grain)
    last = rng.choice((0, 1, 7, 22))
    keys["geometry.zones"] = [[0, last, track, 0, grain * rng.choice((0, 1, 5)), grain * rng.choice((0, 4, 64))]]
    if rng.random() < 0.5:
        keys["spindle.rpm"] = rng.choice((5400.0, 7200.0, 10000.0, 15000.0))
    if rng.random() < 0.5:
        keys["cache.write"] = True
    return keys


def overlapping(rng: Random, blocks: int, count: int, gap: float, fua: float) -> list[tuple]:
    """(time, operation, block, sectors, fua) of requests that meet each other, written again before long."""
    span = min(blocks, rng.choice((200, 600, 2000)))
    rows, now = [], 0.0
    for _ in range(count):
        now += rng.expovariate(1 / gap) if rng.random() < 0.8 else rng.choice((0, 10 * gap))
        size = min(rng.choice((8, 8, 16, 63, 128, 256)), span)
        lbn = rng.randint(0, span - size)
        if rows and rng.random() < 0.6:  # what was there before, or beside it
            _, _, near, length, _ = rng.choice(rows[-6:])
            lbn, size = min(near + rng.choice((0, 0, 3, -5, 8)), span - length), length
        write = rng.random() < 0.6
        rows.append((now, "W" if write else "R", max(lbn, 0), size, write and rng.random() < fua))
    return rows


def as_trace(drawn: Scenario, rows: list[tuple]) -> None:
    name, head, lines = loads.as_csv(rows)
    drawn.trace_name, drawn.trace_head, drawn.trace = name, head, lines
    drawn.shared.update({"workload.kind": "trace", "workload.file": name, "workload.format": "csv"})


def verified(drawn: Scenario) -> None:
    drawn.shared["host.verify"] = True
    drawn.shared["media.contents"] = "memory"


def failing_members(rng: Random, drawn: Scenario):
    """An array with a cache over members that do not take all that is written."""
    level = rng.choice(("raid5", "raid5", "raid4", "raid1", "raid0"))
    count = rng.choice((3, 4, 5))
    table = small(rng)
    for number in range(count):
        drawn.drives[f"m{number}"] = {**table, **(failing(rng) if rng.random() < 0.6 else {})}
    for number in range(rng.choice((0, 0, 1, 2))):
        drawn.drives[f"s{number}"] = dict(table)
    line = rng.choice((4, 4, 16, 32))
    drawn.shared.update({
        "array.level": level,
        "array.members": ["m*"],
        "array.stripe_unit": rng.choice((4, 8, 64)),
        "array.depth": rng.choice((1, 2, 8, 64)),
        "array.cache.line": line,
        "array.cache.size": rng.choice((4, 16, 100, 1000)) * line / 1024,
        "array.cache.write": rng.choice(("back", "back", "back", "through")),
        "array.cache.nonvolatile": rng.random() < 0.4,
        "array.cache.destage_idle_ms": rng.choice(IDLE_MS),
        "array.cache.destage_at": rng.choice((0, 0.1, 0.5)),
    })
    spares = [name for name in drawn.drives if name.startswith("s")]
    if spares:
        drawn.shared["array.spares"] = spares
        drawn.shared["array.rebuild_mb_s"] = rng.choice((0, 1))
    if rng.random() < 0.6:
        drawn.shared["array.failures"] = [[round(10 ** rng.uniform(-2, 0.3), 4), rng.randrange(count)]]
    if rng.random() < 0.2:
        arrays.draw_staging(rng, drawn, table)
    verified(drawn)
    return lambda blocks: as_trace(drawn, overlapping(rng, blocks, rng.choice((60, 300, 900)), 10 ** rng.uniform(-3, -1.5), 0.3))


def equal_idle_times(rng: Random, drawn: Scenario):
    """An array with a cache and a store in front of its members that wait for the host equally long."""
    level = rng.choice(("raid5", "raid5", "raid1", "raid0"))
    model = rng.choice(("drives/quantum_atlas_10k.toml", "drives/hitachi_travelstar_7k60.toml", "drives/hp_c3323a.toml"))
    for number in range(3):
        drawn.drives[f"m{number}"] = {"model": model}
    drawn.drives["store"] = {"model": rng.choice(("drives/mems/g2.toml", model))}
    drawn.shared.update({
        "array.level": level,
        "array.members": ["m*"],
        "array.cache.size": rng.choice((1, 4)),
        "array.staging.store": "store",
        "workload.kind": "open",
        "workload.count": rng.choice((200, 1000)),
        "workload.rate_per_s": rng.choice((2, 5, 20)),
        "workload.read_fraction": rng.choice((0.2, 0.5)),
        "workload.size_sectors": rng.choice((8, 64)),
    })
    if rng.random() < 0.5:  # else both are the default
        idle = rng.choice(IDLE_MS)
        drawn.shared["array.cache.destage_idle_ms"] = drawn.shared["array.staging.destage_idle_ms"] = idle
    if rng.random() < 0.3:
        drawn.shared["array.staging.lazy"] = True
    if rng.random() < 0.5:
        verified(drawn)
    return None


def capped(rng: Random, drawn: Scenario):
    """A cap on the power of a drive that also sleeps, with writes that reach the media late, and long pauses."""
    model = rng.choice(tuple(CAPPED))
    idle = CAPPED[model]
    table: dict = {
        "model": model,
        "power_cap.cap_w": round(idle * rng.choice((1.08, 1.1, 1.2, 1.4)), 2),
        "power_cap.window_s": rng.choice((0.5, 1.0, 5.0)),
    }
    if rng.random() < 0.5:
        table["power_cap.margin"] = rng.choice((0.02, 0.05, 0.1))
    policy = rng.choice(("never", "fixed", "adaptive", "probabilistic"))
    if policy != "never":
        table["idle.spin_down"] = policy
        table["idle.spin_down_s"] = rng.choice((0.01, 0.1, 2.0))
    if rng.random() < 0.4:
        table["host.standby_after_s"] = rng.choice((0.1, 0.5, 3.0))
    elif rng.random() < 0.3:
        table["host.standby_timer_s"] = 5
    if rng.random() < 0.3:
        table |= {"seek.acquire_ms": 20.0, "idle.active_idle_s": rng.choice((0.01, 1.0))}
    if rng.random() < 0.3:
        table["cache.destage_idle_ms"] = rng.choice((1.0, 100.0, 2000.0))
    if rng.random() < 0.2:
        table["background.scan_idle_ms"] = rng.choice((10.0, 1000.0))
    if rng.random() < 0.3:
        table["arms.count"] = rng.choice((2, 4))
        table["arms.design"] = rng.choice(("SA", "MA", "MC", "serial"))
        table.setdefault("seek.acquire_ms", 5.0)
    if rng.random() < 0.25:
        for number in range(2):
            drawn.drives[f"m{number}"] = dict(table)
        drawn.shared.update({"array.level": rng.choice(("raid0", "raid1")), "array.members": ["m*"], "array.depth": rng.choice((2, 64))})
    else:
        drawn.drives["d"] = table

    def load(blocks: int) -> None:
        rows, now = [], 1.0
        for _ in range(rng.choice((3, 8, 20))):
            for _ in range(rng.choice((1, 2, 5, 30))):
                now += rng.choice((0.001, 0.02, 0.1))
                size = rng.choice((1, 3, 8, 128, 1024))
                rows.append((now, "W" if rng.random() < 0.6 else "R", rng.randrange(min(blocks - size, 2_000_000)), size, False))
            now += rng.choice((0.2, 1.0, 5.0, 12.0, 60.0))
        as_trace(drawn, rows)

    return load


def scans_and_spares(rng: Random, drawn: Scenario):
    """Several arms, one of which scans while another one gives spares to sectors that cannot be read."""
    model = rng.choice(("drives/seagate_cheetah_36es.toml", "drives/quantum_atlas_10k.toml", "drives/seagate_barracuda_es_750.toml"))
    table: dict = {
        "model": model,
        "arms.count": rng.choice((2, 3, 4)),
        "background.scan_idle_ms": rng.choice((1.0, 5.0)),
        "channel.errors": "rate",
        "channel.sector_error_rate": rng.choice((0.05, 0.2, 0.4)),
    }
    if rng.random() < 0.5:
        table |= {"arms.surfaces": 2, "arms.surface_access": "striped"}
    if rng.random() < 0.5:
        table["cache.write"] = rng.random() < 0.5
    if rng.random() < 0.3:
        table["arms.channels"] = 1
    if rng.random() < 0.3:
        table["background.scan_step_sectors"] = rng.choice((64, 1024))
    drawn.drives["d"] = table
    drawn.shared.update({
        "workload.kind": "closed",
        "workload.count": rng.choice((100, 300)),
        "workload.outstanding": rng.choice((1, 1, 4)),
        "workload.think_ms": rng.choice((2.0, 20.0, 100.0)),
        "workload.read_fraction": rng.choice((0.1, 0.3, 0.6)),
        "workload.size_sectors": rng.choice((8, 63, 128)),
        "workload.last_lbn": rng.choice((999, 3999)),
        "simulation.seed": rng.randrange(1 << 40),
    })
    if rng.random() < 0.5:
        verified(drawn)
    return None


def equal_instants(rng: Random, drawn: Scenario):
    """Everything on a coarse grid of time: a slow processor, a stack whose sectors end on its edges."""
    table: dict = {"model": rng.choice(drives.shipped())}
    if "mems" not in table["model"]:
        table["spindle.rpm"] = rng.choice((6000.0, 15000.0, 60000.0))
    table["controller.cpu_mhz"] = rng.choice((1, 1, 2, 10))
    if rng.random() < 0.6:
        table["buffer.segments"] = rng.choice((8, 64))
    table["cache.write"] = rng.random() < 0.7
    if rng.random() < 0.3:
        table |= {"channel.latency_us": 5.0, "channel.iteration_us": 4.0}
    drawn.drives["d"] = table
    drawn.shared.update({
        "workload.kind": "closed",
        "workload.count": rng.choice((200, 1000)),
        "workload.outstanding": rng.choice((2, 32, 300)),
        "workload.read_fraction": rng.choice((0.0, 0.5, 1.0)),
        "workload.size_sectors": rng.choice((7, 8, 63, 128)),
        "workload.last_lbn": rng.choice((4999, 39_999)),
    })
    return None


DRAWS = (failing_members, failing_members, equal_idle_times, capped, capped, scans_and_spares, equal_instants)


def draw(rng: Random, drawn: Scenario):
    """Draws drives and keys. Returns a function that draws the load for so many blocks, or None if there is one."""
    return rng.choice(DRAWS)(rng, drawn)

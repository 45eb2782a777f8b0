"""Draws of drives and loads at the ends of what is legal: few keys, far from the usual, on small, large and shipped drives."""

from __future__ import annotations

import math
from random import Random

import drives
import keys as described

# Ends that no run reaches: between a reset and the next, or a recalibration and the next, a drive must get to work.
BOUNDS = {
    "host.reset_interval_ms": (50, 1e9),
    "background.recalibration_s": (0.02, 1e6),
    "background.scan_idle_ms": (0, 10_000),
}


def end_of(rng: Random, key: described.Key) -> float:
    """An end of a key's range, a value beside it, or anywhere, each decade alike."""
    least, most = BOUNDS.get(key.name, (key.least, key.most))
    whole = key.type == "integer"
    choice = rng.random()
    if choice < 0.3:
        return least
    if choice < 0.55:
        return most
    if choice < 0.65:
        return least + 1 if whole else least + (most - least) * 1e-9
    if choice < 0.7:
        return most - 1 if whole else most - (most - least) * 1e-9
    if choice < 0.75:
        return rng.uniform(least, most)
    floor = least if least > 0 else max(most * 1e-9, 1 if whole else 0)
    value = math.exp(rng.uniform(math.log(floor), math.log(max(most, floor))))
    return min(max(-value if least < 0 and rng.random() < 0.3 else value, least), most)


def value(rng: Random, key: described.Key):
    """A value at an end of its range, or none if the key is a structure."""
    if key.type == "true or false":
        return rng.random() < 0.5
    if key.type == "choice":
        return rng.choice(key.choices)
    if not math.isfinite(key.most):
        return None
    if key.type == "integer":
        grain = described.GRAIN.get(key.name, 1)
        return int(end_of(rng, key)) // grain * grain
    if key.type == "number":
        return float(end_of(rng, key))
    if key.type == "list of numbers":
        return [float(end_of(rng, key)) for _ in range(rng.randint(1, 4))]
    return None


def tiny(rng: Random) -> dict:
    """A drive of a few sectors."""
    grain = rng.choice((1, 1, 8))
    keys: dict = {"geometry.heads": rng.choice((1, 1, 2, 3))}
    if grain == 8:
        keys["geometry.physical_sector_bytes"] = 4096
        if rng.random() < 0.5:
            keys["geometry.logical_sector_bytes"] = 4096
    track = grain * rng.choice((1, 1, 2, 3, 5, 17))
    last = rng.choice((0, 0, 1, 2, 9))
    skew = [rng.choice((0, track - 1)) for _ in range(2)]
    keys["geometry.zones"] = [[0, last, track, *skew, 0]]
    if rng.random() < 0.3:
        keys["geometry.zones"].append([last + 1, last + 1 + rng.choice((0, 3)), grain * rng.choice((1, 4)), 0, 0, 0])
    keys["geometry.mapping"] = rng.choice(("conventional", "alternating", "serpentine", "alternating_odd", "serpentine_alternating"))
    return keys


def huge(rng: Random) -> dict:
    """A drive of many cylinders, heads or sectors a track."""
    track = 8 * rng.choice((64, 500, 2000, 8000))
    last = rng.choice((9_999, 60_000, 400_000) if rng.random() < 0.9 else (1_999_999, 8_388_606))
    keys: dict = {"geometry.heads": rng.choice((1, 16, 255, 256)), "geometry.zones": [[0, last, track, track // 9, track // 5, 0]]}
    if rng.random() < 0.5:
        keys["geometry.physical_sector_bytes"] = 4096
        if rng.random() < 0.5:
            keys["geometry.logical_sector_bytes"] = 4096
    keys["geometry.mapping"] = rng.choice(("conventional", "serpentine"))
    return keys


def drive(rng: Random, schema: dict[str, described.Key], shared: tuple[str, ...]) -> dict:
    """Keys of one drive: some at their ends, over a shipped drive, a tiny or a huge one."""
    choice = rng.random()
    if choice < 0.45:
        keys = {"model": rng.choice(drives.shipped())}
    elif choice < 0.8:
        keys = tiny(rng)
    else:
        keys = huge(rng)
    scalars = [
        key
        for key in schema.values()
        if key.section.split(".")[0] not in shared
        and not key.structured
        and key.name not in described.NOT_DRAWN
        and key.section not in described.NOT_DRAWN_SECTIONS
    ]
    if rng.random() < 0.4:  # of one or two sections all at once: every key of the caches and the buffer, say
        chosen = rng.sample(sorted({key.section for key in scalars}), 2)
        if rng.random() < 0.4:
            chosen = ["cache", "buffer"]
        scalars = [key for key in scalars if key.section in chosen]
    for key in rng.sample(scalars, min(len(scalars), rng.choice((1, 2, 3, 5, 8, 15, 40)))):
        drawn = value(rng, key)
        if drawn is not None:
            keys.setdefault(key.name, drawn)
    return keys


def load(rng: Random, schema: dict[str, described.Key], blocks: int, grain: int) -> dict:
    """A short synthetic load with keys at their ends."""
    most = min(65_536, blocks) // grain * grain
    size = rng.choice((grain, grain, 8, most, max(grain, most // 2 // grain * grain), grain * rng.randint(1, max(1, most // grain))))
    size = max(grain, min(size, most) // grain * grain)
    keys: dict = {
        "workload.kind": rng.choice(("open", "closed")),
        "workload.size_sectors": size,
        "workload.count": max(1, min(rng.choice((1, 2, 10, 100)), 200_000 // size)),
        "workload.read_fraction": rng.choice((0.0, 0.3, 0.5, 1.0)),
        "workload.align_sectors": grain,
    }
    if keys["workload.kind"] == "closed":
        keys["workload.outstanding"] = rng.choice((1, 7, 32, 1024, 65_536))
        if rng.random() < 0.2:
            keys["workload.think_ms"] = rng.choice((1e-6, 1.0, 1e5))
    else:
        keys["workload.rate_per_s"] = rng.choice((0.01, 1.0, 100.0, 1e4, 1e9))
        keys["workload.arrivals"] = rng.choice(("exponential", "fixed", "pareto"))
    if rng.random() < 0.3:
        keys["workload.sequential_fraction"] = rng.choice((0.0, 0.5, 1.0))
    elif rng.random() < 0.3:
        keys["workload.local_fraction"] = rng.choice((0.5, 1.0))
        keys["workload.local_sectors"] = rng.choice((grain, 2048, 1_000_000_000_000_000))
    if rng.random() < 0.2:
        keys["workload.first_lbn"] = keys["workload.last_lbn"] = blocks - 1 if grain == 1 else 0
        keys["workload.size_sectors"] = 1
        if grain > 1:
            keys["workload.last_lbn"], keys["workload.size_sectors"] = grain - 1, grain
    return keys

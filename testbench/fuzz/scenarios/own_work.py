"""Keys with which a drive or an array has work of its own beside its requests. A disk: scan and background reads on spare arms under a
budget, speeds that change, a governor, throttling. A MEMS store: the same scan and reads, free reads, refresh, rides, batches,
throttling. An array: a rebuild whose reads have the background priority, and scrubs. The campaigns of faults and of power cuts draw
them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

BACKGROUND_READS = 4  # outstanding


def background_reads(rng: Random) -> dict[str, object]:
    return {
        "host.background_outstanding": rng.choice((1, BACKGROUND_READS)),
        "host.background_sectors": rng.choice((8, 64)),
        "host.background_ranges": [[rng.randrange(0, 2_000) // 8 * 8, 2_000] for _ in range(4)],
    }


def changes_speed(found: dict[str, object]) -> bool:
    """Whether the stack may change its speed in the run."""
    return "speed.policy" in found or "governor.objective" in found


def keys(rng: Random, queued: bool, powered: bool) -> dict[str, object]:
    """Keys of one disk. `queued`: its host uses queued commands, which background reads need; `powered`: its powers are known."""
    found: dict[str, object] = {
        "background.max_added_us": rng.choice((100, 2_000, 20_000)),
        "background.scan_idle_ms": rng.choice((5, 50)),
        "background.scan_step_sectors": rng.choice((32, 512)),
        "arbiter.policy": "sptf",
        "seek.acquire_ms": 3,
        "spindle.speeds_rpm": [4_500, 3_600],
    }
    if queued and rng.random() < 0.7:
        found |= background_reads(rng)
    kind = rng.choice(("drpm", "response", "watts", "") if powered else ("drpm", "response", ""))
    if kind == "drpm":
        found |= {"speed.policy": "drpm", "speed.window_requests": 20, "speed.check_s": 0.05}
    elif kind == "watts":
        found |= {"governor.objective": "watts", "governor.cap_w": rng.choice((4, 8)), "governor.period_s": 0.05}
        found["governor.calm_periods"] = 1
    elif kind == "response":
        found |= {"governor.objective": "response", "governor.p99_ms": rng.choice((5, 50)), "governor.period_s": 0.05}
        found["governor.calm_periods"] = 1
    if powered and rng.random() < 0.5:
        found |= {"thermal.case_k_w": 1.0, "thermal.mass_g": 1, "throttle.at_c": 26, "throttle.every_s": 1}
    return found


def store_keys(rng: Random, queued: bool) -> dict[str, object]:
    """Keys of one MEMS store; `queued` as for a disk."""
    found: dict[str, object] = {
        "background.max_added_us": rng.choice((20, 200, 2_000)),
        "background.scan_idle_ms": rng.choice((5, 50)),
        "background.scan_step_sectors": rng.choice((32, 512)),
        "arbiter.policy": rng.choice(("sptf", "asptf", "zsptf", "mst")),
        "tips.ride_along": rng.random() < 0.5,
        "tips.free_reads": rng.choice(("none", "scan", "list")),
        "sled.idle_ms": rng.choice((0.5, 5, 100)),
    }
    if found["tips.free_reads"] == "list":
        found["tips.free_list"] = [[rng.randrange(0, 2_000), 2_000]]
    if queued and rng.random() < 0.5:
        found |= background_reads(rng)
    if rng.random() < 0.7:
        found |= {"refresh.period_h": rng.choice((0.5, 5)), "refresh.idle_ms": rng.choice((0.5, 5)), "refresh.rows": rng.choice((1, 3, 9))}
    if rng.random() < 0.5:
        found |= {"thermal.case_k_w": 60, "thermal.mass_g": 1, "thermal.start_c": 45}
        found |= {"throttle.at_c": rng.choice((26, 30)), "throttle.every_s": 0.2}
    return found


def array_keys(rng: Random, members: Sequence[int], to_end: bool) -> dict[str, object]:
    """Keys of an array: one of `members` fails, and a spare takes its place. `to_end`: some runs end when it has."""
    found: dict[str, object] = {
        "rebuild_reads": "background",
        "rebuild_unit": rng.choice(("64 KiB", "512 KiB")),
        "rebuild_mb_s": rng.choice((0, 5, 50)),
        "rebuild_to_end": to_end and rng.random() < 0.3,
        "failures": [[round(rng.choice((0, rng.uniform(0, 1))), 4), rng.choice(members)]],
    }
    if rng.random() < 0.5:
        found |= {"scrub_mb_s": rng.choice((5, 50)), "scrub_unit": rng.choice(("64 KiB", "512 KiB"))}
    return found

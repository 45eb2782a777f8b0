"""Keys with which a disk has work of its own beside its requests: scan and background reads on spare arms under a budget, speeds that
change, a governor, throttling. The campaigns of faults and of power cuts draw them with --own-work."""

from __future__ import annotations

from random import Random

BACKGROUND_READS = 4  # outstanding


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
        found |= {
            "host.background_outstanding": rng.choice((1, BACKGROUND_READS)),
            "host.background_sectors": rng.choice((8, 64)),
            "host.background_ranges": [[rng.randrange(0, 2_000) // 8 * 8, 2_000] for _ in range(4)],
        }
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

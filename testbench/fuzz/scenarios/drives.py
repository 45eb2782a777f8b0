"""Draws of a drive: its structured keys, which must agree with each other. The keys that stand alone are drawn by keys.py."""

from __future__ import annotations

from pathlib import Path
import math
from random import Random

ROOT = Path(__file__).resolve().parents[3]

# Structured keys, or keys bound to others, that the functions below set.
GENERATED = {
    "host.standby_plan",
    "geometry.zones",
    "geometry.slips",
    "geometry.remaps",
    "geometry.zone_fronts",
    "geometry.range_skews",
    "geometry.bands",
    "geometry.surface_sectors",
    "channel.ladder",
    "seek.table",
    "seek.two_piece",
    "seek.quiet.table",
    "identity.model",
    "identity.serial",
    "identity.firmware",
    "output.scope",
    "output.exclude",
}
# Keys that the functions below set with their partners; keys.py leaves them alone.
BOUND = GENERATED | {
    "geometry.heads",
    "geometry.physical_sector_bytes",
    "geometry.logical_sector_bytes",
    "geometry.skew_unit",
    "geometry.cylinder_gaps",
    "geometry.blocks",
    "seek.curve",
    "seek.single_track_ms",
    "seek.average_ms",
    "seek.full_stroke_ms",
    "seek.load_ms",
    "seek.unload_ms",
    "seek.acquire_ms",
    "idle.active_idle_s",
    "idle.low_power_idle_s",
    "power.load_j",
    "power.unload_j",
    "arms.stacks",
    "arms.count",
    "arms.surfaces",
    "arms.surface_access",
    "arms.range",
    "arms.heads",
    "arms.head_placement",
    "arms.head_spacing_cylinders",
    "arms.head_spacing_deg",
    "arms.design",
    "arms.max_in_service",
    "arms.max_moving",
    "arms.channels",
    "arms.angle_deg",
    "arms.stack_phase_rev",
    "channel.head_margin_db",
    "channel.head_offset",
    "channel.detector_gain_db",
    "format.density_kb_in",
    "format.clock_mb_s",
    "host.verify",
    "media.contents",
    "link.rate_gbps",
    "buffer.size",
    "buffer.segments",
    "cache.low_water",
    "cache.high_water",
    "arbiter.model",
    "host.tags",
    "host.depth",
    "host.parallel",
    "head.writer_along_um",
    "head.writer_across_um",
    "head.arm_length_mm",
    "head.pivot_distance_mm",
    "format.outer_radius_mm",
    "format.inner_radius_mm",
    "arbiter.lanes",
    "geometry.mapping",
}
# A quiet curve must not be faster than the normal one, and a coil must make every seek with its supply.
BOUND |= {f"seek.quiet.{name}" for name in ("curve", "single_track_ms", "average_ms", "full_stroke_ms")}
BOUND |= {f"seek.{curve}.{name}" for curve in ("quiet", "coil") for name in ("coast_m_s", "ramp", "settle_ms")}
BOUND |= {f"seek.coil.{name}" for name in ("stroke_mm", "mass_g", "force_n_a", "resistance_ohm", "driver", "supply")}
BOUND |= {"seek.quiet.arms", "seek.quiet.just_in_time", "mechanics.kind", "mechanics.quantile", "power.phases_5v_w"}
# A cap must be above the power at idle.
BOUND |= {"power_cap.cap_w"}
# The lowest temperature must be below the greatest one, and throttling needs temperatures.
BOUND |= {"thermal.least_c", "thermal.limit_c", "throttle.at_c", "throttle.quiet", "throttle.arms"}
# A motor must bring its stack to speed, and the stack must come to rest.
MOTOR = ("torque_mn_m_a", "winding_ohm", "supply_v", "drop_v", "limit_a", "inertia_g_cm2", "windage_w", "bearing_w", "friction_mn_m")
BOUND |= {f"spindle.motor.{name}" for name in (*MOTOR, "reference_rpm", "brakes")}
POWER_PAIRS = ("idle", "seek", "operating", "read", "standby", "sleep")
IDLE_PAIRS = ("active_idle", "low_power_idle")
BOUND |= {f"power.{name}_{unit}" for name in POWER_PAIRS + IDLE_PAIRS for unit in "aw"}
BOUND |= {"power.idle_5v_split", "power.active_split", "power.spin_up_peak_a", "power.spin_up_peak_w", "power.spin_up_j"}


def shipped() -> list[str]:
    """Drive files that come with the program, as `model` names them."""
    folder = ROOT / "scenarios" / "drives"
    return [f"drives/{path.relative_to(folder)}" for path in sorted(folder.rglob("*.toml"))]


def arms(rng: Random) -> dict:
    """Stacks, assemblies, surfaces and heads whose product is at most 8 arms."""
    keys: dict = {}
    parts = [1, 1, 1]
    for _ in range(3):
        at = rng.randrange(3)
        factor = rng.choice((2, 2, 2, 3, 4, 5, 6, 7, 8))
        if parts[0] * parts[1] * parts[2] * factor <= 8 and rng.random() < 0.6:
            parts[at] *= factor
    stacks, count, surfaces = parts
    if rng.random() < 0.3:
        keys["arms.surface_access"] = "striped"
        if surfaces == 1:
            surfaces = rng.choice((1, 2, 2, 3, 4, 8))
    if stacks > 1:
        keys["arms.stacks"] = stacks
        if rng.random() < 0.3:
            keys["arms.stack_phase_rev"] = [round(rng.random() * 0.999, 3) for _ in range(stacks)]
    if count > 1:
        keys["arms.count"] = count
    if rng.random() < 0.2:
        keys["arms.angle_deg"] = [round(rng.random() * 359.9, 3) for _ in range(count)]
    if surfaces > 1:
        keys["arms.surfaces"] = surfaces
    total = stacks * count * (surfaces if keys.get("arms.surface_access") != "striped" else 1)
    if total > 1 and rng.random() < 0.25:
        keys["arms.range"] = "split"
    if rng.random() < 0.25:
        keys["arms.heads"] = rng.randint(2, 4)
        if rng.random() < 0.5:
            keys["arms.head_placement"] = "equal_radius"
            if rng.random() < 0.5:
                keys["arms.head_spacing_deg"] = round(rng.uniform(0.1, 359 / 4), 2)
        elif rng.random() < 0.3:
            keys["arms.head_spacing_cylinders"] = rng.choice((1, 2, 10, 60, 200))
    design = rng.choice(("own", "own", "SA", "MA", "MC", "serial"))
    if design != "own" or rng.random() < 0.2:
        keys["arms.design"] = design
    if design == "own" and total > 1:
        in_service = rng.randint(1, total) if rng.random() < 0.4 else 0
        if in_service:
            keys["arms.max_in_service"] = in_service
        if rng.random() < 0.4:
            keys["arms.max_moving"] = rng.randint(1, in_service or total)
        if rng.random() < 0.5:
            keys["arms.channels"] = rng.randint(1, in_service or total)
    keys["total"] = total
    return keys


def surfaces_needed(keys: dict) -> int:
    """Surfaces must be a multiple of this."""
    groups = keys.get("arms.stacks", 1) * keys.get("arms.surfaces", 1)
    if keys.get("arms.range") == "split":
        groups *= keys.get("arms.count", 1)
    return groups


def geometry(rng: Random, multiple: int) -> dict:
    """A layout of one to six zones."""
    keys: dict = {}
    grain = 1
    if rng.random() < 0.3:
        keys["geometry.physical_sector_bytes"] = 4096
        grain = 8
        if rng.random() < 0.4:
            keys["geometry.logical_sector_bytes"] = 4096
    heads = multiple * rng.choice((1, 1, 1, 2, 2, 3, 4, 8))
    keys["geometry.heads"] = min(heads, 256 - 256 % multiple)
    revolutions = rng.random() < 0.1
    if revolutions:
        keys["geometry.skew_unit"] = "revolutions"
    formatted = rng.random() < 0.1 and grain == 1
    zones, first = [], 0
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4, 6))):
        length = rng.choice((1, 2, 20, 100, 300, 400, 2000, 20000)) + rng.choice((0, 0, 1, 7))
        per_track = grain * max(1, rng.choice((16, 40, 63, 118, 120, 256, 500, 1016, 1500, 2500)) // grain)
        if rng.random() < 0.05:
            per_track = grain * rng.randint(1, 4)

        def skew(usual: float, per_track=per_track) -> float:
            if rng.random() < 0.3:
                return 0
            share = min(usual * rng.uniform(0.3, 2), 0.99)
            return round(share, 3) if revolutions else min(int(per_track * share), per_track - 1)

        raw = length * keys["geometry.heads"] * per_track
        spares = 0
        if rng.random() < 0.4:
            spares = grain * max(0, min(rng.choice((1, 4, 20, 64, 160, 1000)), raw // (4 * grain)))
        zones.append([first, first + length - 1, 0 if formatted else per_track, skew(0.1), skew(0.2), spares])
        first += length
        if rng.random() < 0.05:
            keys["geometry.cylinder_gaps"] = True
            first += rng.randint(1, 10)
    keys["geometry.zones"] = zones
    if formatted:
        keys["format.servo_wedges"] = rng.choice((0, 60, 96, 200))
        keys["format.clock_mb_s"] = [rng.choice((100.0, 400.0, 900.0))]
    mapping = rng.choice(("conventional",) * 3 + ("serpentine", "serpentine_alternating", "inward_bands", "alternating", "alternating_odd"))
    if mapping != "conventional":
        keys["geometry.mapping"] = mapping
        if mapping.startswith(("serpentine", "inward")) and rng.random() < 0.5:
            chosen = rng.sample(range(len(zones)), rng.randint(1, len(zones)))
            skew_of = 0.1 if revolutions else 1
            keys["geometry.bands"] = [
                [zone, rng.choice((1, 7, 50, 300)), rng.choice((0, skew_of)), rng.randint(0, 1)] for zone in sorted(chosen)
            ]
    if revolutions and not formatted and rng.random() < 0.4:
        keys["geometry.surface_sectors"] = surfaces(rng, zones, grain, keys["geometry.heads"])
    placed = measured_rows(rng, zones, grain, keys)
    if not placed and rng.random() < 0.1:
        keys["geometry.blocks"] = grain * max(1, capacity(keys) // grain * rng.randint(50, 100) // 100)
    return keys


def surfaces(rng: Random, zones: list, grain: int, heads: int) -> list:
    """Surfaces with fewer or more sectors on a track than their zone's others."""
    rows = {(rng.randrange(len(zones)), rng.randrange(heads)) for _ in range(rng.randint(1, 6))}
    return [[zone, surface, grain * max(1, int(zones[zone][2] // grain * rng.uniform(0.6, 1.2)))] for zone, surface in sorted(rows)]


def measured_rows(rng: Random, zones: list, grain: int, keys: dict) -> bool:
    """Now and then slips, remaps, fronts and spare ranges: what a measured layout has."""
    before = len(keys)
    zone = rng.randrange(len(zones))
    if zones[zone][5] >= grain and rng.random() < 0.3:
        rows = {(zone, grain * rng.randrange(200)) for _ in range(rng.randint(1, 3))}
        keys["geometry.slips"] = [list(row) for row in sorted(rows)][: zones[zone][5] // grain]
    if zones[0][5] >= 4 * grain and rng.random() < 0.4:
        end = max(1, min(4000, capacity(keys) // 2) // grain)
        blocks = {grain * rng.randrange(end) for _ in range(rng.randint(1, 4))}
        keys["geometry.remaps"] = [[block, -1] for block in sorted(blocks)]
    if rng.random() < 0.05:
        offset = 0 if keys.get("geometry.skew_unit") else grain
        keys["geometry.zone_fronts"] = [[zone, grain * rng.randint(0, 30), offset]]
    if rng.random() < 0.05:
        keys["geometry.spares_per_track"] = True
    elif rng.random() < 0.05:
        keys["geometry.spare_range_cylinders"] = rng.choice((1, 10, 100))
        if rng.random() < 0.5:
            keys["geometry.range_skews"] = [[zone, 0]]
    return len(keys) > before


def capacity(keys: dict) -> int:
    """Blocks that the zones hold, about: without what slips and ranges take."""
    heads = keys.get("geometry.heads", 2)
    return sum((last - first + 1) * heads * max(track, 1) - spares for first, last, track, _, _, spares in keys["geometry.zones"])


def seek(rng: Random, cylinders: int) -> dict:
    """A rising seek curve of any kind."""
    keys: dict = {}
    curve = rng.choice(("three", "three", "table", "constant", "linear", "two_piece", "lee", "default"))
    average = round(rng.choice((0.8, 2.0, 3.2, 6.2, 8.5, 20.0)) * rng.uniform(0.8, 1.2), 2)
    single, full = round(average * rng.uniform(0.05, 0.4), 3), round(average * rng.uniform(1.7, 2.2), 3)
    if curve == "table":
        distances = sorted({1, *(rng.randint(1, max(cylinders - 1, 1)) for _ in range(rng.randint(0, 8)))})
        times = sorted(round(rng.uniform(single, full), 3) for _ in distances)
        keys["seek.table"] = [[d, t] for d, t in zip(distances, times)]
    elif curve == "two_piece":
        start = max(2, int(cylinders * rng.uniform(0.1, 0.9)))
        a, b = single, round((average - single) / start**0.5 * rng.random(), 6)
        join = a + b * start**0.5
        keys["seek.two_piece"] = [[start, a, b, round(join + 0.001, 4), round((full - join) / max(cylinders, 2) * rng.random(), 7)]]
    elif curve == "constant":
        keys["seek.average_ms"] = average
    elif curve in ("three", "lee", "linear"):
        keys.update({"seek.single_track_ms": single, "seek.average_ms": average, "seek.full_stroke_ms": full})
    if curve in ("constant", "linear", "two_piece", "lee"):
        keys["seek.curve"] = curve
    if curve == "table" and rng.random() < 0.4:
        keys.update(quiet_seek(rng, keys["seek.table"]))
    if rng.random() < 0.2:
        keys["seek.load_ms"], keys["seek.unload_ms"] = rng.choice((50.0, 300.0)), rng.choice((50.0, 300.0, 500.0))
    if rng.random() < 0.2:
        keys.update(idle(rng, "seek.load_ms" in keys))
    return keys


def idle(rng: Random, ramp: bool) -> dict:
    """Idle conditions, and the ways there and back."""
    keys: dict = {"seek.acquire_ms": rng.choice((0.1, 5.0, 20.0, 200.0))}
    if rng.random() < 0.8:
        keys["idle.active_idle_s"] = rng.choice((0.0001, 0.002, 0.02, 0.2, 1.0))
    if ramp and rng.random() < 0.8:
        keys["idle.low_power_idle_s"] = rng.choice((0.001, 0.02, 0.5, 4.0))
    return keys


def quiet_seek(rng: Random, table: list) -> dict:
    """A quiet curve that is slower everywhere, and which arms use it when."""
    factor = rng.uniform(1, 2)
    keys: dict = {"seek.quiet.table": [[distance, round(time * factor + 0.01, 3)] for distance, time in table]}
    if rng.random() < 0.5:
        keys["seek.quiet.just_in_time"] = True
    if rng.random() < 0.3:
        keys["seek.quiet.arms"] = [0]
    return keys


def failures(rng: Random, keys: dict, total: int, heads: int) -> dict:
    """Arms and heads that fail, early or late in the run."""
    faults: list = []

    def when() -> float:
        return round(10 ** rng.uniform(-3, 0.7), 4)

    if rng.random() < 0.6:
        many = rng.randint(1, total if rng.random() < 0.15 else max(1, total - 1))
        faults += [{"kind": "stuck_arm", "at_s": when(), "arm": arm} for arm in rng.sample(range(total), many)]
    if rng.random() < 0.6:
        per_arm = keys.get("arms.heads", 1)
        stacks, parts = keys.get("arms.stacks", 1), keys.get("arms.surfaces", 1)
        independent = keys.get("arms.surface_access") != "striped"
        groups = stacks * (parts if independent else 1)
        for _ in range(rng.randint(1, 6)):
            arm = rng.randrange(total)
            group = arm // (total // stacks) * (groups // stacks) + (arm % parts if independent else 0)
            reach = heads // groups
            if keys.get("arms.range") == "split":
                group, reach = arm, heads // total
            surface = group * reach + rng.randrange(max(reach, 1))
            faults.append({"kind": "dead_head", "at_s": when(), "arm": arm, "surface": surface,
                           "head": rng.choice((-1, rng.randrange(per_arm)))})  # fmt: skip
    return {"faults": faults} if faults else {}


def defects(rng: Random) -> list:
    """Blocks that cannot be read, for good or until they have been read often enough."""
    return [
        {"kind": "media_defect", "lbn": 8 * rng.randrange(100), "at_s": round(rng.uniform(0, 0.5), 3), "rereads": rng.choice((0, 0, 1, 3))}
        for _ in range(rng.randint(1, 5))
    ]


def fault(rng: Random) -> dict:
    """One fault of a kind that every hard disk can have, and that goes by."""
    kind = rng.choice(("stuck_arm", "slow_arm", "servo_lost", "slow_spindle", "weak_code", "buffer_flip", "link_crc", "hung_firmware"))
    keys: dict = {"kind": kind, "seed": rng.randrange(1000)}
    when = rng.randrange(4)
    if when == 0:
        keys["at_s"] = round(10 ** rng.uniform(-3, 0), 4)
    elif when == 1:
        keys[rng.choice(("at_request", "after_request"))] = rng.randrange(200)
    elif when == 2:
        keys |= {"rate_per_s": round(10 ** rng.uniform(-1, 1.5), 2), "most": rng.randint(1, 20)}
    if kind not in ("buffer_flip", "link_crc"):
        keys["for_ms"] = round(10 ** rng.uniform(-1, 2.5), 3)
    if kind in ("slow_arm", "slow_spindle"):
        keys["part"] = round(rng.uniform(0.6, 0.999), 3)
    if kind == "weak_code":
        keys |= {"margin_db": round(rng.uniform(-1, 3), 2), "falls_db_s": rng.choice((0, 10))}
    if kind == "buffer_flip":  # so that it does no harm: wrong data are what the runs look for
        keys |= {"address": rng.choice((-1, 0, 4096))}
    if kind == "link_crc":
        keys |= {"count": rng.randint(1, 3), "frames": rng.choice(("any", "data", "control", "drive_data", "host_data"))}
    return keys


def faults(rng: Random) -> list:
    return [fault(rng) for _ in range(rng.randint(1, 5))]


def channel(rng: Random, heads: int) -> dict:
    """Reads that fail, at rates from seldom to always, with a ladder and without."""
    keys: dict = {"channel.errors": rng.choice(("margin", "rate"))}
    if keys["channel.errors"] == "margin":
        keys["channel.margin_db"] = rng.choice((0.0, 0.5, 1.0, 2.0, 3.0, -1.0, -20.0, 10.0))
    else:
        keys["channel.sector_error_rate"] = rng.choice((1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.5))
    if rng.random() < 0.3:
        keys["channel.detector_gain_db"] = [round(rng.uniform(-1, 1), 2) for _ in range(rng.randint(1, 3))]
    settings = len(keys.get("channel.detector_gain_db", []))
    if rng.random() < 0.7:
        steps = rng.randint(1, 16 if rng.random() < 0.2 else 4)
        keys["channel.ladder"] = [
            [rng.randint(1, 5), rng.choice((0, 0, 12, -20, 64)), rng.randint(0, settings), rng.randint(0, 1)] for _ in range(steps)
        ]
    if rng.random() < 0.2:
        keys["channel.head_margin_db"] = [round(rng.uniform(-1, 1), 2) for _ in range(heads)]
    if rng.random() < 0.2:
        keys["channel.head_offset"] = [round(rng.uniform(-0.1, 0.1), 3) for _ in range(heads)]
    if rng.random() < 0.3:
        keys["channel.burst_rate"] = rng.choice((1e-4, 0.01, 0.05))
    if rng.random() < 0.3:
        keys["channel.position_error_rms"] = rng.choice((0.01, 0.05, 0.1))
    return keys


def power(rng: Random) -> dict:
    """Power by currents or by watts, more for more work."""
    idle = rng.uniform(0.5, 10)
    scale = {"idle": 1, "seek": rng.uniform(1.1, 2), "operating": rng.uniform(1.1, 1.6), "read": rng.uniform(1.05, 1.5)}
    scale["standby"], scale["sleep"] = rng.uniform(0.1, 0.3), rng.uniform(0.05, 0.1)
    keys: dict = {}
    for name in POWER_PAIRS:
        if name != "idle" and rng.random() < 0.6:
            continue
        if rng.random() < 0.5:
            keys[f"power.{name}_w"] = round(idle * scale[name], 2)
        else:
            watts = idle * scale[name]
            keys[f"power.{name}_a"] = [round(watts * 0.4 / 5, 3), round(watts * 0.6 / 12, 3)]
    for name, least in (("active_idle", 0.85), ("low_power_idle", 0.75)):
        if rng.random() < 0.2:
            keys[f"power.{name}_w"] = round(idle * rng.uniform(least, 1), 2)
    if rng.random() < 0.1:
        keys["power.load_j"], keys["power.unload_j"] = round(idle * rng.uniform(1, 4), 2), round(idle * rng.uniform(1, 4), 2)
    if rng.random() < 0.3:
        keys["power.spin_up_j"] = round(idle * rng.uniform(5, 40), 1)
    elif rng.random() < 0.3:
        keys["power.spin_up_peak_w"] = round(idle * rng.uniform(2, 5), 1)
    if rng.random() < 0.3:
        keys["power_cap.cap_w"] = round(idle * rng.uniform(1.05, 2), 2)
    return keys


def standby_plan(rng: Random) -> list[list[float]]:
    """Standbys by the host, most of them longer than the ways there and back of quick drives."""
    plan, at = [], 0.0
    for _ in range(rng.randint(1, 6)):
        down = at + 10 ** rng.uniform(-3, 0.5)
        at = down + 10 ** rng.uniform(-3, 1.2)
        plan.append([round(down, 6), round(at, 6)])
        at += 0.000001
    return plan


def motor(rng: Random, rpm: float) -> dict:
    """A spindle motor whose back-EMF leaves some of the rail at this speed; a faster stack of a shipped drive is refused."""
    keys = {
        "spindle.motor.torque_mn_m_a": round(rng.uniform(3, 8.5) / (rpm * math.tau / 60) * 1000, 3),
        "spindle.motor.inertia_g_cm2": round(rng.choice((20, 300, 1200)) * rng.uniform(0.5, 1.5), 1),
        "spindle.motor.limit_a": round(rng.uniform(1, 3), 2),
        "spindle.motor.brakes": rng.random() < 0.5,
    }
    if rng.random() < 0.3:
        keys["spindle.motor.winding_ohm"] = round(rng.uniform(0.3, 1.5), 2)
        keys["spindle.motor.drop_v"] = round(rng.uniform(0, 1), 2)
    if rng.random() < 0.3:
        keys["spindle.motor.windage_w"] = round(rng.uniform(0, 5), 2)
        keys["spindle.motor.bearing_w"] = round(rng.uniform(0, 2), 2)
        keys["spindle.motor.reference_rpm"] = float(rpm)
    return keys


def writer_offset(rng: Random) -> dict:
    """The writer beside the reader, for which the radii of the disk must be known."""
    return {
        "format.outer_radius_mm": 46.0,
        "format.inner_radius_mm": rng.choice((18.0, 20.0, 25.0)),
        "head.writer_along_um": rng.choice((0.0, 2.0, 6.0, -4.0)),
        "head.writer_across_um": rng.choice((0.0, 0.5, 3.0, -2.0)),
    }


def buffers(rng: Random) -> dict:
    """Buffer and caches."""
    keys: dict = {}
    if rng.random() < 0.5:
        keys["buffer.size"] = rng.choice((128, 256, 512, 1024, 2048, 8192, 16384, 65536)) + rng.choice((0, 0, 0, 4, 12))
    if rng.random() < 0.5:
        keys["buffer.segments"] = rng.choice((1, 2, 3, 4, 8, 12, 16, 31, 64, 128, 256))
    if rng.random() < 0.3:
        keys["buffer.write_share"] = round(rng.uniform(0.01, 0.9), 2)
    if rng.random() < 0.2:
        keys["buffer.bandwidth_mb_s"] = rng.choice((200.0, 400.0, 1000.0, 2000.0, 8000.0))
    for key in ("cache.write", "cache.look_ahead"):
        if rng.random() < 0.6:
            keys[key] = True
    if rng.random() < 0.15:
        low = round(rng.uniform(0, 0.9), 2)
        keys["cache.low_water"], keys["cache.high_water"] = low, round(rng.uniform(max(low, 0.01), 1), 2)
    return keys

"""The keys that may be drawn: what `armature describe --tsv` lists, so that a key added later is drawn, too."""

from __future__ import annotations

import math
import re
import subprocess
from dataclasses import dataclass
from random import Random

# Greatest values drawn by unit, so that a run ends within seconds of wall time; a few draws take the range's end instead.
USUAL_MOST = {"s": 20.0, "ms": 500.0, "us": 5_000.0, "ns": 100_000.0, "cycles": 100_000.0, "MB/s": 2_000.0}

# Keys whose whole range is legal but whose ends make any load endless, or a run of days: drawn between these values only.
BOUNDS = {
    "simulation.until_s": (0, 3),
    "simulation.stall_s": (20, 20),
    "workload.time_scale": (0.01, 20),
    "workload.think_ms": (0, 500),
    "workload.rate_per_s": (0.5, 20_000),
    "workload.bursts.on_ms": (0, 2_000),
    "workload.bursts.off_ms": (0, 2_000),
    "host.reset_interval_ms": (200, 5_000),
    "host.standby_after_s": (0, 20),
    "host.timeout_s": (0, 60),  # shorter than a command takes, too
    "host.retries": (0, 10),
    "background.scan_idle_ms": (0, 5_000),
    "background.recalibration_s": (0.05, 1_000),
    "output.timelines": (0, 1_000),
    "idle.spin_down_s": (0.01, 20),
    "idle.spin_down_least_s": (0.01, 5),
    "idle.spin_down_most_s": (20, 100),
    "output.every_s": (0.01, 20),
    "head.arm_length_mm": (45, 55),
    "head.pivot_distance_mm": (50, 60),
    "seek.head_switch_ms": (0, 1),
    "seek.write_settle_ms": (0, 1),
    "seek.reposition_ms": (0, 1),
    "seek.inward_ms": (-1, 1),
    "power.reference_rpm": (3_000, 15_000),
    "power.reference_platters": (0, 6),
    "power.reference_diameter_in": (2, 4),
    "power.platters": (0, 6),
    "power.diameter_in": (2, 4),
    "power.inertia": (0, 0.001),
    "cache.write_watermark_track_sectors": (0, 3_000),
    "cache.minimum_read_ahead_sectors": (0, 2_000),
}
# Keys whose values are multiples of this.
GRAIN = {"background.scan_step_sectors": 8}

# Keys that no draw sets by itself, with the reason. A structured key that is not here and has no generator is a failure.
NOT_DRAWN = {
    "array.staging.warm": "rows of addresses within the members; StagingTest has them",
    "array.power.cap_w": "members need governors that keep to shares; array_power_budget_test.cpp",
    "governor.settings": "rows that fit the drive's arms and speeds; the default table is run",
    "host.background_outstanding": "needs host.ncq and tags beside; the campaigns draw it (own_work.py)",
    "host.background_ranges": "rows within the drive; the campaigns draw them (own_work.py)",
    "host.background_sectors": "whole logical sectors; the campaigns draw it (own_work.py)",
    "workload.file": "made with the load",
    "workload.format": "made with the load",
    "workload.kind": "made with the load",
    "workload.count": "made with the load",
    "workload.skip": "made with the load",
    "workload.limit": "made with the load",
    "workload.devices": "made with the load",
    "workload.device_names": "devices of drawn loads are numbers",
    "workload.device_layout": "made with the load",
    "workload.device_sectors": "made with the load",
    "workload.device_offsets": "made with the load",
    "workload.source_sectors": "made with the load",
    "workload.out_of_range": "made with the load",
    "workload.separator": "of other people's CSV",
    "workload.header": "of other people's CSV",
    "workload.blkparse.format": "of other people's text",
    "workload.round_to_sectors": "made with the load",
    "workload.size_sectors": "made with the load",
    "workload.sizes": "made with the load",
    "workload.outstanding": "made with the load",
    "workload.first_lbn": "made with the load",
    "workload.last_lbn": "made with the load",
    "workload.align_sectors": "made with the load",
    "workload.streams": "made with the load",
    "workload.hot_spots": "made with the load",
    "workload.mix": "made with the load",
    "workload.size_mean_sectors": "made with the load",
    "simulation.until_s": "set where a run is to be cut short",
    "simulation.stall_s": "a run that seems to stand is run again without it",
    "output.directory": "each run has its own",
    "output.request_log": "read by the checks",
    "output.every_file": "names a file",
    "output.waves": "a run of its own",
    "output.around_drive": "names a drive",
    "output.around_request": "waves that hold nothing are refused after the run",
    "output.from_s": "waves that hold nothing are refused after the run",
    "output.to_s": "waves that hold nothing are refused after the run",
    "host.read_back": "reads of its own at the end: testbench/fuzz/power_cuts has it",
    "host.journal": "read by testbench/fuzz/power_cuts",
    "media.contents_file": "set with media.contents",
    "media.defects": "old form of faults",
    "arms.failures": "old form of faults",
    "arms.head_failures": "old form of faults",
    "buffer.protection": "with less than ecc a bit that changes is wrong data",
    "linux.options": "of armature linux",
    "linux.share": "of armature linux",
    "drives.NAME.model": "chosen with the drive",
    "seek.quiet.two_piece": "seek.quiet.table stands for the kinds of curves; seek.two_piece draws this one",
    "mechanics.plant": "a plant belongs to one drive's seeks: the shipped ones are run by testbench/system",
    "mechanics.set": "of a plant",
    "controller.processor": "a run of its own, which must give the same (judge.py)",
    "controller.firmware": "names a file",
    "firmware.time": "a run of its own (judge.py)",
}
NOT_DRAWN_SECTIONS = {
    "faults": "a list that drives.py makes",
    "host.commands": "scripts with their answers are run by testbench/system",
    "firmware.core": "counts only with firmware.time",
    "workload.columns": "of other people's CSV",
}


@dataclass(frozen=True)
class Key:
    """One line of `describe --tsv`: its name, type, least and greatest value, choices, unit and default."""

    name: str
    type: str
    unit: str
    least: float
    most: float
    choices: tuple[str, ...]
    default: str

    @property
    def section(self) -> str:
        return self.name.rsplit(".", 1)[0]

    @property
    def structured(self) -> bool:
        return self.type.startswith("rows of") or self.type == "string" or self.type == "list of strings"


def described(program: str) -> dict[str, Key]:
    """All keys of the program."""
    text = subprocess.run([program, "describe", "--tsv"], check=True, capture_output=True, text=True).stdout
    keys = {}
    for line in text.splitlines()[1:]:
        name, kind, unit, allowed, default, _ = line.split("\t")
        least, most, choices = -math.inf, math.inf, ()
        if allowed.startswith("one of: "):
            choices = tuple(allowed[len("one of: ") :].split(", "))
        elif match := re.match(r"(\S+) to (\S+)", allowed):
            least, most = float(match[1]), float(match[2])
        keys[name] = Key(name, kind, unit, least, most, choices, default)
    if len(keys) < 100:
        raise RuntimeError(f"describe --tsv lists only {len(keys)} keys")
    return keys


def rounded(value: float) -> float:
    """Three digits: what a person would write."""
    return float(f"{value:.3g}")


def number(rng: Random, key: Key) -> float:
    """A legal number: an end of the range, near the default, or anywhere, each decade alike."""
    least, most = BOUNDS.get(key.name, (key.least, key.most))
    usual = most
    if key.name not in BOUNDS:
        usual = min(most, max(USUAL_MOST.get(key.unit, most), least))
    choice = rng.random()
    if choice < 0.12:
        return least
    if choice < 0.2:
        return usual if rng.random() < 0.8 else most
    if choice < 0.5:
        try:
            default = float(key.default)
        except ValueError:
            default = 0.0
        if default > 0:
            return min(max(rounded(default * 2 ** rng.uniform(-3, 3)), least), most)
    floor = max(least, usual * 1e-6 if least <= 0 else least)
    if usual / floor < 20:
        return min(max(rounded(rng.uniform(max(least, -usual), usual)), least), most)
    value = rounded(math.exp(rng.uniform(math.log(floor), math.log(usual))))
    if least < -1 and rng.random() < 0.5:
        value = -value
    return min(max(value, least), most)


def value(rng: Random, key: Key):
    """A legal value of a key that is no structure; None if it is one, or may be anything."""
    if key.type == "true or false":
        return rng.random() < 0.5
    if key.type == "choice":
        return rng.choice(key.choices)
    if key.type == "integer" and math.isfinite(key.most):
        grain = GRAIN.get(key.name, 1)
        return max(int(number(rng, key)) // grain, 1) * grain if grain > 1 else int(number(rng, key))
    if key.type == "number" and math.isfinite(key.most):
        return float(number(rng, key))
    if key.type == "list of numbers" and math.isfinite(key.most):
        return [number(rng, key) for _ in range(rng.randint(1, 4))]
    return None


def undrawable(keys: dict[str, Key], generated: set[str]) -> list[str]:
    """Structured keys that neither a generator sets nor NOT_DRAWN explains."""
    return [
        key.name
        for key in keys.values()
        if key.structured
        and key.name not in generated
        and key.name not in NOT_DRAWN
        and key.section not in NOT_DRAWN_SECTIONS
    ]

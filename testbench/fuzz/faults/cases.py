"""What a run of the campaign is: a drive, a load of reads, writes, forced writes and flushes, and one to five faults. With work of
their own a third are stores, and some are arrays: one member fails, a spare is rebuilt, and another member has the faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import own_work
from scenario import literal

DRIVES = (
    "drives/quantum_atlas_10k.toml",
    "drives/seagate_cheetah_15k3.toml",
    "drives/seagate_barracuda_es_750.toml",
    "drives/ibm_ultrastar_36zx.toml",
)
STORE = "drives/mems/g2.toml"
SECTORS = 3_000  # of the load, so that most of what is written is read or written again
REQUESTS = 400
RATE = 150.0  # requests a second
ERROR_PAGES = 5  # of log 03h
STATISTICS = (1, 3, 4, 6)  # pages of log 04h
FAULTY = "d1"  # the member of an array that has the faults
# Faults after which a member has all its data, so that a row with one other member missing is whole.
HARMLESS = {"link_crc", "hung_firmware", "slow_arm", "servo_lost", "slow_spindle"}
READINGS = 2  # of SMART and the logs: a typed command is not tried again by the host, so a damaged frame ends it


@dataclass
class Case:
    """Keys of the drive, its faults, and the lines of the trace."""

    keys: dict
    faults: list[dict]
    trace: list[str] = field(default_factory=list)
    array: dict = field(default_factory=dict)  # keys of the array; then `keys` are those of each drive

    @property
    def arms(self) -> int:
        return self.keys.get("arms.count", 1)

    def array_text(self) -> str:
        lines = ["[workload]", 'kind = "trace"', 'file = "load.csv"', 'format = "csv"', "", "[host]", "verify = true", "read_back = true", ""]
        lines += ["[array]"] + [f"{key} = {literal(value)}" for key, value in self.array.items()] + [""]
        for name in self.array["members"] + self.array["spares"]:
            lines += [f"[drives.{name}]"] + [f"{key} = {literal(value)}" for key, value in self.keys.items()] + [""]
        for fault in self.faults:
            lines += [f"[[drives.{FAULTY}.faults]]"] + [f"{key} = {literal(value)}" for key, value in fault.items()] + [""]
        return "\n".join(lines)

    def text(self) -> str:
        if self.array:
            return self.array_text()
        lines = ["[workload]", 'kind = "trace"', 'file = "load.csv"', 'format = "csv"', ""]
        lines += ["[drives.d]"] + [f"{key} = {literal(value)}" for key, value in self.keys.items()] + [""]
        for fault in self.faults:
            lines += ["[[drives.d.faults]]"] + [f"{key} = {literal(value)}" for key, value in fault.items()] + [""]
        # What was acknowledged before the last flush must be on the medium when the supply fails.
        commands = [("FLUSH CACHE EXT", [f"after_request = {REQUESTS - 1}", "delay_s = 5"])]
        reading = [("SMART READ DATA", []), ("READ LOG EXT", ["log = 3", f"sectors = {ERROR_PAGES}"])]
        reading += [("READ LOG EXT", ["log = 4", f"page = {page}"]) for page in STATISTICS]
        commands += reading * READINGS
        commands += [("power off", []), ("power on", ["delay_s = 1"]), ("SMART READ DATA", [])]
        for name, keys in commands:
            lines += ["[[drives.d.host.commands]]", f'command = "{name}"', *keys, ""]
        return "\n".join(lines)

    def write(self, folder: Path) -> None:
        (folder / "s.toml").write_text(self.text())
        (folder / "load.csv").write_text("\n".join(self.trace) + "\n")


def load(rng: Random) -> list[str]:
    lines = ["time_s,lbn,sectors,op,flags"]
    at = 0.0
    for number in range(REQUESTS):
        at += rng.expovariate(RATE)
        if number == REQUESTS - 1 or rng.random() < 0.03:
            lines.append(f"{at:.6f},0,0,flush,")
            continue
        sectors = rng.choice((1, 2, 8, 8, 8, 16, 64, 128))
        lbn = rng.randrange(SECTORS - sectors)
        write = rng.random() < 0.6
        fua = "fua" if write and rng.random() < 0.1 else ""
        lines.append(f"{at:.6f},{lbn},{sectors},{'write' if write else 'read'},{fua}")
    return lines


def when(rng: Random) -> dict:
    """The trigger of a fault."""
    kind = rng.randrange(4)
    if kind == 0:
        return {"at_s": round(rng.uniform(0, 2.5), 4)}
    if kind == 1:
        return {"at_request": rng.randrange(REQUESTS - 1)}
    if kind == 2:
        return {"after_request": rng.randrange(REQUESTS - 1)}
    return {"at_s": round(rng.uniform(0, 1), 4), "rate_per_s": round(10 ** rng.uniform(-0.5, 1), 2), "most": rng.randint(1, 6)}


def fault(rng: Random, keys: dict, store: bool) -> dict:
    kinds = ["media_defect", "media_defect", "buffer_flip", "link_crc", "link_crc", "hung_firmware", "power_cut"]
    kinds += ["dead_tip"] if store else ["stuck_arm", "slow_arm", "servo_lost", "slow_spindle", "weak_code", "dead_head", "dead_arm"]
    kind = rng.choice(kinds)
    found: dict = {"kind": "stuck_arm" if kind == "dead_arm" else kind, "seed": rng.randrange(1_000)}
    trigger = when(rng)
    if kind in ("dead_arm", "dead_head", "dead_tip"):  # what breaks for good breaks once
        trigger = {key: value for key, value in trigger.items() if key not in ("rate_per_s", "most")}
    found |= trigger
    arms = keys.get("arms.count", 1)
    if kind == "media_defect":
        found |= {"lbn": rng.randrange(SECTORS - 64), "sectors": rng.choice((1, 1, 8, 40)), "rereads": rng.choice((0, 1, 2, 5))}
        if rng.random() < 0.2 and "rate_per_s" not in found:
            found["at_access"] = True
    if kind in ("stuck_arm", "slow_arm", "servo_lost", "hung_firmware", "slow_spindle", "weak_code"):
        found["for_ms"] = round(10 ** rng.uniform(-0.5, 2.3), 2)
    if kind in ("stuck_arm", "slow_arm", "servo_lost") and rng.random() < 0.5:
        found["arm"] = rng.randrange(arms)
    if kind == "power_cut":
        found = {key: value for key, value in found.items() if key not in ("rate_per_s", "most")}
        found["for_ms"] = round(10 ** rng.uniform(0, 3.5), 1)
    if kind == "dead_arm":
        found["arm"] = rng.randrange(arms)
    if kind == "dead_head":
        found |= {"arm": rng.randrange(arms), "surface": rng.randrange(2)}
    if kind == "slow_arm":
        found["part"] = round(rng.uniform(0.3, 0.95), 2)
    if kind == "slow_spindle":
        found["part"] = round(rng.uniform(0.6, 0.999), 3)
    if kind == "weak_code":
        found |= {"margin_db": round(rng.uniform(0, 3), 2), "falls_db_s": rng.choice((0, 0, 5, 20))}
    if kind == "buffer_flip":
        found["bits"] = rng.choice((1, 1, 2))
        if rng.random() < 0.3:
            found["address"] = rng.randrange(500_000)
    if kind == "link_crc":
        found |= {"count": rng.choice((1, 1, 2, 3)), "frames": rng.choice(("any", "data", "control", "drive_data", "host_data"))}
    if kind == "link_crc" and "most" in found:
        # A drive gives a frame up after four attempts; if that is its signature after a reset, the host waits for it for ever.
        found["most"] = min(found["most"], 3 // found["count"])
    if kind == "dead_tip":
        found["tip"] = rng.randrange(1_000)
    return found


def draw(seed: str, busy: bool = False) -> Case:
    rng = Random(f"faults {seed}")
    store = rng.random() < (0.35 if busy else 0.12)
    keys: dict = {"model": STORE if store else rng.choice(DRIVES), "media.contents": "memory", "host.verify": True}
    keys |= {"cache.write": rng.random() < 0.6, "cache.look_ahead": rng.random() < 0.6, "host.ncq": rng.random() < 0.8}
    keys["host.timeout_s"] = rng.choice((3.0, 30.0))
    keys["host.depth"] = rng.choice((1, 4, 16))
    if not store:
        keys["arms.count"] = rng.choice((1, 1, 2, 3))
        if rng.random() < 0.7:  # a retry ladder
            keys["channel.ladder"] = [[3, 0, 0, 0], [2, 20, 0, 0]]
    own = Random(f"own work {seed}")
    array = busy and own.random() < 0.3
    queued = keys["host.ncq"] and not array
    if busy and store:
        keys |= own_work.store_keys(own, queued)
    elif busy:
        keys |= own_work.keys(own, queued, powered="barracuda" in keys["model"])
        if own_work.changes_speed(keys):
            keys["host.timeout_s"] = 30.0  # longer than a change
    faults = [fault(rng, keys, store) for _ in range(rng.randint(1, 5))]
    return of_array(own, keys, faults, load(rng)) if array else Case(keys, faults, load(rng))


def of_array(rng: Random, keys: dict, faults: list[dict], trace: list[str]) -> Case:
    """A mirror of three, which keeps all data with one member gone and another one broken in any way; or parity, and faults that spare the data."""
    level = rng.choice(("raid1", "raid5"))
    members = ["d0", "d1", "d2"] if level == "raid1" else ["d0", "d1", "d2", "d3"]
    array = {"level": level, "members": members, "spares": ["s0"], "stripe_unit": rng.choice(("16 KiB", "64 KiB"))}
    array |= own_work.array_keys(rng, [0], to_end=False)  # a drive is large
    if level == "raid5":
        faults = [one for one in faults if one["kind"] in HARMLESS]
    return Case({key: value for key, value in keys.items() if key != "host.verify"}, faults, trace, array)

"""Draws of traces as other people write them: layouts of CSV, several devices, packed files, and lines that are wrong."""

from __future__ import annotations

from random import Random

TIME_UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "100ns": 7, "ps": 12}
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " "}
KNOWN = {
    "time": ("time", "t", "timestamp", "arrival", "Time"),
    "device": ("device", "dev", "disk", "DISK"),
    "address": ("lbn", "lba", "sector", "LBA"),
    "address_bytes": ("offset_bytes", "address_bytes"),
    "size": ("sectors", "size_sectors"),
    "size_bytes": ("bytes", "size_bytes", "length_bytes"),
    "op": ("op", "operation", "rw", "type"),
    "flags": ("flags",),
    "measured": ("measured", "response"),
}
OPERATIONS = {
    "names": {"R": ("R", "r", "read", "Read", "READ"), "W": ("W", "w", "write", "Write"), "F": ("F", "flush", "Flush")},
    "scsi": {"R": ("28", "08", "88", "a8"), "W": ("2a", "0A", "8a", "aa"), "F": ("35", "91")},
    "read_is_0": {"R": ("0",), "W": ("1",)},
    "read_is_1": {"R": ("1",), "W": ("0",)},
    "nvme": {"R": ("2",), "W": ("1",), "F": ("0",)},
}
PACKINGS = ("gz", "xz", "bz2")


class Layout:
    """How one CSV file is written, and the keys that say so."""

    def __init__(self, rng: Random, devices: bool, grain: int):
        self.rng = rng
        self.keys: dict = {}
        self.separator = rng.choice(list(SEPARATORS)) if rng.random() < 0.4 else "comma"
        if self.separator != "comma":
            self.keys["workload.separator"] = self.separator
        self.unit = rng.choice(list(TIME_UNITS))
        self.bytes_at, self.bytes_size = rng.random() < 0.4, rng.random() < 0.4
        self.sector = rng.choice((128, 256, 512, 512, 512, *((4096,) if grain == 8 else ())))
        if self.bytes_at:
            self.sector = 512
        if self.sector != 512:
            self.keys["workload.columns.address_sector_bytes"] = self.sector
        self.operations = rng.choice(list(OPERATIONS))
        if self.operations not in ("names", "scsi"):
            self.keys["workload.columns.op_numbers"] = self.operations
        self.origin = 0
        if rng.random() < 0.3:
            self.origin = rng.choice((1_000, 5_633_898, 1_300_000_000))
            self.keys["workload.time_zero"] = "first_request"
        self.columns = ["time", "address", "size", "op"] + (["device"] if devices else [])
        for more in ("flags", "measured"):
            if rng.random() < 0.3:
                self.columns.append(more)
        self.columns += [f"note{i}" for i in range(rng.choice((0, 0, 0, 1, 3)))]
        rng.shuffle(self.columns)
        self.names = self.own_names() if rng.random() < 0.5 else self.known_names()
        self.head = [SEPARATORS[self.separator].join(self.names)]
        if rng.random() < 0.3:
            self.keys["workload.header"] = self.names
            self.head = []

    def known_names(self) -> list[str]:
        """Names that tell what they are, with their units."""
        names = []
        for column in self.columns:
            wanted = column
            if (column == "address" and self.bytes_at) or (column == "size" and self.bytes_size):
                wanted = column + "_bytes"
            name = self.rng.choice(KNOWN[wanted]) if wanted in KNOWN else column
            names.append(f"{name}_{self.unit}" if column in ("time", "measured") else name)
        return names

    def own_names(self) -> list[str]:
        """Names that only the keys explain."""
        names = []
        for column in self.columns:
            names.append(f"{self.rng.choice(('x', 'Col', 'my', 'é'))}{len(names)}")
            if column.startswith("note"):
                continue
            self.keys[f"workload.columns.{column}"] = names[-1]
            if column in ("time", "measured"):
                self.keys[f"workload.columns.{column}_unit"] = self.unit
            if column in ("address", "size"):
                in_bytes = self.bytes_at if column == "address" else self.bytes_size
                self.keys[f"workload.columns.{column}_unit"] = "bytes" if in_bytes else "sectors"
        return names

    def time(self, seconds: float) -> str:
        digits = max(0, 9 - TIME_UNITS[self.unit])
        picoseconds = int(round((self.origin + seconds) * 1e9)) * 1000
        whole, part = divmod(picoseconds, 10 ** (12 - TIME_UNITS[self.unit]))
        return str(whole) if not digits else f"{whole}.{part // 10 ** (12 - TIME_UNITS[self.unit] - digits):0{digits}d}"

    def line(self, row: tuple, device: int) -> str | None:
        """One request; None if this layout cannot say it."""
        at, op, lbn, sectors, fua = row
        if op not in OPERATIONS[self.operations]:
            return None
        address = lbn * 512 // (1 if self.bytes_at else self.sector)
        fields = {
            "time": self.time(at),
            "device": str(device),
            "address": str(address),
            "size": str(sectors * 512 if self.bytes_size else sectors),
            "op": self.rng.choice(OPERATIONS[self.operations][op]),
            "flags": "fua" if fua and op == "W" else "-" if self.separator == "space" else "",
            "measured": "5",
        }
        if "flags" in self.columns and fields["flags"] == "-":
            return None  # a space is no empty field
        if op == "F" and self.separator != "space" and self.rng.random() < 0.5:
            fields["address"] = fields["size"] = ""
        return SEPARATORS[self.separator].join(fields.get(column, "n/a") for column in self.columns)


def placed(rng: Random, blocks: int, grain: int, count: int) -> tuple[dict, list[int], int]:
    """Keys of several devices on a drive of so many blocks, their numbers, and the sectors of each."""
    keys: dict = {}
    numbers = list(range(count)) if rng.random() < 0.5 else sorted(rng.sample((0, 1, 3, 7, 17, 255, 70_000, 4_294_967_295), count))
    each = blocks // count // grain * grain
    layout = rng.choice(("overlay", "concatenate", "concatenate"))
    if layout == "overlay":
        each = blocks
    keys["workload.device_layout"] = layout
    if layout == "concatenate":
        if numbers != list(range(count)):
            keys["workload.devices"] = numbers
        if rng.random() < 0.6:
            keys["workload.device_sectors"] = [each] * count
        else:
            keys["workload.device_offsets"] = [grain * rng.randint(0, (blocks - each) // grain) for _ in numbers]
    elif rng.random() < 0.3:
        keys["workload.devices"] = numbers[:1] if rng.random() < 0.5 else numbers
    return keys, numbers, each


def stretched(rng: Random, blocks: int, grain: int) -> tuple[dict, int]:
    """Now and then a traced device larger than the drive, and what becomes of its requests; returns its sectors."""
    if rng.random() < 0.7:
        return {}, blocks
    source = grain * max(1, int(blocks * rng.choice((0.5, 1.5, 4, 20))) // grain)
    way = rng.choice(("wrap", "scale", "drop"))
    keys: dict = {"workload.out_of_range": way}
    if way == "scale":
        keys["workload.source_sectors"] = max(source, blocks)
    return keys, source


def csv(rng: Random, accesses, blocks: int, grain: int) -> tuple[dict, list[str], list[str]]:
    """Keys, head and lines; `accesses` gives rows (time, operation, LBN, sectors, FUA) for a device of so many sectors."""
    keys: dict = {}
    count = rng.choice((1, 1, 1, 2, 2, 3, 5))
    numbers, each = [0], blocks
    if count > 1 and blocks >= 16 * count:
        keys, numbers, each = placed(rng, blocks, grain, count)
    else:
        keys, each = stretched(rng, blocks, grain)
    layout = Layout(rng, len(numbers) > 1 or rng.random() < 0.3, grain)
    keys.update(layout.keys)
    lines = []
    for row in accesses(each):
        text = layout.line(row, rng.choice(numbers))
        if text is not None:
            lines.append(text)
        if rng.random() < 0.01:
            lines.append(rng.choice(("", "# a remark", "   ")))
    if rng.random() < 0.1:
        keys["workload.limit"] = rng.randint(1, 1 + len(lines))
    if rng.random() < 0.1:
        keys["workload.skip"] = rng.randint(0, max(0, len(lines) // 3))
    return keys, layout.head, lines


def spoiled(rng: Random, lines: list[str], separator: str) -> int | None:
    """Makes one line of a trace a wrong one; returns its index."""
    candidates = [i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    if not candidates:
        return None
    at = rng.choice(candidates)
    fields = lines[at].split(separator) if separator else lines[at].split()
    way = rng.randrange(4)
    if way == 0:
        lines[at] = (separator or " ").join(fields[: max(1, len(fields) // 2)])
    elif way == 1:
        lines[at] = "\x00\x01\xff" + lines[at]
    elif way == 2:
        lines[at] = (separator or " ").join("9" * 30 if any(c.isdigit() for c in field) else field for field in fields)
    else:
        lines[at] = (separator or " ").join("-" + field for field in fields)
    return at

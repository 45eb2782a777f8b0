"""What `armature fit` may change, and how far: keys with their physical ranges, and rules of the firmware with their ways.

A fit that may take any value explains a drive's missing behaviour by its physics: a read hit of 2 ms where the real drive
reads nothing ahead. So each key has a range that drives of the kind can have, and a distance from the drive file's value
that another specimen, revision or temperature can account for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import tabular
from .program import Program


@dataclass(frozen=True)
class Bound:
    """Of a key: the range that is physical, and how far from the drive file's own value (part of it, or at least so
    much) a fit goes. A file's value that lies outside of the range stays allowed, as someone measured it."""

    pattern: str  # of whole keys
    unit: str
    lowest: float
    highest: float
    part: float
    least: float
    why: str

    def around(self, value: float) -> tuple[float, float]:
        """Lowest and highest that a fit may take, beginning with the file's value."""
        reach = max(self.part * abs(value), self.least)
        return (min(value, max(self.lowest, value - reach)), max(value, min(self.highest, value + reach)))


BOUNDS = (
    Bound(r"overheads\.read_hit(_after_write)?_us", "us", 0, 1500, 0.5, 500,
          "decoding a command and finding a segment: 0.05 to 1.5 ms in drives of 1990 to 2005"),
    Bound(r"overheads\.read_miss(_after_write)?_us", "us", 0, 3000, 0.5, 1000,
          "as a hit, and the start of the arm and reconnecting to a parallel bus"),
    Bound(r"overheads\.write_hit(_after_write)?_us", "us", 0, 1500, 0.5, 500,
          "as a read hit: data go into the buffer and the command ends"),
    Bound(r"overheads\.write_miss(_after_write)?_us", "us", 0, 3500, 0.5, 1000,
          "as a read miss, and a second disconnection from the bus before the data"),
    Bound(r"overheads\.write_sequential_us", "us", 0, 3500, 0.5, 1000,
          "as write_miss: a drive that goes on where it was need not look for the place, nor give up the bus"),
    Bound(r"overheads\.write_(last_)?data_us", "us", 0, 1500, 0.5, 500,
          "from a buffer's end of transfer to the write gate: an interrupt, giving up the bus, 0 to 1 ms in drives of 1990 to 2000"),
    Bound(r"overheads\.(read|write)_completion_us", "us", 0, 1000, 0.5, 300,
          "telling the host, and taking a parallel bus again for it"),
    Bound(r"overheads\.end_read_ahead_us", "us", 0, 1500, 0.5, 1000,
          "from a command to the end of reading ahead: the sector under the head, an interrupt, and what the controller was set up for"),
    Bound(r"link\.bus_us_per_(written_)?sector", "us", 0, 350, 0.15, 10,
          "512 bytes at 160 MB/s take 3.2 us, at 1.5 MB/s (asynchronous SCSI) 341 us; whoever describes a drive reads it off its hits"),
    Bound(r"seek\.head_switch_ms", "ms", 0.1, 2.5, 0.5, 0.5,
          "the other head's servo bursts, and settling by the offset between surfaces: 0.3 to 2 ms by datasheets; less if the "
          "layout's skew hides the rest"),
    Bound(r"seek\.write_settle_ms", "ms", 0, 2, 0.5, 0.5,
          "a write needs a closer track than a read: 0.1 to 1.5 ms by datasheets"),
    Bound(r"seek\.reposition_ms", "ms", 0, 3, 1.0, 0.75,
          "an arm at rest that settles anew: at most what the seek to the next cylinder takes"),
    Bound(r"seek\.inward_ms", "ms", -1.5, 1.5, 0, 1.5,
          "flex cable, windage and the magnet's edges pull an arm to one side: moves inwards and outwards differ by up to a quarter of "
          "a turn or so in drives of 1990 to 2000"),
    Bound(r"seek\.(single_track|average|full_stroke)_ms", "ms", 0.1, 40, 0.15, 0.3,
          "another specimen of a drive seeks within some per cent of the datasheet"),
    Bound(r"seek\.table at \d+", "ms, added to the curve", -1, 1, 0, 1,
          "a curve that was extracted from a drive is right to some tenths of a millisecond; another revision of the drive may differ by more"),
    Bound(r"spindle\.rpm", "rpm", 2400, 22000, 0.02, 0,
          "a spindle is within 0.5 % of its rated speed; descriptions say some speeds wrong by more"),
)

# Keys of [cache] and [buffer] that are no rules of the firmware: what is on, its size, and what no drive of old has.
_FIXED = {"cache.write", "cache.look_ahead", "cache.hardware_hits"}
# Of rules that are numbers, these values beside the file's.
_WAYS = {"cache.read_watermark": (-1.0, 0.0, 0.25, 0.5, 0.75, 1.0), "cache.write_extents": (0, 1, 2, 4), "cache.write_bypass": (0.25, 1.0)}
# Rules that tell by when arms come, and the numbers by which arms come otherwise with them: while a drive reads ahead, its arm is
# not free at once. Of such a number half and a quarter are tried, too.
BY_ARMS = {"cache.read_ahead_sectors": ("overheads.end_read_ahead_us",)}
_WAYS_PAST_CACHE = {"cache.write_watermark": (0.0, 0.25, 0.5, 0.75, 1.0)}
_TRACKS_PAST_CACHE = "cache.write_watermark_track_sectors"
# Rules that may tell only together are first tried in all of their combinations: a drive reads ahead in several respects; it
# begins to write
# before its data are there, but perhaps only on tracks that pass slowly.
JOINT = (("cache.read_ahead", "cache.read_ahead_from", "cache.free_reads"), ("cache.write_watermark", _TRACKS_PAST_CACHE))
_OF_READS = re.compile(r"ahead|read|segment|requested")
_OF_WRITES = re.compile(r"cache\.(write_|destage)")


def bound(name: str) -> Bound:
    """Of a variable. KeyError: nothing is known of it, so it is not to be fitted."""
    for one in BOUNDS:
        if re.fullmatch(one.pattern, name):
            return one
    raise KeyError(name)


def moot(way: dict[str, object]) -> bool:
    """Whether a combination of rules is another one under a different name."""
    return way.get("cache.write_watermark") == 1.0 and way.get(_TRACKS_PAST_CACHE, 0) != 0


def ways(program: Program, configuration: dict) -> dict[str, tuple]:
    """Rules of the firmware that a fit tries, each with all the ways that the program knows it in: the choices and
    switches of [cache], some of its numbers, and the number of segments. Empty without look-ahead and write cache."""
    cache, buffer = configuration["cache"], configuration["buffer"]
    found: dict[str, tuple] = {}
    for name, key in program.keys.items():
        if not name.startswith("cache.") or name in _FIXED or name.removeprefix("cache.") not in cache:
            continue
        if name == _TRACKS_PAST_CACHE:
            if not cache["write"]:
                lengths = sorted({int(zone[2]) for zone in configuration["geometry"]["zones"]})
                found[name] = tuple(dict.fromkeys((cache[name.removeprefix("cache.")], 0, *lengths[:-1])))
            continue
        if name in _WAYS_PAST_CACHE:
            if not cache["write"]:
                found[name] = tuple(dict.fromkeys((cache[name.removeprefix("cache.")], *_WAYS_PAST_CACHE[name])))
            continue
        if (_OF_READS.search(name) and not cache["look_ahead"]) or (_OF_WRITES.match(name) and not cache["write"]):
            continue
        if name in BY_ARMS:
            most = int(cache[name.removeprefix("cache.")])
            if most >= 4:
                found[name] = (most, most // 2, most // 4)
        elif name in _WAYS:
            found[name] = tuple(dict.fromkeys((cache[name.removeprefix("cache.")], *_WAYS[name])))
        elif key.type == "true or false":
            found[name] = (False, True)
        elif key.type == "choice":
            found[name] = tuple(word.strip() for word in key.allowed.removeprefix("one of:").split(","))
    if cache["look_ahead"]:
        count = int(buffer["segments"])
        found["buffer.segments"] = tuple(sorted({max(1, count // 2), count, min(2 * count, 64)}))
    return found


def table() -> str:
    """The ranges for the documents."""
    rows = []
    for one in BOUNDS:
        name = re.sub(r"\(([^)]*)\)\?", r"[\1]", one.pattern).replace("\\.", ".").replace(r"\d+", "N").replace("|", ", ")
        unit = one.unit.split(",")[0]
        reach = " or ".join(text for text in (f"{100 * one.part:g} %" if one.part else "", f"{one.least:g} {unit}" if one.least else "") if text)
        more = ", whichever is more" if one.part and one.least else ""
        rows.append([f"`{name}`", f"{one.lowest:g} to {one.highest:g} {one.unit}", f"{reach}{more}", one.why])
    return tabular.markdown(["key", "range", "away from the file's value by at most", "why"], rows)

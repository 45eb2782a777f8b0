"""What a datasheet says of a drive, and the drive file that follows from it. `drive new` is its command."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from . import zones
from .errors import InputError

SECTOR = 512
# Serpentine bands, as in the shipped files of drives that do not say how their tracks follow each other.
_BAND_CYLINDERS = 150
_CONTROLLER_MS = 0.08  # from the end of a sector to the command for the next move


@dataclass(frozen=True)
class Assumed:
    """A number that the datasheet does not give, and where it comes from."""

    value: float
    why: str


@dataclass
class Datasheet:
    """Figures of a datasheet. None: it does not say. Times in ms, rates in MB/s (10^6 bytes), powers in W."""

    model: str
    sectors: int  # of 512 bytes
    heads: int
    rpm: float
    average_seek_ms: float
    outer_mb_s: float | None = None  # sustained, in the outermost zone
    inner_mb_s: float | None = None
    media_mb_s: float | None = None  # bits at the head, in place of outer_mb_s
    cylinders: int | None = None
    average_write_seek_ms: float | None = None
    track_seek_ms: float | None = None
    track_write_seek_ms: float | None = None
    full_seek_ms: float | None = None
    head_switch_ms: float | None = None
    physical_bytes: int = 512
    form_in: float = 3.5
    actuators: int = 1
    zones: int | None = None
    cache: str | None = None  # as buffer.size has it
    link_gb_s: float | None = None
    spin_up_s: float | None = None
    power: dict[str, object] = field(default_factory=dict)  # key of section power: value


def sectors_of(capacity_bytes: float) -> tuple[int, str]:
    """Sectors of 512 bytes of a drive that is sold with this capacity, and the rule's name.

    IDEMA LBA1-03 from 50 GB to 8 TB; SFF-8447 above: rounded up to a multiple of 2^21; below 50 GB the capacity itself."""
    gigabytes = capacity_bytes / 1e9
    if gigabytes > 8000:
        return math.ceil(capacity_bytes / SECTOR / 2**21) * 2**21, "SFF-8447"
    if gigabytes >= 50:
        return 97_696_368 + 1_953_504 * (round(gigabytes) - 50), "IDEMA LBA1-03"
    return int(capacity_bytes // SECTOR), "the capacity in sectors"


def inner_share(sheet: Datasheet) -> Assumed:
    if sheet.rpm >= 10_000:
        return Assumed(0.65, "small platters, as those of the shipped drives with 10,000 rpm and more (0.62 to 0.69)")
    return Assumed(0.5, "as the shipped drives with 3,600 to 7,200 rpm (0.48 to 0.62)")


def seek(sheet: Datasheet) -> dict[str, Assumed | float]:
    """Section `seek`: each figure as given, or assumed."""
    average, modern = sheet.average_seek_ms, sheet.physical_bytes == 4096
    out: dict[str, Assumed | float] = {}
    out["single_track_ms"] = sheet.track_seek_ms or (
        Assumed(round(0.03 * average, 3), "3 % of the average seek, as the Ultrastar DC HC310 has it (0.23 of 7.4 ms)")
        if modern else Assumed(round(0.1 * average, 3), "10 % of the average seek, as the shipped drives have it (8 to 19 %)"))
    out["average_ms"] = average
    out["full_stroke_ms"] = sheet.full_seek_ms or Assumed(
        round(1.9 * average, 2), "1.9 average seeks, as the shipped drives have it (1.6 to 2.0)")
    single = value_of(out["single_track_ms"])
    out["head_switch_ms"] = sheet.head_switch_ms or Assumed(
        single, "as the seek to the next track: tracks of two surfaces do not lie above each other")
    if sheet.average_write_seek_ms is not None:
        out["write_settle_ms"] = round(sheet.average_write_seek_ms - average, 4)
    else:
        out["write_settle_ms"] = Assumed(0.8 if sheet.rpm < 10_000 else 0.4,
                                         "write seeks of the shipped drives take 0.4 (10,000 rpm and more) to 1 ms longer")
    return out


def skew_ms(sheet: Datasheet) -> float:
    """From a track to the next one: a write seek, and the controller's time."""
    write = sheet.track_write_seek_ms
    if write is None:
        parts = seek(sheet)
        longer = 0.1 if sheet.physical_bytes == 4096 else value_of(parts["write_settle_ms"])
        write = value_of(parts["single_track_ms"]) + longer
    return write + _CONTROLLER_MS


def value_of(number: Assumed | float) -> float:
    return number.value if isinstance(number, Assumed) else number


def zones_of(sheet: Datasheet) -> list[list[int]]:
    """The zone table. InputError: capacity, heads and rates cannot belong to one drive."""
    count = sheet.zones or (30 if sheet.sectors > 10**9 else 16)
    share = None if sheet.inner_mb_s or sheet.cylinders else inner_share(sheet).value
    skew = skew_ms(sheet)
    if skew >= 60_000 / sheet.rpm:
        raise InputError(f"a seek to the next track of {skew - _CONTROLLER_MS:g} ms takes longer than a turn "
                         f"({60_000 / sheet.rpm:.3g} ms)")
    try:
        rows = zones.derive(
            sheet.sectors, sheet.heads, sheet.rpm, count, skew, skew, outer_mb_s=sheet.outer_mb_s, media_mb_s=sheet.media_mb_s,
            inner_mb_s=sheet.inner_mb_s, inner_share=share, cylinders=sheet.cylinders, unit=sheet.physical_bytes // SECTOR)
    except StopIteration:
        raise InputError(f"{sheet.cylinders:,} cylinders and {sheet.heads} heads hold more than the capacity at this outer "
                         "rate, or less even without zones: check capacity, heads, cylinders and rate") from None
    if rows[-1][1] + 1 < 8 * count:
        raise InputError(f"only {rows[-1][1] + 1:,} cylinders would hold the capacity: check capacity, heads and rate")
    return rows


# ---- The file ----------------------------------------------------------------------------------------------------------


def _line(key: str, number: Assumed | object, given: str = "[G]") -> str:
    if isinstance(number, Assumed):
        return f"{key} = {number.value:g}  # [A] {number.why}"
    return f"{key} = {_toml(number)}  # {given}"


def _toml(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _geometry(sheet: Datasheet, capacity_rule: str) -> list[str]:
    rows = zones_of(sheet)
    rate = (f"{sheet.outer_mb_s:g} MB/s sustained outside [G]" if sheet.outer_mb_s
            else f"{sheet.media_mb_s:g} MB/s at the head, {zones.DATA_SHARE_OF_MEDIA_RATE:.0%} of them data [A], [G]")
    if sheet.inner_mb_s:
        inner = f"{sheet.inner_mb_s:g} MB/s inside [G]"
    elif sheet.cylinders:
        inner = f"{sheet.cylinders:,} cylinders [G]"
    else:
        assumed = inner_share(sheet)
        inner = f"the last zone has {assumed.value:.0%} of the sectors of the first [A]: {assumed.why}"
    lines = ["[geometry]", f"heads = {sheet.heads}  # [G]"]
    if sheet.physical_bytes != SECTOR:
        lines.append(f"physical_sector_bytes = {sheet.physical_bytes}  # [G]")
    if sheet.heads > 1 and sheet.sectors > 2 * 10**8:
        lines += ['mapping = "serpentine"  # [A] datasheets do not say how tracks follow each other',
                  f"serpentine_band_cylinders = {_BAND_CYLINDERS}  # [A]"]
    lines += [f"# Zones [D] from {sheet.sectors:,} sectors ({capacity_rule}), {rate},",
              f"# {inner}; {len(rows)} zones [A].",
              f"# {rows[-1][1] + 1:,} cylinders come out. Skew: {skew_ms(sheet):.3g} ms, a write seek to the next track "
              f"and {_CONTROLLER_MS * 1000:.0f} us for the controller [A].",
              "# first, last cylinder, sectors a track, track skew, cylinder skew (sectors), spares", "zones = ["]
    width = [max(len(str(row[i])) for row in rows) for i in range(6)]
    lines += ["  [" + ", ".join(f"{number:>{width[i]}}" for i, number in enumerate(row)) + "]," for row in rows]
    return [*lines, "]"]


def drive_file(sheet: Datasheet, capacity_rule: str, command: str) -> str:
    """The text of the drive file; each number says where it comes from."""
    out = [f"# {sheet.model}, from its datasheet by", f"#   {command}", "#", "# Sources", "#   [G] given to that command.",
           "#   [D] derived from what was given (equations: models/study/armature/zones.py).",
           "#   [A] assumed: the datasheet does not say. Replace it when you know better.", "",
           "[identity]", f"model = {_toml(sheet.model)}  # [G]", ""]
    if sheet.link_gb_s:
        out += ["[link]", _line("rate_gbps", sheet.link_gb_s), ""]
    out += ["[spindle]", _line("rpm", sheet.rpm)]
    spin_up = sheet.spin_up_s or Assumed(3 if sheet.form_in <= 2.5 else 20, "as the shipped drives of this size have it")
    out += [_line("spin_up_s", spin_up), ""]
    if sheet.actuators > 1:
        out += ["[arms]", _line("count", sheet.actuators), 'range = "split"  # [A] each actuator has its own part of the LBAs', ""]
    out += _geometry(sheet, capacity_rule)
    derived = {"write_settle_ms": "[D] average write seek less average read seek"}
    out += ["", "[seek]", *(_line(key, number, derived.get(key, "[G]")) for key, number in seek(sheet).items())]
    if sheet.cache:
        out += ["", "[buffer]", _line("size", sheet.cache)]
    out += ["", "[cache]", "write = true  # [A] drives with an ATA interface are delivered with both on", "look_ahead = true  # [A]"]
    out += _power(sheet)
    return "\n".join(out) + "\n"


def _power(sheet: Datasheet) -> list[str]:
    if "idle_w" not in sheet.power and "idle_a" not in sheet.power:
        return ["", "# No idle power was given: the drive has no energy account (docs/guide/energy.md)."]
    lines = ["", "[power]  # what the datasheet does not give follows by the rules of docs/guide/energy.md"]
    if sheet.form_in <= 2.5 and "idle_a" not in sheet.power:
        lines.append('supply = "5V"  # [A] drives of this size have one supply')
    lines += [_line(key, value) for key, value in sheet.power.items()]
    return [*lines, _line("reference_rpm", sheet.rpm), _line("diameter_in", {3.5: 3.7, 2.5: 2.5}.get(sheet.form_in, sheet.form_in), "[A]")]

"""`armature drive new`: a drive file from the figures of a datasheet, checked by the model."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import tempfile
from pathlib import Path

from ..arguments import program_name
from ..datasheet import Datasheet, drive_file, sectors_of
from ..errors import InputError, refuse_unwritable_file, writing
from ..program import Program

# Units of an option's kind: factor to the kind's base unit.
_UNITS = {
    "rate": {"MB/s": 1, "MiB/s": 1.048576},
    "media": {"MB/s": 1, "Mb/s": 1 / 8, "Gb/s": 125},
    "time": {"ms": 1, "us": 1e-3},
    "seconds": {"s": 1},
    "power": {"W": 1, "mW": 1e-3},
    "current": {"A": 1, "mA": 1e-3},
    "line": {"Gb/s": 1},
    "length": {"in": 1},
}
_EXAMPLE = {"rate": "285MB/s", "media": "1300Mb/s", "time": "8.5ms", "seconds": "20s", "power": "5.6W",
            "current": "1.8A", "line": "6Gb/s", "length": "3.5in"}


def quantity(kind: str):
    """Reads a number with its unit; the value in the kind's base unit (MB/s, ms, s, W, A, Gb/s, in)."""
    units = _UNITS[kind]

    def read(text: str) -> float:
        match = re.fullmatch(r"\s*([0-9][0-9_,]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z/]+)\s*", text)
        if not match or match[2] not in units:
            raise argparse.ArgumentTypeError(f"'{text}': expected a number with its unit ({', '.join(units)}), such as "
                                             f"{_EXAMPLE[kind]}")
        value = float(match[1].replace(",", "").replace("_", "")) * units[match[2]]
        if value <= 0:
            raise argparse.ArgumentTypeError(f"'{text}': must be more than 0")
        return value

    return read


def _capacity(text: str) -> tuple[float, int, str]:
    """Bytes as sold, sectors of 512 bytes, and the rule that gives them."""
    match = re.fullmatch(r"\s*([0-9][0-9_,]*\.?[0-9]*)\s*(GB|TB|sectors)\s*", text)
    number = float(re.sub("[_,]", "", match[1])) if match else 0
    if not match or number <= 0 or (match[2] == "sectors" and number % 1):
        raise argparse.ArgumentTypeError(f"'{text}': expected a number above 0 with its unit (GB, TB, sectors), such as 20TB")
    if match[2] == "sectors":
        return number * 512, int(number), "as given"
    sold = number * {"GB": 1e9, "TB": 1e12}[match[2]]
    return sold, *sectors_of(sold)


def _cache(text: str) -> str:
    match = re.fullmatch(r"\s*([0-9]+)\s*(KiB|MiB|MB|KB|GiB|GB)\s*", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}': expected a size such as 512MiB")
    # Datasheets say MB of memory and mean 2^20 bytes.
    return f"{match[1]} {match[2] if 'i' in match[2] else match[2][0] + 'iB'}"


def _whole(least: int, most: int):
    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9][0-9_,]*", text) or not least <= int(re.sub("[_,]", "", text)) <= most:
            raise argparse.ArgumentTypeError(f"'{text}': expected a whole number from {least:,} to {most:,}")
        return int(re.sub("[_,]", "", text))

    return read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="what", required=True, title="Subcommands", metavar="SUBCOMMAND")
    new = commands.add_parser(
        "new", allow_abbrev=False, help="write a drive file from the figures of a datasheet",
        description="Writes a drive file from the figures of a datasheet: zones, skews, seeks, power. Each number of the file "
                    "says whether it was given, derived or assumed. The model reads the file before it is written, and its "
                    "rates are printed beside the given ones.")
    new.add_argument("--model", default="NEW DRIVE", metavar="TEXT", help="model as IDENTIFY DEVICE has it (default: NEW DRIVE)")
    new.add_argument("--capacity", required=True, type=_capacity, metavar="20TB", help="as sold (GB, TB), or its sectors of "
                     "512 bytes, such as 1465149168sectors")
    heads = new.add_mutually_exclusive_group(required=True)
    heads.add_argument("--platters", type=_whole(1, 20), metavar="N", help="disks; each has two heads")
    heads.add_argument("--heads", type=_whole(1, 40), metavar="N", help="heads, if a surface has none")
    new.add_argument("--rpm", required=True, type=_whole(1000, 30_000), metavar="N", help="turns a minute")
    outer = new.add_mutually_exclusive_group(required=True)
    outer.add_argument("--outer", type=quantity("rate"), metavar="285MB/s", help="sustained rate in the outermost zone")
    outer.add_argument("--media-rate", type=quantity("media"), metavar="1300Mb/s", help="largest rate of the bits at the head, where no "
                       "sustained rate is given")
    inner = new.add_mutually_exclusive_group()
    inner.add_argument("--inner", type=quantity("rate"), metavar="140MB/s", help="sustained rate in the innermost zone")
    inner.add_argument("--cylinders", type=_whole(100, 8_000_000), metavar="N", help="tracks of a surface")
    new.add_argument("--zones", type=_whole(2, 100), metavar="N", help="number of zones (default: 16, 30 from 512 GB on)")
    for name, text in (("average-seek", "average read seek"), ("average-write-seek", "average write seek"),
                       ("track-seek", "read seek to the next track"), ("track-write-seek", "write seek to the next track"),
                       ("full-seek", "read seek over the full stroke"), ("head-switch", "from a head to the next one")):
        new.add_argument(f"--{name}", required=name == "average-seek", type=quantity("time"), metavar="8.5ms", help=text)
    new.add_argument("--physical", type=_whole(512, 4096), choices=(512, 4096), default=None, metavar="BYTES",
                     help="bytes of a physical sector, 512 or 4096 (default: 4096 from 1 TB on)")
    new.add_argument("--actuators", type=_whole(1, 8), default=1, metavar="N", help="arm assemblies, each with its own part of the "
                     "LBAs (default: 1)")
    new.add_argument("--cache", type=_cache, metavar="512MiB", help="buffer")
    new.add_argument("--link", type=quantity("line"), metavar="6Gb/s", help="line rate of Serial ATA")
    new.add_argument("--form", type=quantity("length"), default=3.5, metavar="3.5in", help="form factor (default: 3.5in)")
    new.add_argument("--spin-up", type=quantity("seconds"), metavar="20s", help="from power-on to ready")
    for name, text in (("idle", "at speed, on track, no command"), ("seek", "seeks only"),
                       ("operating", "40 %% seeks, 40 %% reads and writes, 20 %% idle"), ("read", "reading without a pause"),
                       ("write", "writing without a pause"), ("standby", "the disks stand"), ("sleep", "asleep")):
        new.add_argument(f"--{name}-power", type=quantity("power"), metavar="5.6W", help=f"power: {text}")
    new.add_argument("--spin-up-peak", type=quantity("current"), metavar="1.8A", help="largest current on the spindle's rail")
    new.add_argument("--out", type=Path, metavar="FILE", help="the drive file (default: standard output)")
    new.add_argument("--force", action="store_true", help="replace FILE")


def _sheet(options: argparse.Namespace) -> tuple[Datasheet, str]:
    sold, sectors, rule = options.capacity
    physical = options.physical or (4096 if sold >= 1e12 else 512)
    if physical == 4096:
        sectors -= sectors % 8
    power = {f"{name}_w": getattr(options, f"{name}_power")
             for name in ("idle", "seek", "operating", "read", "write", "standby", "sleep")
             if getattr(options, f"{name}_power") is not None}
    if options.spin_up_peak is not None:
        power["spin_up_peak_a"] = options.spin_up_peak
    if power and "idle_w" not in power:
        raise InputError("--idle-power is missing: without it the drive has no energy account, and the other powers are of no use")
    sheet = Datasheet(
        model=options.model, sectors=sectors, heads=options.heads or 2 * options.platters, rpm=options.rpm,
        average_seek_ms=options.average_seek, outer_mb_s=options.outer, inner_mb_s=options.inner,
        media_mb_s=options.media_rate, cylinders=options.cylinders, average_write_seek_ms=options.average_write_seek,
        track_seek_ms=options.track_seek, track_write_seek_ms=options.track_write_seek, full_seek_ms=options.full_seek,
        head_switch_ms=options.head_switch, physical_bytes=physical, form_in=options.form, actuators=options.actuators,
        zones=options.zones, cache=options.cache, link_gb_s=options.link, spin_up_s=options.spin_up, power=power)
    _refuse_contradictions(sheet)
    return sheet, rule


def _refuse_contradictions(sheet: Datasheet) -> None:
    if sheet.inner_mb_s and sheet.outer_mb_s and sheet.inner_mb_s > sheet.outer_mb_s:
        raise InputError(f"--inner {sheet.inner_mb_s:g}MB/s is more than --outer {sheet.outer_mb_s:g}MB/s")
    if sheet.average_write_seek_ms and sheet.average_write_seek_ms < sheet.average_seek_ms:
        raise InputError(f"--average-write-seek {sheet.average_write_seek_ms:g}ms is less than --average-seek "
                         f"{sheet.average_seek_ms:g}ms")
    if sheet.heads % sheet.actuators:
        raise InputError(f"--actuators {sheet.actuators}: {sheet.heads} heads cannot be divided among them equally")


def command(options: argparse.Namespace, program: Program) -> int:
    sheet, rule = _sheet(options)
    if options.out is not None:
        refuse_unwritable_file("--out", options.out)
        if options.out.exists() and not options.force:
            raise InputError(f"--out {options.out}: the file exists; --force replaces it")
    # program_name is "armature drive": the words behind it are as they were typed.
    words = shlex.join(word for word in sys.argv[1:] if word != "--force")
    text = drive_file(sheet, rule, f"{program_name()} {words}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "drive.toml"
        place.write_text(text)
        program.check(place)
        layout = program.layout(place)  # its rates are told beside the given ones
    if options.out is None:
        sys.stdout.write(text)
    else:
        with writing("--out", options.out):
            options.out.write_text(text)
    _tell(sheet, layout, options.out)
    return 0


def _tell(sheet: Datasheet, zones: list[dict[str, str]], out: Path | None) -> None:
    cylinders = int(zones[-1]["last_cylinder"]) + 1
    say = lambda text: print(text, file=sys.stderr)  # noqa: E731
    for name, zone, given in (("outside", zones[0], sheet.outer_mb_s), ("inside", zones[-1], sheet.inner_mb_s)):
        beside = f" ({given:g} given)" if given else ""
        say(f"sustained {name}: {float(zone['sustained_mb_s']):.1f} MB/s{beside}")
    say(f"{cylinders:,} cylinders, {sheet.sectors * 512 / 1e9:,.1f} GB" + (f", written to {out}" if out else ""))

"""`armature life`: how long a drive lives with the temperature, the starts and the load of a run, with and without arms that degrade
gracefully, and arrays of such drives: by arithmetic and by a fleet of drives that are drawn one by one.

The datasheet's MTTF holds for one arm at a temperature (`--at-c`) and a load (`--busy`). From there on

    common = (1 - arm_share) / MTTF * heat + starts an hour / start_cycles
    arm    = arm_share / MTTF * heat * (1 - load_share + load_share * busy / reference busy)
    heat   = (1 + per_degree) ^ (temperature - at_c)

where busy is the share of time in which an arm is at work. When an arm is out of service, the others take over its load.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import tabular
from ..arguments import amount, positive, whole
from ..errors import InputError, refuse_unwritable, writing
from ..life_picture import picture
from ..lifetimes import (
    HOURS_PER_YEAR,
    Estimate,
    Rates,
    alive,
    array_mttdl,
    draw_lives,
    draw_losses,
    drive_arms,
    drive_mttf,
    estimate,
)
from ..program import Program
from ..runs import System, read

_SPARE = {"none": 0, "raid1": 1, "raid5": 1, "raid6": 2}  # drives that may be down at a time
_MOST_EVENTS = 3e8  # of the arrays that are drawn


@dataclass(frozen=True)
class Use:
    """What a run says of a drive."""

    label: str
    celsius: float
    starts_per_h: float
    busy: float  # of each arm, all of them in service
    arms: int


@dataclass(frozen=True)
class Life:
    """A drive, or an array of drives, by arithmetic and as drawn."""

    mttf_h: float
    drawn: Estimate | None
    first_year: float  # part that fails in the first year; of a drive only
    arms: float        # in service, mean over its life; of a drive only


@dataclass(frozen=True)
class Row:
    use: Use
    graceful: bool
    rates: Rates
    drive: Life
    array: Life | None
    lives: np.ndarray  # of the fleet


def _share(text: str) -> float:
    value = amount(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"a number from 0 to 1 is expected, not {text}")
    return value


def _above(text: str) -> float:
    value = amount(text)
    if value == 0:
        raise argparse.ArgumentTypeError(f"a number above 0 is expected, not {text}")
    return value


def use_of(system: System, options: argparse.Namespace) -> Use:
    """From the figures of a run; what the command line says goes before."""
    told = system.totals[0]
    celsius = options.celsius if options.celsius is not None else told.get("thermal.parts.case.steady_c")
    if celsius is None:
        raise InputError(f"{system.label}: the run has no temperatures (section thermal); --celsius says one")
    seconds = float(told["end_s"])
    if seconds <= 0:
        raise InputError(f"{system.label}: the run ended at time 0")
    starts = options.starts_per_day / 24 if options.starts_per_day is not None else _starts_per_h(system, told, seconds)
    busy = options.busy if options.busy is not None else told.get("utilisation")
    if busy is None:
        raise InputError(f"{system.label}: the run does not say how busy its arms are; --busy says it")
    arms = options.arms if options.arms is not None else _arms(system)
    return Use(system.label, float(celsius), starts, float(busy), arms)


def _arms(system: System) -> int:
    stacks, count = (int(system.configuration.get(f"arms.{key}", 1)) for key in ("stacks", "count"))
    return stacks * count


def _starts_per_h(system: System, told: dict, seconds: float) -> float:
    """From the time in which the stack comes to speed."""
    up = float(told.get("energy.modes.spin_up.time_s") or 0)
    if up == 0:
        return 0.0
    each = float(system.configuration.get("spindle.spin_up_s") or 0)
    if each <= 0:
        raise InputError(f"{system.label}: the stack was started, and the drive file does not say in what time (spindle.spin_up_s); "
                         "--starts-per-day says how often")
    return up / each / seconds * 3600


def rates_of(use: Use, options: argparse.Namespace, graceful: bool) -> Rates:
    heat = (1 + options.per_degree) ** (use.celsius - options.at_c)
    common = (1 - options.arm_share) / options.mttf_h * heat + use.starts_per_h / options.start_cycles
    one = options.arm_share / options.mttf_h * heat

    def arm(in_service: int) -> float:
        busy = min(1.0, use.busy * use.arms / in_service)
        return one * (1 - options.load_share + options.load_share * busy / options.reference_busy)

    return Rates(common, use.arms, arm, options.contained if graceful else 0.0)


def _row(use: Use, options: argparse.Namespace, graceful: bool, random: np.random.Generator) -> Row:
    rates = rates_of(use, options, graceful)
    lives = draw_lives(rates, options.fleet, random)
    drive = Life(drive_mttf(rates), estimate(lives), 1 - float(alive(rates, np.array([HOURS_PER_YEAR]))[0]), drive_arms(rates))
    array = None
    if options.array:
        spare = _SPARE[options.array]
        try:
            mttdl = array_mttdl(rates, options.drives, spare, options.repair_h)
        except ValueError:
            raise InputError(f"--drives {options.drives}: with {use.arms} arms the array has too many states; take fewer") from None
        events = 2 * options.arrays * options.drives * mttdl / drive.mttf_h
        drawn = None
        if events <= _MOST_EVENTS:
            drawn = estimate(draw_losses(rates, options.drives, spare, options.repair_h, options.arrays, random))
        array = Life(mttdl, drawn, 0, 0)
    return Row(use, graceful, rates, drive, array, lives)


def _hours(value: float) -> str:
    return f"{value:,.0f}" if value < 1e8 else f"{value:.4g}"


def _table(rows: list[Row]) -> str:
    with_array = rows[0].array is not None
    head = ["drive", "case, C", "starts/day", "busy, %", "arms", "graceful", "MTTF, h", "of the fleet, h", "+-, h", "first year, %",
            "arms, mean"]
    if with_array:
        head += ["array: MTTDL, h", "drawn, h", "+-, h"]
    cells = [head]
    for row in rows:
        use, drive = row.use, row.drive
        line = [use.label, f"{use.celsius:.1f}", f"{24 * use.starts_per_h:.1f}", f"{100 * use.busy:.1f}", str(use.arms),
                "yes" if row.graceful else "no", _hours(drive.mttf_h), _hours(drive.drawn.mean), _hours(drive.drawn.half),
                f"{100 * drive.first_year:.2f}", f"{drive.arms:.2f}"]
        if with_array:
            drawn = row.array.drawn
            line += [_hours(row.array.mttf_h), _hours(drawn.mean) if drawn else "", _hours(drawn.half) if drawn else ""]
        cells.append(line)
    return tabular.aligned(cells)


def _write(rows: list[Row], out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    header = ["drive", "case_c", "starts_per_h", "busy", "arms", "graceful", "mttf_h", "fleet_mttf_h", "fleet_half_h",
              "first_year", "arms_mean", "mttdl_h", "drawn_mttdl_h", "drawn_half_h"]
    lines = []
    for row in rows:
        array = row.array
        drawn = array.drawn if array else None
        lines.append([row.use.label, f"{row.use.celsius:.6g}", f"{row.use.starts_per_h:.6g}", f"{row.use.busy:.6g}", row.use.arms,
                      int(row.graceful), f"{row.drive.mttf_h:.9g}", f"{row.drive.drawn.mean:.9g}", f"{row.drive.drawn.half:.9g}",
                      f"{row.drive.first_year:.9g}", f"{row.drive.arms:.6g}", f"{array.mttf_h:.9g}" if array else "",
                      f"{drawn.mean:.9g}" if drawn else "", f"{drawn.half:.9g}" if drawn else ""])
    (out / "life.csv").write_text(tabular.csv(header, lines))
    (out / "life.svg").write_text(picture([(f"{row.use.label}, {'graceful' if row.graceful else 'as one'}", row.rates, row.lives)
                                           for row in rows]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="directory of a run or sweep of drives with temperatures; or a scenario, "
                        "which is run first")
    parser.add_argument("--out", default="out/life", metavar="DIR", help="directory of the results (out/life)")
    parser.add_argument("--mttf-h", type=_above, default=1_200_000.0, metavar="H",
                        help="the datasheet's MTTF of the drive with one arm (1,200,000)")
    parser.add_argument("--at-c", type=amount, default=40.0, metavar="C", help="temperature of the case at which it holds (40)")
    parser.add_argument("--per-degree", type=amount, default=0.025, metavar="PART",
                        help="so much more often parts fail for each degree (0.025; published are 0.02 to 0.03)")
    parser.add_argument("--arm-share", type=_share, default=0.4, metavar="PART", help="part of the failures that arms and heads have (0.4)")
    parser.add_argument("--start-cycles", type=_above, default=50_000.0, metavar="N",
                        help="starts and stops until the drive fails, on average, by them alone (50,000)")
    parser.add_argument("--load-share", type=_share, default=0.5, metavar="PART",
                        help="part of an arm's failures that is in proportion to how busy it is (0.5)")
    parser.add_argument("--reference-busy", type=_above, default=0.3, metavar="PART", help="share of time busy at which the MTTF holds (0.3)")
    parser.add_argument("--contained", type=_share, default=0.9, metavar="PART",
                        help="part of the failures of arms that leave the others and the disk whole, of drives that degrade gracefully (0.9)")
    parser.add_argument("--celsius", type=float, metavar="C", help="temperature of the case (by the run: its steady state)")
    parser.add_argument("--starts-per-day", type=amount, metavar="N", help="starts of the stack (by the run)")
    parser.add_argument("--busy", type=_share, metavar="PART", help="share of time in which an arm is at work (by the run)")
    parser.add_argument("--arms", type=positive, metavar="N", help="arms of the drive (by the run)")
    parser.add_argument("--array", choices=sorted(_SPARE), help="arrays of such drives, too: time until more drives are down than it stands")
    parser.add_argument("--drives", type=positive, default=8, metavar="N", help="drives of an array (8)")
    parser.add_argument("--repair-h", type=_above, default=24.0, metavar="H", help="mean time until a new drive is rebuilt (24)")
    parser.add_argument("--fleet", type=positive, default=10_000, metavar="N", help="drives that are drawn (10,000)")
    parser.add_argument("--arrays", type=positive, default=1_000, metavar="N", help="arrays that are drawn (1,000)")
    parser.add_argument("--seed", type=whole, default=1, metavar="N", help="of what is drawn (1)")


def _runs(options: argparse.Namespace, program: Program, out: Path) -> list[str]:
    """The runs that are named; a scenario is run into a folder of the results."""
    places = []
    for named in options.runs:
        if not named.endswith(".toml"):
            places.append(named)
            continue
        place = out / Path(named).stem
        with writing("--out", out):
            place.parent.mkdir(parents=True, exist_ok=True)
        program.run(named, place, ["output.request_log=true"])
        places.append(str(place))
    return places


def command(options: argparse.Namespace, program: Program) -> int:
    out = Path(options.out)
    refuse_unwritable("--out", out)
    if options.fleet < 2 or options.arrays < 2:
        raise InputError("--fleet, --arrays: at least 2, or there is no interval")
    if options.array and options.drives <= _SPARE[options.array]:
        raise InputError(f"--drives {options.drives}: {options.array} needs more than {_SPARE[options.array]}")
    uses = [use_of(system, options) for system in read(_runs(options, program, out), each_drive=True)]
    random = np.random.default_rng(options.seed)
    rows = [_row(use, options, graceful, random) for use in uses for graceful in ((False, True) if use.arms > 1 else (False,))]
    with writing("--out", out):
        _write(rows, out)
    print(_table(rows))
    print(f"picture: {out / 'life.svg'}")
    return 0

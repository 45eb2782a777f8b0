"""`armature sweep`: many configurations of one scenario, one table."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from pathlib import Path

from .. import points as space
from .. import sweep_answer
from ..arguments import add_pool, positive, program_name, whole
from ..errors import InputError, refuse_foreign, refuse_unwritable, writing
from ..figures import DEFAULT, KNOWN, absent, choose, costs, listing, refuse_unpriced
from ..points import Axis, Point
from ..program import Program
from ..progress import duration
from ..store import Store
from ..swept import FORMATS, Swept, sweep, write_results


def _points_of(options: argparse.Namespace, program: Program) -> list[Point]:
    axes = [space.parse_axis(text, program) for text in options.set]
    space.refuse_many(options.replications or 1, "--replications")
    space.refuse_many(options.sample or 1, "--sample")
    if options.replications:
        axes.append(Axis("simulation.seed", tuple(str(seed) for seed in range(1, options.replications + 1))))
    space.check_axes(axes)
    if options.list and options.sample:
        raise InputError("--list and --sample exclude each other")
    if options.sample:
        return space.sample(axes, options.sample, options.method, options.sample_seed)
    if options.list:
        listed = space.read_list(options.list)
        both = {key for point in listed for key, _ in point} & {axis.key for axis in axes}
        if both:
            raise InputError(f"{', '.join(sorted(both))}: both in {options.list} and in --set")
        # Each point of the list with each of the grid.
        return [point + more for point in listed for more in space.grid(axes)]
    if not axes:
        raise InputError("nothing to vary: --set KEY=VALUE,VALUE..., --list FILE, or --sample N")
    return space.grid(axes)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    def formats(text: str) -> list[str]:
        names = [name.strip() for name in text.split(",")]
        if not names or any(name not in FORMATS for name in names):
            raise argparse.ArgumentTypeError(f"csv, parquet or csv,parquet, not {text!r}")
        if "parquet" in names and not importlib.util.find_spec("pyarrow"):
            raise argparse.ArgumentTypeError("parquet needs pyarrow, which is not installed here (pip install pyarrow)")
        return names

    parser.add_argument("scenario", metavar="SCENARIO", help="scenario file (.toml)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUES",
        help="values to take in turn, in the key's unit or with one (spindle.rpm=7200,5200 or 'seek.average_ms=8 ms,9 ms'; "
        "armature describe tells the units), or with --sample a range (seek.average_ms=5..10, 'buffer.segments=1..64 log')",
    )
    parser.add_argument("--list", metavar="FILE", help="points from a file: CSV with keys as header, or TOML [[point]]")
    parser.add_argument("--sample", type=positive, metavar="N", help="N points of the space that --set spans")
    parser.add_argument(
        "--method", choices=("lhs", "sobol"), default="lhs", help="Latin hypercube (default) or scrambled Sobol points"
    )
    parser.add_argument("--sample-seed", type=whole, default=1, metavar="N", help="seed of the sample (1)")
    parser.add_argument("--replications", type=positive, metavar="N", help="each point with simulation.seed 1 to N")
    parser.add_argument("--figures", metavar="LIST", help="what table and pictures show, such as p99,watts,joules_per_request")
    parser.add_argument("--baseline", metavar="DRIVE",
                        help="differences from this drive within each point, with intervals (keeps requests.csv)")
    parser.add_argument("--cost", action="append", default=[], metavar="DRIVE=USD", help="price of a drive, for `cost`")
    parser.add_argument("--requests", action="store_true", help="keep requests.csv of each point, for compare")
    parser.add_argument("--out", metavar="DIR", help="directory of the results (out/SCENARIO-sweep)")
    parser.add_argument("--format", type=formats, default=["csv"], metavar="LIST", help="csv (default), parquet, or both")
    add_pool(parser)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = listing()


def _about(options: argparse.Namespace, program: Program, points: list[Point], swept: Swept) -> dict:
    """sweep.json: what the sweep was."""
    units = swept.table.units
    return {
        "format": "armature sweep",
        "format_version": 1,
        "program_version": program.version,
        "scenario": options.scenario,
        "set": options.set,
        "list": options.list,
        "sample": options.sample,
        "method": options.method if options.sample else None,
        "replications": options.replications,
        "points": [dict(point) for point in points],
        "failed": swept.failed,
        "interrupted": swept.interrupted,
        "units": {title: units.get(name.removeprefix("set "), units.get(name, "")) for name, title in swept.table.columns()},
    }


def _print_failures(swept: Swept) -> None:
    for row in [row for row in swept.table.rows if row["status"] != "ok" and row["message"] != "interrupted"][:10]:
        given = ", ".join(f"{key}={row['set ' + key]}" for key in swept.table.parameters)
        print(f"{program_name()}: point {row['point']} ({given}): {row['status']}: {row['message']}", file=sys.stderr)


def command(options: argparse.Namespace, program: Program) -> int:
    points = _points_of(options, program)
    out = Path(options.out or f"out/{Path(options.scenario).stem}-sweep")
    refuse_foreign(out, "sweep.json")
    refuse_unwritable("--cache", options.cache)
    cost = costs(options.cost)
    if options.figures and not any("." in name and name not in KNOWN for name in options.figures.split(",")):
        choose(options.figures, DEFAULT)  # before an hour of runs; columns of the table are known only after it
    sweep_answer.refuse_drives(program, options.scenario, options.baseline, cost)
    refuse_unpriced(options.figures, cost, "DRIVE")
    begun = time.monotonic()
    swept = sweep(
        program,
        options.scenario,
        points,
        store=Store(options.cache),
        requests=options.requests or options.baseline is not None,
        at_once=options.jobs,
        scheduler=options.scheduler,
        quiet=options.quiet,
    )
    answers = sweep_answer.answers(swept, options.figures, options.baseline, cost)  # refuses columns that there are not
    with writing("--out", out):
        write_results(out, swept, options.format, _about(options, program, points, swept))
        sweep_answer.write(answers, out, f"{Path(options.scenario).stem}: sweep", options.sample is not None)
    if answers.rows:
        print(sweep_answer.text_table(answers, options.figures is not None), end="\n\n")
    print(
        f"{len(points)} points: {swept.known} known, {swept.ran} run, "
        f"{swept.failed} {'left' if swept.interrupted else 'failed'}, in {duration(time.monotonic() - begun)}"
    )
    for name in options.format:
        print(f"table: {out / f'table.{name}'}")
    print(f"page: {out / 'sweep.html'}")
    if answers.rows and (line := absent(options.figures, answers.chosen, answers.figures)):
        print(f"{program_name()}: {line}", file=sys.stderr)
    _print_failures(swept)
    if swept.interrupted:
        print(f"{program_name()}: interrupted; the same command goes on where this one ended", file=sys.stderr)
        raise KeyboardInterrupt
    return 1 if swept.failed else 0

"""`armature sweep`: many configurations of one scenario, one table."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import points as space
from .arguments import positive, scheduler, whole
from .errors import InputError, refuse_unwritable, writing
from .figures import DEFAULT, KNOWN, absent, choose, costs, listing, refuse_unpriced
from .points import Axis, Point
from .pool import local_cores, run_locally, run_on_cluster
from .program import Program, Refused, configuration_of, without_tables
from .progress import Progress, duration
from .simulate import Job, Outcome
from .store import Store, copy_entry, default_directory, make_job
from .table import Table, state_of

_FORMATS = ("csv", "parquet")


@dataclass
class Resolved:
    """A point as the program understands it: a job, or why there is none."""

    point: Point
    job: Job | None
    configuration: dict | None  # without long lists
    refusal: str = ""


def resolve_points(
    program: Program,
    scenario: str,
    points: list[Point],
    requests: bool,
    at_once: int,
    progress: Progress,
    columns: tuple[str, ...] = (),
) -> list[Resolved]:
    """Asks the program for the resolved configuration of each point."""
    name = Path(scenario).name

    def resolve(point: Point) -> Resolved:
        try:
            toml = program.resolve(scenario, [f"{key}={value}" for key, value in point])
        except Refused as refusal:
            return Resolved(point, None, None, str(refusal))
        configuration = configuration_of(toml)
        return Resolved(
            point, make_job(program, name, toml, configuration, requests, columns), without_tables(configuration)
        )

    resolved = []
    pool = ThreadPoolExecutor(at_once)
    try:
        for one in pool.map(resolve, points):
            resolved.append(one)
            progress.advance()
    finally:
        pool.shutdown(cancel_futures=True)
        progress.end()
    return resolved


def refuse_bad_values(resolved: list[Resolved]) -> None:
    """A value with which no point works is bad input; one that only does not go with some others is a failed point."""
    if all(one.refusal for one in resolved):
        raise InputError(resolved[0].refusal)
    works: dict[tuple[str, str], bool] = {}
    message: dict[tuple[str, str], str] = {}
    for one in resolved:
        for assignment in one.point:
            works[assignment] = works.get(assignment, False) or not one.refusal
            if one.refusal and assignment[0] in one.refusal:
                message.setdefault(assignment, one.refusal)
    bad = [refusal for assignment, refusal in message.items() if not works[assignment]]
    if bad:
        raise InputError("\n".join(dict.fromkeys(bad)))


@dataclass
class Swept:
    """What a sweep left, for whoever goes on with it."""

    table: Table
    entries: list[Path | None]  # directory of each point's results
    resolved: list[Resolved]
    ran: int
    known: int
    failed: int
    interrupted: bool


def run_points(
    program: Program, resolved: list[Resolved], store: Store, at_once: int, scheduler: str | None, quiet: bool
) -> tuple[dict[str, Path], dict[str, Outcome], int, int, bool]:
    """Runs what the store does not have.

    Returns the entries by key, the failed outcomes by key, how many were known and ran, and whether it was interrupted.
    """
    jobs: dict[str, Job] = {one.job.key: one.job for one in resolved if one.job}
    entries: dict[str, Path] = {}
    failures: dict[str, Outcome] = {}
    for key, job in jobs.items():
        if entry := store.find(key, job.requests):
            entries[key] = entry
    progress = Progress("points", len(jobs), quiet)
    known, ran = len(entries), 0
    progress.known(known)
    left = [job for key, job in jobs.items() if key not in entries]
    outcomes = run_on_cluster(left, scheduler) if scheduler else run_locally(left, at_once)
    interrupted = False
    try:
        for outcome in outcomes:
            if outcome.status == 0:
                with writing("--cache", store.directory):
                    entries[outcome.key] = store.keep(outcome.key, outcome.files)
            else:
                failures[outcome.key] = outcome
            ran += 1
            progress.advance(failed=outcome.status != 0)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        outcomes.close()
        progress.end()
    return entries, failures, known, ran, interrupted


def sweep(
    program: Program,
    scenario: str,
    points: list[Point],
    *,
    store: Store,
    requests: bool = False,
    at_once: int = 0,
    scheduler: str | None = None,
    quiet: bool = False,
    columns: tuple[str, ...] = (),
) -> Swept:
    """Resolves and runs the points of a scenario and makes their table."""
    at_once = at_once or local_cores()
    checking = Progress("points checked", len(points), quiet)
    resolved = resolve_points(program, scenario, points, requests, at_once, checking, columns)
    refuse_bad_values(resolved)
    entries, failures, known, ran, interrupted = run_points(program, resolved, store, at_once, scheduler, quiet)

    names = list(dict.fromkeys(key for point in points for key, _ in point))
    table = Table(names, program)
    failed = 0
    directories: list[Path | None] = []
    for number, one in enumerate(resolved):
        given = dict(one.point)
        entry = entries.get(one.job.key) if one.job else None
        directories.append(entry)
        if entry:
            table.add(number, given, one.configuration, "ok", "", json.loads((entry / "summary.json").read_text()))
            continue
        failed += 1
        if one.refusal:
            status, message = state_of(Outcome("", 2, one.refusal))
        elif one.job.key in failures:
            status, message = state_of(failures[one.job.key])
        else:
            status, message = "not run", "interrupted"
        table.add(number, given, one.configuration, status, message, None)
    return Swept(table, directories, resolved, ran, known, failed, interrupted)


def refuse_directory(out: Path) -> None:
    """What is not a sweep's stays as it is: InputError."""
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out}: not a directory")
    if out.is_dir() and any(out.iterdir()) and not (out / "sweep.json").exists():
        raise InputError(f"--out {out}: there is something else in it")


def replace_file(path: Path, content: bytes) -> None:
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(content)
    os.replace(new, path)


def write_results(out: Path, swept: Swept, formats: list[str], about: dict) -> None:
    """Table, results of each point, and what the sweep was."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "sweep.json").touch()
    shutil.rmtree(out / "points", ignore_errors=True)
    width = max(4, len(str(len(swept.entries) - 1)))
    for number, entry in enumerate(swept.entries):
        if entry:
            copy_entry(entry, out / "points" / f"{number:0{width}d}")
    for name in _FORMATS:
        if name in formats:
            replace_file(out / f"table.{name}", swept.table.csv() if name == "csv" else swept.table.parquet())
        else:
            (out / f"table.{name}").unlink(missing_ok=True)
    replace_file(out / "sweep.json", (json.dumps(about, indent=1) + "\n").encode())


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
        if not names or any(name not in _FORMATS for name in names):
            raise argparse.ArgumentTypeError(f"csv, parquet or csv,parquet, not {text!r}")
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
    parser.add_argument(
        "--jobs", type=positive, default=local_cores(), metavar="N", help="programs side by side (as many as cores)"
    )
    parser.add_argument("--scheduler", type=scheduler, metavar="ADDRESS", help="a dask scheduler that runs the points: tcp://host:8786")
    parser.add_argument(
        "--format", type=formats, default=["csv"], metavar="LIST", help="csv (default), parquet, or both"
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=default_directory(),
        metavar="DIR",
        help="where results are kept for later sweeps (ARMATURE_CACHE, or ~/.cache/armature/points)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = listing()


def command(options: argparse.Namespace, program: Program) -> int:
    points = _points_of(options, program)
    out = Path(options.out or f"out/{Path(options.scenario).stem}-sweep")
    refuse_directory(out)
    refuse_unwritable("--out", out)
    refuse_unwritable("--cache", options.cache)
    from . import sweep_answer  # which is made of what is here

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
    about = {
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
        "units": {
            title: swept.table.units.get(name.removeprefix("set "), swept.table.units.get(name, ""))
            for name, title in swept.table.columns()
        },
    }
    answers = sweep_answer.answers(swept, options.figures, options.baseline, cost)  # refuses columns that there are not
    with writing("--out", out):
        write_results(out, swept, options.format, about)
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
    for row in [row for row in swept.table.rows if row["status"] != "ok" and row["message"] != "interrupted"][:10]:
        given = ", ".join(f"{key}={row['set ' + key]}" for key in swept.table.parameters)
        print(f"{program_name()}: point {row['point']} ({given}): {row['status']}: {row['message']}", file=sys.stderr)
    if swept.interrupted:
        print(f"{program_name()}: interrupted; the same command goes on where this one ended", file=sys.stderr)
        raise KeyboardInterrupt
    return 1 if swept.failed else 0


def program_name() -> str:
    return Path(os.environ.get("ARMATURE_PROGRAM", "armature")).name

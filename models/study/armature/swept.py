"""Many configurations of one scenario: what the program makes of each, the runs that are not known yet, their table."""

from __future__ import annotations

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .errors import InputError, writing
from .points import Point
from .pool import local_cores, run_locally, run_on_cluster
from .program import Program, Refused, configuration_of, without_tables
from .progress import Progress
from .simulate import Job, Outcome
from .store import Store, copy_entry, make_job
from .table import Table, state_of

FORMATS = ("csv", "parquet")


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
        return Resolved(point, make_job(program, name, toml, configuration, requests, columns), without_tables(configuration))

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
    for name in FORMATS:
        if name in formats:
            replace_file(out / f"table.{name}", swept.table.csv() if name == "csv" else swept.table.parquet())
        else:
            (out / f"table.{name}").unlink(missing_ok=True)
    replace_file(out / "sweep.json", (json.dumps(about, indent=1) + "\n").encode())

"""`armature reproduce`: experiments of the literature, run and judged."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from .. import experiment as experiments
from .. import ledger, measures, page, record
from ..arguments import add_pool, program_name
from ..errors import InputError, refuse_foreign, refuse_unwritable, writing
from ..experiment import Experiment
from ..program import Program
from ..progress import duration
from ..reproduce import ROOT, Result, claim_text, find, write
from ..store import Store
from ..verdicts import FAILS, verdicts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "experiments",
        nargs="*",
        metavar="EXPERIMENT",
        help="names below scenarios/experiments: laptop_array/rates, or laptop_array; all if none is given",
    )
    parser.add_argument("--quick", action="store_true", help="fewer replications, shorter runs")
    parser.add_argument(
        "--merge",
        action="store_true",
        help="put what ran into docs/lab/published.md, beside what other experiments came to when they ran",
    )
    parser.add_argument("--list", action="store_true", help="only name the experiments")
    parser.add_argument("--out", default="out/reproduce", metavar="DIR", help="directory of the results (out/reproduce)")
    add_pool(parser)
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)  # for tests


def command(options: argparse.Namespace, program: Program) -> int:
    root = options.root
    files = find(root / "scenarios/experiments", options.experiments)
    if options.list:
        for file in files:
            one = experiments.load(file, root, options.quick)
            print(f"{one.name}\t{one.told['title']}")
        return 0
    if options.merge and options.quick:
        raise InputError("--merge: a quick run does not go into docs/lab/published.md")
    out = Path(options.out)
    refuse_foreign(out, "reproduce.json")
    refuse_unwritable("--cache", options.cache)
    every = {file: experiments.load(file, root, options.quick) for file in find(root / "scenarios/experiments", [])}
    published = ledger.read(root)
    if published:
        ledger.check(published, list(every.values()), ledger.read_fitted(root))
    results = []
    for one in (every[file] for file in files):
        result = _run(one, program, options, root)
        if result is None:
            return 1
        results.append(result)
    with writing("--out", out):
        write(results, out, program, options.quick)
        if published:
            _write_ledger(published, list(every.values()), results, options, root, out, program)
    print(f"page: {out / 'reproduce.html'}")
    return 1 if any(v.state == FAILS for r in results for v in r.verdicts) else 0


def _run(one: Experiment, program: Program, options: argparse.Namespace, root: Path) -> Result | None:
    """Runs an experiment and prints its verdicts; None if a point failed."""
    begun = time.monotonic()
    swept = found = None
    curves: dict = {}
    print(f"{one.name}: {one.told['title']}", flush=True)
    if not one.absent:
        if one.points:
            swept = experiments.run(one, program, Store(options.cache), options.jobs, options.scheduler, options.quiet)
            if swept.interrupted:
                raise KeyboardInterrupt
            if swept.failed:
                bad = next(row for row in swept.table.rows if row["status"] != "ok")
                told = f"{swept.failed} points failed, the first: {bad['message']}"
                print(f"{program_name()}: {one.name}: {told}", file=sys.stderr)
                return None
        found = measures.measure(one, swept, program, root)
        curves = measures.curves(one, swept)
    result = Result(one, found, verdicts(one, found), swept, time.monotonic() - begun, curves)
    if one.absent:
        print(
            f"  cannot be tested here: absent from {experiments.reference_directory(root)} (ARMATURE_REFERENCE): "
            + ", ".join(dict.fromkeys(one.absent))
        )
        return result
    for verdict in result.verdicts:
        ours = "" if verdict.ours is None else f", ours {page.number(verdict.ours, 5)}"
        print(
            f"  {'FAILS  ' if verdict.state == FAILS else ''}{verdict.row.get('id', '')} "
            f"{claim_text(verdict.row)}{ours}: {verdict.text}"
        )
    print(f"  {len(one.points)} points, {swept.known if swept else 0} known, {duration(result.wall_s)}", flush=True)
    return result


def _write_ledger(
    published: dict[str, ledger.Published],
    every: list[Experiment],
    results: list[Result],
    options: argparse.Namespace,
    root: Path,
    out: Path,
    program: Program,
) -> None:
    """published.md beside the results. A full run of all experiments with all files, or --merge, writes the record and the
    page in docs, too."""
    run = record.Run.now(program)
    if options.merge and run.program.endswith("-dirty"):
        print(f"note: {run.program} was built from changed files, so that nobody can repeat this run: commit, build and run again")
    ours = {
        one.experiment.name: record.of(one.experiment, one.found, run, one.wall_s, root)
        for one in results
        if any(ledger.ids_of(row) for row in one.experiment.told["row"]) and one.found is not None
    }
    absent = {result.experiment.name for result in results if result.experiment.absent}
    whole = not options.quick and not options.experiments and not absent
    if not whole and not options.merge:
        kind = "quick" if options.quick else "full"
        (out / "published.md").write_text(record.page(published, every, ours, root, f"This is a {kind} run."))
        print(ledger.printed(published))
        return
    records = ours if whole else {**record.read(root), **{k: v for k, v in ours.items() if k not in absent}}
    known = {one.name: one for one in every}
    records = {name: one for name, one in records.items() if name in known}
    for name, one in records.items():
        if not one.has_the_drives_of(known[name], root):
            print(f"note: {name}: its drive files have changed since it ran")
    text = record.page(published, every, records, root)
    (out / "published.md").write_text(text)
    (root / "docs/lab/published.md").write_text(text)
    record.write(records, root)
    print(ledger.printed(published))
    print(f"page: docs/lab/published.md, record: {record.FILE}")

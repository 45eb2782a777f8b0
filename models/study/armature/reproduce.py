"""`armature reproduce`: experiments against what was published."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import experiment as experiments
from . import ledger, measures, page, record
from .arguments import positive, scheduler
from .errors import InputError, refuse_unwritable, writing
from .experiment import Experiment
from .experiment_pictures import picture
from .measures import Measured
from .pool import local_cores
from .program import Program
from .progress import duration
from .store import Store, default_directory
from .sweep import Swept, program_name
from .verdicts import FAILS, HOLDS, OPEN, Verdict, verdicts

_ROOT = Path(__file__).resolve().parents[3]
_SIGNS = {HOLDS: "good", FAILS: "bad", OPEN: "note"}


@dataclass
class Result:
    experiment: Experiment
    found: dict[str, Measured] | None
    verdicts: list[Verdict]
    swept: Swept | None
    wall_s: float
    curves: dict = field(default_factory=dict)


def _claim(row: dict) -> str:
    if "value" in row:
        return f"{row['claims']}: {row['value']} {row.get('unit', '')}".strip()
    return row["claims"]


def _section(result: Result, number: int) -> list[str]:
    told = result.experiment.told
    parts = [
        f'<h2 id="{page.text(result.experiment.name)}">{page.text(result.experiment.name)}: '
        f"{page.text(told['title'])}</h2>"
    ]
    for paragraph in told.get("question", "").strip().split("\n\n"):
        if paragraph:
            parts.append(f"<p>{page.text(paragraph)}</p>")
    if told.get("source"):
        parts.append(f'<p class="note">Source of the published figures: {page.text(told["source"])}</p>')
    rows = []
    for verdict in result.verdicts:
        row = verdict.row
        note = f'<div class="note">{page.text(row["note"])}</div>' if "note" in row else ""
        ours = "" if verdict.ours is None else page.number(verdict.ours, 5)
        deviation = "" if verdict.deviation_percent is None else f"{verdict.deviation_percent:+.2f} %"
        rows.append(
            [
                f'<span style="white-space: nowrap">{page.text(row.get("id", ""))}</span>',
                page.text(_claim(row)),
                ours,
                deviation,
                f'<span class="{_SIGNS[verdict.state]}">{page.text(verdict.text)}</span>{note}',
            ]
        )
    parts.append(page.table(["row", "published", "ours", "deviation", "verdict"], rows, numeric_from=99))
    if result.found:
        parts += [
            picture(one, i, result.found, result.curves, f"picture-{number}-{i}")
            for i, one in enumerate(told.get("picture", []))
        ]
        parts.append(
            "<details><summary>What was measured</summary>"
            + page.table(
                ["measure", "value", "unit", "meaning"],
                [
                    [
                        f"<code>{page.text(name)}</code>",
                        page.number(m.value, 6)
                        if not m.estimate
                        else f"{m.value:.0f} of {m.of}; "
                        f"mean {page.with_interval(m.estimate.value, m.estimate.half_width)}, "
                        f"exact {page.number(m.truth, 6)}",
                        page.text(m.unit),
                        page.text(m.meaning),
                    ]
                    for name, m in result.found.items()
                ],
                numeric_from=99,
            )
            + "</details>"
        )
    return parts


def write(results: list[Result], out: Path, program: Program, quick: bool) -> None:
    """reproduce.html, verdicts.tsv, reproduce.json."""
    out.mkdir(parents=True, exist_ok=True)
    every = [(result, verdict) for result in results for verdict in result.verdicts]
    counts = {state: sum(v.state == state for _, v in every) for state in (HOLDS, FAILS, OPEN)}
    parts = [
        f"<p>{page.text(program.version)}, {'quick' if quick else 'full'}: {counts[HOLDS]} rows hold, "
        f"{counts[FAILS]} fail, "
        f"{counts[OPEN]} are reported without a verdict or cannot be tested here.</p>"
    ]
    for number, result in enumerate(results):
        parts += _section(result, number)
    (out / "reproduce.html").write_text(page.page("Published figures reproduced", parts))
    (out / "verdicts.tsv").write_text(
        page.tsv(
            ["experiment", "row", "published", "ours", "deviation_percent", "state", "verdict"],
            [
                [r.experiment.name, v.row.get("id", ""), _claim(v.row), v.ours, v.deviation_percent, v.state, v.text]
                for r, v in every
            ],
        )
    )
    about = {
        "format": "armature reproduce",
        "format_version": 1,
        "program_version": program.version,
        "quick": quick,
        "experiments": [
            {
                "name": r.experiment.name,
                "title": r.experiment.told["title"],
                "points": len(r.experiment.points),
                "absent": r.experiment.absent,
                "measures": {
                    name: {
                        "value": m.value,
                        "unit": m.unit,
                        **(
                            {
                                "of": m.of,
                                "mean": m.estimate.value,
                                "half_width": m.estimate.half_width,
                                "exact": m.truth,
                            }
                            if m.estimate
                            else {}
                        ),
                    }
                    for name, m in (r.found or {}).items()
                },
                "rows": [
                    {
                        "id": v.row.get("id", ""),
                        "published": v.row.get("value"),
                        "ours": v.ours,
                        "state": v.state,
                        "kind": v.kind,
                        "verdict": v.text,
                    }
                    for v in r.verdicts
                ],
            }
            for r in results
        ],
    }
    (out / "reproduce.json").write_text(json.dumps(about, indent=1) + "\n")


def find(directory: Path, names: list[str]) -> list[Path]:
    """The files of the named experiments: a name, or a document for all of its own."""
    files = sorted(directory.rglob("experiment.toml"))
    known = [str(file.parent.relative_to(directory)) for file in files]
    if not names:
        return files
    chosen = []
    for name in names:
        found = [
            file for file, one in zip(files, known) if one == name.strip("/") or one.startswith(name.strip("/") + "/")
        ]
        if not found:
            raise InputError(f"no experiment {name}; there are {', '.join(known)}")
        chosen += [file for file in found if file not in chosen]
    return chosen


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
    parser.add_argument(
        "--out", default="out/reproduce", metavar="DIR", help="directory of the results (out/reproduce)"
    )
    parser.add_argument("--jobs", type=positive, default=local_cores(), metavar="N", help="programs side by side")
    parser.add_argument("--scheduler", type=scheduler, metavar="ADDRESS", help="a dask scheduler that runs the points")
    parser.add_argument("--cache", type=Path, default=default_directory(), metavar="DIR", help="where results are kept")
    parser.add_argument("--root", type=Path, default=_ROOT, help=argparse.SUPPRESS)  # for tests
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")


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
    if out.is_dir() and any(out.iterdir()) and not (out / "reproduce.json").exists():
        raise InputError(f"--out {out}: there is something else in it")
    refuse_unwritable("--out", out)
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
            f"{_claim(verdict.row)}{ours}: {verdict.text}"
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

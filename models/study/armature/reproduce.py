"""`armature reproduce`: experiments against what was published."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from . import page
from .errors import InputError
from .experiment import Experiment
from .experiment_pictures import picture
from .measures import Measured
from .program import Program
from .swept import Swept
from .verdicts import FAILS, HOLDS, OPEN, Verdict

ROOT = Path(__file__).resolve().parents[3]
_SIGNS = {HOLDS: "good", FAILS: "bad", OPEN: "note"}


@dataclass
class Result:
    experiment: Experiment
    found: dict[str, Measured] | None
    verdicts: list[Verdict]
    swept: Swept | None
    wall_s: float
    curves: dict = field(default_factory=dict)


def claim_text(row: dict) -> str:
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
                page.text(claim_text(row)),
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


def _measure_told(measured: Measured) -> dict[str, object]:
    told: dict[str, object] = {"value": measured.value, "unit": measured.unit}
    if measured.estimate:
        told |= {"of": measured.of, "mean": measured.estimate.value, "half_width": measured.estimate.half_width, "exact": measured.truth}
    return told


def _verdict_told(verdict: Verdict) -> dict[str, object]:
    return {"id": verdict.row.get("id", ""), "published": verdict.row.get("value"), "ours": verdict.ours, "state": verdict.state,
            "kind": verdict.kind, "verdict": verdict.text}


def _told(result: Result) -> dict[str, object]:
    """An experiment for reproduce.json."""
    return {
        "name": result.experiment.name,
        "title": result.experiment.told["title"],
        "points": len(result.experiment.points),
        "absent": result.experiment.absent,
        "measures": {name: _measure_told(measured) for name, measured in (result.found or {}).items()},
        "rows": [_verdict_told(verdict) for verdict in result.verdicts],
    }


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
    rows = [[r.experiment.name, v.row.get("id", ""), claim_text(v.row), v.ours, v.deviation_percent, v.state, v.text] for r, v in every]
    header = ["experiment", "row", "published", "ours", "deviation_percent", "state", "verdict"]
    (out / "verdicts.tsv").write_text(page.tsv(header, rows))
    about = {
        "format": "armature reproduce",
        "format_version": 1,
        "program_version": program.version,
        "quick": quick,
        "experiments": [_told(result) for result in results],
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

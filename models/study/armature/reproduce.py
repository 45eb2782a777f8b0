"""`armature reproduce`: experiments against what was published."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from . import page, tabular, templates
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


def _row_shown(verdict: Verdict) -> dict[str, str]:
    return {
        "id": verdict.row.get("id", ""), "published": claim_text(verdict.row), "note": verdict.row.get("note", ""),
        "ours": "" if verdict.ours is None else page.number(verdict.ours, 5),
        "deviation": "" if verdict.deviation_percent is None else f"{verdict.deviation_percent:+.2f} %",
        "sign": _SIGNS[verdict.state], "text": verdict.text,
    }


def _measure_shown(name: str, measured: Measured) -> dict[str, str]:
    value = page.number(measured.value, 6)
    if mean := measured.estimate:
        value = (f"{measured.value:.0f} of {measured.of}; mean {page.with_interval(mean.value, mean.half_width)}, "
                 f"exact {page.number(measured.truth, 6)}")
    return {"name": name, "value": value, "unit": measured.unit, "meaning": measured.meaning}


def _shown(result: Result, number: int) -> dict[str, object]:
    """An experiment for reproduce.html."""
    told, found = result.experiment.told, result.found or {}
    drawn = enumerate(told.get("picture", [])) if found else ()
    return {"name": result.experiment.name, "told": told, "rows": [_row_shown(verdict) for verdict in result.verdicts],
            "pictures": "\n".join(picture(one, i, found, result.curves, f"picture-{number}-{i}") for i, one in drawn),
            "measures": [_measure_shown(*one) for one in found.items()]}


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
    body = templates.fill("reproduce.html", version=program.version, quick=quick, counts=counts,
                          experiments=[_shown(result, number) for number, result in enumerate(results)])
    (out / "reproduce.html").write_text(page.page("Published figures reproduced", body))
    rows = [[r.experiment.name, v.row.get("id", ""), claim_text(v.row), v.ours, v.deviation_percent, v.state, v.text] for r, v in every]
    header = ["experiment", "row", "published", "ours", "deviation_percent", "state", "verdict"]
    (out / "verdicts.tsv").write_text(tabular.tsv(header, rows))
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
        found = [file for file, one in zip(files, known) if one == name.strip("/") or one.startswith(name.strip("/") + "/")]
        if not found:
            raise InputError(f"no experiment {name}; there are {', '.join(known)}")
        chosen += [file for file in found if file not in chosen]
    return chosen

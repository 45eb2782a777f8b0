"""The ledger of published figures: scenarios/experiments/published.csv, and what became of each of its rows."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path

from . import page
from .errors import InputError
from .experiment import Experiment
from .verdicts import (
    ABSENT,
    CANNOT,
    DIFFERS,
    FITTED,
    INPUT,
    ORDER,
    REPORTED,
    WITHIN,
    WRONG,
    Verdict,
    rounds_to_printed,
)

FILE = "scenarios/experiments/published.csv"
COLUMNS = ("id", "document", "where", "setup", "quantity", "value", "unit", "kind", "class", "answer", "why", "note")
CLASSES = ("synthetic", "arithmetic", "trace at hand", "trace gone", "figure only", "parameter")
DOCUMENTS = {
    "000": "parallelism in the disk (S. Sankar, thesis, 2008)",
    "001": "arrays of laptop disks (2004)",
    "002": "acoustic modes of disks (2009)",
    "003": "MEMS storage (S. W. Schlosser, dissertation, 2004)",
    "004": "energy of RAID (2002)",
}
NOT_RUN = "not run"
_NOT_TESTABLE = "not testable"
_ID = re.compile(r"\d{3}-\d{3}")
_KINDS = (WRONG, DIFFERS, WITHIN, ORDER, FITTED, INPUT, REPORTED, ABSENT, CANNOT, NOT_RUN)
_FIGURES = (WRONG, DIFFERS, WITHIN, ORDER, FITTED, INPUT, REPORTED)


@dataclass
class Claim:
    """A verdict of an experiment on a published row."""

    experiment: Experiment
    verdict: Verdict
    run: int = 1  # of those that the page names

    @property
    def simulated(self) -> bool:
        return self._runs and self.verdict.kind in _FIGURES

    @property
    def calculated(self) -> bool:
        return not self._runs and self.verdict.kind in _FIGURES

    @property
    def _runs(self) -> bool:
        """Do its figures come from the model, and not from the experiment's own arithmetic?"""
        return not self.experiment.told.keys().isdisjoint(("scenario", "table"))


@dataclass
class Published:
    """A row of the ledger."""

    told: dict[str, str]
    experiments: list[str]
    not_testable: bool
    claims: list[Claim] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The verdict of the row as a whole."""
        kinds = [claim.verdict.kind for claim in self.claims]
        kinds += [CANNOT] * self.not_testable + [NOT_RUN] * bool(self.experiments)
        return min(kinds, key=_KINDS.index)


def ids_of(row: dict) -> list[str]:
    """The ledger's rows that a row of an experiment is about."""
    return _ID.findall(str(row.get("id", "")))


def standard_percent(row: dict) -> float:
    """The tolerance that figures of this kind have: energies and shares of them 5 %, all else 2 %."""
    return 5 if row.get("unit") in ("W", "J", "% of power") else 2


def _read_row(told: dict[str, str], place: str) -> Published:
    if told["class"] not in CLASSES:
        raise InputError(f"{place}: class {told['class']!r}: one of {', '.join(CLASSES)}")
    answers = [part.strip() for part in told["answer"].split(";") if part.strip()]
    if not answers:
        raise InputError(f"{place}: an answer is missing: experiments or `{_NOT_TESTABLE}`")
    if _NOT_TESTABLE in answers and not told["why"]:
        raise InputError(f"{place}: not testable: the reason is missing (column why)")
    experiments = [answer for answer in answers if answer != _NOT_TESTABLE]
    return Published(told, experiments, _NOT_TESTABLE in answers)


def read(root: Path) -> dict[str, Published]:
    """The ledger by id. InputError with file and line if it is not one. No rows without a ledger."""
    path = root / FILE
    if not path.exists():
        return {}
    rows: dict[str, Published] = {}
    with open(path, newline="") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise InputError(f"{path}:1: the columns are {','.join(COLUMNS)}")
        for told in reader:
            place = f"{path}:{reader.line_num}"
            if None in told or None in told.values():
                raise InputError(f"{place}: {len(COLUMNS)} fields are expected")
            if not _ID.fullmatch(told["id"]) or told["id"] in rows:
                raise InputError(f"{place}: {told['id']!r}: an id of its own is expected, as in 000-001")
            rows[told["id"]] = _read_row(told, place)
    return rows


def check(rows: dict[str, Published], every: list[Experiment]) -> None:
    """Ledger and experiments name each other, and a wide tolerance has its reason. InputError otherwise."""
    about = {one.name: {name for row in one.told["row"] for name in ids_of(row)} for one in every}
    for name, row in rows.items():
        for experiment in row.experiments:
            if experiment not in about:
                raise InputError(f"{FILE}: {name}: no experiment {experiment}")
            if name not in about[experiment]:
                raise InputError(f"{FILE}: {name}: the experiment {experiment} has no row with this id")
    for one in every:
        for name in about[one.name]:
            if name not in rows or one.name not in rows[name].experiments:
                raise InputError(f"{one.path}: row {name}: {FILE} does not name this experiment as its answer")
        for row in one.told["row"]:
            wide = row.get("tolerance_percent", 0) > standard_percent(row)
            if ids_of(row) and wide and not row.get("loosened"):
                raise InputError(
                    f"{one.path}: row {row['id']}: a tolerance above {standard_percent(row)} % needs `loosened`: why"
                )


# ---- Coverage --------------------------------------------------------------------------------------------------------


def coverage(rows: dict[str, Published]) -> tuple[list[str], list[list[str]]]:
    """Rows by document: how many have a figure of a run, how many of arithmetic, and how many have which verdict."""
    header = ["document", "rows", "simulated", "calculated", *_KINDS]
    documents = sorted({row.told["document"] for row in rows.values()})
    table = []
    for document in [*documents, "all"]:
        chosen = [row for row in rows.values() if document in ("all", row.told["document"])]
        simulated = sum(any(claim.simulated for claim in row.claims) for row in chosen)
        calculated = sum(any(claim.calculated for claim in row.claims) for row in chosen)
        counts = [sum(row.kind == kind for row in chosen) for kind in _KINDS]
        table.append([document, *(str(n) for n in (len(chosen), simulated, calculated, *counts))])
    used = [i for i in range(len(header)) if i < 4 or any(row[i] != "0" for row in table)]
    return [header[i] for i in used], [[row[i] for i in used] for row in table]


def _is_close(claim: Claim) -> bool:
    verdict = claim.verdict
    if verdict.deviation_percent is None:
        return verdict.kind in (WITHIN, ORDER)
    near = abs(verdict.deviation_percent) <= standard_percent(verdict.row)
    return near or rounds_to_printed(verdict.row, verdict.ours)


def close(rows: dict[str, Published]) -> tuple[int, int]:
    """Of the claims on synthetic and arithmetic rows that are evidence: how many are within 2 % (energies 5 %) or half of
    the last digit printed, or hold in their order; of how many. What was fitted, taken as an input, or only reported is not among them."""
    claims = [
        claim
        for row in rows.values()
        if row.told["class"] in ("synthetic", "arithmetic")
        for claim in row.claims
        if claim.verdict.kind in (WITHIN, ORDER, DIFFERS, WRONG)
    ]
    return sum(_is_close(claim) for claim in claims), len(claims)


def _closeness(rows: dict[str, Published]) -> str:
    good, of = close(rows)
    if not of:
        return ""
    return (
        "synthetic and arithmetic claims within 2 % (energies 5 %) or half of the last digit printed, or in order: "
        f"{good} of {of} ({100 * good / of:.1f} %)"
    )


def printed(rows: dict[str, Published]) -> str:
    """Coverage for a terminal."""
    header, table = coverage(rows)
    widths = [max(len(line[i]) for line in [header, *table]) for i in range(len(header))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip() for line in [header, *table]]
    return "\n".join([*lines, _closeness(rows)]).rstrip()


# ---- The page --------------------------------------------------------------------------------------------------------


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def _table(header: list[str], lines: list[list[str]]) -> list[str]:
    return [
        f"| {' | '.join(header)} |",
        f"|{' --- |' * len(header)}",
        *(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines),
    ]


def _verdict(claim: Claim) -> str:
    verdict = claim.verdict
    text = {
        WITHIN: verdict.text.replace("within tolerance", f"within {verdict.row.get('tolerance_percent', 0):g} %"),
        DIFFERS: verdict.text.replace("differs because", "differs:"),
        CANNOT: verdict.text.replace("cannot be tested here because", "not testable:"),
        ABSENT: "not testable: " + verdict.text.removeprefix("cannot be tested here because "),
    }.get(verdict.kind, verdict.text)
    trace = claim.experiment.told.get("trace")
    return f"{text} (on {trace})" if trace and verdict.kind in _FIGURES else text


def _claim_line(name: str, row: Published, claim: Claim) -> list[str]:
    verdict, told = claim.verdict, claim.verdict.row
    printed_value = f"{told['value']:g} {told.get('unit', '')}".strip() if "value" in told else ""
    ours = "" if verdict.ours is None else f"{page.number(verdict.ours, 4)} {told.get('unit', '')}".strip()
    difference = "" if verdict.deviation_percent is None or not printed_value else f"{verdict.deviation_percent:+.1f} %"
    note = f" {told['note']}" if "note" in told else ""
    verdict_text = _verdict(claim) + note
    return [name, row.told["class"], told["claims"], printed_value, ours, difference, verdict_text, str(claim.run)]


def _open_line(name: str, row: Published) -> list[str]:
    reason = f"not testable: {row.told['why']}" if row.not_testable else row.told["why"] or "not run"
    value = f"{row.told['value']} {row.told['unit']}".strip()
    setup = ", ".join(part for part in (row.told["setup"], row.told["quantity"]) if part)
    return [name, row.told["class"], setup, value, "", "", reason, ""]


def _lines(rows: dict[str, Published]) -> list[list[str]]:
    lines = []
    for name, row in rows.items():
        lines += [_claim_line(name, row, claim) for claim in row.claims]
        if row.not_testable or not row.claims:
            lines.append(_open_line(name, row))
    return lines


def _loosened(rows: dict[str, Published]) -> list[list[str]]:
    seen: dict[int, list[str]] = {}
    for name, row in rows.items():
        for claim in row.claims:
            told = claim.verdict.row
            if "loosened" in told:
                tolerance = f"{told['tolerance_percent']:g} % for {standard_percent(told)} %"
                seen.setdefault(id(told), [name, told["claims"], tolerance, told["loosened"]])
    return list(seen.values())


_HEAD = """# Published figures, and ours

Written by `./armature reproduce`; do not edit. Each row of
[scenarios/experiments/published.csv](../scenarios/experiments/published.csv), what the document printed and what came out here.
[experiments.md](experiments.md) says what the verdicts mean. A figure that was *fitted*, or is an *input* of the drive file, is no
evidence for the model. The last column is the run, of the table below, that the verdict comes from.
"""


def markdown(rows: dict[str, Published], how: str, runs: list[list[str]]) -> str:
    """docs/published.md. `runs`: lines of the table of runs, in their order."""
    header, table = coverage(rows)
    parts = [_HEAD, *_table(header, table), "", f"{_closeness(rows)}. {how}".lstrip(". ")]
    if loosened := _loosened(rows):
        parts += ["", "## Tolerances that are wider", "", *_table(["row", "claim", "tolerance", "why"], loosened)]
    parts += ["", "## Runs", "", *_table(["run", "program", "binary (SHA-256)", "at (UTC)", "experiments"], runs)]
    for document in sorted({row.told["document"] for row in rows.values()}):
        own = {name: row for name, row in rows.items() if row.told["document"] == document}
        parts += ["", f"## {document}: {DOCUMENTS.get(document, '')}".rstrip(": "), ""]
        parts += _table(["row", "class", "what", "printed", "ours", "difference", "verdict", "run"], _lines(own))
    return "\n".join(parts) + "\n"

"""The ledger of published figures: scenarios/experiments/published.csv, and what became of each of its rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from . import expressions, page, tabular, templates
from .errors import InputError, read_toml
from .experiment import Experiment
from .verdicts import CANNOT, FITTED, IDENTITY, INPUT, MISS, ORDER, REPORTED, WITHIN, WRONG, Verdict

FILE = "scenarios/experiments/published.csv"
FITTED_FILE = "scenarios/experiments/fitted.toml"
COLUMNS = ("id", "document", "where", "setup", "quantity", "value", "unit", "kind", "class", "answer", "why", "note")
CLASSES = ("synthetic", "arithmetic", "trace at hand", "trace gone", "figure only", "parameter", "identity")
# What a claim on such a row comes to when it is met: no evidence, as the number went in, or follows from numbers that did.
_APART = {"parameter": INPUT, "identity": IDENTITY}
DOCUMENTS = {
    "000": "Intra-Disk Parallelism (S. Sankar, thesis, 2008)",
    "001": "arrays of laptop disks (2004)",
    "002": "acoustic modes of disks (2009)",
    "003": "MEMS storage (S. W. Schlosser, dissertation, 2004)",
    "004": "energy of RAID (2002)",
}
NOT_RUN = "not run"
_NOT_TESTABLE = "not testable"
_ID = re.compile(r"\d{3}-\d{3}")
_EXPERIMENT = re.compile(r"\b\d{3}-[a-z][\w-]*/[\w.-]*\w")
# From the worst: a row has the verdict of its worst claim. Of those that are met, what is no evidence comes first.
_KINDS = (WRONG, NOT_RUN, MISS, CANNOT, REPORTED, INPUT, IDENTITY, FITTED, ORDER, WITHIN)
_FIGURES = (WRONG, MISS, WITHIN, ORDER, FITTED, INPUT, IDENTITY, REPORTED)


@dataclass
class Claim:
    """A verdict of an experiment on a published row."""

    experiment: Experiment
    verdict: Verdict
    row_class: str
    run: int = 1  # of those that the page names

    @property
    def kind(self) -> str:
        """Of the verdict; a claim that is met on a row of inputs or identities is no evidence."""
        return _APART.get(self.row_class, self.verdict.kind) if self.verdict.kind in (WITHIN, ORDER) else self.verdict.kind

    @property
    def is_evidence(self) -> bool:
        """Would it count for the model if it were met?"""
        row = self.verdict.row
        return self.row_class not in _APART and row.keys().isdisjoint((FITTED, INPUT, IDENTITY))


@dataclass
class Published:
    """A row of the ledger."""

    told: dict[str, str]
    experiments: list[str]
    not_testable: bool
    claims: list[Claim] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The verdict of the row as a whole: that of its worst claim. An experiment that is named and has no claim has not run."""
        ran = {claim.experiment.name for claim in self.claims}
        kinds = [claim.kind for claim in self.claims]
        kinds += [CANNOT] * self.not_testable + [NOT_RUN] * (not ran.issuperset(self.experiments))
        return min(kinds, key=_KINDS.index)


@dataclass(frozen=True)
class Fitted:
    """A key that was set with a published number in sight, and the claims that the number reaches by it."""

    key: str
    by: str  # the published numbers
    reaches: tuple[str, ...]  # rows, as "000-050", or some claims of one: "003-080: sustained"
    why: str

    def reaches_claim(self, row: dict) -> bool:
        wanted = [one.split(": ", 1) for one in self.reaches]
        return any(one[0] in ids_of(row) and str(row["claims"]).startswith(one[1:] and one[1] or "") for one in wanted)


def ids_of(row: dict) -> list[str]:
    """The ledger's rows that a row of an experiment is about."""
    return _ID.findall(str(row.get("id", "")))


def standard_percent(row: dict) -> float:
    """The tolerance that figures of this kind have: energies and shares of them 5 %, all else 2 %."""
    return 5 if row.get("unit") in ("W", "J", "% of power") else 2


def _read_row(told: dict[str, str], place: str) -> Published:
    if told["class"] not in CLASSES:
        raise InputError(f"{place}: class {told['class']!r}: one of {', '.join(CLASSES)}")
    if told["kind"] in ("parameter", "setup") and told["class"] not in (*_APART, "figure only"):
        raise InputError(f"{place}: a {told['kind']} of the study is of class parameter or identity, and not {told['class']}")
    answers = [part.strip() for part in told["answer"].split(";") if part.strip()]
    if not answers:
        raise InputError(f"{place}: an answer is missing: experiments or `{_NOT_TESTABLE}`")
    if _NOT_TESTABLE in answers and not told["why"]:
        raise InputError(f"{place}: not testable: the reason is missing (column why)")
    experiments = [answer for answer in answers if answer != _NOT_TESTABLE]
    if _NOT_TESTABLE in answers and experiments:
        raise InputError(f"{place}: not testable, though there is an experiment: {', '.join(experiments)}")
    return Published(told, experiments, _NOT_TESTABLE in answers)


def read_fitted(root: Path) -> list[Fitted]:
    """scenarios/experiments/fitted.toml; nothing without the file."""
    path = root / FITTED_FILE
    if not path.exists():
        return []
    try:
        return [Fitted(one["key"], one["by"], tuple(one["reaches"]), one["why"]) for one in read_toml(path)["fitted"]]
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: [[fitted]] tables with key, by, reaches, why: {error}") from None


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


def check(rows: dict[str, Published], every: list[Experiment], fitted: list[Fitted]) -> None:
    """Ledger and experiments name each other, and no claim flatters. InputError otherwise."""
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
        ran = _of_a_run(one)
        for row in one.told["row"]:
            if ids_of(row):
                place = f"{one.path}: row {row['id']}"
                _check_claim(row, [rows[name].told for name in ids_of(row)], ran, fitted, place)
                _check_named(row, about.keys(), place)
    for one in fitted:
        for name in (reached.split(": ")[0] for reached in one.reaches):
            if name not in rows:
                raise InputError(f"{FITTED_FILE}: {one.key}: no row {name}")


def _of_a_run(experiment: Experiment) -> set[str]:
    """The measures that a run of the model has a part in."""
    ran: set[str] = set()
    own = {told["name"] for told in experiment.told["measure"]}
    for told in experiment.told["measure"]:
        used, taken = expressions.names(told["value"]) if "value" in told else (set(), True)
        if taken or used - own or used & ran:
            ran.add(told["name"])
    return ran


def _numbers(text: str) -> list[float]:
    """The numbers of a text, without signs. Those of names, as in RAID-5 or SA(2), and of counts, as in x5, are none."""
    text = re.sub(r"[A-Za-z]+[-(]\d+\)?|x\d+", "", text)
    if fraction := re.fullmatch(r"(\d+)/(\d+)", text.strip()):
        return [int(fraction[1]) / int(fraction[2])]
    return [float(one) for one in re.findall(r"\d*\.?\d+", re.sub(r"(?<=\d),(?=\d{3}(?![\d.]))", "", text))]


def _prints_a_number(told: dict) -> bool:
    return bool(_numbers(told["value"]))


def _same(a: float, b: float) -> bool:
    """Within the rounding of three digits, in units that may be a thousand times as large."""
    return any(abs(a - scale * b) <= 0.005 * a for scale in (1, 1000, 0.001))


def unclaimed(rows: dict[str, Published], every: list[Experiment]) -> list[list[str]]:
    """Printed numbers that no claim of their row has as its value or its bound, or names: row, what was printed, the numbers."""
    claimed: dict[str, list[float]] = {}
    for row in (row for one in every for row in one.told["row"]):
        named = _numbers(row["claims"])
        for name in ids_of(row):
            claimed.setdefault(name, []).extend(named + [abs(row[key]) for key in ("value", "at_least", "at_most") if key in row])
    found = []
    for name, published in rows.items():
        told = published.told
        if published.not_testable or told["kind"] not in ("number", "range", "bound", "parameter"):
            continue
        if left := [one for one in _numbers(told["value"]) if not any(_same(one, have) for have in claimed.get(name, []))]:
            what = ", ".join(part for part in (told["setup"], told["quantity"]) if part)
            found.append([name, told["class"], what, f"{told['value']} {told['unit']}".strip(), ", ".join(f"{one:.10g}" for one in left)])
    return found


def _check_claim(row: dict, about: list[dict], ran: set[str], fitted: list[Fitted], place: str) -> None:
    classes = [told["class"] for told in about]
    standard, tolerance = standard_percent(row), row.get("tolerance_percent", 0)
    if tolerance > standard and not row.get("loosened"):
        raise InputError(f"{place}: a tolerance above {standard} % needs `loosened`: why")
    if "report" in row and "value" in row:
        raise InputError(f"{place}: `report` with a printed number: it has a tolerance, and is met or missed")
    if "tolerance_percent" in row and not any(told["class"] in _APART or _prints_a_number(told) for told in about):
        raise InputError(f"{place}: a number with a tolerance, where the document prints none: an order has bounds")
    if "cannot" in row:
        raise InputError(f"{place}: `cannot`: {FILE} says what is not testable")
    if "last_digit" in row and not _is_last_digit(row["last_digit"], row["value"]):
        raise InputError(f"{place}: last_digit {row['last_digit']:g}: no digit that {row['value']:g} ends with")
    if "tested" in row and not expressions.names(row["tested"])[0] & ran:
        raise InputError(f"{place}: the reason is tested by no run: {row['tested']}")
    if INPUT in row and not set(classes) & set(_APART):
        raise InputError(f"{place}: an input on a row of class {classes[0]}: {FILE} has it as parameter or identity")
    apart = set(classes) & set(_APART) or row.keys() & {FITTED, INPUT, IDENTITY}
    if "tolerance_percent" in row and not apart and row["measure"] not in ran:
        raise InputError(f"{place}: {row['claims']}: no run has a part in {row['measure']}: arithmetic on printed numbers is an `{IDENTITY}`")
    reached = [one.key for one in fitted if one.reaches_claim(row)]
    if reached and FITTED not in row:
        raise InputError(f"{place}: {row['claims']}: not `fitted`, though {FITTED_FILE} has it reached by {reached[0]}")
    if FITTED in row and not reached:
        raise InputError(f"{place}: {row['claims']}: `fitted`, and {FITTED_FILE} does not say by which key")


def _check_named(row: dict, known: Collection[str], place: str) -> None:
    """The experiments that a reason names are there."""
    for name in _EXPERIMENT.findall(row.get("differs", "") + row.get("unexplained", "") + row.get("note", "")):
        if name not in known:
            raise InputError(f"{place}: the reason names an experiment that is not there: {name}")


def _is_last_digit(step: float, value: float) -> bool:
    """Is the step a power of ten, and no larger than what the value's last digit is worth? Of an integer that is 1."""
    last = 10.0 ** -len(f"{value:.10g}".partition(".")[2])
    return any(abs(step / 10.0**power - 1) < 1e-9 for power in range(-10, 1)) and step <= last * (1 + 1e-9)


# ---- Coverage --------------------------------------------------------------------------------------------------------


def coverage(rows: dict[str, Published]) -> tuple[list[str], list[list[str]]]:
    """Rows by document: how many have which verdict."""
    header = ["document", "rows", *_KINDS]
    documents = sorted({row.told["document"] for row in rows.values()})
    table = []
    for document in [*documents, "all"]:
        chosen = [row for row in rows.values() if document in ("all", row.told["document"])]
        counts = [sum(row.kind == kind for row in chosen) for kind in _KINDS]
        table.append([document, *(str(n) for n in (len(chosen), *counts))])
    used = [i for i in range(len(header)) if i < 2 or any(row[i] != "0" for row in table)]
    return [header[i] for i in used], [[row[i] for i in used] for row in table]


@dataclass
class Count:
    """What the claims of a document, or of all, come to. A claim on several rows counts once."""

    within: int = 0  # printed numbers that are predicted within their tolerance
    wide: int = 0  # of those, with a tolerance above the standard one
    numbers: int = 0  # printed numbers that are predicted
    hold: int = 0  # orders and bounds that hold
    orders: int = 0
    misses: int = 0  # of any kind of claim
    fitted: int = 0
    apart: int = 0  # inputs and identities
    reported: int = 0

    def add(self, claim: Claim) -> None:
        kind, row = claim.kind, claim.verdict.row
        missed = kind in (MISS, WRONG)
        self.misses += missed
        self.fitted += kind == FITTED
        self.apart += kind in (INPUT, IDENTITY)
        self.reported += kind == REPORTED
        if not claim.is_evidence or kind not in (MISS, WRONG, WITHIN, ORDER):
            return
        if "tolerance_percent" in row:
            self.numbers += 1
            self.within += not missed
            self.wide += not missed and row["tolerance_percent"] > standard_percent(row)
        else:
            self.orders += 1
            self.hold += not missed


def counted(rows: dict[str, Published], column: str = "document") -> dict[str, Count]:
    """By document (or by another column of the ledger), and of all."""
    counts = {part: Count() for part in sorted({row.told[column] for row in rows.values()})}
    counts["all"] = Count()
    seen = set()
    for row in rows.values():
        for claim in row.claims:
            if id(claim.verdict) not in seen:
                seen.add(id(claim.verdict))
                counts[row.told[column]].add(claim)
                counts["all"].add(claim)
    return counts


def _share(part: int, of: int) -> str:
    return f"{part} of {of} ({100 * part / of:.0f} %)" if of else "none"


def leading(rows: dict[str, Published], column: str = "document") -> tuple[list[str], list[list[str]]]:
    """The three figures that the page leads with, by document or another column, and what is counted apart."""
    header = [column, "predictions within tolerance", "orders that hold", "misses", "fitted", "inputs and identities"]
    lines = []
    for part, count in counted(rows, column).items():
        told = [_share(count.within, count.numbers), _share(count.hold, count.orders)]
        lines.append([part, *told, *(str(n) for n in (count.misses, count.fitted, count.apart))])
    return header, lines


def printed(rows: dict[str, Published]) -> str:
    """The leading figures and the verdicts of the rows for a terminal."""
    return "\n\n".join(tabular.aligned([header, *lines], 0) for header, lines in (leading(rows), coverage(rows)))


# ---- The page --------------------------------------------------------------------------------------------------------


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def _table(header: list[str], lines: list[list[str]]) -> str:
    return tabular.markdown(header, ([_cell(cell) for cell in line] for line in lines))


def _verdict(claim: Claim) -> str:
    verdict = claim.verdict
    text = verdict.text
    if verdict.kind == WITHIN:
        text = text.replace("within tolerance", f"within {verdict.row.get('tolerance_percent', 0):g} %")
    if claim.kind != verdict.kind:
        text = f"an {claim.kind}: {text}"
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


def markdown(rows: dict[str, Published], how: str, runs: list[list[str]], fitted: list[Fitted], left: list[list[str]]) -> str:
    """docs/lab/published.md. `runs`: lines of the table of runs, in their order; `left`: what `unclaimed` found."""
    header, by_class = leading(rows, "class")
    documents = []
    for document in sorted({row.told["document"] for row in rows.values()}):
        own = {name: row for name, row in rows.items() if row.told["document"] == document}
        documents.append((f"{document}: {DOCUMENTS.get(document, '')}".rstrip(": "), _lines(own)))
    return templates.fill("published.md", table=_table, leading=leading(rows), wide=counted(rows)["all"].wide, left=left,
                          numbers_left=sum(line[-1].count(",") + 1 for line in left),
                          by_class=(header, [line for line in by_class[:-1] if line[1:] != ["none", "none", "0", "0", "0"]]),
                          coverage=coverage(rows), how=how, runs=runs, documents=documents, loosened=_loosened(rows),
                          fitted=[[one.key, one.by, ", ".join(one.reaches), one.why] for one in fitted])

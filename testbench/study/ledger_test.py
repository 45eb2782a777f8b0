"""The ledger of published figures: scenarios/experiments/published.csv, its coverage and its page."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from armature_study import experiment, ledger, reproduce
from conftest import ROOT, SCENARIO

EXPERIMENT = """
title = "t"
scenario = "s.toml"
[sweep]
set."host.tags" = [1]
[[measure]]
name = "n"
value = "completed"
[[measure]]
name = "m"
value = "completed + 1"
"""


def shipped() -> tuple[dict[str, ledger.Published], list[experiment.Experiment]]:
    files = reproduce.find(ROOT / "scenarios/experiments", [])
    return ledger.read(ROOT), [experiment.load(file, ROOT, False) for file in files]


def test_ledger_and_experiments_name_each_other():
    rows, every = shipped()
    ledger.check(rows, every)
    assert len(rows) == 320
    assert {row.told["document"] for row in rows.values()} == set(ledger.DOCUMENTS)


def test_the_page_in_docs_has_each_row_and_each_claim():
    rows, every = shipped()
    page = (ROOT / "docs/published.md").read_text()
    lines = page.splitlines()
    for name in rows:
        assert any(line.startswith(f"| {name} |") for line in lines), name
    for one in every:
        for told in one.told["row"]:
            for name in ledger.ids_of(told):
                claim = " ".join(told["claims"].split()).replace("|", "\\|").replace("<", "&lt;")
                assert any(line.startswith(f"| {name} |") and f"| {claim} |" in line for line in lines), told["claims"]
    assert " fails" not in page


def test_the_program_takes_the_points_of_each_experiment(program):
    """The first and the last point of each grid."""
    _, every = shipped()
    for one in every:
        if one.absent:
            continue
        grids: dict[str, list] = {}
        for point, run_of in zip(one.points, one.runs):
            grids.setdefault(run_of, []).append(point)
        for points in grids.values():
            for point in {points[0], points[-1]}:
                scenario = str(one.path.parent / one.told["scenario"])
                program.resolve(scenario, [f"{key}={value}" for key, value in point])


def published(rows: list[tuple[str, str, str, str]]) -> str:
    """id, class, answer, why."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(ledger.COLUMNS)
    for name, kind, answer, why in rows:
        writer.writerow([name, name[:3], "w", "s", "q", "v", "u", "number", kind, answer, why, ""])
    return stream.getvalue()


def claim(name: str, text: str) -> str:
    return f'[[row]]\nid = "{name}"\nclaims = "c{name}"\n{text}\n'


ROWS = (
    claim("900-001", 'measure = "n"\nvalue = 404\ntolerance_percent = 1')
    + claim("900-002", 'increasing = ["n", "m"]')
    + claim("900-003", 'measure = "n"\nvalue = 400\nunit = "W"\ntolerance_percent = 5\nfitted = "f"')
    + claim("900-007", 'measure = "n"\nvalue = 410\ntolerance_percent = 2\nlast_digit = 20')
    + claim("900-004", 'measure = "n"\nvalue = 440\ntolerance_percent = 20\nloosened = "because"')
)
LEDGER = [
    ("900-001", "synthetic", "doc/one", ""),
    ("900-002", "synthetic", "doc/one; waits spc1", ""),
    ("900-003", "synthetic", "doc/one", ""),
    ("900-004", "arithmetic", "doc/one", ""),
    ("900-007", "synthetic", "doc/one", ""),
    ("900-005", "trace gone", "not testable", "it is gone"),
    ("900-006", "parameter", "waits placement", ""),
]


def run(bench, rows: str, table: list, *more: str, status: int = 0):
    bench.write("root/scenarios/experiments/published.csv", published(table))
    bench.write("root/scenarios/experiments/doc/one/experiment.toml", EXPERIMENT + rows)
    bench.write("root/scenarios/experiments/doc/one/s.toml", SCENARIO)
    (bench.directory / "root/docs").mkdir(exist_ok=True)
    return bench.run("reproduce", "--root", str(bench.directory / "root"), *more, status=status)


def cells(text: str, start: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(start)).strip("| ").split(" | ")


def test_coverage_and_page(bench):
    done = run(bench, ROWS, LEDGER)
    header = next(line for line in done.stdout.splitlines() if line.lstrip().startswith("document"))
    counts = next(line for line in done.stdout.splitlines() if line.lstrip().startswith("all")).split()
    assert header.split() == "document rows simulated calculated within order holds fitted waits for not testable".split()
    assert counts == ["all", "7", "5", "0", "3", "1", "1", "1", "1"]
    # 404 is 1 % off, the order holds, 410 is printed to tens (2.4 % off); 440 is 9 % off, whatever its own tolerance; what was fitted is no evidence.
    assert "in order: 3 of 4 (75.0 %)" in done.stdout
    page = (bench.directory / "root/docs/published.md").read_text()
    assert page == bench.read("out/reproduce/published.md").decode()
    assert cells(page, "| 900-001 ")[3:] == ["404", "400.0", "-1.0 %", "within 1 %"]
    assert cells(page, "| 900-002 ")[6] == "order holds: n 400 &lt; m 401"
    assert cells(page, "| 900-003 ")[6] == "fitted: f"
    assert "20 % for 2 %" in page and "because" in page
    assert cells(page, "| 900-005 ")[6] == "not testable: it is gone"
    assert cells(page, "| 900-006 ")[6].startswith("waits for files and tables that are laid out over a MEMS store")


def test_a_quick_run_and_a_part_leave_the_page_alone(bench):
    for more in (("--quick",), ("doc/one",)):
        run(bench, ROWS, LEDGER, *more)
        assert not (bench.directory / "root/docs/published.md").exists()
        assert bench.read("out/reproduce/published.md")


@pytest.mark.parametrize(
    "rows, table, message",
    [
        (ROWS, LEDGER[1:], "row 900-001: scenarios/experiments/published.csv does not name this experiment"),
        (ROWS, [*LEDGER, ("900-008", "synthetic", "doc/one", "")], "900-008: the experiment doc/one has no row"),
        (ROWS, [*LEDGER, ("900-008", "synthetic", "doc/two", "")], "900-008: no experiment doc/two"),
        (ROWS, [*LEDGER, ("900-008", "guessed", "waits placement", "")], "class 'guessed'"),
        (ROWS, [*LEDGER, ("900-008", "synthetic", "waits rain", "")], "waits rain: one of"),
        (ROWS, [*LEDGER, ("900-008", "synthetic", "not testable", "")], "the reason is missing"),
        (ROWS, [*LEDGER, ("900-008", "synthetic", "", "")], "an answer is missing"),
        (ROWS, [*LEDGER, LEDGER[0]], "an id of its own"),
        (ROWS.replace("loosened", "note"), LEDGER, "above 2 % needs `loosened`"),
    ],
)
def test_a_wrong_ledger_ends_with_2(bench, rows, table, message):
    done = run(bench, rows, table, status=2)
    assert message in done.stderr and "Traceback" not in done.stderr

"""drives: docs/lab/drives.md is what the model does, and the command notices when it is not."""

from __future__ import annotations

import gzip

import pytest
from armature import drives
from armature.program import Program
from conftest import ROOT


@pytest.fixture
def program(bench) -> Program:
    return Program(bench.environment["ARMATURE_BINARY"])


def test_the_table_has_a_row_for_each_real_drive_and_a_source_for_each_published_figure():
    table = drives.committed(drives.TABLE.read_text())
    assert sorted(table) == drives.shipped()
    figures = {load.figure for load in drives.LOADS} | {"outer_mb_s", "inner_mb_s"}
    for name, row in table.items():
        assert set(row) == figures, name
    rows = drives.datasheets()
    assert {row["drive"] for row in rows} <= set(table)
    for row in rows:
        assert row["grade"] in ("F", "K") and row["source"] and float(row["value"]) > 0, row


def test_the_quick_figures_of_the_table_are_the_models(program):
    measured = drives.measure(program, drives.shipped(), quick=True, jobs=2)
    assert drives.differences(drives.TABLE.read_text(), measured) == []


@pytest.mark.full
def test_all_figures_of_the_table_are_the_models(program):
    measured = drives.measure(program, drives.shipped(), quick=False, jobs=2)
    assert drives.differences(drives.TABLE.read_text(), measured) == []


def test_a_drive_that_has_changed_is_noticed(program):
    name = "quantum_atlas_10k"
    measured = drives.measure(program, [name], quick=True, jobs=2)
    drive, figures = measured[name]
    slower = {name: (drive, {**figures, "random_1_per_s": figures["random_1_per_s"] * 0.95})}
    (said,) = drives.differences(drives.TABLE.read_text(), slower)
    assert said.startswith(f"{name}: random_1_per_s: ")
    text = drives.TABLE.read_text()
    without = "\n".join(line for line in text.splitlines() if not line.startswith(f"| `{name}` |"))
    assert drives.differences(without, measured) == [f"{name}: has no row"]
    assert drives.differences(text.replace(name, "none_such"), {}) == ["none_such: has a row, and no file"]


def test_rates_are_those_of_the_later_half_of_a_stream():
    # Ten requests of 2,048 bytes: the first five at once from the cache, then one each 100 us.
    lines = ["op,sectors,arrival_us,completion_us,response_us"]
    lines += [f"write,4,0,{max(0, i - 4) * 100},1" for i in range(10)]
    log = gzip.compress("\n".join(lines).encode())
    load = drives.Load("any", kind="stream", sectors=4, write=True)
    assert drives.figure_of(load, log) == pytest.approx(2048 / 100)
    flush = gzip.compress(b"op,sectors,arrival_us,completion_us,response_us\nwrite,8,0,5,5\nflush,0,5,4005,4000\n"
                          b"flush,0,5,2005,2000\n")
    assert drives.figure_of(drives.Load("any", kind="flush", writes=1), flush) == pytest.approx(3)


def test_bad_arguments_are_said(bench):
    said = bench.run("drives", "no_such_drive", status=2).stderr
    assert "no_such_drive: no such drive; there are hitachi_dk23da_30, " in said
    assert "--quick: goes with --check" in bench.run("drives", "--quick", status=2).stderr
    assert (ROOT / "docs/lab/drives.md").exists()

"""An array is a system and its drives are parts of it: in comparisons, in sweeps and in the report."""

from __future__ import annotations

import csv
import io
import json

import pytest

SCENARIO = """
[workload]
kind = "open"
rate_per_s = 20
read_fraction = 0.7
count = 120
last_lbn = 99_999

[array]
level = "raid1"
members = ["m*"]

[drives.m0]
model = "drives/hitachi_travelstar_7k60.toml"
[drives.alone]
model = "drives/hitachi_travelstar_7k60.toml"
[drives.m1]
model = "drives/hitachi_travelstar_7k60.toml"
"""


@pytest.fixture
def run(bench):
    bench.write("s.toml", SCENARIO)
    bench.armature("run", "s.toml", "--out", "r", "-q")
    bench.summary = {drive["name"]: drive for drive in json.loads(bench.read("r/summary.json"))["drives"]}
    return bench


def tsv(bench, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(bench.read(name).decode()), delimiter="\t"))


def test_a_comparison_has_the_array_with_its_watts_and_no_member(run):
    done = run.run("compare", "r", "--warm-up", "none", "--out", "c")
    rows = {row["run"]: row for row in tsv(run, "c/figures.tsv")}
    assert list(rows) == ["r/array", "r/alone"]
    for name in ("array", "alone"):
        assert float(rows[f"r/{name}"]["average_w"]) == pytest.approx(run.summary[name]["energy"]["average_w"])
        assert float(rows[f"r/{name}"]["energy_per_request_j"]) == pytest.approx(run.summary[name]["energy"]["energy_per_request_j"])
    assert "m0" not in done.stdout and "r/alone - r/array" in done.stdout
    page = run.read("c/compare.html").decode()
    apart = page[page.index(">Drives of the arrays</h2>"):]
    assert "<td>m0</td>" in apart and "<td>m1</td>" in apart and "<td>alone</td>" not in apart
    refused = run.run("compare", "r", "--baseline", "m0", "--out", "d", status=2)
    assert "--baseline m0: no such run; there are r/array, r/alone" in refused.stderr


def test_runs_of_an_array_alone_are_told_apart_by_the_keys_of_its_drives(run):
    text = SCENARIO.replace("[drives.alone]\nmodel = \"drives/hitachi_travelstar_7k60.toml\"\n", "")
    run.write("a.toml", text)
    run.armature("run", "a.toml", "--out", "a", "-q")
    run.armature("run", "a.toml", "--set", "spindle.rpm=5400", "--set", "drives.m1.seek.head_switch_ms=2", "--out", "b", "-q")
    run.run("compare", "a", "b", "--warm-up", "none", "--out", "c")
    rows = tsv(run, "c/figures.tsv")
    assert [(row["run"], row["spindle.rpm"]) for row in rows] == [("a", "7200"), ("b", "5400")]
    assert rows[1]["m1.seek.head_switch_ms"] == "2" and "seek.head_switch_ms" in rows[0]


def test_a_sweep_has_them_apart_and_takes_no_member_as_the_baseline(run):
    done = run.run("sweep", "s.toml", "--set", "array.mirror_read=first,round_robin", "--baseline", "array", "--figures",
                   "mean,watts,read_hits", "--out", "w")
    table = list(csv.DictReader(io.StringIO(run.read("w/table.csv").decode())))
    assert [row["drive"] for row in table] == 2 * ["array", "m0", "alone", "m1"], "the table has all of them"
    assert [row["drive"] for row in tsv(run, "w/differences.tsv")] == ["alone", "alone"]
    systems, apart = done.stdout.split("drives of the array:")
    assert " alone " in systems and " m0 " not in systems and " m0 " in apart and " alone " not in apart
    assert "read hits" in systems.splitlines()[0]
    refused = run.run("sweep", "s.toml", "--set", "array.mirror_read=first", "--baseline", "m1", "--out", "x", status=2)
    assert "--baseline m1: no such drive; there are array, alone" in refused.stderr


def test_the_report_shows_the_array_first_and_its_drives_under_a_heading(run, browser):
    browser.look(1280)
    browser.open(run.directory / "r/report.html")
    assert browser.messages == []
    rows = browser.evaluate("[...document.querySelectorAll('#energy table')].map(t => [...t.querySelectorAll('tbody tr')].map(r => "
                            "[...r.children].slice(0, 3).map(c => c.textContent)))")
    assert [[row[0] for row in table] for table in rows] == [["array", "alone"], ["m0", "m1"]]
    energy = run.summary["array"]["energy"]
    assert rows[0][0][1:] == [f"{energy['energy_j']:.2f}", f"{energy['average_w']:.2f}"]
    assert browser.evaluate("document.querySelector('#energy h3.group').textContent") == "Drives of the array"
    bars = browser.evaluate("[...document.querySelectorAll('#energy .bars')].map(b => [...b.querySelectorAll('.name')].map(n => n.textContent))")
    assert bars[0] == ["m0", "m1"], "the array's energy by drive"
    assert browser.evaluate("document.querySelector('.tile b').textContent") == "240", "requests of the systems, no operations"

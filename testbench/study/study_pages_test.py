"""The pages of sweeps, comparisons, published figures and validations in a browser, as pages_test.py has the report; and what the
pictures of a sweep show."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
from conftest import ROOT
from looks import inspect, scenario
from made_traces import ATLAS, CACHES, measured_by_the_model


@pytest.mark.parametrize("drives", [3])  # 1 and 8: test_every_page_in_every_look (pages_test.py), in the full tier
def test_the_pages_of_a_sweep_and_a_comparison_have_no_fault(bench, browser, drives):
    bench.write("s.toml", scenario(drives))
    more = ["--baseline", "as_delivered"] if drives > 1 else []
    bench.call("sweep", "s.toml", "--set", "workload.rate_per_s=20,70", "--set", "host.tags=4,16,32", "--requests", "--out", "w", *more)
    inspect(browser, bench.directory / "w/sweep.html")
    bench.armature("run", "s.toml", "--out", "r", "-q")
    bench.call("compare", "r", "--out", "c")
    inspect(browser, bench.directory / "c/compare.html")


def choose(browser, picture: str, **wanted: str) -> None:
    labels = {"x": "across", "y": "up", "z": "figure", "of": "drive", "at": "of", "sort": "coloured by"}
    for name, choice in wanted.items():
        told = labels[name] if not (picture == "lines") else {"x": "over", "y": "figure"}[name]
        browser.evaluate(f"""(() => {{ const s = document.querySelector('[aria-label={json.dumps(told + " of " + picture)}]');
            s.value = {json.dumps(choice)}; s.dispatchEvent(new Event('change')); }})()""")


def test_the_pictures_of_a_sweep_show_its_table(bench, browser):
    bench.write("s.toml", scenario(3))
    bench.call("sweep", "s.toml", "--set", "workload.rate_per_s=2,40,70", "--set", "host.tags=4,16", "--out", "w")
    import csv
    import io

    rows = list(csv.DictReader(io.StringIO(bench.read("w/table.csv").decode())))
    p99, watts = "response.all.p99_ms [ms]", "energy.average_w [W]"
    browser.look()
    browser.open(bench.directory / "w/sweep.html")

    # Lines: a drive and number of tags each, over the rate, which spans more than a decade.
    choose(browser, "lines", x="workload.rate_per_s", y="p99")
    lines = browser.evaluate("(() => { const p = document.querySelector('#lines .picture'); return {axis: p.layout.xaxis.type, "
                             "lines: p.data.map(t => [t.name, t.x, t.y])}; })()")
    assert lines["axis"] == "log"
    assert len(lines["lines"]) == 6
    for name, x, y in lines["lines"]:
        drive, tags = re.fullmatch(r"(\w+) tags=(\d+)", name).groups()
        mine = [r for r in rows if r["drive"] == drive and r["host.tags"] == tags]
        assert x == [float(r["workload.rate_per_s [requests/s]"]) for r in mine] and y == [float(r[p99]) for r in mine]

    # Heat map: of a drive, a cell each point.
    choose(browser, "heat", z="watts", of="rpm_10000", x="workload.rate_per_s", y="host.tags")
    cells = browser.evaluate("document.querySelector('#heat .picture').data[0].text")
    mine = {(r["host.tags"], r["workload.rate_per_s [requests/s]"]): float(r[watts]) for r in rows if r["drive"] == "rpm_10000"}
    for i, tags in enumerate(("4", "16")):
        assert [float(cell) for cell in cells[i]] == pytest.approx([mine[tags, rate] for rate in ("2", "40", "70")], rel=1e-3)

    # Scatter at a point: what nothing beats in both.
    choose(browser, "tradeoff", x="watts", y="p99", at="rate_per_s=70 tags=16")
    front = browser.evaluate("window.armatureStudyState.front.map(r => r.series)")
    here = [r for r in rows if r["host.tags"] == "16" and r["workload.rate_per_s [requests/s]"] == "70"]
    by_hand = [r["drive"] for r in here if not any(
        float(o[watts]) <= float(r[watts]) and float(o[p99]) <= float(r[p99]) and o is not r for o in here)]
    assert sorted(front) == sorted(by_hand) and "rpm_10000" not in front and "two_arms" in front
    assert browser.messages == []


@pytest.mark.full
def test_the_bars_of_modes_add_up_to_the_watts_of_drives_and_arrays(bench, browser):
    array = "".join(f"\n[drives.m{i}]\nmodel = \"drives/hitachi_travelstar_7k60.toml\"\nidle.spin_down = \"fixed\"\nidle.spin_down_s = 1\n"
                    for i in range(2))
    bench.write("s.toml", "[workload]\nkind = \"open\"\nrate_per_s = 1\ncount = 20\n[array]\nlevel = \"raid1\"\nmembers = [\"m*\"]\n" + array)
    bench.call("sweep", "s.toml", "--set", "array.mirror_read=first,round_robin", "--out", "w")
    import csv
    import io

    watts = [float(r["energy.average_w [W]"]) for r in csv.DictReader(io.StringIO(bench.read("w/table.csv").decode())) if r["drive"] == "array"]
    browser.look()
    browser.open(bench.directory / "w/sweep.html")
    bars = browser.evaluate("document.querySelector('#modes .picture').data.map(t => [t.name, t.y, t.x])")
    assert {name for name, _, _ in bars} >= {"idle", "seek", "standby", "spin up"}
    assert [sum(parts) for parts in zip(*(x for _, _, x in bars))] == pytest.approx(watts), "the array's, chosen at first"
    inspect(browser, bench.directory / "w/sweep.html")


@pytest.mark.full
def test_a_sample_has_parallel_coordinates_with_a_line_each_point_and_drive(bench, browser):
    bench.write("s.toml", scenario(2))
    bench.call("sweep", "s.toml", "--sample", "7", "--set", "workload.rate_per_s=5..70 log", "--set", "spindle.rpm=5400..7200", "--set",
              "host.policy=fcfs,clook", "--out", "w")
    browser.look()
    browser.open(bench.directory / "w/sweep.html")
    found = browser.evaluate("(() => { const p = document.querySelector('#parallel .picture'); return {lines: p.data.map(t => t.y), "
                             "axes: p.layout.xaxis.ticktext}; })()")
    assert len(found["lines"]) == 14 and len(found["axes"]) >= 3 + 5
    for column in zip(*found["lines"]):
        assert min(column) == pytest.approx(0) and max(column) == pytest.approx(1)
    assert browser.evaluate("document.getElementById('lines')") is None, "a sample is no grid"
    inspect(browser, bench.directory / "w/sweep.html")


EXPERIMENTS = sorted((ROOT / "scenarios/experiments").glob("*/*/experiment.toml"))
SHORT = ("000-parallelism/cost",)  # the others in the full tier


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SHORT else pytest.mark.full)
             for name in (str(file.parent.relative_to(ROOT / "scenarios/experiments")) for file in EXPERIMENTS)])
def test_the_page_of_published_figures_has_no_fault(bench, browser, name):
    process = bench.start("reproduce", name, "--quick", "-q")
    out, err = process.communicate(timeout=900)
    assert process.returncode in (0, 1), f"{out}\n{err}"  # 1: a row fails, which is not what the page looks like
    inspect(browser, bench.directory / "out/reproduce/reproduce.html")
    pictures = tomllib.loads((ROOT / "scenarios/experiments" / name / "experiment.toml").read_text()).get("picture", [])
    if "absent" not in out + err:
        assert browser.evaluate("document.querySelectorAll('.js-plotly-plot').length") == len(pictures)


def test_the_page_of_a_trace_has_no_fault(bench, browser):
    bench.armature("trace", "info", str(ROOT / "scenarios/traces/ext4_git_sqlite_delay.csv.zst"), "--out", "t")
    inspect(browser, bench.directory / "t/trace.html")


def test_the_page_of_a_validation_has_no_fault(bench, program, browser):
    measured_by_the_model(bench, program, ATLAS, CACHES, 300)
    bench.call("validate", str(ATLAS), "made.trace", "--out", "v", *(x for key in CACHES for x in ("--set", key)))
    inspect(browser, bench.directory / "v/validation.html")

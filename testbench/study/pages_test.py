"""The pages in a browser with one, three and eight drives, light and dark, on screens of 700 to 1,920 px and as on paper: no
message, no texts that overlap, are cut off or cannot be seen; and what the pictures of a sweep show."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from browser import Browser

LOAD = """
[workload]
kind = "open"
rate_per_s = 70
read_fraction = 0.7
count = 600
"""
KINDS = ["", "spindle.rpm = 10_000\n", "arms.count = 2\n", "cache.write = false\n", "arbiter.policy = \"fcfs\"\n",
         "arms.count = 4\n", "buffer.size = \"2 MiB\"\n", "cache.look_ahead = false\n"]
NAMES = ["as_delivered", "rpm_10000", "two_arms", "write_through", "first_come", "four_arms", "small_buffer", "no_look_ahead"]
LOOKS = [(700, False), (1280, True), (1920, False), (700, True), (1920, True)]


def scenario(drives: int) -> str:
    return LOAD + "".join(f"\n[drives.{name}]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n{kind}"
                          for name, kind in list(zip(NAMES, KINDS))[:drives])


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not shutil.which("chromium"):
        pytest.skip("no chromium to open pages with")
    here = Browser(tmp_path_factory.mktemp("browser") / "profile")
    yield here
    here.close()


def inspect(browser, page) -> None:
    """Every look of a page is without fault, and it can be printed."""
    browser.look()
    browser.open(page)
    for width, dark in LOOKS:
        browser.look(width, dark)
        assert browser.faults() == [], f"{page.name} at {width} px, {'dark' if dark else 'light'}"
    browser.look(1040, dark=True, paper=True)  # A4 across without its margins
    assert browser.faults() == [], f"{page.name} on paper"
    assert browser.evaluate("getComputedStyle(document.body).color") == "rgb(27, 35, 48)", "paper is light"
    browser.look()
    printed = browser.pdf()
    assert printed.startswith(b"%PDF") and len(re.findall(rb"/Type /Page\b", printed)) >= 1
    assert browser.messages == []
    assert browser.evaluate("performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith('data:'))") == []


@pytest.mark.parametrize("drives", [1, 3, 8])
def test_the_pages_of_a_sweep_and_a_comparison_have_no_fault(bench, browser, drives):
    bench.write("s.toml", scenario(drives))
    more = ["--baseline", "as_delivered"] if drives > 1 else []
    bench.run("sweep", "s.toml", "--set", "workload.rate_per_s=20,70", "--set", "host.tags=4,16,32", "--requests", "--out", "w", *more)
    inspect(browser, bench.directory / "w/sweep.html")
    bench.armature("run", "s.toml", "--out", "r", "-q")
    bench.run("compare", "r", "--out", "c")
    inspect(browser, bench.directory / "c/compare.html")


def choose(browser, picture: str, **wanted: str) -> None:
    labels = {"x": "across", "y": "up", "z": "figure", "of": "drive", "at": "of", "sort": "coloured by"}
    for name, choice in wanted.items():
        told = labels[name] if not (picture == "lines") else {"x": "over", "y": "figure"}[name]
        browser.evaluate(f"""(() => {{ const s = document.querySelector('[aria-label={json.dumps(told + " of " + picture)}]');
            s.value = {json.dumps(choice)}; s.dispatchEvent(new Event('change')); }})()""")


def test_the_pictures_of_a_sweep_show_its_table(bench, browser):
    bench.write("s.toml", scenario(3))
    bench.run("sweep", "s.toml", "--set", "workload.rate_per_s=2,40,70", "--set", "host.tags=4,16", "--out", "w")
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


def test_a_sample_has_parallel_coordinates_with_a_line_each_point_and_drive(bench, browser):
    bench.write("s.toml", scenario(2))
    bench.run("sweep", "s.toml", "--sample", "7", "--set", "workload.rate_per_s=5..70 log", "--set", "spindle.rpm=5400..7200", "--set",
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


def test_a_fault_is_found(browser, tmp_path):
    """The measuring itself, on a page with one fault of each kind."""
    page = tmp_path / "bad.html"
    page.write_text('<!doctype html><body style="margin:0;background:#fff"><p style="position:absolute;top:0">first words</p>'
                    '<p style="position:absolute;top:4px">other words</p><p style="color:#eee;margin-top:99px">faint</p>'
                    '<div style="width:5000px">wide</div><svg width="40" height="20"><text x="20" y="15">out of it</text></svg>'
                    '<script>console.warn("a message")</script>')
    browser.look()
    browser.open(page)
    told = "\n".join(browser.faults())
    for words in ('"first words" and "other words" overlap', '"faint" is hardly seen', "the page is 5000 px wide", '"out of it" reaches out'):
        assert words in told
    assert browser.messages and "a message" in browser.messages[0]

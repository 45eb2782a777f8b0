"""The pages of every shipped scenario in a browser: complete, without a message in the console, without a fault of its looks. A few
of them, arrays above all, in the standard tier; all in the full one."""

from __future__ import annotations

import tomllib

import pytest
from conftest import ROOT

SCENARIOS = sorted(s for s in (ROOT / "scenarios").glob("*.toml") if "workload" in tomllib.loads(s.read_text()))
STANDARD = ("raid5",)
REQUESTS = 150


def short(scenario) -> list[str]:
    """Options that keep its run short: fewer requests, or of a trace less time."""
    workload = tomllib.loads(scenario.read_text())["workload"]
    return ["simulation.until_s=2"] if workload["kind"] == "trace" else [f"workload.count={REQUESTS}"]


def opened(browser, page) -> None:
    browser.look(1280)
    browser.open(page)
    assert browser.messages == [], page
    if page.name == "report.html":
        assert browser.evaluate("Boolean(document.querySelector('footer'))"), f"{page} ends in the middle"
    assert browser.evaluate("[...document.querySelectorAll('.study')].filter(p => !p.querySelector('.js-plotly-plot')).map(p => p.id)") == []
    assert browser.faults() == [], page
    narrow = browser.evaluate("[...document.querySelectorAll('.wide')].filter(w => w.querySelector('table') && w.scrollWidth > w.clientWidth + 1)"
                              ".map(w => w.textContent.slice(0, 80))")
    assert narrow == [], f"tables of {page} do not fit into 1,280 pixels"


@pytest.mark.parametrize(
    "scenario", [pytest.param(s, id=s.stem, marks=[] if s.stem in STANDARD else pytest.mark.full) for s in SCENARIOS])
def test_the_pages_of_a_shipped_scenario_are_complete(bench, browser, scenario):
    sets = [word for one in (*short(scenario), "output.request_log=true") for word in ("--set", one)]
    bench.armature("run", str(scenario), *sets, "--out", "r", "-q")
    opened(browser, bench.directory / "r/report.html")
    bench.run("compare", "r", "--out", "c", "--warm-up", "none")
    opened(browser, bench.directory / "c/compare.html")
    bench.run("sweep", str(scenario), *sets, "--set", "simulation.seed=1,2", "--out", "w", "-q")
    opened(browser, bench.directory / "w/sweep.html")


def test_a_script_that_stops_in_the_middle_is_found(bench, browser):
    bench.armature("run", "s.toml", "--out", "r", "-q")
    page = bench.directory / "r/report.html"
    text = page.read_text()
    last = "window.armatureEnergy(tools);"
    assert text.count(last) == 1
    page.write_text(text.replace(last, "undefined.rails;"))
    browser.look(1280)
    browser.open(page)
    assert browser.messages
    assert not browser.evaluate("Boolean(document.querySelector('footer'))")

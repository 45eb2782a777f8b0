"""Scenarios of one to eight drives, and the looks in which a page is inspected."""

from __future__ import annotations

import paper

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
LOOKS = [(700, False), (1280, True), (1920, False)]
ALL_LOOKS = [(width, dark) for width in (700, 900, 1100, 1280, 1600, 1920) for dark in (False, True)]

# Words of the page, those of charts left out: their ticks depend on their size.
_WORDS = """(() => {
  const show = how => document.querySelectorAll('.chart').forEach(chart => chart.style.visibility = how);
  show('hidden');
  const words = document.body.innerText;
  show('');
  return words;
})()"""


def scenario(drives: int) -> str:
    return LOAD + "".join(f"\n[drives.{name}]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n{kind}"
                          for name, kind in list(zip(NAMES, KINDS))[:drives])


def inspect(browser, page, looks=LOOKS) -> None:
    """Opened in every look, a page is without fault; so it is when its window changes, and printed."""
    for width, dark in looks:
        browser.look(width, dark)
        browser.open(page)
        assert browser.faults() == [], f"{page.name} at {width} px, {'dark' if dark else 'light'}"
    browser.look(looks[0][0], not looks[-1][1])
    assert browser.faults() == [], f"{page.name} made narrower, in the other colours"
    browser.look(1040, dark=True, paper=True)  # A4 across without its margins
    assert browser.faults() == [], f"{page.name} on paper"
    assert browser.evaluate("getComputedStyle(document.body).color") == "rgb(27, 35, 48)", "paper is light"
    wanted = browser.evaluate(_WORDS)
    browser.look()
    printed, charts = browser.pdf(), browser.evaluate("document.querySelectorAll('.chart').length")
    wrong = paper.faults(printed, wanted)
    assert wrong == [], f"{page.name} as PDF: {'; '.join(wrong[:5])}"
    assert paper.images(printed) >= charts, f"{page.name} as PDF: charts are empty"
    assert browser.messages == []
    assert browser.evaluate("performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith('data:'))") == []

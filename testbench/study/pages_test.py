"""The report in a browser with one, three and eight drives, light and dark, on screens of 700 to 1,920 px and as on paper: no
message, no texts that overlap, are cut off or cannot be seen; and its pictures show the run."""

from __future__ import annotations

import json
import re

import paper
import pytest
from looks import ALL_LOOKS, NAMES, inspect, scenario


@pytest.mark.parametrize("drives", [3])  # 1 and 8 below, in the full tier
def test_the_report_of_a_run_has_no_fault(bench, browser, drives):
    bench.write("s.toml", scenario(drives))
    bench.armature("run", "s.toml", "--out", "r", "-q")
    inspect(browser, bench.directory / "r/report.html")
    told = browser.evaluate("[...document.querySelectorAll('.contents a')].map(a => [a.textContent, "
                            "document.querySelector(a.getAttribute('href')).querySelector('h2').textContent])")
    assert len(told) >= 12 and all(a == b for a, b in told)
    assert ("Overview" in [a for a, _ in told]) == (drives > 1)
    head = browser.evaluate("document.querySelector('header').textContent")
    assert "armature run s.toml --out r -q" in head and re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d", head)


def test_the_overview_and_the_load_are_those_of_the_run(bench, browser):
    bench.write("s.toml", scenario(3))
    bench.armature("run", "s.toml", "--out", "r", "-q")
    browser.look()
    browser.open(bench.directory / "r/report.html")
    drives = json.loads(bench.read("r/summary.json"))["drives"]
    panels = browser.evaluate("Object.fromEntries([...document.querySelectorAll('.panels > div')].map(p => [p.querySelector('h3').textContent, "
                              "[...p.querySelectorAll('.bar i')].map(b => b.getBoundingClientRect().width)]))")
    for name, of in (("mean response, ms", lambda d: d["response"]["all"]["mean_ms"]), ("99 % answered within, ms", lambda d: d["response"]["all"]["p99_ms"]),
                     ("requests/s", lambda d: d["requests_per_s"]), ("average power, W", lambda d: d["energy"]["average_w"])):
        values = [of(d) for d in drives]
        for width, value in zip(panels[name], values, strict=True):
            assert width / max(panels[name]) == pytest.approx(value / max(values), abs=0.01), name
    assert len(browser.evaluate("[...document.querySelectorAll('.scatter circle')].map(c => c.getAttribute('fill'))")) == 3

    # Over time: the intervals hold each request once, its bytes, and the longest of them all.
    import csv
    import io

    data = browser.evaluate("JSON.parse(document.getElementById('data').textContent).drives.map(d => d.load)")
    for drive, load in zip(NAMES, data):
        rows = list(csv.DictReader(io.StringIO(bench.read(f"r/{drive}/requests.csv").decode())))
        assert sum(r[1] for r in load["rows"]) == len(rows) == 600
        assert sum(r[2] for r in load["rows"]) == sum(512 * int(r["sectors"]) for r in rows)
        slowest = max(rows, key=lambda r: float(r["response_us"]))
        longest = max(load["rows"], key=lambda r: r[4])
        assert longest[5] == int(slowest["id"]) and longest[4] == pytest.approx(float(slowest["response_us"]) / 1000, rel=1e-6)
        for middle, count, _, mean, *_ in load["rows"]:
            here = [float(r["response_us"]) / 1000 for r in rows
                    if abs(float(r["completion_us"]) / 1e6 - middle) <= load["interval_s"] / 2]
            assert len(here) == count and (not here or mean == pytest.approx(sum(here) / count, rel=1e-6))
        on_medium = [r for r in rows if int(r["accesses"])]
        assert sum(load["seeks"]) == sum(load["waits"]) == len(on_medium) > 100
        for i in (0, 1, 20, 39):
            assert load["seeks"][i] == sum(int(int(r["seek_cylinders"]) / load["seek_bin"]) == i for r in on_medium)
            assert load["waits"][i] == sum(int(float(r["rotation_us"]) / 1000 / load["wait_bin_ms"]) == i for r in on_medium)
        # How many were there when each arrived: those that arrived before it and had not completed.
        before = [sum(int(o["id"]) < int(r["id"]) and float(o["completion_us"]) > float(r["arrival_us"]) for o in rows) for r in rows]
        assert load["depths"][: max(before) + 2] == [before.count(n) for n in range(max(before) + 2)]


def test_a_click_on_a_spike_opens_the_life_of_its_request(bench, browser):
    bench.write("s.toml", scenario(3))
    bench.armature("run", "s.toml", "--out", "r", "-q")
    browser.look()
    browser.open(bench.directory / "r/report.html")
    told = browser.evaluate("""(() => {
      const place = document.querySelector('[data-drive=two_arms]'), chart = window.armatureCharts.find(c => c.maindiv_ === place);
      const rows = JSON.parse(document.getElementById('data').textContent).drives[2].load.rows.filter(r => r[1]);
      const longest = rows.reduce((a, b) => b[4] > a[4] ? b : a), canvas = chart.canvas_, box = canvas.getBoundingClientRect();
      const [x, y] = chart.toDomCoords(longest[0], longest[4]);
      const mouse = type => canvas.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true, view: window, button: 0,
        clientX: box.left + x, clientY: box.top + y, screenX: box.left + x, screenY: box.top + y}));
      ['mousemove', 'mousedown', 'mouseup', 'click'].forEach(mouse);
      const life = document.getElementById('request-two_arms-' + longest[5]);
      return {open: life && life.open, hash: location.hash, id: longest[5], cells: life ? [...life.querySelectorAll('.moments td:first-child')].map(c => c.textContent) : []};
    })()""")
    assert told["open"] and told["hash"] == f"#request-two_arms-{told['id']}"
    # In picoseconds, as events.csv has them.
    assert len(told["cells"]) > 3 and all(re.fullmatch(r"[\d,]+\.\d{9}", cell) for cell in told["cells"])


def test_where_the_time_goes_can_be_seen_without_the_wait_for_others(bench, browser):
    bench.write("s.toml", scenario(1))
    bench.armature("run", "s.toml", "--out", "r", "-q")
    browser.look()
    browser.open(bench.directory / "r/report.html")
    phases = json.loads(bench.read("r/summary.json"))["drives"][0]["response"]["all"]["phase_means_ms"]
    value = "Number(document.querySelector('.zoomable .value').textContent.replace(' ms', ''))"
    assert browser.evaluate(value) == pytest.approx(sum(phases.values()), abs=0.006)
    browser.evaluate("document.getElementById('service-only').click()")
    service = sum(v for k, v in phases.items() if k not in ("host_queue", "drive_queue"))
    assert browser.evaluate(value) == pytest.approx(service, abs=0.006) and service < 0.95 * sum(phases.values())


@pytest.mark.full
@pytest.mark.parametrize("drives", [1, 3, 8])
def test_every_page_in_every_look(bench, browser, drives):
    bench.write("s.toml", scenario(drives))
    bench.armature("run", "s.toml", "--out", "r", "-q")
    bench.run("compare", "r", "--out", "c")
    bench.run("sweep", "s.toml", "--sample", "5", "--set", "workload.rate_per_s=5..70 log", "--set", "host.tags=1..32", "--out", "w")
    for page in ("r/report.html", "c/compare.html", "w/sweep.html"):
        inspect(browser, bench.directory / page, ALL_LOOKS)


def test_a_sheet_of_paper_has_its_faults_found(browser, tmp_path):
    page = tmp_path / "bad.html"
    page.write_text('<!doctype html><style>@page { margin: 0 }</style><body style="margin:0"><p style="position:absolute;top:0">first</p>'
                    '<p style="position:absolute;top:4px">other</p><p style="position:absolute;top:90px;left:-20px">leaves</p>'
                    '<canvas width="90" height="90"></canvas>')
    browser.look()
    browser.open(page)
    printed = browser.pdf()
    told = "\n".join(paper.faults(printed, "first other leaves lost"))
    for words in ('"first" and "other" overlap on paper 1', 'leaves paper 1', '"lost" is not on the paper'):
        assert words in told
    assert paper.images(printed) == 0
    browser.evaluate("(() => { const c = document.querySelector('canvas').getContext('2d'); c.moveTo(0, 0); c.lineTo(80, 80); c.stroke(); })()")
    assert paper.images(browser.pdf()) == 1


def test_a_fault_is_found(browser, tmp_path):
    """The measuring itself, on a page with one fault of each kind."""
    page = tmp_path / "bad.html"
    page.write_text('<!doctype html><body style="margin:0;background:#fff"><p style="position:absolute;top:0">first words</p>'
                    '<p style="position:absolute;top:4px">other words</p><p style="color:#eee;margin-top:99px">faint</p>'
                    '<div style="width:5000px">wide</div><svg width="40" height="20"><text x="20" y="15">out of it</text></svg>'
                    '<div class="bar" style="width:3px;height:20px"></div>'
                    '<div style="overflow:hidden;width:30px;white-space:nowrap">a name that is cut</div><p>NaN W</p>'
                    '<div class="chart" style="width:200px;height:40px"><canvas width="300" height="20"></canvas></div>'
                    '<table style="position:absolute;top:300px;width:80px;height:40px"></table><pre style="position:absolute;top:305px;width:80px;height:40px;margin:0"></pre><script>console.warn("a message")</script>')
    browser.look()
    browser.open(page)
    told = "\n".join(browser.faults())
    for words in ('"first words" and "other words" overlap', '"faint" is hardly seen', "the page is 5000 px wide", '"out of it" reaches out', "a bar is 3 x 20 px",
                  '"a name that is cut" is cut off', '"NaN W" is no figure', "the picture is 300 px wide in a place of 200 px", "table \"\" and pre \"\" overlap by 80 x 35 px"):
        assert words in told
    assert browser.messages and "a message" in browser.messages[0]


def test_slanted_words_are_measured_as_they_stand(browser, tmp_path):
    def words(apart: int) -> str:
        labels = "".join(f'<text x="{40 + apart * i}" y="30" transform="rotate(30,{40 + apart * i},30)">{i} at 6200 rpm</text>' for i in range(4))
        return f'<!doctype html><body style="margin:0;background:#fff"><svg width="600" height="200" style="font:13px sans-serif">{labels}</svg>'

    browser.look()
    for apart, found in ((40, 0), (12, 3)):  # their boxes overlap both times
        page = tmp_path / f"{apart}.html"
        page.write_text(words(apart))
        browser.open(page)
        faults = browser.faults()
        assert sum("overlap" in fault for fault in faults) >= found and bool(faults) == bool(found), faults
        assert not [fault for fault in paper.faults(browser.pdf(), "at 6200 rpm lost") if "not on" in fault and "lost" not in fault]
        assert '"lost" is not on the paper' in paper.faults(browser.pdf(), "at 6200 rpm lost")

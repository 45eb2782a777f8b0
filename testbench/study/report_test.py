"""A run's report in a browser: nothing is fetched, nothing goes wrong, every picture is there and can be zoomed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

# Asks the page, and does what a user would do with a mouse.
_PROBE = """
<script>
addEventListener('load', () => setTimeout(() => {
  const found = {charts: [], bars: [], resources: performance.getEntriesByType('resource').map(e => e.name)};
  for (const chart of window.armatureCharts) {
    const canvas = chart.canvas_, at = canvas.getBoundingClientRect(), area = chart.getArea();
    const ink = (() => {
      const bits = chart.hidden_.getContext('2d').getImageData(0, 0, chart.hidden_.width, chart.hidden_.height).data;
      let count = 0;
      for (let i = 3; i < bits.length; i += 4) count += bits[i] > 0;
      return count;
    })();
    const before = chart.xAxisRange();
    const mouse = (type, target, part) => target.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true, view: window, button: 0,
      clientX: at.left + area.x + part * area.w, clientY: at.top + area.y + area.h / 2}));
    mouse('mousedown', canvas, 0.3);
    mouse('mousemove', document, 0.6);
    mouse('mouseup', document, 0.6);
    const after = chart.xAxisRange();
    found.charts.push({ink, part: (after[1] - after[0]) / (before[1] - before[0])});
  }
  for (const place of document.querySelectorAll('.zoomable')) {
    const width = () => Math.max(...[...place.querySelectorAll('.bar')].map(bar => [...bar.children].reduce((w, i) => w + i.getBoundingClientRect().width, 0)));
    const shortest = [...place.querySelectorAll('.bar')].map(bar => [bar, [...bar.children].reduce((w, i) => w + i.getBoundingClientRect().width, 0)])
      .sort((a, b) => a[1] - b[1])[0];
    const before = width();
    shortest[0].click();
    found.bars.push({before, after: width(), shortest: shortest[1]});
  }
  const link = document.querySelector('a[href^="#request-"]');
  link.click();
  setTimeout(() => {
    const life = document.getElementById(link.getAttribute('href').slice(1));
    found.life = {open: life.open, text: life.textContent, rows: life.querySelectorAll('tbody tr').length};
    found.sections = [...document.querySelectorAll('h2')].map(h => h.textContent);
    found.configuration = document.querySelector('section:last-of-type pre').textContent;
    const out = document.createElement('script');
    out.type = 'application/json';
    out.id = 'found';
    out.textContent = JSON.stringify(found).replace(/</g, '\\u003c');
    document.body.append(out);
  }, 200);
}, 500));
</script>
"""


def browse(bench, page: str) -> subprocess.CompletedProcess:
    browser = shutil.which("chromium")
    if not browser:
        pytest.skip("no chromium to open it with")
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
                           "--window-size=1280,6000", "--host-resolver-rules=MAP * ~NOTFOUND",
                           f"--user-data-dir={bench.directory}/profile", "--virtual-time-budget=10000", "--dump-dom",
                           f"file://{bench.directory}/{page}"], capture_output=True, text=True, timeout=150, check=True)


@pytest.fixture
def opened(bench):
    """What the probe found in the report of a run of two drives."""
    bench.write("s.toml", """
[workload]
kind = "open"
rate_per_s = 80
read_fraction = 0.6
count = 1500

[drives.plain]
model = "drives/quantum_atlas_10k.toml"
cache.look_ahead = false
cache.write = false
[drives.cached]
model = "drives/quantum_atlas_10k.toml"
""")
    bench.armature("run", "s.toml", "--out", "r", "-q")
    text = bench.read("r/report.html").decode()
    assert text.count("</body>") == 1
    bench.write("r/probed.html", text.replace("</body>", _PROBE + "</body>"))
    done = browse(bench, "r/probed.html")
    assert "CONSOLE" not in done.stderr, done.stderr
    match = re.search(r'<script type="application/json" id="found">(.*?)</script>', done.stdout, re.S)
    assert match, "the probe did not come to its end"
    return json.loads(match[1])


def test_the_report_opens_without_a_message_and_fetches_nothing(bench, opened):
    assert opened["resources"] == []
    text = bench.read("r/report.html").decode()
    assert "default-src 'none'" in text
    assert not re.search(r"<(script|link|img|iframe)[^>]*(src|href)=[\"']?(https?:)?//", text)


def test_every_picture_is_drawn_and_a_drag_zooms_it(opened):
    # Distribution and tail; two rates; response time over time, arm, its sample, number in the system for each drive; three
    # histograms; hits of the one that has some.
    assert len(opened["charts"]) == 2 + 2 + 4 * 2 + 3 + 1
    for chart in opened["charts"]:
        assert chart["ink"] > 200, "an empty picture"
        assert chart["part"] < 0.75, "a drag over three tenths of the width"
    assert len(opened["bars"]) == 2
    for bars in opened["bars"]:
        assert bars["after"] > bars["before"] * 1.05 or bars["shortest"] > 0.95 * bars["before"]


def test_a_slow_request_leads_to_its_life_and_its_window_in_the_waves(bench, opened):
    life = opened["life"]
    assert life["open"] and life["rows"] >= 5
    # Of the drive plain, the first shown: its slowest request.
    rows = [line.split(",") for line in bench.read("r/plain/requests.csv").decode().splitlines()]
    name = {column: i for i, column in enumerate(rows[0])}
    slowest = max(rows[1:], key=lambda row: float(row[name["response_us"]]))
    assert f"Request {slowest[name['id']]}:" in life["text"]
    window = re.search(r"From ([0-9.]+) s to ([0-9.]+) s", life["text"])
    assert float(window[1]) == pytest.approx(float(slowest[name["arrival_us"]]) / 1e6, abs=1e-9)
    assert float(window[2]) == pytest.approx(float(slowest[name["completion_us"]]) / 1e6, abs=1e-9)
    # What it says can be done, can be.
    told = re.search(r"armature (explain .*)", life["text"])[1].split()
    told[told.index(".")] = "r"
    bench.armature(*told)
    around = re.search(r"armature (run resolved.toml .*)", life["text"])[1].split()
    around[1] = "r/resolved.toml"
    bench.armature(*around, "-q")
    assert (bench.directory / "waves/waves.fst").exists()


def test_the_resolved_configuration_is_in_the_report(bench, opened):
    assert opened["configuration"].strip() == bench.read("r/resolved.toml").decode().strip()
    assert opened["sections"][:2] == ["Overview", "Response time and load"] and "Slowest requests" in opened["sections"]


def test_a_drive_of_several_arms_has_a_table_and_a_picture_of_them(bench):
    bench.write("arms.toml", """
[workload]
kind = "closed"
outstanding = 16
count = 400

[drives.four]
model = "drives/quantum_atlas_10k.toml"
arms.count = 2
arms.stacks = 2
faults = [{kind = "stuck_arm", at_s = 0.1, arm = 2}]
[drives.one]
model = "drives/quantum_atlas_10k.toml"
""")
    bench.armature("run", "arms.toml", "--out", "a", "-q")
    done = browse(bench, "a/report.html")
    assert "CONSOLE" not in done.stderr, done.stderr
    arms = re.search(r'<section id="arms"><h2>Arms</h2>(.*?)</section>', done.stdout, re.S)[1]
    pictures = re.findall(r"<svg.*?</svg>", arms, re.S)
    assert len(pictures) == 2, "a stack each"
    assert [re.findall(r"<title>arm (\d)</title>", picture) for picture in pictures] == [["0", "1"], ["2", "3"]]
    assert [picture.count("stroke-dasharray=\"3 6\"") for picture in pictures] == [0, 1], "the one that failed"
    assert "NaN" not in arms
    summary = json.loads(bench.read("a/summary.json"))["drives"][0]["arms"]
    rows = [[re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", row, re.S)]
            for row in re.findall(r"<tr>(.*?)</tr>", arms, re.S)[1:]]
    assert [row[:2] for row in rows] == [[str(arm["arm"]), str(arm["requests"])] for arm in summary]
    assert [row[-1] for row in rows] == ["", "", "at 0.100 s", ""]
    for row, arm in zip(rows, summary, strict=True):
        assert float(row[7]) == pytest.approx(100 * arm["utilisation"], abs=0.051)
        assert sum(map(float, row[2:6])) == pytest.approx(100, abs=0.3)


_ENERGY_PROBE = """
<script>
addEventListener('load', () => setTimeout(() => {
  const section = [...document.querySelectorAll('section')].find(s => s.querySelector('h2').textContent === 'Energy');
  const found = {rows: [...section.querySelectorAll('tbody tr')].map(r => [...r.children].map(c => c.textContent)), bars: []};
  for (const bars of section.querySelectorAll('.bars')) {
    const names = [...bars.querySelectorAll('.name')].map(n => n.textContent);
    found.bars.push([...bars.querySelectorAll('.bar')].map((bar, i) => ({name: names[i], whole: bar.getBoundingClientRect().width,
      parts: [...bar.children].map(p => [p.getAttribute('title').split(':')[0], p.getBoundingClientRect().width])})));
  }
  found.charts = window.armatureCharts.filter(c => section.contains(c.maindiv_)).map(c => {
    const bits = c.hidden_.getContext('2d').getImageData(0, 0, c.hidden_.width, c.hidden_.height).data;
    let ink = 0;
    for (let i = 3; i < bits.length; i += 4) ink += bits[i] > 0;
    return {ink, most: Math.max(...c.rawData_.map(r => r[3])), area: c.rawData_.reduce((sum, r) => sum + r[2], 0) / c.rawData_.length};
  });
  found.tiles = [...document.querySelectorAll('.tile')].map(t => t.textContent);
  const out = document.createElement('script');
  out.type = 'application/json';
  out.id = 'found';
  out.textContent = JSON.stringify(found).replace(/</g, '\\\\u003c');
  document.body.append(out);
}, 500));
</script>
"""


def energy_of(bench, scenario: str) -> tuple[dict, dict]:
    bench.write("energy.toml", scenario)
    bench.armature("run", "energy.toml", "--out", "e", "-q")
    bench.write("e/probed.html", bench.read("e/report.html").decode().replace("</body>", _ENERGY_PROBE + "</body>"))
    done = browse(bench, "e/probed.html")
    assert "CONSOLE" not in done.stderr, done.stderr
    match = re.search(r'<script type="application/json" id="found">(.*?)</script>', done.stdout, re.S)
    assert match, "the probe did not come to its end"
    return json.loads(match[1]), json.loads(bench.read("e/summary.json"))


_ENERGY_LOAD = """
[workload]
kind = "open"
rate_per_s = 50
read_fraction = 0.6
count = 1500
"""


def test_energy_is_drawn_as_long_as_the_joules_are_many(bench):
    found, summary = energy_of(bench, _ENERGY_LOAD + """
[drives.es]
model = "drives/seagate_barracuda_es_750.toml"
""")
    energy = summary["drives"][0]["energy"]
    components = {name: values for name, values in energy["components"].items() if values["energy_j"] > 0}
    longest = max(values["energy_j"] for values in components.values())
    for bars, by in zip(found["bars"], ("by_mode_j", "by_rail_j"), strict=True):
        assert [bar["name"] for bar in bars] == list(components)
        for bar in bars:
            joules = {kind.replace("_", " "): j for kind, j in components[bar["name"]][by].items() if j > 0}
            assert [kind for kind, _ in bar["parts"]] == list(joules)
            for kind, width in bar["parts"]:
                assert width == pytest.approx(joules[kind] / longest * bar["whole"], abs=0.1)
    # Power over time: its mean is the run's average power but for the last interval's length, and the peak is in it.
    (chart,) = found["charts"]
    assert chart["ink"] > 2000
    assert chart["most"] == pytest.approx(energy["peak_w"], rel=1e-6)
    assert chart["area"] == pytest.approx(energy["average_w"], rel=0.01)
    assert f"{energy['average_w']:.2f} Waverage power" in found["tiles"]
    assert f"{energy['energy_per_request_j']:.3f} Jenergy a request" in found["tiles"]
    assert f"{energy['energy_j']:,.2f}" in found["rows"][0]


def test_energies_of_a_few_millijoules_have_digits(bench):
    found, summary = energy_of(bench, _ENERGY_LOAD + """
[drives.g2]
model = "drives/mems/g2.toml"
""")
    joules = summary["drives"][0]["energy"]["energy_per_request_j"]
    assert joules < 0.01
    assert f"{joules:.6f} Jenergy a request" in found["tiles"]


def test_a_drive_without_power_says_so_beside_one_that_has_it(bench):
    found, _ = energy_of(bench, _ENERGY_LOAD + """
[drives.es]
model = "drives/seagate_barracuda_es_750.toml"
[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
""")
    assert found["rows"][1][1] == "its drive file has no power"
    assert len(found["bars"]) == 2 and len(found["charts"]) == 1

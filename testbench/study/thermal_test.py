"""Temperatures of a run: the steady state by hand, waves, report, and what is refused (docs/guide/thermal.md)."""

from __future__ import annotations

import json
import math
import subprocess

import pytest
from conftest import ROOT

SCENARIO = """
[workload]
kind = "closed"
count = 2000
outstanding = 4
[drives.disk]
model = "{model}"
thermal.case_k_w = 1.5
thermal.ambient_c = 30
{more}
[output]
directory = "out"
"""


def scenario(bench, model: str = "drives/seagate_barracuda_es_750.toml", more: str = "") -> None:
    bench.write("s.toml", SCENARIO.format(model=model, more=more))


def drive_of(bench) -> dict:
    return json.loads(bench.read("out/summary.json"))["drives"][0]


def test_the_case_ends_where_its_power_and_resistance_say(bench) -> None:
    scenario(bench)
    bench.armature("run", "s.toml", "--quiet")
    drive = drive_of(bench)
    energy, parts = drive["energy"], drive["thermal"]["parts"]
    assert parts["case"]["steady_c"] == pytest.approx(30 + 1.5 * energy["average_w"], abs=1e-6)
    spindle = energy["components"]["spindle"]["average_w"]
    assert parts["spindle"]["steady_c"] - parts["case"]["steady_c"] == pytest.approx(1.0 * spindle, abs=1e-6)
    arms = sum(part["average_w"] for name, part in energy["components"].items() if name.startswith(("vcm", "preamp")))
    assert parts["arms"]["steady_c"] - parts["case"]["steady_c"] == pytest.approx(4.0 * arms, abs=1e-6)
    assert all(30 < part["end_c"] < part["steady_c"] for part in parts.values())


def test_what_begins_in_the_steady_state_stays_there(bench) -> None:
    """An idle drive that has stood for days: its temperatures do not move."""
    scenario(bench)
    bench.armature("run", "s.toml", "--quiet", "--set", "workload.think_ms=50000", "--set", "workload.count=60")
    drive = drive_of(bench)
    seconds = drive["end_s"]
    assert seconds > 5 * drive["thermal"]["time_constant_s"] / 10
    share = 1 - math.exp(-seconds / drive["thermal"]["time_constant_s"])
    case = drive["thermal"]["parts"]["case"]
    assert case["end_c"] - 30 == pytest.approx((case["steady_c"] - 30) * share, rel=0.15)


def test_a_steady_load_gives_the_same_in_steps_of_any_length(bench) -> None:
    scenario(bench)
    ends = []
    for step in ("0.05", "1", "20"):
        bench.armature("run", "s.toml", "--quiet", "--set", f"thermal.step_s={step}")
        ends.append(drive_of(bench)["thermal"]["parts"]["case"]["end_c"])
    assert ends == pytest.approx([ends[0]] * 3, abs=0.01)


def test_waves_and_report_have_the_parts(bench) -> None:
    scenario(bench)
    bench.armature("run", "s.toml", "--quiet", "--waves", "--scope", "*.thermal.*", "--set", "workload.count=200")
    table = subprocess.run([bench.environment["ARMATURE_BINARY"], "samples", "out", "--hz", "2"], cwd=bench.directory, check=True,
                           capture_output=True, text=True).stdout
    assert all(f"thermal.{part}" in table for part in ("spindle", "arms", "board", "case"))
    assert '"temperatures":' in bench.read("out/report.html").decode()


@pytest.mark.parametrize("more, says", [
    ("thermal.limit = 60", "no such key"),
    ("thermal.mass_g = 0", "out of range"),
])
def test_bad_keys_are_refused(bench, more: str, says: str) -> None:
    scenario(bench, more=more)
    done = subprocess.run([bench.environment["ARMATURE_BINARY"], "check", "s.toml"], cwd=bench.directory, capture_output=True, text=True)
    assert done.returncode == 2 and says in done.stderr


def test_a_drive_without_powers_has_no_temperatures(bench) -> None:
    scenario(bench, model="drives/quantum_atlas_10k.toml")
    done = subprocess.run([bench.environment["ARMATURE_BINARY"], "check", "s.toml"], cwd=bench.directory, capture_output=True, text=True)
    assert done.returncode == 2 and "needs the drive's powers" in done.stderr


def test_the_page_has_the_sweeps_figures(bench) -> None:
    """The row of one arm and 7,200 rpm of docs/lab/thermal-arms.md."""
    bench.armature("run", str(ROOT / "scenarios/thermal.toml"), "--quiet", "--out", "out", "--set", "workload.count=20000")
    drive = drive_of(bench)
    row = f"| 1 | 7200 | {drive['thermal']['parts']['case']['steady_c']:.2f} | {drive['energy']['average_w']:.2f} | {drive['response']['all']['mean_ms']:.2f} |"
    assert row in (ROOT / "docs/lab/thermal-arms.md").read_text()


WARMS_FAST = """
[workload]
kind = "closed"
count = {count}
outstanding = 8
{more}
[drives.disk]
model = "drives/hitachi_ultrastar_a7k1000.toml"
arms.count = 4
arms.design = "MC"
seek.acquire_ms = 20
thermal.case_k_w = 1
thermal.ambient_c = 35
thermal.mass_g = 2
thermal.start_c = 55
host.verify = true
media.contents = "memory"
[output]
directory = "out"
"""


def test_a_host_reads_the_temperature(bench) -> None:
    """Attributes, SCT status and history, statistics: as decoded."""
    bench.write("s.toml", WARMS_FAST.format(count=10, more="").replace("start_c = 55", "start_c = 20"))
    script = ["wait 200 s", "smart read data", "read log ext log=0x04 page=0", "read log ext log=0x04 page=5", "read log ext log=0xE0",
              'write log ext log=0xE0 data_hex="050001000200"', "read log ext log=0xE1"]
    arguments = [part for line in script for part in ("-c", line)]
    told = subprocess.run([bench.environment["ARMATURE_BINARY"], "ata", "s.toml", *arguments], cwd=bench.directory, check=True,
                          capture_output=True, text=True).stdout
    text = " ".join(told.split())
    now = int(text.split("current temperature ")[1].split()[0])
    assert 40 < now < 60
    assert f"attribute 194, temperature value {100 - now} worst {100 - now} raw {now + (20 << 16) + (now << 32)}" in text
    assert f"value {100 - now} worst {100 - now} raw {now + (20 << 16) + (now << 32)} flags 0022h" in text
    assert f"highest temperature {now} C" in text and "lowest temperature 20 C" in text
    assert "specified maximum operating temperature 60 C" in text and "page 05h temperature statistics" in text
    assert "entries 128, 4 with a temperature" in text  # at 0, 1, 2, 3 minutes


def test_without_temperatures_a_drive_tells_none(bench) -> None:
    bench.write("s.toml", WARMS_FAST.format(count=10, more="").replace("thermal.case_k_w = 1", ""))
    told = subprocess.run([bench.environment["ARMATURE_BINARY"], "ata", "s.toml", "-c", "smart read data", "-c", "read log ext log=0x04 page=5",
                           "-c", "read log ext log=0xE0"], cwd=bench.directory, check=True, capture_output=True, text=True).stdout
    assert "attribute 194" not in told and "another page was asked for" in told and "unknown" in told


def test_a_warm_drive_throttles_and_loses_nothing(bench) -> None:
    bench.write("s.toml", WARMS_FAST.format(count=8000, more="read_fraction = 0.5"))
    found = {}
    for at in ("0", "58"):
        bench.armature("run", "s.toml", "--quiet", "--set", f"throttle.at_c={at}", "--set", "throttle.every_s=2")
        drive = found[at] = drive_of(bench)
        assert drive["completed"] == 8000 and drive["failed"] == 0
        assert sum(part["energy_j"] for part in drive["energy"]["components"].values()) == pytest.approx(drive["energy"]["energy_j"], rel=1e-9)
    free, cooled = found["0"], found["58"]
    assert "throttled_share" not in free["counters"]
    assert 0 < cooled["counters"]["throttled_share"] <= 1 and cooled["counters"]["throttle_measures"] >= 2
    assert cooled["thermal"]["parts"]["case"]["end_c"] < free["thermal"]["parts"]["case"]["end_c"] - 1
    assert cooled["response"]["all"]["mean_ms"] > free["response"]["all"]["mean_ms"]
    assert "throttled_share" in bench.read("out/report.html").decode()


def test_warm_coils_draw_more_as_copper_does(bench) -> None:
    """In the steady state: power by the table, times one and the rise of the resistance."""
    bench.write("s.toml", WARMS_FAST.format(count=4000, more=""))
    base = ["run", "s.toml", "--quiet", "--set", "thermal.arms_k_w=1", "--set", "thermal.step_s=0.1", "--set", "thermal.mass_g=1"]
    bench.armature(*base)
    plain = drive_of(bench)
    bench.armature(*base, "--set", "thermal.coil_per_k=0.00393")
    warm = drive_of(bench)
    coils = [sum(part["energy_j"] for name, part in drive["energy"]["components"].items() if name.startswith("vcm"))
             for drive in (plain, warm)]
    celsius = warm["thermal"]["parts"]["arms"]["end_c"]
    assert plain["end_s"] == warm["end_s"] and celsius > plain["thermal"]["parts"]["arms"]["end_c"]
    assert coils[1] / coils[0] == pytest.approx(1 + 0.00393 * (celsius - 25), rel=0.02)
    assert sum(part["energy_j"] for part in warm["energy"]["components"].values()) == pytest.approx(warm["energy"]["energy_j"], rel=1e-9)


def test_a_cold_spindle_drags(bench) -> None:
    bench.write("s.toml", WARMS_FAST.format(count=500, more=""))
    bench.armature("run", "s.toml", "--quiet")
    plain = drive_of(bench)["energy"]["components"]["spindle"]["energy_j"]
    bench.armature("run", "s.toml", "--quiet", "--set", "thermal.drag_per_k=0.02", "--set", "thermal.drag_c=90")
    assert 1.05 * plain < drive_of(bench)["energy"]["components"]["spindle"]["energy_j"] < 2 * plain


def test_the_waves_have_a_group_of_temperatures(bench) -> None:
    scenario(bench)
    bench.armature("run", "s.toml", "--quiet", "--waves", "--scope", "*.thermal.*", "--set", "workload.count=200")
    view = bench.read("out/waves.gtkw").decode()
    assert "-Temperatures\n" in view and view.count("case, C") == 1


@pytest.mark.parametrize("more, says", [
    ("throttle.at_c = 50\nthermal.case_k_w = 0", "needs the drive's temperatures"),
    ("throttle.at_c = 50\nthrottle.arms = false\nthrottle.quiet = false", "no measure"),
    ("thermal.least_c = 70", "must be below thermal.limit_c"),
])
def test_keys_that_do_not_go_together_are_refused(bench, more: str, says: str) -> None:
    text = SCENARIO.format(model="drives/seagate_barracuda_es_750.toml", more=more)
    if "case_k_w = 0" in more:
        text = text.replace("thermal.case_k_w = 1.5\n", "")
    bench.write("s.toml", text)
    done = subprocess.run([bench.environment["ARMATURE_BINARY"], "check", "s.toml"], cwd=bench.directory, capture_output=True, text=True)
    assert done.returncode == 2 and says in done.stderr


def test_the_envelope_of_a_sweep(bench) -> None:
    scenario(bench, more="thermal.rise_c = 30")
    bench.call("sweep", "s.toml", "--set", "arms.count=1,2", "--set", "spindle.rpm=5400,10000", "--set", "workload.count=200", "--requests",
               "--out", "sweep")
    told = bench.call("envelope", "sweep", "--out", "e.svg").stdout
    assert told.count("+") == 4 and "within up to" in told and b"allowed" in bench.read("e.svg")
    assert "once each" in bench.call("envelope", "sweep", "--along", "arms.count", "--lines", "workload.kind", status=2).stderr


def test_a_store_has_temperatures_too(bench) -> None:
    bench.write("s.toml", """
[workload]
kind = "closed"
count = 500
outstanding = 4
[drives.store]
model = "drives/MODEL"
thermal.case_k_w = 20
thermal.mass_g = 20
[output]
directory = "out"
""".replace("MODEL", "mems/g2_dissertation.toml"))
    bench.armature("run", "s.toml", "--quiet")
    drive = drive_of(bench)
    parts = drive["thermal"]["parts"]
    assert parts["case"]["steady_c"] == pytest.approx(25 + 20 * drive["energy"]["average_w"], abs=1e-6)
    assert parts["arms"]["steady_c"] > parts["case"]["steady_c"] == pytest.approx(parts["spindle"]["steady_c"], abs=1e-6)
    told = subprocess.run([bench.environment["ARMATURE_BINARY"], "ata", "s.toml", "-c", "smart read data"], cwd=bench.directory,
                          check=True, capture_output=True, text=True).stdout
    assert "attribute 194, temperature" in told


def test_lifetime_extremes_outlive_a_loss_of_power(bench) -> None:
    """The drive was at 20 C once: attribute 194 still says so, 190 counts from power-on."""
    bench.write("s.toml", WARMS_FAST.format(count=10, more="").replace("start_c = 55", "start_c = 20"))
    script = ["wait 200 s", "standby immediate", "wait 2 s", "power off", "wait 1 s", "power on", "wait 20 s", "smart read data"]
    arguments = [part for line in script for part in ("-c", line)]
    told = subprocess.run([bench.environment["ARMATURE_BINARY"], "ata", "s.toml", *arguments], cwd=bench.directory, check=True,
                          capture_output=True, text=True).stdout
    raws = [int(line.split(" raw ")[1].split()[0]) for line in told.splitlines() if "attribute 19" in line and "emperature" in line]
    lowest = [raw >> 16 & 0xFFFF for raw in raws]
    assert lowest[0] > 30 and lowest[1] == 20

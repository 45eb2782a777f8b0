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
    """The row of one arm and 7,200 rpm of docs/guide/thermal.md."""
    bench.armature("run", str(ROOT / "scenarios/thermal.toml"), "--quiet", "--out", "out", "--set", "workload.count=20000")
    drive = drive_of(bench)
    cell = f"{drive['thermal']['parts']['case']['steady_c']:.1f} C, {drive['energy']['average_w']:.1f} W, {drive['response']['all']['mean_ms']:.1f} ms"
    assert cell in (ROOT / "docs/guide/thermal.md").read_text()

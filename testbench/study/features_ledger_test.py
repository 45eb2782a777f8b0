"""Figures of runs with work on spare arms, changes of speed, governors, throttling and refresh agree with each other: the
parts of the energy add up to the whole, phases to response times, and each component is in one state at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "testbench/fuzz/scenarios"))

import figures  # noqa: E402

SCENARIOS = ("spare_arm_scan", "spare_arm_list", "governor", "power_budget", "throttle", "mems_scan", "mems_throttle", "arms_or_speed")


@pytest.mark.parametrize("name", SCENARIOS)
def test_figures_of_a_run_agree(tmp_path: Path, name: str) -> None:
    command = [os.environ["ARMATURE_BINARY"], "run", ROOT / f"scenarios/{name}.toml", "-q", "--out", tmp_path, "--set", "workload.count=1500"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names = [drive["name"] for drive in json.loads((tmp_path / "summary.json").read_text())["drives"]]
    summary = figures.check(tmp_path, names)
    assert all(drive["energy"]["energy_j"] > 0 for drive in summary["drives"])

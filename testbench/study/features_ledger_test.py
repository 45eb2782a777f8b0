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


TURNING = ("spin_up", "at_")  # states in which a stack draws power


def state_energies(place: Path, drive: str, summary: dict) -> int:
    """The states of energy.csv against those of the run: the same times, and each in which a stack turns by its motor draws. Returns how
    many were compared."""
    states = {entry["component"]: entry["states"] for entry in summary["utilisation"]}
    seen = 0
    for row in figures.rows_of(place / "energy.csv"):
        path, _, state = row["name"].rpartition(":")
        if row["view"] != "state" or f"{drive}.{path}" not in states:
            continue
        told, counted = float(row["time_s"]), states[f"{drive}.{path}"][state]["time_s"]
        assert figures.near(told, counted, 1e-9, 1e-9), f"{drive} {row['name']}: {told} s in energy.csv, {counted} s in summary.json"
        if row["component"] == "spindle" and row["rail"] == "12V" and state.startswith(TURNING) and told > 0:
            assert float(row["energy_j"]) > 0, f"{drive} {row['name']} draws nothing in {told} s"
        seen += 1
    return seen


@pytest.mark.parametrize("name", SCENARIOS)
def test_figures_of_a_run_agree(tmp_path: Path, name: str) -> None:
    command = [os.environ["ARMATURE_BINARY"], "run", ROOT / f"scenarios/{name}.toml", "-q", "--out", tmp_path, "--set", "workload.count=1500"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names = [drive["name"] for drive in json.loads((tmp_path / "summary.json").read_text())["drives"]]
    summary = figures.check(tmp_path, names)
    compared = [state_energies(tmp_path / name if len(names) > 1 else tmp_path, name, summary) for name in names]
    assert sum(compared) > 0
    assert all(drive["energy"]["energy_j"] > 0 for drive in summary["drives"])

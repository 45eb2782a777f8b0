"""Writes the table of docs/guide/governor.md: each means of scenarios/governor.toml alone, and the governor, on three loads.

    python3 models/app/shell/governor_table.py ./armature docs/guide/governor.md [--check]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import marked_region

BEGIN, END = "<!-- governor: written by ./armature gen governor -->\n", "<!-- end of governor -->\n"
DRIVE = "drives.governed"
LOADS = {
    "10 a second": ["workload.rate_per_s=10", "workload.count=6000"],
    "60 a second": ["workload.rate_per_s=60", "workload.count=36000"],
    "bursts: 100 a second, then none": ["workload.rate_per_s=40", "workload.count=24000", "workload.bursts.on_ms=60000",
                                        "workload.bursts.off_ms=90000", "workload.bursts.lengths=fixed"],
}
_ALONE = "governor.objective=watts", "governor.cap_w=0.001"  # one setting, whatever the power


def _alone(rpm: int, arms: int, quiet: int) -> list[str]:
    return [f"{DRIVE}.{key}" for key in (*_ALONE, f"governor.settings=[[{rpm}, {arms}, {quiet}, 4]]")]


CHOICES = {
    "none": [f"{DRIVE}.governor.objective=off"],
    "quiet seeks": _alone(7200, 2, 1),
    "one arm": _alone(7200, 1, 0),
    "5,400 rpm": [f"{DRIVE}.governor.objective=off", f"{DRIVE}.speed.policy=full", f"{DRIVE}.spindle.speeds_rpm=[]",
                  f"{DRIVE}.spindle.rpm=5400"],
    "4,200 rpm": [f"{DRIVE}.governor.objective=off", f"{DRIVE}.spindle.speeds_rpm=[]", f"{DRIVE}.spindle.rpm=4200"],
    "governor: p99 of 60 ms": [],
    "governor: 9 W": [f"{DRIVE}.governor.objective=watts", f"{DRIVE}.governor.cap_w=9"],
}


def figures(program: str, root: Path, sets: list[str]) -> dict:
    with tempfile.TemporaryDirectory() as out:
        arguments = [program, "run", str(root / "scenarios/governor.toml"), "--quiet", "--out", out]
        for one in sets:
            arguments += ["--set", one]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)}: status {done.returncode}\n{done.stderr}")
        return json.loads((Path(out) / "summary.json").read_text())


def row(load: str, choice: str, summary: dict) -> str:
    drive = summary["drives"][0]
    energy, response = drive["energy"], drive["response"]["all"]
    steps = drive["counters"].get("governor_steps", 0)
    return (f"| {load} | {choice} | {energy['average_w']:.2f} | {energy['energy_j'] / drive['completed']:.3f} | "
            f"{response['mean_ms']:.1f} | {response['p99_ms']:.1f} | {steps or ''} |")


def table(program: str, root: Path) -> str:
    lines = ["| load | means | W | J a request | mean, ms | p99, ms | steps |", "|---|---|---|---|---|---|---|"]
    for load, of_load in LOADS.items():
        for choice, sets in CHOICES.items():
            lines.append(row(load, choice, figures(program, root, of_load + sets)))
            load = ""
    return "\n".join(lines) + "\n"


def main() -> int:
    wrapper, path = Path(sys.argv[1]), Path(sys.argv[2])
    program = os.environ.get("ARMATURE_BINARY") or str(wrapper.parent / ".build/release/models/app/armature")
    text = "\n" + table(program, wrapper.parent) + "\n"
    return marked_region.write(path, BEGIN, text, END, "gen governor", "--check" in sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())

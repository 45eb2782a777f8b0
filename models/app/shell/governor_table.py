"""Writes the tables of docs/lab/governor-results.md: each means of scenarios/governor.toml alone, and the governor, on three loads; and
scenarios/power_budget.toml with both kinds of shares on three loads.

    python3 models/app/shell/governor_table.py ./armature docs/lab/governor-results.md [--check]
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
BUDGET_BEGIN, BUDGET_END = "<!-- power budget: written by ./armature gen governor -->\n", "<!-- end of power budget -->\n"
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


BUDGET_LOADS = {
    "even": ["workload.hot_spots=[]"],
    "three of four requests to one drive": [],
    "nine of ten to one drive, a minute of them, a minute without": [
        "workload.hot_spots=[[0.9, 0.25, 0]]", "workload.bursts.on_ms=60000", "workload.bursts.off_ms=60000",
        "workload.bursts.lengths=fixed"],
}
SHARES = "equal", "load"


def figures(program: str, root: Path, scenario: str, sets: list[str]) -> dict:
    with tempfile.TemporaryDirectory() as out:
        arguments = [program, "run", str(root / "scenarios" / scenario), "--quiet", "--out", out]
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
            lines.append(row(load, choice, figures(program, root, "governor.toml", of_load + sets)))
            load = ""
    return "\n".join(lines) + "\n"


def budget_row(load: str, shares: str, summary: dict) -> str:
    array = next(drive for drive in summary["drives"] if "power_periods" in drive["counters"])
    counters, response = array["counters"], array["response"]["all"]
    ends = ", ".join(f"{counters[f'power_share_{n}_w']:.1f}" for n in range(4))
    return (f"| {load} | {shares} | {array['energy']['average_w']:.2f} | {response['mean_ms']:.1f} | {response['p50_ms']:.1f} | "
            f"{response['p99_ms']:.0f} | {counters['power_most_w']:.1f} | "
            f"{counters['power_periods_over']:.0f} of {counters['power_periods']:.0f} | {ends} |")


def budget_table(program: str, root: Path) -> str:
    lines = ["| load | shares | W | mean, ms | median, ms | p99, ms | most of a period, W | periods over the cap | shares at the end, W |",
             "|---|---|--:|--:|--:|--:|--:|--:|---|"]
    for load, of_load in BUDGET_LOADS.items():
        for shares in SHARES:
            settings = ["array.power.cap_w=32", f"array.power.shares={shares}", *of_load]
            lines.append(budget_row(load, shares, figures(program, root, "power_budget.toml", settings)))
            load = ""
    return "\n".join(lines) + "\n"


def main() -> int:
    wrapper, path = Path(sys.argv[1]), Path(sys.argv[2])
    program = os.environ.get("ARMATURE_BINARY") or str(wrapper.parent / ".build/release/models/app/armature")
    status = 0
    for begin, write, end in ((BEGIN, table, END), (BUDGET_BEGIN, budget_table, BUDGET_END)):
        text = "\n" + write(program, wrapper.parent) + "\n"
        status |= marked_region.write(path, begin, text, end, "gen governor", "--check" in sys.argv[3:])
    return status


if __name__ == "__main__":
    sys.exit(main())

"""Cycles of firmware's handlers, measured on the ELF with firmware.time = "instructions".

    ./armature gen firmware-costs                  write them: the drive's own firmware
    ./armature gen firmware-costs --check          exit status 1 if a handler's mean is off by more than a tenth
    ./armature gen firmware-costs --firmware ELF   print the keys of [firmware] for firmware of one's own

A fixed set of scenarios is run. Of each handler the mean over all of its calls is taken, and the longest call: cycles from the
edge that samples its interrupt to its end. Written are
    models/controller/include/armature/controller/measured_costs.h   what a drive plans with whose instructions take time
    docs/lab/firmware-costs.md                                       the table of assumed and measured costs
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import marked_region

ROOT = Path(__file__).resolve().parents[3]
HEADER = ROOT / "models/controller/include/armature/controller/measured_costs.h"
PAGE = ROOT / "docs/lab/firmware-costs.md"
BEGIN, END = "<!-- costs: written by ./armature gen firmware-costs -->\n", "<!-- end of costs -->\n"
DRIFT = 0.10
CPU_MHZ = 400

# Scenario below scenarios/, and keys that are set. Together they call each handler.
RUNS = (
    ("one_drive.toml", ("workload.count=1000",)),
    ("queue.toml", ("workload.count=1000",)),
    ("cached_drive.toml", ("workload.limit=1500", "cache.write=true")),
    (
        "one_drive.toml",
        (
            "workload.count=400", 'workload.kind="closed"', "workload.outstanding=8", "workload.read_fraction=0.9",
            "workload.sequential_fraction=0.8", "workload.streams=3", "workload.size_sectors=128",
            "cache.look_ahead=true", "cache.hardware_hits=true", "buffer.segments=2",
        ),
    ),
    ("four_arms.toml", ("workload.count=1000", 'arms.design="own"', "arms.channels=2")),
    ("read_errors.toml", ("workload.count=500",)),
    ("power_cap.toml", ("workload.count=300",)),
    ("laptop_idle.toml", ()),
    ("one_drive.toml", ("workload.count=200", "host.reset_interval_ms=31")),
)


@dataclass
class Cost:
    """Of a handler: calls, mean and longest time in cycles."""

    calls: int = 0
    cycles: float = 0.0
    most: float = 0.0

    @property
    def mean(self) -> float:
        return self.cycles / self.calls


def measure(program: str, firmware: str | None, runs: Iterable[tuple[str, tuple[str, ...]]] = RUNS) -> dict[str, Cost]:
    costs: dict[str, Cost] = {}
    with tempfile.TemporaryDirectory() as place:
        for number, (scenario, keys) in enumerate(runs):
            out = Path(place) / str(number)
            words = [program, "run", str(ROOT / "scenarios" / scenario), "--quiet", "--out", str(out)]
            if firmware:
                words += ["--firmware", firmware]
            for key in (*keys, 'controller.processor="iss"', f"controller.cpu_mhz={CPU_MHZ}", 'firmware.time="instructions"'):
                words += ["--set", key]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"{scenario} {' '.join(keys)}: status {done.returncode}\n{done.stderr}")
            for drive in json.loads((out / "summary.json").read_text())["drives"]:
                add(costs, drive["counters"])
    return costs


def add(costs: dict[str, Cost], counters: dict[str, float]) -> None:
    for key, calls in counters.items():
        handler, found, _ = key.partition("_handler_calls")
        if not found:
            continue
        cost = costs.setdefault(handler, Cost())
        cost.calls += int(calls)
        cost.cycles += calls * counters[f"{handler}_handler_mean_us"] * CPU_MHZ
        cost.most = max(cost.most, counters[f"{handler}_handler_most_us"] * CPU_MHZ)


def assumed(program: str) -> dict[str, int]:
    """The keys firmware.<handler>_cycles with their defaults, in the order of the interrupt lines."""
    done = subprocess.run([program, "describe", "firmware", "--tsv"], capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    name, default = rows[0].index("key"), rows[0].index("default")
    found = {}
    for row in rows[1:]:
        key = row[name].rpartition("firmware.")[2]
        if key.endswith("_cycles") and "." not in key:
            found[key.removesuffix("_cycles")] = int(row[default])
    return found


def header(handlers: list[str], costs: dict[str, Cost]) -> str:
    lines = [
        "// Written by ./armature gen firmware-costs. Do not edit.",
        "#pragma once",
        "",
        '#include "armature/regs/interrupts.h"',
        "",
        "#include <array>",
        "#include <cstdint>",
        "",
        "namespace armature::controller {",
        "",
        "/// Cycles of a handler of the drive's own firmware, from the edge that samples its interrupt to its end: the mean over",
        "/// the calls of a fixed set of runs, and the longest of them.",
        "struct MeasuredCost {",
        "  const char* handler;",
        "  std::int64_t mean;",
        "  std::int64_t most;",
        "};",
        "",
        "/// In the order of regs::kInterrupts.",
        "inline constexpr std::array<MeasuredCost, regs::kInterruptCount> kMeasuredCosts = {{",
    ]
    lines += [f'    {{"{name}", {round(costs[name].mean)}, {round(costs[name].most)}}},' for name in handlers]
    lines += ["}};", f"inline constexpr std::int64_t kMeasuredReset = {round(costs['reset'].mean)};", ""]
    return "\n".join([*lines, "}  // namespace armature::controller", ""])


def table(handlers: list[str], assumptions: dict[str, int], costs: dict[str, Cost]) -> str:
    entry = assumptions["entry"]
    lines = [
        "| handler | assumed, cycles | measured: mean | longest | mean, us | calls |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name in ["reset", *handlers, "idle"]:
        cost = costs[name]
        guess = "0" if name == "idle" else f"{assumptions[name] + (0 if name == 'reset' else entry):,}"
        lines.append(
            f"| `{name}` | {guess} | {cost.mean:,.0f} | {cost.most:,.0f} | {cost.mean / CPU_MHZ:,.2f} | {cost.calls:,} |"
        )
    return "\n".join(lines) + "\n"


def committed() -> dict[str, float]:
    found = {}
    for line in HEADER.read_text().splitlines():
        if line.startswith('    {"'):
            name, mean, _ = line.strip().strip("{},").split(",")
            found[name.strip('"')] = float(mean)
    return found


def drifted(costs: dict[str, Cost], known: dict[str, float]) -> list[str]:
    """One line for each handler that is off by more than a tenth, or on one side only."""
    lines = []
    for name in known:
        if name not in costs:
            lines.append(f"{name}: no run calls it any more")
        elif abs(costs[name].mean / known[name] - 1) > DRIFT:
            lines.append(f"{name}: {costs[name].mean:.0f} cycles, and {known[name]:.0f} are committed")
    return lines


def planted(program: str) -> bool:
    """Costs that are 12 % off are found, those that are 8 % off are not, and a handler without a call is."""
    costs = measure(program, None, RUNS[:1])
    found = [len(drifted(costs, {name: cost.mean * by for name, cost in costs.items()})) for by in (1.12, 0.88, 1.08, 0.93)]
    return found == [len(costs), len(costs), 0, 0] and len(drifted(costs, {"buffer": 499.0})) == 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="armature gen firmware-costs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a mean is off by more than a tenth")
    parser.add_argument("--plant", action="store_true", help=argparse.SUPPRESS)  # the check of the check
    parser.add_argument("--firmware", metavar="ELF", help="firmware of one's own: print the keys for a drive file")
    arguments = parser.parse_args()
    if arguments.plant:
        return 0 if planted(arguments.program) else 1
    assumptions = assumed(arguments.program)
    handlers = [name for name in assumptions if name not in ("reset", "entry")]
    costs = measure(arguments.program, arguments.firmware)
    if arguments.firmware:
        print("[firmware]  # mean cycles of its handlers, interrupt entry included")
        print("entry_cycles = 0")
        for name in ["reset", *handlers]:
            if name in costs:
                print(f"{name}_cycles = {round(costs[name].mean)}  # longest of {costs[name].calls} calls: {round(costs[name].most)}")
        return 0
    if arguments.check:
        lines = drifted(costs, committed())
        for line in lines:
            print(line, file=sys.stderr)
        if lines:
            print("./armature gen firmware-costs writes them anew", file=sys.stderr)
        return 1 if lines else 0
    missing = [name for name in handlers if name not in costs]
    if missing:
        raise SystemExit(f"no run calls the handlers of {', '.join(missing)}")
    if HEADER.read_text() != (text := header(handlers, costs)):
        HEADER.write_text(text)
    return marked_region.write(PAGE, BEGIN, table(handlers, assumptions, costs), END)


if __name__ == "__main__":
    sys.exit(main())

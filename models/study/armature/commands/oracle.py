"""`armature oracle`: spin-down policies beside an oracle that knows the future."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from ..arguments import amount
from ..errors import InputError, refuse_unwritable, writing
from ..idle import powers_of
from ..oracle import (
    COLUMNS,
    NO_STANDBY_BY_THE_HOST,
    POLICIES,
    SPIN_DOWN,
    Plan,
    Runner,
    back_s,
    break_even_s,
    figure_of,
    idle_periods,
    keys_of,
    keys_of_drive,
    plan,
    refuse_runs,
    resolved_systems,
    row_of,
    systems_of,
    with_plans,
)
from ..program import Program


def _table(rows: list[list[str]]) -> str:
    head = ["drive", "policy", "power, W", "energy, J", "saved, %", "of the oracle's", "standby, %", "mean, ms", "99 %, ms",
            "longest, ms", "waited"]
    rows = [head, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join("  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip()
                     for row in rows)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    def policies(text: str) -> list[str]:
        names = [name for name in text.split(",") if name]
        for name in names:
            if name not in POLICIES:
                raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(POLICIES)}")
        return names

    parser.add_argument("scenario", metavar="SCENARIO", help="with an open load: what comes when must not depend on the drives")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="sets a key, as of run")
    parser.add_argument("--out", default="out/oracle", metavar="DIR", help="directory of the results (out/oracle)")
    parser.add_argument("--policies", type=policies, metavar="LIST",
                        help="firmware's policies beside the oracle (fixed,adaptive,probabilistic, of drives with several speeds also drpm)")
    parser.add_argument("--spin-down-s", type=amount, metavar="S",
                        help="their time: fixed, first, longest mean (each drive's break-even time)")
    parser.add_argument("--lead-ms", type=amount, default=20.0, metavar="MS",
                        help="the drive is back so long before the next request (20)")
    for name, unit, text in (("idle", "W", "the drive draws at idle"), ("standby", "W", "it draws in standby")):
        parser.add_argument(f"--{name}-w", type=amount, metavar=unit, help=f"what {text} (by the drive file)")
    parser.add_argument("--ways-s", type=amount, metavar="S", help="time of the ways to standby and back together (by the drive file)")
    parser.add_argument("--ways-j", type=amount, metavar="J", help="energy of the drive on these ways (by the drive file)")


def command(options: argparse.Namespace, program: Program) -> int:
    out = Path(options.out)
    refuse_unwritable("--out", out)
    runner = Runner(program, out)
    scenario = str(options.scenario)
    resolved = resolved_systems(program, scenario, options.set)
    powers = {name: known for name, system in resolved.items() if (known := powers_of(system, options)) is not None}
    if not powers:
        raise InputError("no drive whose file has idle and standby power, time and energy of the ways there and back")
    if next(iter(resolved.values())).configuration["workload.kind"] == "closed":
        raise InputError("workload.kind: the future of a closed load depends on the drive, so that no oracle can know it")
    drives = list(powers)
    if options.policies is None:
        several = all(resolved[name].configuration.get("spindle.speeds_rpm") for name in drives)
        options.policies = list(POLICIES if several else SPIN_DOWN)
    never = list(options.set)
    for name in drives:
        never += keys_of_drive(name, {"idle.spin_down": "never", **NO_STANDBY_BY_THE_HOST})
    sets_of = {policy: keys_of(policy, powers, options) for policy in options.policies}
    refuse_runs(program, scenario, never, sets_of, options.spin_down_s)
    with writing("--out", out):
        out.mkdir(parents=True, exist_ok=True)
    first = systems_of(runner.run("never", scenario, never))

    lead = options.lead_ms / 1000
    plans = [Plan(name, plan(*idle_periods(first[name]), powers[name], back_s(first[name]), lead)) for name in drives]
    planned = out / "oracle.toml"
    with writing("--out", out):
        planned.write_text(with_plans(program.resolve(scenario, never), plans))
    results = {"never": first, "oracle": systems_of(runner.run("oracle", str(planned), []))}
    for policy, sets in sets_of.items():
        results[policy] = systems_of(runner.run(policy, scenario, sets))

    rows = []
    for name in drives:
        oracle_j = figure_of(results["oracle"][name], "energy.energy_j")
        for policy in ("never", *options.policies, "oracle"):
            rows.append(row_of(results[policy][name], first[name], policy, None if policy == "never" else oracle_j))
    with writing("--out", out):
        with open(out / "policies.csv", "w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(rows)
    print(_table(rows))
    for one in plans:
        print(f"{one.drive}: the oracle stops the stack {len(one.spans)} times; break-even time {break_even_s(powers[one.drive]):.3f} s")
    return 0

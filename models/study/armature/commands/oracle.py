"""`armature oracle`: spin-down policies beside an oracle that knows the future."""

from __future__ import annotations

import argparse
from pathlib import Path

from .. import oracle, tabular
from ..arguments import add_powers, amount
from ..errors import InputError, refuse_unwritable, writing
from ..idle import powers_of
from ..oracle import COLUMNS, POLICIES, SPIN_DOWN, figure_of, keys_of_drive
from ..program import Program


def _table(rows: list[list[str]]) -> str:
    head = ["drive", "policy", "power, W", "energy, J", "saved, %", "of the oracle's", "standby, %", "mean, ms", "99 %, ms",
            "longest, ms", "waited"]
    return tabular.aligned([head, *rows], 2)


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
    add_powers(parser)


def command(options: argparse.Namespace, program: Program) -> int:
    out = Path(options.out)
    refuse_unwritable("--out", out)
    scenario = str(options.scenario)
    resolved = oracle.resolved_systems(program, scenario, options.set)
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
        never += keys_of_drive(name, {"idle.spin_down": "never", **oracle.NO_STANDBY_BY_THE_HOST})
    sets_of = {policy: oracle.keys_of(policy, powers, options) for policy in options.policies}
    oracle.refuse_runs(program, scenario, never, sets_of, options.spin_down_s)
    with writing("--out", out):
        out.mkdir(parents=True, exist_ok=True)
    first = oracle.run(program, out / "never", scenario, never)

    lead = options.lead_ms / 1000
    plans = [oracle.Plan(name, oracle.plan(*oracle.idle_periods(first[name]), powers[name], oracle.back_s(first[name]), lead)) for name in drives]
    planned = out / "oracle.toml"
    with writing("--out", out):
        planned.write_text(oracle.with_plans(program.resolve(scenario, never), plans))
    results = {"never": first, "oracle": oracle.run(program, out / "oracle", str(planned))}
    for policy, sets in sets_of.items():
        results[policy] = oracle.run(program, out / policy, scenario, sets)

    rows = []
    for name in drives:
        oracle_j = figure_of(results["oracle"][name], "energy.energy_j")
        for policy in ("never", *options.policies, "oracle"):
            rows.append(oracle.row_of(results[policy][name], first[name], policy, None if policy == "never" else oracle_j))
    with writing("--out", out):
        (out / "policies.csv").write_text(tabular.csv(COLUMNS, rows))
    print(_table(rows))
    for one in plans:
        print(f"{one.drive}: the oracle stops the stack {len(one.spans)} times; break-even time {oracle.break_even_s(powers[one.drive]):.3f} s")
    return 0

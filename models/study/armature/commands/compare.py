"""`armature compare`: runs side by side, with intervals, and how they differ."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .. import tabular, wave_difference
from ..arguments import program_name, whole
from ..compare import compare
from ..errors import InputError, refuse_foreign, writing
from ..figures import DEFAULT, absent, choose, costs, listing, refuse_unpriced
from ..program import Program
from ..runs import System, read
from ..wave_reader import Waves

_MOST_NAMES = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="directory of a run, or of a sweep with --requests")
    parser.add_argument("--out", default="out/compare", metavar="DIR", help="directory of the results (out/compare)")
    parser.add_argument(
        "--warm-up",
        default="auto",
        metavar="RULE",
        help="mser5, none, or a number of requests to leave out; auto (default): none if all are traces, "
        "otherwise mser5",
    )
    parser.add_argument("--baseline", metavar="RUN", help="from which differences are taken: a run, or the only one that ends "
                        "with this drive's name (the first)")
    parser.add_argument("--figures", metavar="LIST", help="what is shown, such as p99,watts,joules_per_request")
    parser.add_argument("--cost", action="append", default=[], metavar="NAME=USD", help="price of a drive or of a run, for `cost`")
    waves = parser.add_argument_group("waves of two runs, instead")
    waves.add_argument("--waves", action="store_true", help="the first instant and signals at which their waves differ (RUN: a directory, or "
                       "an FST or VCD file); status 0: they are the same, 1: they differ, 2: bad input")
    waves.add_argument("--signals", action="append", default=[], metavar="GLOB", help="only signals that match: '*.srv0.*'")
    waves.add_argument("--last", type=whole, default=10, metavar="N", help="show so many equal changes before the difference (10)")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = listing()


def _named(name: str, systems: list[System]) -> int:
    """The system of that label, or the only one whose label ends with it: a drive's name."""
    labels = [system.label for system in systems]
    told = [i for i, label in enumerate(labels) if label == name]
    told = told or [i for i, label in enumerate(labels) if label.endswith((f"/{name}", f" {name}"))]
    if len(told) != 1:
        raise InputError(f"--baseline {name}: {'several such runs' if told else 'no such run'}; there are {', '.join(labels)}")
    return told[0]


def _priced(options: argparse.Namespace, systems: list[System]) -> dict[str, float]:
    """What --cost says. InputError if no drive and no run is called so, or --figures asks for prices that are not told."""
    cost = costs(options.cost)
    known = dict.fromkeys([*(system.drive for system in systems), *(system.label for system in systems)])
    for name in cost:
        if name not in known:
            raise InputError(f"--cost {name}: no such drive or run; there are {', '.join(known)}")
    refuse_unpriced(options.figures, cost, "NAME")
    return cost


def _units_of(systems: list[System]) -> dict[str, str]:
    return {name: unit for system in systems for name, unit in system.units.items()}


def _ps(time: int) -> str:
    return f"{time // 10**12}.{time % 10**12:012d} s"


def _print_waves(found: wave_difference.Comparison, names: list[str]) -> None:
    for name, only in zip(names, found.only):
        if only:
            print(f"only in {name}: {len(only)} signals: {', '.join(only[:_MOST_NAMES])}{', ...' if len(only) > _MOST_NAMES else ''}")
    if found.time is None:
        print(f"the same: {found.equal} changes of {found.signals} signals, the last at {_ps(found.end)}")
        return
    rows = [["signal", *names]]
    rows += [[signal, *("no value" if value is None else value for value in values)] for signal, values in found.differing.items()]
    print(f"they differ at {_ps(found.time)}, after {found.equal} equal changes of {found.signals} signals\n")
    print(tabular.aligned(rows))
    if found.last:
        print(f"\nthe last {len(found.last)} equal changes\n")
        print(tabular.aligned([["time", "signal", "value"], *([_ps(time), signal, value] for time, signal, value in found.last)], 3))


def _compare_waves(options: argparse.Namespace, program: Program) -> int:
    if len(options.runs) != 2:
        raise InputError(f"--waves: takes two runs, not {len(options.runs)}")
    for name in ("baseline", "figures", "cost"):
        if getattr(options, name):
            raise InputError(f"--{name}: does not go with --waves")
    one, other = (Waves(program, run, options.signals) for run in options.runs)
    if not one.signals & other.signals:
        raise InputError(f"{one.path}, {other.path}: have no signal in common" + (f" that matches {', '.join(options.signals)}" if options.signals else ""))
    found = wave_difference.compare(one, other, options.last)
    _print_waves(found, options.runs)
    return 0 if found.same else 1


def command(options: argparse.Namespace, program: Program) -> int:
    if options.waves:
        return _compare_waves(options, program)
    if options.signals:
        raise InputError("--signals: goes with --waves")
    from ..compare_page import text_table, write

    if options.warm_up not in ("auto", "mser5", "none") and not options.warm_up.isdigit():
        raise InputError(f"--warm-up {options.warm_up}: auto, mser5, none or a number of requests")
    out = Path(options.out)
    refuse_foreign(out, "compare.html")
    systems = read(options.runs)
    base = 0
    if options.baseline:
        base = _named(options.baseline, systems)
    figures = choose(options.figures, DEFAULT, _units_of(systems))
    found = compare(systems, options.warm_up, base, figures, _priced(options, systems))
    with writing("--out", out):
        write(found, out)
    print(f"response times in ms after {found.warm_up.cut} requests ({found.warm_up.why}); other figures of whole runs")
    print(text_table(found, options.figures is not None))
    if line := absent(options.figures, figures, found.shown):
        print(f"{program_name()}: {line}", file=sys.stderr)
    for label in found.warm_up.unsettled:
        print(f"{program_name()}: {label}: MSER-5 finds no steady state", file=sys.stderr)
    print(f"page: {out / 'compare.html'}")
    return 0

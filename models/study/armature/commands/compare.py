"""`armature compare`: runs side by side, with intervals, and how they differ."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..arguments import program_name
from ..compare import compare
from ..errors import InputError, refuse_unwritable, writing
from ..figures import DEFAULT, absent, choose, costs, listing, refuse_unpriced
from ..runs import System, read


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


def command(options: argparse.Namespace, _program: object) -> int:
    from ..compare_page import text_table, write

    if options.warm_up not in ("auto", "mser5", "none") and not options.warm_up.isdigit():
        raise InputError(f"--warm-up {options.warm_up}: auto, mser5, none or a number of requests")
    out = Path(options.out)
    if out.is_dir() and any(out.iterdir()) and not (out / "compare.html").exists():
        raise InputError(f"--out {out}: there is something else in it")
    refuse_unwritable("--out", out)
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

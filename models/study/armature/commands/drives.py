"""`armature drives`: what the shipped drives do as delivered, beside their datasheets."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..drives import ROOT, TABLE, differences, measure, page, shipped, table
from ..errors import InputError
from ..pool import local_cores
from ..program import Program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = ("Runs the shipped drives as delivered, caches included: random reads, sequential reads and writes, "
                          "flushes. Writes the table docs/lab/drives.md, beside the figures of scenarios/drives/datasheets.csv.")
    parser.add_argument("drives", nargs="*", metavar="DRIVE", help="only these drives; prints their rows and writes nothing")
    parser.add_argument("--check", action="store_true",
                        help="write nothing; say which figures of docs/lab/drives.md are not the model's any more, status 1 if any")
    parser.add_argument("--quick", action="store_true", help="with --check: only the random reads one at a time and the "
                                                             "sequential reads of 128 KiB")
    parser.add_argument("--jobs", type=int, default=local_cores(), metavar="N", help="runs side by side (default: cores)")


def command(options: argparse.Namespace, program: Program) -> int:
    if options.quick and not options.check:
        raise InputError("--quick: goes with --check")
    if options.jobs < 1:
        raise InputError("--jobs: at least 1")
    known = shipped()
    names = [Path(name).stem for name in options.drives] or known
    for name in names:
        if name not in known:
            raise InputError(f"{name}: no such drive; there are {', '.join(known)}")
    measured = measure(program, names, options.quick, options.jobs)
    if options.check:
        said = differences(TABLE.read_text(), measured)
        for sentence in said:
            print(f"docs/lab/drives.md: {sentence}")
        return 1 if said else 0
    if options.drives:
        print(table(measured))
        return 0
    try:
        TABLE.write_text(page(measured))
    except OSError as error:
        raise InputError(f"{TABLE}: {error.strerror}") from error
    print(f"written: {TABLE.relative_to(ROOT)}", file=sys.stderr)
    return 0

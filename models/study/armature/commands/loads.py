"""`armature loads`: the shipped loads beside what is published of them."""

from __future__ import annotations

import argparse
import sys

from ..errors import InputError
from ..loads import PAGE, REQUESTS, TOLERANCE, figures, page, published, table_text
from ..program import Program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (f"Draws {REQUESTS:,} requests of each shipped load and compares them with what is published of it "
                          f"(scenarios/published_loads.toml). Status 1 if a figure is off by more than {100 * TOLERANCE:g} %.")
    parser.add_argument("loads", nargs="*", metavar="LOAD", help="only these, by the names of their scenarios")
    parser.add_argument("--write", action="store_true", help="write the page docs/lab/loads.md")
    parser.add_argument("--check", action="store_true", help="compare docs/lab/loads.md with what it would be; status 1 if it differs")


def command(options: argparse.Namespace, program: Program) -> int:
    if options.loads and (options.write or options.check):
        raise InputError("--write and --check take all loads together: name none")
    loads = published()
    known = [load["scenario"] for load in loads]
    for name in options.loads:
        if name not in known:
            raise InputError(f"{name}: no such load; there are {', '.join(known)}")
    measured = [(load, figures(program, load)) for load in loads if not options.loads or load["scenario"] in options.loads]
    for load, of_load in measured:
        print(f"{load['title']}\n\n{table_text(of_load)}\n")
    far = [(load, f) for load, of_load in measured for f in of_load if abs(f.off) > TOLERANCE]
    for load, f in far:
        print(f"{load['scenario']}: {f.name}: {f.ours:g} beside {f.published:g} {f.unit}", file=sys.stderr)
    text = page(measured)
    if options.check and PAGE.read_text() != text:
        print("docs/lab/loads.md: is not what `armature loads --write` makes", file=sys.stderr)
        return 1
    if options.write:
        try:
            PAGE.write_text(text)
        except OSError as error:
            raise InputError(f"{PAGE}: {error.strerror}") from error
    return 1 if far else 0

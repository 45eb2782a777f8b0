"""`armature export`: a run for other viewers."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from .. import ftr, perfetto, spans
from ..arguments import program_name
from ..errors import InputError, refuse_unwritable_file, writing
from ..program import Program

_FORMATS = {
    "perfetto": ("perfetto.json", "a trace for ui.perfetto.dev: requests as flows through host, link, firmware, arms and channels; counters "
                                  "of requests, arms at work and watts (these from the run's waves)"),
    "ftr": ("requests.ftr", "a transaction recording (FTR) for SCViewer and Surfer: requests and their phases as transactions with relations"),
}
# What a run writes and an export must not replace.
_OF_A_RUN = ("summary.json", "requests.csv", "requests.csv.gz", "events.csv", "energy.csv", "waves.fst", "report.html", "resolved.toml")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    formats = parser.add_subparsers(dest="format", required=True, title="Subcommands", metavar="SUBCOMMAND")
    for name, (file, text) in _FORMATS.items():
        one = formats.add_parser(name, help=text, allow_abbrev=False,
                                 description=f"Writes {text}. The phases are those of events.csv: of the slowest 1000 requests, or of as "
                                             "many as output.timelines says; of the others there are arrival and completion.")
        one.add_argument("run", metavar="RUN", type=Path, help="directory of a run")
        one.add_argument("--out", metavar="FILE", type=Path, help=f"the file (RUN/{file})")


def command(options: argparse.Namespace, program: Program) -> int:
    out = options.out or options.run / _FORMATS[options.format][0]
    drives = spans.read(options.run)
    refuse_unwritable_file("--out", out)
    if out.exists() and any(os.path.samefile(out, path) for path in options.run.rglob("*") if path.name in _OF_A_RUN):
        raise InputError(f"--out {out}: is a file of the run; name another one")
    part = out.with_name(f".{out.name}.part")  # under its own name when it is whole
    try:
        with writing("--out", out):
            if options.format == "perfetto":
                perfetto.write(program, options.run, drives, part)
            else:
                ftr.write(drives, part)
            part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    for drive in drives:
        if drive.whole < len(drive.lives):
            print(f"{program_name()}: {drive.drive}: {drive.whole} of {len(drive.lives)} requests have their phases; a run with --set "
                  f"output.timelines={len(drive.lives)} keeps those of all", file=sys.stderr)
    print(f"{options.format}: {sum(len(drive.lives) for drive in drives)} requests: {out}")
    return 0

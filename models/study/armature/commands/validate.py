"""`armature validate`: a drive file held against the times that a real drive took."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .. import measured as m
from ..arguments import whole
from ..errors import InputError, refuse_unwritable, writing
from ..program import Program
from ..validate import phase_sentence, print_errors, taken_sentence, validate, write_results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = ("Replays a trace with measured service times (DiskSim's validate format) on a drive file, one "
                          "request in flight, and says how far off the simulated times are: rms distance of the "
                          "distributions, mean, and per request, by kind of request.")
    parser.add_argument("drive", nargs="?", metavar="DRIVE", help="drive file (armature import makes one of DiskSim's)")
    parser.add_argument("trace", nargs="?", metavar="TRACE", help="R|W outcome LBN sectors measured_us think_us")
    parser.add_argument("--out", metavar="DIR", default="out/validation", help="results (default: out/validation)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a key of the drive")
    parser.add_argument("--as-given", action="store_true",
                        help="take no key from the trace: no bus time where the drive file has none, the drive file's speed")
    parser.add_argument("--from", dest="first", type=whole, default=0, metavar="N",
                        help="compare requests from number N on (all are replayed)")
    parser.add_argument("--all", action="store_true",
                        help="the measured drives of the reference directory (ARMATURE_REFERENCE), imported, validated "
                             "and fitted; writes docs/lab/validation.md and its pictures")


def command(options: argparse.Namespace, program: Program) -> int:
    if options.all:
        if options.drive:
            raise InputError("--all takes no drive: it validates those of the reference directory")
        from .. import validation_report

        return validation_report.write(program, Path(__file__).resolve().parents[4])
    if not options.drive or not options.trace:
        raise InputError("validate: a drive file and a trace are needed (or --all)")
    out = Path(options.out)
    refuse_unwritable("--out", out)
    trace = m.read_trace(options.trace)
    drive = m.Drive(program, options.drive, options.set)
    validation = validate(drive, trace, options.first, options.as_given)
    print_errors(validation)
    if drive.outside:
        print(f"{drive.outside} requests lie behind the end of the drive; they were replayed modulo its size.")
    for sentence in (taken_sentence(validation.taken), phase_sentence(validation.phase)):
        if sentence:
            print(sentence)
    if validation.paced:
        print(f"With that phase: mean absolute error {validation.paced.absolute:.3f} ms, 90 % below "
              f"{validation.paced.absolute_p90:.3f} ms (requests after the first {m.CALIBRATION})")
    with writing("--out", out):
        write_results(validation, out, Path(options.drive).stem)
    print(f"page: {out}/validation.html", file=sys.stderr)
    return 0

"""`armature fit`: a drive file fitted to measured times."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .. import measured as m
from .. import unexplained
from ..errors import InputError, refuse_unwritable, refuse_unwritable_file, writing
from ..fit import LEAST, Fitted, fit, judge, unseen
from ..program import Program
from ..progress import Progress
from ..validate import Validation, print_errors, taken_sentence, validate, write_results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = ("Fits speed, skews, command overheads, bus time, settling, the seek curve and what the drive reads "
                          "beside a request to the first half of a trace with measured times, and says how far off the result is on "
                          "the other half. Nothing is written if that is worse than before.")
    parser.add_argument("drive", metavar="DRIVE", help="drive file to begin with")
    parser.add_argument("trace", metavar="TRACE", help="R|W outcome LBN sectors measured_us think_us")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the fitted drive file")
    parser.add_argument("--out", metavar="DIR", default="out/fit", help="results on the other half (default: out/fit)")
    parser.add_argument("--trials", type=int, default=500, metavar="N", help="settings to try at most (default: 500)")
    parser.add_argument("--keep", action="append", default=[], metavar="KEY", help="leave this key as it is")
    parser.add_argument("--even-if-worse", action="store_true",
                        help="write the drive file although it is worse on the other half")


def command(options: argparse.Namespace, program: Program) -> int:
    trace = m.read_trace(options.trace)
    if options.trials < 10:
        raise InputError("--trials: at least 10")
    drive = m.Drive(program, options.drive)
    for key in options.keep:
        if key not in program.keys:
            raise InputError(f"--keep {key}: there is no such key (armature describe lists them)")
    target = Path(options.output)
    refuse_unwritable("--out", Path(options.out))
    refuse_unwritable_file("-o", target)
    if len(trace) < LEAST:
        raise InputError(f"{options.trace}: holds {len(trace)} requests; a fit needs {LEAST}: half of them to fit to, the "
                         "others to compare with")
    half = len(trace) // 2
    before = validate(drive, trace, half)
    progress = Progress("trials", options.trials)
    fitted = fit(drive, trace, options.trials, options.keep, progress)
    progress.end()
    written = target.with_suffix(target.suffix + ".new")
    try:
        with writing("-o", target):
            written.write_text(fitted.text)
        better = m.Drive(program, str(written))
        better.accept(trace)
        after = validate(better, trace, half, as_given=True)
        verdict = judge(unseen(before, drive), unseen(after, better))
        write = options.even_if_worse or not verdict.refused
        if verdict.refused:
            print(f"{target}: {'written' if write else 'not written'}: the fit is worse on the half that it has "
                  f"not seen ({verdict.worse}), so what it found holds for the first half only.")
        elif verdict.worse:
            print(f"{target}: written: on the half that it has not seen {verdict.worse}, but requests are nearer one by one (mean "
                  f"absolute error {before.whole().absolute:.4f} -> {after.whole().absolute:.4f} ms).")
        if write:
            with writing("-o", target):
                written.replace(target)
    finally:
        written.unlink(missing_ok=True)
    report(before, after, fitted)
    with writing("--out", Path(options.out)):
        write_results(after, Path(options.out), target.stem)
    print(f"page: {options.out}/validation.html", file=sys.stderr)
    return 0 if write else 1


def report(before: Validation, after: Validation, fitted: Fitted) -> None:
    task, found = fitted.task, fitted.found
    if fitted.taken:
        print(taken_sentence(fitted.taken))
    if "geometry.zones" in fitted.angles:
        print(f"  skews of {len(fitted.angles['geometry.zones'])} zones from the rotations of the first half, at "
              f"{fitted.angles['spindle.rpm']:.4f} rpm")
    if fitted.left_out:
        print(f"  {fitted.left_out} tracks that hold no blocks, though the drive file does not say so, from the same rotations")
    for choice in task.choices:
        if found.chosen[choice.key] != choice.value:
            print(f"  {choice.key:38} {m.toml(choice.value):>12} -> {m.toml(found.chosen[choice.key])}")
    for variable, value in zip(task.variables, found.values):
        if abs(value - variable.value) > 1e-6:
            print(f"  {variable.name:38} {variable.value:12.6g} -> {value:.6g}   (range {variable.least:g} to {variable.most:g})")
    if not found.strength:
        print("  numbers stay as they were: a quarter of the trace does not predict the next one better with others")
    if fitted.failures:
        print(f"  {len(fitted.failures)} settings could not be replayed; the first: {fitted.failures[0].splitlines()[0]}")
    print(f"first half (fitted): score {found.start:.4f} -> {found.score:.4f} ms")
    a, b = before.whole(), after.whole()
    print(f"second half (not seen): rms {a.rms:.4f} -> {b.rms:.4f} ms, mean error {a.mean:+.3f} -> {b.mean:+.3f} ms, mean "
          f"absolute error {a.absolute:.3f} -> {b.absolute:.3f} ms")
    print_errors(after)
    for line in [*unexplained.limits(task.variables, found.values), *unexplained.sentences(after)]:
        print(line)

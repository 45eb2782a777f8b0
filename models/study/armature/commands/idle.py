"""`armature idle`: when drives have nothing to do, and what spin-down could save."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from .. import tabular
from ..arguments import add_powers
from ..errors import refuse_unwritable, writing
from ..idle import QUANTILES, Idle, analyse, autocorrelation, bound, oracle_saves
from ..idle_picture import picture
from ..runs import read


def _table(each: list[Idle]) -> str:
    head = ["drive", "periods", "idle, %", "mean, s", *(f"{100 * q:g} %, s" for q in QUANTILES), "longest, s", "variation",
            "lag 1", "oracle, J", "of idle, %", "of all, %"]
    rows = [head]
    for idle in each:
        row = [idle.label, str(len(idle.lengths)), f"{100 * idle.lengths.sum() / idle.until:.2f}"]
        if not len(idle.lengths):
            rows.append(row + [""] * (len(head) - len(row)))
            continue
        mean, along = float(idle.lengths.mean()), autocorrelation(idle.lengths)
        row += [f"{mean:.6g}", *(f"{np.quantile(idle.lengths, q):.6g}" for q in QUANTILES), f"{idle.lengths.max():.6g}",
                f"{idle.lengths.std() / mean:.3f}", f"{along[0]:+.3f}" if len(along) else ""]
        if idle.powers:
            saved = oracle_saves(idle.lengths, idle.powers, idle.powers.ways_s)
            row += [f"{saved:.4g}", f"{100 * saved / (idle.powers.idle_w * idle.lengths.sum()):.2f}",
                    f"{100 * saved / idle.energy_j:.2f}" if idle.energy_j else ""]
        rows.append(row + [""] * (len(head) - len(row)))
    return tabular.aligned(rows)


def _write(each: list[Idle], out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    tables = {
        "idle_periods.csv": (["drive", "begins_s", "length_s"],
                             [(i.label, f"{b:.12f}", f"{n:.12f}") for i in each for b, n in zip(i.begins, i.lengths)]),
        "autocorrelation.csv": (["drive", "lag", "autocorrelation"],
                                [(i.label, k + 1, f"{v:.9g}") for i in each for k, v in enumerate(autocorrelation(i.lengths))]),
        "oracle.csv": (["drive", "spin_down_and_up_s", "saved_of_idle_energy"],
                       [(i.label, f"{t:.6g}", f"{part:.9g}") for i in each for t, part in bound(i)]),
    }
    for name, (head, rows) in tables.items():
        (out / name).write_text(tabular.csv(head, rows))
    curves = [(i.label, i.lengths, autocorrelation(i.lengths), bound(i), i.powers.ways_s if i.powers else None) for i in each]
    (out / "idle.svg").write_text(picture(curves))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="directory of a run, or of a sweep with --requests")
    parser.add_argument("--out", default="out/idle", metavar="DIR", help="directory of the results (out/idle)")
    add_powers(parser)


def command(options: argparse.Namespace, _program: object) -> int:
    out = Path(options.out)
    refuse_unwritable("--out", out)
    each = [analyse(system, options) for system in read(options.runs, each_drive=True)]
    with writing("--out", out):
        _write(each, out)
    print(_table(each))
    if any(idle.powers is None for idle in each):
        print("without an energy bound: the drive file lacks idle or standby power, or time or energy of the ways; "
              "--idle-w, --standby-w, --ways-s and --ways-j say them")
    print(f"picture: {out / 'idle.svg'}")
    return 0

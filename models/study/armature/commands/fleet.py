"""`armature fleet`: thousands of drives of several classes by a sample of them."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from .. import fleet_page, page, tabular
from ..arguments import add_pool, positive
from ..errors import refuse_foreign, refuse_unwritable, writing
from ..fleet import Told, estimates, read, run
from ..program import Program
from ..swept import replace_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="classes of drives (.toml): docs/guide/sweeps.md, scenarios/fleet/mixed.toml")
    parser.add_argument("--runs", type=positive, metavar="N", help="sampled drives of all classes together (by the file, or 100)")
    parser.add_argument("--out", metavar="DIR", help="directory of the results (out/FILE-fleet)")
    add_pool(parser)


def _interval(told: Told) -> str:
    return f"{page.number(told.low)} to {page.number(told.high)}"


def command(options: argparse.Namespace, program: Program) -> int:
    path = Path(options.file)
    fleet = read(path)
    out = Path(options.out or f"out/{path.stem}-fleet")
    refuse_foreign(out, "sweep.json")
    refuse_unwritable("--cache", options.cache)
    sampled = run(fleet, program, options)
    counts = {one.name: int((sampled.classes == number).sum()) for number, one in enumerate(fleet.classes)}
    stands_for = fleet.weights(counts)
    weights = np.array([stands_for[fleet.classes[number].name] for number in sampled.classes])
    parts = {"all": estimates(sampled.rows, weights, sampled.classes, fleet.seed)}
    for number, one in enumerate(fleet.classes):
        if counts[one.name]:
            mine = sampled.classes == number
            parts[one.name] = estimates({name: values[mine] for name, values in sampled.rows.items()}, weights[mine],
                                        sampled.classes[mine], fleet.seed)
    with writing("--out", out):
        out.mkdir(parents=True, exist_ok=True)
        (out / "sweep.json").touch()  # the directory is one of a study
        replace_file(out / "fleet.tsv", fleet_page.table(parts).encode())
        replace_file(out / "drives.tsv", fleet_page.drives(fleet, sampled, weights).encode())
        replace_file(out / "fleet.html", fleet_page.html(fleet, sampled, parts, counts, path.stem).encode())
    rows = [["", *(f"{told.name}, {told.unit}" for told in parts["all"])]]
    for name, figures in parts.items():
        rows += [[name, *(page.number(told.value) for told in figures)], ["  95 %", *map(_interval, figures)]]
    print(tabular.aligned(rows), end="\n\n")
    print(f"{fleet.drives} drives of {len(counts)} classes by {len(sampled.points)} of them; {len(sampled.failed)} have no result")
    print(f"table: {out / 'fleet.tsv'}\npage: {out / 'fleet.html'}")
    return 1 if sampled.failed else 0

"""Figures of tables that the program prints by itself, by row and column: `armature mems table FILE`, or of a run: `armature samples RUN`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from . import tabular
from .errors import InputError
from .program import Program, Refused


class Tables:
    """The tables of an experiment. Each command runs once, when a measure asks for its table."""

    def __init__(self, told: list[dict], program: Program, root: Path):
        self._told = {one["name"]: one for one in told}
        self._program = program
        self._root = root
        self._known: dict[str, list[dict[str, str]]] = {}

    def _called(self, name: str, arguments: list[str]) -> str:
        """What the program prints. Files are named from the shipped scenarios, whatever the working directory is."""
        shipped = [str(self._root / "scenarios" / part) if part.endswith(".toml") else part for part in arguments]
        try:
            return self._program.said(*shipped)
        except Refused as refusal:
            raise InputError(f"table {name}: {refusal}") from None

    def _rows(self, name: str) -> list[dict[str, str]]:
        if name not in self._told:
            raise InputError(f"no table {name}; there are {', '.join(self._told) or 'none'}")
        if name not in self._known:
            told = self._told[name]
            with tempfile.TemporaryDirectory(prefix="armature-table-") as place:
                if "run" in told:
                    self._called(name, ["run", *told["run"], "-q", "--out", f"{place}/run"])
                text = self._called(name, [f"{place}/run" if part == "RUN" else part for part in told["command"]])
            separator = "\t" if "\t" in text.partition("\n")[0] else ","
            self._known[name] = tabular.read(text, separator)
        return self._known[name]

    def cell(self, text: str) -> np.ndarray:
        """`TABLE/ROW/COLUMN`: a row by what stands in its first column, `#3` for the third, `*` for all whose cell is not empty."""
        parts = text.split("/")
        if len(parts) != 3:
            raise InputError(f"cell({text!r}): TABLE/ROW/COLUMN is expected")
        name, wanted, column = parts
        rows = self._rows(name)
        if wanted.startswith("#") and wanted[1:].isdigit():
            chosen = rows[int(wanted[1:]) - 1 : int(wanted[1:])] if int(wanted[1:]) > 0 else []
        else:
            chosen = [row for row in rows if wanted in ("*", next(iter(row.values())))]
        if not chosen:
            raise InputError(f"cell({text!r}): the table has no such row")
        try:
            return np.array([float(row[column]) for row in chosen if wanted != "*" or row[column] != ""])
        except KeyError:
            raise InputError(f"cell({text!r}): the table has no such column; there are {', '.join(rows[0])}") from None
        except (TypeError, ValueError):
            raise InputError(f"cell({text!r}): there is no number") from None

"""The tidy table of a sweep: one row a point and drive, every figure of its summary, units in the header."""

from __future__ import annotations

import io
import json

from . import tabular
from .figures import parts_of_arrays, utilisation
from .program import Program, value_of
from .simulate import Outcome

_NOT_FIGURES = {"name", "title", "heat"}


# Endings of names that say a unit: of phase_means_ms.buffer_fill it is that of phase_means_ms, though another figure is called
# buffer_fill too.
_SAY_UNITS = ("_ms", "_ms2", "_s", "_js", "_j", "_w")


def _unit(path: list[str], definitions: dict) -> str:
    """A figure's unit: of the nearest name that says one, otherwise of the nearest that is defined."""
    defined = [name for name in reversed(path) if name in definitions]
    named = [name for name in defined if name.endswith(_SAY_UNITS)]
    return definitions[(named or defined)[0]]["unit"] if defined else ""


def _flatten(node: dict, path: list[str], definitions: dict, into: dict[str, object], units: dict[str, str]) -> None:
    for name, value in node.items():
        here = [*path, name]
        if isinstance(value, dict):
            _flatten(value, here, definitions, into, units)
        elif not isinstance(value, list):
            into[".".join(here)] = value
            units.setdefault(".".join(here), _unit(here, definitions))


def figures(summary: dict, drive: str) -> tuple[dict[str, object], dict[str, str]]:
    """All single figures of a drive in summary.json by their dotted names, and their units.

    Beside those of the drive: run.simulated_s, utilisation of its arms, and how long each component was in each state as
    busy.COMPONENT.STATE, a share of the simulated time.
    """
    values: dict[str, object] = {}
    units: dict[str, str] = {}
    definitions = summary["definitions"]
    for entry in summary["drives"]:
        if entry["name"] == drive:
            _flatten({k: v for k, v in entry.items() if k not in _NOT_FIGURES}, [], definitions, values, units)
    for component in summary.get("utilisation", []):
        owner, _, name = component["component"].partition(".")
        if owner != drive:
            continue
        for state, told in component["states"].items():
            values[f"busy.{name}.{state}"] = told["share"]
            units[f"busy.{name}.{state}"] = ""
    if (busy := utilisation(summary, drive)) is not None:
        values["utilisation"] = busy
        units["utilisation"] = ""
    values["run.simulated_s"] = summary["run"]["simulated_s"]
    units["run.simulated_s"] = "s"
    return values, units


class Table:
    """Rows in the order in which they are added; columns: parameters, state, figures, each in order of appearance."""

    def __init__(self, parameters: list[str], program: Program):
        self.parameters = parameters
        self.units = {name: (known.unit if (known := program.key(name)) else "") for name in parameters}
        self.rows: list[dict[str, object]] = []
        self._figures: dict[str, None] = {}

    def add(self, point: int, given: dict[str, str], configuration: dict | None, status: str, message: str, summary: dict | None) -> None:
        """A point's rows: one a drive if it has results, otherwise one."""
        names = [drive["name"] for drive in summary["drives"]] if summary else [""]
        parts = parts_of_arrays(summary) if summary else set()
        for drive in names:
            row: dict[str, object] = {"point": point, "part": drive in parts}  # the latter is no column
            for key in self.parameters:
                first = next(iter((configuration or {}).get("drives", {})), "")
                value = value_of(configuration or {}, drive or first, key)
                if value is None:
                    value = given.get(key)  # a drive's model is not in the resolved configuration
                row["set " + key] = json.dumps(value) if isinstance(value, list) else value
            row |= {"drive": drive, "status": status, "message": message}
            if summary:
                values, units = figures(summary, drive)
                for name, value in values.items():
                    row["is " + name] = value
                    self._figures.setdefault(name)
                    self.units.setdefault("is " + name, units[name])
            self.rows.append(row)

    def columns(self) -> list[tuple[str, str]]:
        """Internal name and header of each column."""

        def header(name: str, unit: str) -> str:
            return f"{name} [{unit}]" if unit else name

        return (
            [("point", "point")]
            + [("set " + k, header(k, self.units[k])) for k in self.parameters]
            + [(name, name) for name in ("drive", "status", "message")]
            + [("is " + k, header(k, self.units["is " + k])) for k in self._figures]
        )

    def csv(self) -> bytes:
        def text(value: object) -> str:
            if isinstance(value, bool):
                return str(value).lower()
            return "" if value is None else repr(value) if isinstance(value, float) else str(value)

        names, titles = zip(*self.columns())
        return tabular.csv(titles, ([text(row.get(name)) for name in names] for row in self.rows)).encode()

    def values(self) -> dict[str, list]:
        """Columns by their titles: numbers, or texts where one of the values is a text."""
        found = {}
        for name, title in self.columns():
            values = [row.get(name) for row in self.rows]
            if any(isinstance(value, str) for value in values):
                values = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
            found[title] = values
        return found

    def parquet(self) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet as pq

        told = pa.table(self.values())
        units = [self.units.get(name.removeprefix("set ") if name.startswith("set ") else name, "") for name, _ in self.columns()]
        fields = [field.with_metadata({"unit": unit} if unit else {}) for field, unit in zip(told.schema, units)]
        sink = io.BytesIO()
        pq.write_table(told.cast(pa.schema(fields)), sink, compression="zstd")
        return sink.getvalue()


def state_of(outcome: Outcome) -> tuple[str, str]:
    """Status and message of an outcome for the table."""
    if outcome.status == 0:
        return "ok", ""
    name = {1: "error", 2: "bad input", 3: "no progress", -1: "not run"}.get(outcome.status, "ended")
    return name, " | ".join(line.strip() for line in outcome.message.splitlines() if line.strip())

"""The points of a sweep: a grid, a list from a file, or a sample of a space."""

from __future__ import annotations

import csv
import itertools
import math
import re
from dataclasses import dataclass
from pathlib import Path

from .errors import InputError, read_input, read_toml
from .program import Program

# A number, with a unit or without; `log` behind a range is none.
_NUMBER = r"([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*((?!log\b)[A-Za-z%/0-9]*)"
_RANGE = re.compile(rf"\s*{_NUMBER}\s*\.\.\s*{_NUMBER}\s*(log)?\s*$")


@dataclass(frozen=True)
class Range:
    """A key's continuous range, of a sampled space. With `log` the logarithm is uniform."""

    low: float
    high: float
    unit: str
    log: bool
    integer: bool

    def at(self, u: float) -> str:
        """The value at 0 <= u < 1."""
        if self.integer:
            # Each whole number has an equal share, the borders too.
            low, high = (math.log(self.low), math.log(self.high + 1)) if self.log else (self.low, self.high + 1)
            x = low + u * (high - low)
            return f"{min(math.floor(math.exp(x) if self.log else x), int(self.high))}"
        if self.log:
            value = math.exp(math.log(self.low) + u * (math.log(self.high) - math.log(self.low)))
        else:
            value = self.low + u * (self.high - self.low)
        return f'"{value!r} {self.unit}"' if self.unit else repr(value)

    def ends(self) -> list[str]:
        ends = [self.low, self.high]
        if self.integer:
            return [str(int(x)) for x in ends]
        return [f'"{x!r} {self.unit}"' if self.unit else repr(x) for x in ends]


@dataclass(frozen=True)
class Axis:
    """What --set KEY=... says: values, or a range."""

    key: str
    values: tuple[str, ...]
    range: Range | None = None


Point = tuple[tuple[str, str], ...]  # key and value as --set takes them


def split_values(text: str) -> list[str]:
    """Splits at the commas outside of brackets, braces and quotes: `7200,5200`; `[[8, 1]],[[16, 1]]`."""
    parts, depth, quote, start = [], 0, "", 0
    for i, letter in enumerate(text):
        if quote:
            if letter == quote and not (quote == '"' and text[i - 1] == "\\"):
                quote = ""
        elif letter in "\"'":
            quote = letter
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    if quote or depth:
        raise InputError(f"a bracket or quote is not closed: {text}")
    parts.append(text[start:])
    return [part.strip() for part in parts]


def parse_axis(text: str, program: Program) -> Axis:
    """Reads KEY=VALUE,VALUE... or KEY=LOW..HIGH[ log]; whether the program takes them is seen later."""
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise InputError(f"--set {text}: KEY=VALUE,VALUE... is expected")
    if match := _RANGE.match(values):
        low, low_unit, high, high_unit, log = match.groups()
        if low_unit and high_unit and low_unit != high_unit:
            raise InputError(f"--set {text}: one unit for both ends")
        a, b = float(low.replace("_", "")), float(high.replace("_", ""))
        if not a < b:
            raise InputError(f"--set {text}: an empty range, {low} is not less than {high}")
        if log and a <= 0:
            raise InputError(f"--set {text}: a logarithmic range begins above 0")
        known = program.key(key)
        integer = known is not None and known.type == "integer"
        if integer and (a != int(a) or b != int(b) or low_unit or high_unit):
            raise InputError(f"--set {text}: {key} takes whole numbers without a unit here")
        return Axis(key, (), Range(a, b, low_unit or high_unit, bool(log), integer))
    parts = split_values(values)
    if any(part == "" for part in parts):
        raise InputError(f"--set {text}: a value is missing")
    if len(set(parts)) != len(parts):
        raise InputError(f"--set {text}: a value stands twice")
    return Axis(key, tuple(parts))


def check_axes(axes: list[Axis]) -> None:
    seen = set()
    for axis in axes:
        if axis.key in seen:
            raise InputError(f"--set {axis.key}: the key stands twice; list its values with commas")
        seen.add(axis.key)


MOST_POINTS = 1_000_000


def refuse_many(count: int, option: str) -> None:
    if count > MOST_POINTS:
        raise InputError(f"{option}: {count:,} points; a sweep has up to {MOST_POINTS:,}")


def grid(axes: list[Axis]) -> list[Point]:
    """All combinations; the last axis varies fastest."""
    refuse_many(math.prod(len(axis.values) for axis in axes), "--set")
    for axis in axes:
        if axis.range:
            raise InputError(f"--set {axis.key}: a range needs --sample N; for a grid list the values")
    return [tuple(zip((axis.key for axis in axes), values)) for values in itertools.product(*(axis.values for axis in axes))]


def sample(axes: list[Axis], count: int, method: str, seed: int) -> list[Point]:
    """`count` points of the space that the axes span: a Latin hypercube, or scrambled Sobol points.

    A list of values is taken as a range of equal parts. The same arguments give the same points.
    """
    import numpy as np
    from scipy.stats import qmc

    if not axes:
        raise InputError("--sample needs at least one --set KEY=LOW..HIGH")
    make = {"lhs": qmc.LatinHypercube, "sobol": qmc.Sobol}[method]
    sampler = make(d=len(axes), seed=np.random.default_rng(seed))
    if method == "sobol":
        rows = sampler.random_base2(max(0, math.ceil(math.log2(count))))[:count]
    else:
        rows = sampler.random(count)
    return [tuple((axis.key, axis.range.at(u) if axis.range else axis.values[int(u * len(axis.values))]) for axis, u in zip(axes, row))
            for row in rows.tolist()]


def as_set(value: object, place: str) -> str:
    """A value of a TOML file as --set takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, list):
        return "[" + ", ".join(as_set(item, place) for item in value) + "]"
    raise InputError(f"{place}: a number, a string, true, false or a list is expected")


def flat(table: dict, prefix: str = "") -> dict[str, object]:
    """Values of a table and those within it, by their dotted names."""
    rows: dict[str, object] = {}
    for name, value in table.items():
        rows |= flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return rows


def read_list(path: str) -> list[Point]:
    """Points from a file: CSV with keys as its header, or TOML with a table [[point]] for each.

    An empty field of the CSV leaves the key as the scenario has it.
    """
    points: list[Point] = []
    if path.endswith(".toml"):
        tables = read_toml(Path(path))
        rows = tables.get("point")
        if set(tables) != {"point"} or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InputError(f"{path}: tables [[point]] are expected, and nothing else")
        for number, row in enumerate(rows, 1):
            points.append(tuple((key, as_set(value, f"{path}: point {number}: {key}")) for key, value in flat(row).items()))
    else:
        try:
            text = read_input(Path(path))
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"--list {path}: {getattr(error, 'strerror', None) or error}") from None
        reader = csv.reader(text.splitlines(), skipinitialspace=True)
        header = [name.strip() for name in next(reader, [])]
        if not header or not all(header) or len(set(header)) != len(header):
            raise InputError(f"{path}:1: a header line with one key a column is expected")
        for fields in reader:
            if not any(field.strip() for field in fields):
                continue
            if len(fields) != len(header):
                raise InputError(f"{path}:{reader.line_num}: {len(fields)} fields, the header has {len(header)}")
            points.append(tuple((key, field.strip()) for key, field in zip(header, fields) if field.strip()))
    if not points:
        raise InputError(f"{path}: no points")
    return points

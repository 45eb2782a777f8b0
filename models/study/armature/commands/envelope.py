"""`armature envelope`: how many arms at what speed stay within a drive's thermal envelope, as a picture of a sweep.

A sweep over two keys, by default arms.count and spindle.rpm, of a drive with temperatures. The picture has the rise of the case above
the air in the steady state over the one key, a line for each value of the other, and the rise that is allowed (thermal.rise_c, or
thermal.limit_c less thermal.ambient_c). Below it are the mean response times: full dots for what stays within.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from .. import tabular
from ..envelope_picture import Line, picture
from ..errors import InputError, refuse_unwritable, writing
from ..runs import System, read


@dataclass(frozen=True)
class Point:
    along: float
    line: object
    rise_c: float
    allowed_c: float
    mean_ms: float
    watts: float


def _number(told: object, key: str, label: str) -> float:
    if isinstance(told, bool) or not isinstance(told, (int, float)):
        raise InputError(f"{label}: {key} is no number that the sweep varies")
    return float(told)


def _means(system: System, path: str) -> float:
    """Over the runs that differ in their seed only."""
    told = [total.get(path) for total in system.totals]
    if not told or any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in told):
        raise InputError(f"{system.label}: the run has no {path}; a drive with temperatures has (section thermal)")
    return sum(told) / len(told)


def points_of(systems: list[System], along: str, lines: str) -> list[Point]:
    points = []
    for system in systems:
        ambient, steady = (_means(system, path) for path in ("thermal.ambient_c", "thermal.parts.case.steady_c"))
        rise = steady - ambient
        points.append(Point(_number(system.configuration.get(along), along, system.label), system.configuration.get(lines), rise,
                            rise + _means(system, "thermal.headroom_c"), _means(system, "response.all.mean_ms"),
                            _means(system, "energy.average_w")))
    return points


def greatest_within(line: list[Point]) -> tuple[float | None, bool]:
    """Where the line leaves the envelope, between two points by a straight line; None if it begins outside. Whether it leaves it."""
    if line[0].rise_c > line[0].allowed_c:
        return None, True
    for before, after in zip(line, line[1:]):
        if after.rise_c > after.allowed_c:
            inside, outside = before.allowed_c - before.rise_c, after.rise_c - after.allowed_c
            return before.along + (after.along - before.along) * inside / (inside + outside), True
    return line[-1].along, False


def _table(lines: dict[object, list[Point]], along: str, key: str) -> str:
    rows = [[key, *(f"{along}={point.along:g}" for point in next(iter(lines.values()))), "within up to"]]
    for value, line in lines.items():
        least, leaves = greatest_within(line)
        end = "nowhere" if least is None else f"{least:.0f}" if leaves else f"{least:.0f} and more"
        rows.append([str(value), *(f"+{p.rise_c:.1f} C, {p.watts:.1f} W, {p.mean_ms:.1f} ms" for p in line), end])
    return tabular.aligned(rows, 0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sweep", metavar="SWEEP", help="directory of a sweep with --requests of a drive with temperatures")
    parser.add_argument("--along", default="spindle.rpm", metavar="KEY", help="key along the picture (spindle.rpm)")
    parser.add_argument("--lines", default="arms.count", metavar="KEY", help="key with a line for each value (arms.count)")
    parser.add_argument("--out", default="out/envelope.svg", metavar="FILE", help="the picture (out/envelope.svg)")


def command(options: argparse.Namespace, _program: object) -> int:
    out = Path(options.out)
    refuse_unwritable("--out", out)
    lines: dict[object, list[Point]] = defaultdict(list)
    for point in points_of(read([options.sweep], each_drive=True), options.along, options.lines):
        lines[point.line].append(point)
    places = {value: sorted(point.along for point in line) for value, line in lines.items()}
    if len({tuple(one) for one in places.values()}) != 1 or any(len(one) != len(set(one)) or len(one) < 2 for one in places.values()):
        raise InputError(f"{options.sweep}: not each {options.lines} has the same two or more values of {options.along}, once each")
    for line in lines.values():
        line.sort(key=lambda point: point.along)
    with writing("--out", out):
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(picture([Line(f"{options.lines} = {value}", [(p.along, p.rise_c, p.allowed_c, p.mean_ms) for p in line])
                                for value, line in lines.items()], options.along))
    print(_table(lines, options.along, options.lines))
    print(f"picture: {out}")
    return 0

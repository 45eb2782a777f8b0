"""Where tracks begin: skews of a layout from the times of a trace whose rotation is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from .phase import Passages

_LEAST = 25  # requests of a zone
_FEW = 8  # of one whose skews another zone tells


@dataclass(frozen=True)
class ZoneAngles:
    """What the angles of a zone's tracks lack, in turns: `start` all of them, and more with each head, cylinder and
    border of a spare range. `length`: mean phasor with it, up to about `noise` in unrelated times."""

    start: float
    head: float
    cylinder: float
    border: float
    length: float
    noise: float
    requests: int

    @property
    def found(self) -> bool:
        return self.length > max(1.2 * self.noise, 0.6)


def zone_angles(cylinder: np.ndarray, nth: np.ndarray, heads: int, range_cylinders: int, lack: np.ndarray) -> ZoneAngles:
    """Of requests to a zone: cylinder from the zone's first, number of the track in the cylinder's order, and what the
    model's angle lacks (turns). The transform over cylinders (of ranges, over ranges) tries all skews of these at once,
    for a grid of the others; then all are refined."""
    phasors = np.exp(2j * np.pi * lack)
    count = len(lack)
    inside = cylinder % range_cylinders if range_cylinders else np.zeros(count, int)
    step = cylinder // range_cylinders if range_cylinders else cylinder
    size = 1 << int(np.ceil(np.log2((step.max() + 1) * 4)))
    heads_tried = np.arange(0, 1, 0.25 / heads)
    insides_tried = np.arange(0, 1, 0.25 / range_cylinders) if range_cylinders > 1 else np.zeros(1)
    best = (0.0, 0.0, 0.0, 0.0)
    for head in heads_tried:
        for along in insides_tried:
            sums = np.zeros(size, complex)
            np.add.at(sums, step, phasors * np.exp(-2j * np.pi * (nth * head + inside * along)))
            lengths = np.abs(np.fft.fft(sums)) / count
            at = int(lengths.argmax())
            if lengths[at] > best[0]:
                best = float(lengths[at]), at / size, float(head), float(along)
    scale = np.array([step.max() + 1, heads, max(range_cylinders, 1)], float)

    def turned(scaled: np.ndarray) -> complex:
        a, b, c = scaled / scale
        return complex((phasors * np.exp(-2j * np.pi * (a * step + b * nth + c * inside))).mean())

    refined = minimize(lambda x: -abs(turned(x)), np.array(best[1:]) * scale, method="Nelder-Mead",
                       options={"xatol": 1e-4, "fatol": 1e-7})
    a, b, c = refined.x / scale
    mean = turned(refined.x)
    tried = size * len(heads_tried) * len(insides_tried)
    noise = float(np.sqrt(np.log(tried / 0.001) / count))
    along = c if range_cylinders else a
    return ZoneAngles(float(np.angle(mean) / (2 * np.pi)), float(b), float(along),
                      float(a - range_cylinders * c) if range_cylinders else 0.0, abs(mean), noise, count)


def _like(zone: list, zones: list[list], found: list[ZoneAngles | None], number: int) -> ZoneAngles | None:
    """The skews found in the nearest zone with the same sectors a track and the same skews in the file."""
    alike = [n for n, other in enumerate(zones) if other[2:5] == zone[2:5] and found[n] and found[n].found]
    return found[min(alike, key=lambda n: abs(n - number))] if alike else None


def angles(geometry: dict, p: Passages, at_ms: np.ndarray, period_ms: float, which: np.ndarray) -> list[ZoneAngles | None]:
    """Of each zone; None where too few of the requests `which` went to it."""
    heads = int(geometry["heads"])
    cylinder, head = p.track // 256, p.track % 256
    lack = at_ms / period_ms - p.angle
    width = int(geometry["spare_range_cylinders"])
    places = []
    for zone in geometry["zones"]:
        first, last = int(zone[0]), int(zone[1])
        here = p.chosen & which & (cylinder >= first) & (cylinder <= last)
        along, nth = cylinder[here] - first, head[here]
        odd = {"alternating": along % 2 == 1, "alternating_odd": cylinder[here] % 2 == 1}.get(geometry["mapping"])
        places.append((along, nth if odd is None else np.where(odd, heads - 1 - nth, nth), lack[here]))
    found = [zone_angles(along, nth, heads, width, off) if len(off) >= _LEAST else None for along, nth, off in places]
    for number, (along, nth, off) in enumerate(places):
        alike = _like(geometry["zones"][number], geometry["zones"], found, number)
        if (found[number] and found[number].found) or not alike or len(off) < _FEW:
            continue
        borders = along // width if width else np.zeros(len(off), int)
        mean = np.exp(2j * np.pi * (off - alike.head * nth - alike.cylinder * along - alike.border * borders)).mean()
        found[number] = replace(alike, start=float(np.angle(mean) / (2 * np.pi)), length=float(abs(mean)),
                                noise=float(np.sqrt(np.log(1000) / len(off))), requests=len(off))
    return found


def corrected(geometry: dict, found: list[ZoneAngles | None]) -> dict:
    """Keys of the drive whose skews say what was found, in revolutions. Zones that tell nothing keep theirs."""
    heads = int(geometry["heads"])
    revolutions = geometry["skew_unit"] == "revolutions"
    told = [angle for angle in found if angle and angle.found]
    # The disk's angle at time 0 is nobody's business here: the zones' offsets are counted from their common mean.
    common = float(np.angle(np.exp(2j * np.pi * np.array([a.start for a in told])).mean()) / (2 * np.pi)) if told else 0.0
    fronts = {int(row[0]): list(row) for row in geometry.get("zone_fronts") or []}
    borders = {int(row[0]): float(row[1]) for row in geometry.get("range_skews") or []}
    zones, new_fronts, new_borders = [], [], []
    for number, zone in enumerate(geometry["zones"]):
        unit = 1.0 if revolutions else float(zone[2])
        track, cylinder = zone[3] / unit, zone[4] / unit
        reserved, offset = (fronts[number][1], fronts[number][2] / unit) if number in fronts else (0, 0.0)
        border = borders.get(number, 0.0) / unit
        angle = found[number]
        if angle and angle.found:
            track += angle.head
            cylinder += angle.cylinder - (heads - 1) * angle.head
            border += angle.border
            offset += angle.start - common
        zones.append([*zone[:3], _turn(track), _turn(cylinder), zone[5]])
        if reserved or _turn(offset):
            new_fronts.append([number, reserved, _turn(offset)])
        if _turn(border):
            new_borders.append([number, _turn(border)])
    keys = {"geometry.zones": zones, "geometry.skew_unit": "revolutions", "geometry.zone_fronts": new_fronts}
    if new_borders:
        keys["geometry.range_skews"] = new_borders
    return keys


def _turn(value: float) -> float:
    """In [0, 1), to a ten millionth: a zone of 10,000 cylinders is then right to a thousandth."""
    return float(round(value % 1, 7)) % 1

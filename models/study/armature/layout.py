"""Where tracks begin: skews of a layout from the times of a trace whose rotation is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from . import track_slips
from .phase import Passages

_LEAST = 25  # requests of a zone
_FEW = 8  # of one whose skews another zone tells
_CLEAR = 0.95  # mean phasor of a zone about which nothing is to be found out
_SURE = 3.0  # requests, what a zone must gain if tracks are left out
_ROUNDS = 3
_NEIGHBOURS = 20  # requests before and behind that tell where the disk is


@dataclass(frozen=True)
class ZoneAngles:
    """What the angles of a zone's tracks lack, in turns: `start` all of them, and more with each head, cylinder and
    border of a spare range. `slips`: tracks of the zone that hold no blocks, though the file does not say so. `length`: mean
    phasor with all this, up to about `noise` in unrelated times."""

    start: float
    head: float
    cylinder: float
    border: float
    length: float
    noise: float
    requests: int
    slips: tuple[int, ...] = ()

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

    from scipy.optimize import minimize  # half a second to load

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


@dataclass(frozen=True)
class _Zone:
    """A zone's requests: which, their cylinders from its first, and their tracks' numbers in the order of the cylinder."""

    row: list
    here: np.ndarray
    along: np.ndarray
    nth: np.ndarray


def _zones(geometry: dict, p: Passages, which: np.ndarray) -> list[_Zone]:
    heads = int(geometry["heads"])
    cylinder, head = p.track // 256, p.track % 256
    zones = []
    for row in geometry["zones"]:
        here = np.flatnonzero(p.chosen & which & (cylinder >= int(row[0])) & (cylinder <= int(row[1])))
        along, nth = cylinder[here] - int(row[0]), head[here]
        odd = {"alternating": along % 2 == 1, "alternating_odd": cylinder[here] % 2 == 1}.get(geometry["mapping"])
        zones.append(_Zone(row, here, along, nth if odd is None else np.where(odd, heads - 1 - nth, nth)))
    return zones


def _skews(geometry: dict, row: list) -> tuple[float, float]:
    """Of a head switch, and of a cylinder switch, turns."""
    unit = 1.0 if geometry["skew_unit"] == "revolutions" else float(row[2])
    return row[3] / unit, row[4] / unit


def _lacking(geometry: dict, zone: _Zone, angle: ZoneAngles) -> np.ndarray:
    """What the file's angles of a zone's requests lack by what was found, turns."""
    heads, width = int(geometry["heads"]), int(geometry["spare_range_cylinders"])
    borders = zone.along // width if width else 0
    lack = angle.start + angle.head * zone.nth + angle.cylinder * zone.along + angle.border * borders
    if not angle.slips:
        return lack
    track, switch = _skews(geometry, zone.row)
    number = zone.along * heads + zone.nth
    true = number + track_slips.passed(np.array(angle.slips), number)
    begins = track_slips.beginnings(track + angle.head, (heads - 1) * track + switch + angle.cylinder, heads, int(true.max()) + 1)
    return angle.start + begins[true] - track * zone.nth - ((heads - 1) * track + switch) * zone.along


def _spare_tracks(geometry: dict, number: int) -> int:
    """Tracks that a zone may leave out without the file's knowing: none if it lists some, or spares otherwise."""
    zone = geometry["zones"][number]
    listed = any(int(row[0]) == number for row in geometry.get("slips") or [])
    otherwise = geometry["spare_range_cylinders"] or geometry["spares_per_track"] or geometry["slip_skew"] != "none"
    return 0 if listed or otherwise or not zone[2] else int(zone[5] // zone[2])


def _with_slips(geometry: dict, zone: _Zone, lack: np.ndarray, spares: int, plain: ZoneAngles) -> ZoneAngles:
    """What the zone's angles are if it leaves out tracks; `plain` if that does not tell more."""
    heads = int(geometry["heads"])
    track, switch = _skews(geometry, zone.row)
    around = (heads - 1) * track + switch
    found = track_slips.find(zone.along * heads + zone.nth, lack + track * zone.nth + around * zone.along, heads, zone.row[2], track,
                             switch, spares)
    if not found.tracks or found.gain < plain.length * len(lack) + _SURE:
        return plain
    return replace(plain, start=found.start, head=found.track - track, cylinder=found.cylinder - around, border=0.0,
                   length=found.length, slips=found.tracks)


def _angles(geometry: dict, zones: list[_Zone], lack: np.ndarray) -> list[ZoneAngles | None]:
    heads, width = int(geometry["heads"]), int(geometry["spare_range_cylinders"])
    found: list[ZoneAngles | None] = []
    for number, zone in enumerate(zones):
        angle = zone_angles(zone.along, zone.nth, heads, width, lack[zone.here]) if len(zone.here) >= _LEAST else None
        spares = _spare_tracks(geometry, number)
        if angle and spares and angle.length < _CLEAR:
            angle = _with_slips(geometry, zone, lack[zone.here], spares, angle)
        found.append(angle)
    for number, zone in enumerate(zones):
        alike = _like(geometry["zones"][number], geometry["zones"], found, number)
        if (found[number] and found[number].found) or not alike or len(zone.here) < _FEW:
            continue
        off = lack[zone.here] - _lacking(geometry, zone, replace(alike, start=0.0, slips=()))
        mean = np.exp(2j * np.pi * off).mean()
        found[number] = replace(alike, start=float(np.angle(mean) / (2 * np.pi)), length=float(abs(mean)),
                                noise=float(np.sqrt(np.log(1000) / len(off))), requests=len(off), slips=())
    return found


def _wander(geometry: dict, zones: list[_Zone], found: list[ZoneAngles | None], lack: np.ndarray) -> np.ndarray:
    """By how much the disk is elsewhere than an even rotation says, turns: its speed is held to some hundredths of a turn a second
    only. Of each request the mean of what is left to explain in those about it."""
    at, left = [], []
    for zone, angle in zip(zones, found):
        if angle and angle.found:
            at.append(zone.here)
            left.append(lack[zone.here] - _lacking(geometry, zone, angle))
    if sum(map(len, at)) < 4 * _NEIGHBOURS:
        return np.zeros(len(lack))
    order = np.argsort(np.concatenate(at), kind="stable")
    told, phasors = np.concatenate(at)[order], np.exp(2j * np.pi * np.concatenate(left)[order])
    sums = np.concatenate([[0], np.cumsum(phasors)])
    place = np.searchsorted(told, np.arange(len(lack)))
    low, high = np.maximum(place - _NEIGHBOURS, 0), np.minimum(place + _NEIGHBOURS + 1, len(told))
    return np.angle(sums[high] - sums[low]) / (2 * np.pi)


def angles(geometry: dict, p: Passages, at_ms: np.ndarray, period_ms: float, which: np.ndarray) -> list[ZoneAngles | None]:
    """Of each zone; None where too few of the requests `which` went to it. What the angles leave tells where the disk was, and
    with that the angles are found anew."""
    zones = _zones(geometry, p, which)
    lack = at_ms / period_ms - p.angle
    wander = np.zeros(len(lack))
    for _ in range(_ROUNDS):
        found = _angles(geometry, zones, lack - wander)
        wander = _wander(geometry, zones, found, lack)
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
        track, cylinder = _skews(geometry, zone)
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
    slips = [list(row) for row in geometry.get("slips") or []]
    for number, (zone, angle) in enumerate(zip(geometry["zones"], found)):
        for track in angle.slips if angle and angle.found else ():
            slips += [[number, track * int(zone[2]) + sector] for sector in range(int(zone[2]))]
    if len(slips) > len(geometry.get("slips") or []):
        keys["geometry.slips"] = slips
    return keys


def _turn(value: float) -> float:
    """In [0, 1), to a ten millionth: a zone of 10,000 cylinders is then right to a thousandth."""
    return float(round(value % 1, 7)) % 1

"""Zones of a drive whose datasheet gives capacity and sustained rates, but no zone table. Standard library only.

Equations:

  outer sectors a track   S0 = rate * (T + skew) / 512, with T one revolution: a track takes its revolution and the
                          mean skew to the next one. This is the datasheets' own definition of the sustained rate:
                          A / (B + C + D), A = 512 * sectors of a cylinder, B = its heads - 1 head switches, C = one
                          cylinder switch, D = its revolutions (Hitachi Deskstar 7K500 specification, section 4.4.4).
  inner sectors a track   the same from the inner rate where the datasheet has it; otherwise so that `cylinders`
                          hold the capacity.
  media rate              where the datasheet has no sustained rate but that of the bits at the head: 75 % of it are data,
                          as on the A7K1000, of which both numbers are known; S0 = data rate * T / 512.
  in between              linear in the cylinder number, hence in the radius: constant linear density.
  cylinders               where the datasheet has both rates: as many as the capacity needs.
  spares                  0.1 % of each zone (assumption), and what the division into whole tracks leaves over, spread
                          over the zones by size, so that the capacity comes out to the sector.
  physical sectors        of 4,096 bytes: sectors of a track and spares in multiples of eight.
  skews                   the sectors that pass in `track_skew_ms` and `cylinder_skew_ms`, rounded up.
"""

from __future__ import annotations

import math

SPARE_SHARE = 0.001
DATA_SHARE_OF_MEDIA_RATE = 0.75


def sectors_per_track(rate_mb_s, rpm, skew_ms):
    return rate_mb_s * 1e6 * (60 / rpm + skew_ms * 1e-3) / 512


def boundaries(cylinders, zones):
    return [cylinders * i // zones for i in range(zones + 1)]


def tracks(outer, inner, zones, unit):
    return [round((outer + (inner - outer) * i / (zones - 1)) / unit) * unit for i in range(zones)]


def raw_sectors(cylinders, per_track, heads):
    edges = boundaries(cylinders, len(per_track))
    return sum((edges[i + 1] - edges[i]) * heads * n for i, n in enumerate(per_track))


def derive(sectors, heads, rpm, zones, track_skew_ms, cylinder_skew_ms, outer_mb_s=None, media_mb_s=None, inner_mb_s=None,
           inner_share=None, cylinders=None, unit=1):
    skew_ms = ((heads - 1) * track_skew_ms + cylinder_skew_ms) / heads
    if media_mb_s is not None:
        outer = sectors_per_track(DATA_SHARE_OF_MEDIA_RATE * media_mb_s, rpm, 0)
    else:
        outer = sectors_per_track(outer_mb_s, rpm, skew_ms)
    need = math.ceil(sectors * (1 + SPARE_SHARE))
    if inner_mb_s is None and inner_share is None:
        # The smallest whole number of sectors on the innermost track that gives the capacity.
        inner = next(n for n in range(1, math.ceil(outer))
                     if raw_sectors(cylinders, tracks(outer, n, zones, unit), heads) >= need)
        per_track = tracks(outer, inner, zones, unit)
    else:
        inner = inner_share * outer if inner_mb_s is None else sectors_per_track(inner_mb_s, rpm, skew_ms)
        per_track = tracks(outer, inner, zones, unit)
        cylinders = math.ceil(need / heads / (sum(per_track) / zones))
        while raw_sectors(cylinders, per_track, heads) < need:
            cylinders += 1
    edges = boundaries(cylinders, zones)
    raw = [(edges[i + 1] - edges[i]) * heads * n for i, n in enumerate(per_track)]
    left_over = sum(raw) - sectors
    spares = [left_over * size // sum(raw) // unit * unit for size in raw]
    spares[-1] += left_over - sum(spares)
    turn_ms = 60_000 / rpm
    rows = []
    for i, n in enumerate(per_track):
        track_skew = math.ceil(track_skew_ms / turn_ms * n)
        cylinder_skew = math.ceil(cylinder_skew_ms / turn_ms * n)
        rows.append([edges[i], edges[i + 1] - 1, n, track_skew, cylinder_skew, spares[i]])
    assert sum(raw) - sum(spares) == sectors
    return rows

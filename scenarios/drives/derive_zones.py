#!/usr/bin/env python3
"""Derives the zones of a drive whose datasheet gives capacity and sustained rates, but no zone table.

    derive_zones.py NAME                prints the zones of the drive NAME as they stand in its file
    derive_zones.py NAME --check FILE   compares them with FILE, exit status 1 if they differ

Equations (python3 >= 3.11, standard library only):

  outer sectors a track   S0 = rate * (T + skew) / 512, with T one revolution: a track takes its revolution and the
                          mean skew to the next one. This is the datasheets' own definition of the sustained rate:
                          A / (B + C + D), A = 512 * sectors of a cylinder, B = its heads - 1 head switches, C = one
                          cylinder switch, D = its revolutions (Hitachi Deskstar 7K500 specification, section 4.4.4).
  inner sectors a track   the same from the inner rate where the datasheet has it; otherwise so that `cylinders`
                          hold the capacity.
  in between              linear in the cylinder number, hence in the radius: constant linear density.
  cylinders               where the datasheet has both rates: as many as the capacity needs.
  spares                  0.1 % of each zone (assumption), and what the division into whole tracks leaves over, spread
                          over the zones by size, so that the capacity comes out to the sector.
  skews                   the sectors that pass in `track_skew_ms` and `cylinder_skew_ms`, rounded up.
"""

import argparse
import math
import sys
import tomllib

SPARE_SHARE = 0.001

DRIVES = {
    # Sources stand beside the numbers in the drive's file.
    "seagate_barracuda_es_750": dict(
        sectors=1_465_149_168, heads=8, rpm=7200, zones=24, outer_mb_s=78, cylinders=150_000,
        track_skew_ms=1.88, cylinder_skew_ms=1.88),
    "hitachi_ultrastar_a7k1000": dict(
        sectors=1_953_525_168, heads=10, rpm=7200, zones=30, outer_mb_s=85, inner_mb_s=42,
        track_skew_ms=1.44, cylinder_skew_ms=1.84),
}


def sectors_per_track(rate_mb_s, rpm, skew_ms):
    return rate_mb_s * 1e6 * (60 / rpm + skew_ms * 1e-3) / 512


def boundaries(cylinders, zones):
    return [cylinders * i // zones for i in range(zones + 1)]


def tracks(outer, inner, zones):
    return [round(outer + (inner - outer) * i / (zones - 1)) for i in range(zones)]


def raw_sectors(cylinders, per_track, heads):
    edges = boundaries(cylinders, len(per_track))
    return sum((edges[i + 1] - edges[i]) * heads * n for i, n in enumerate(per_track))


def derive(sectors, heads, rpm, zones, outer_mb_s, track_skew_ms, cylinder_skew_ms, inner_mb_s=None, cylinders=None):
    skew_ms = ((heads - 1) * track_skew_ms + cylinder_skew_ms) / heads
    outer = sectors_per_track(outer_mb_s, rpm, skew_ms)
    need = math.ceil(sectors * (1 + SPARE_SHARE))
    if inner_mb_s is None:
        # The smallest whole number of sectors on the innermost track that gives the capacity.
        inner = next(n for n in range(1, math.ceil(outer)) if raw_sectors(cylinders, tracks(outer, n, zones), heads) >= need)
        per_track = tracks(outer, inner, zones)
    else:
        per_track = tracks(outer, sectors_per_track(inner_mb_s, rpm, skew_ms), zones)
        cylinders = math.ceil(need / heads / (sum(per_track) / zones))
        while raw_sectors(cylinders, per_track, heads) < need:
            cylinders += 1
    edges = boundaries(cylinders, zones)
    raw = [(edges[i + 1] - edges[i]) * heads * n for i, n in enumerate(per_track)]
    left_over = sum(raw) - sectors
    spares = [left_over * size // sum(raw) for size in raw]
    spares[-1] += left_over - sum(spares)
    turn_ms = 60_000 / rpm
    rows = []
    for i, n in enumerate(per_track):
        track_skew = math.ceil(track_skew_ms / turn_ms * n)
        cylinder_skew = math.ceil(cylinder_skew_ms / turn_ms * n)
        rows.append([edges[i], edges[i + 1] - 1, n, track_skew, cylinder_skew, spares[i]])
    assert sum(raw) - sum(spares) == sectors
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(DRIVES))
    parser.add_argument("--check", metavar="FILE")
    arguments = parser.parse_args()
    rows = derive(**DRIVES[arguments.name])
    if arguments.check is None:
        for row in rows:
            print("  [" + ", ".join(f"{x:>6}" for x in row) + "],")
        return 0
    with open(arguments.check, "rb") as file:
        geometry = tomllib.load(file)["geometry"]
    if geometry["zones"] != rows or geometry["heads"] != DRIVES[arguments.name]["heads"]:
        print(f"{arguments.check}: zones or heads are not what derive_zones.py derives", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

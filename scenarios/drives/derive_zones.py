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
  media rate              where the datasheet has no sustained rate but that of the bits at the head: 75 % of it are data,
                          as on the A7K1000, of which both numbers are known; S0 = data rate * T / 512.
  in between              linear in the cylinder number, hence in the radius: constant linear density.
  cylinders               where the datasheet has both rates: as many as the capacity needs.
  spares                  0.1 % of each zone (assumption), and what the division into whole tracks leaves over, spread
                          over the zones by size, so that the capacity comes out to the sector.
  physical sectors        of 4,096 bytes: sectors of a track and spares in multiples of eight.
  skews                   the sectors that pass in `track_skew_ms` and `cylinder_skew_ms`, rounded up.
"""

import argparse
import math
import sys
import tomllib

SPARE_SHARE = 0.001
DATA_SHARE_OF_MEDIA_RATE = 0.75

DRIVES = {
    # Sources stand beside the numbers in the drive's file.
    "seagate_barracuda_es_750": dict(
        sectors=1_465_149_168, heads=8, rpm=7200, zones=24, outer_mb_s=78, cylinders=150_000,
        track_skew_ms=1.88, cylinder_skew_ms=1.88),
    "seagate_barracuda_7200_7_160": dict(
        sectors=312_581_808, heads=4, rpm=7200, zones=16, outer_mb_s=58, cylinders=90_000,
        track_skew_ms=1.88, cylinder_skew_ms=1.88),
    "hitachi_ultrastar_a7k1000": dict(
        sectors=1_953_525_168, heads=10, rpm=7200, zones=30, outer_mb_s=85, inner_mb_s=42,
        track_skew_ms=1.44, cylinder_skew_ms=1.84),
    "ibm_ultrastar_36zx": dict(
        sectors=71_093_750, heads=20, rpm=10_000, zones=11, outer_mb_s=28.9, inner_mb_s=17.9,
        track_skew_ms=1.08, cylinder_skew_ms=1.38),
    "study_raid_36zx": dict(
        sectors=65_625_000, heads=20, rpm=12_000, zones=11, outer_mb_s=34.7, inner_mb_s=21.5,
        track_skew_ms=1.08, cylinder_skew_ms=1.38),
    "hitachi_ultrastar_15k73": dict(
        sectors=144_335_937, heads=8, rpm=15_037, zones=16, media_mb_s=129, inner_share=0.65,
        track_skew_ms=0.88, cylinder_skew_ms=0.98),
    "hitachi_travelstar_7k60": dict(
        sectors=117_210_240, heads=4, rpm=7200, zones=16, media_mb_s=64, inner_share=0.5,
        track_skew_ms=2.08, cylinder_skew_ms=2.08),
    "hitachi_dk23da_30": dict(
        sectors=58_605_120, heads=3, rpm=4200, zones=16, media_mb_s=35, inner_share=0.5,
        track_skew_ms=3.58, cylinder_skew_ms=3.58),
    "seagate_cheetah_15k3": dict(
        sectors=143_374_744, heads=8, rpm=15_000, zones=16, media_mb_s=112, inner_share=0.65,
        track_skew_ms=0.88, cylinder_skew_ms=0.98),
    "wd_velociraptor_300": dict(
        sectors=586_072_368, heads=4, rpm=10_000, zones=24, outer_mb_s=120, inner_mb_s=75,
        track_skew_ms=1.33, cylinder_skew_ms=1.33),
    "seagate_cheetah_36es": dict(
        sectors=71_687_369, heads=4, rpm=10_000, zones=16, outer_mb_s=57, inner_mb_s=38,
        track_skew_ms=1.18, cylinder_skew_ms=1.28),
    "study_md_10k_19gb": dict(
        sectors=37_246_093, heads=8, rpm=10_000, zones=11, outer_mb_s=28.9, inner_mb_s=17.9,
        track_skew_ms=1.08, cylinder_skew_ms=1.28),
    "study_md_10k_37gb": dict(
        sectors=72_597_656, heads=8, rpm=10_000, zones=11, outer_mb_s=57, inner_mb_s=38,
        track_skew_ms=1.08, cylinder_skew_ms=1.28),
    "study_md_7200_36gb": dict(
        sectors=70_234_375, heads=12, rpm=7200, zones=11, outer_mb_s=29, inner_mb_s=18,
        track_skew_ms=1.08, cylinder_skew_ms=1.68),
    "ibm_microdrive_1gb": dict(
        sectors=2_095_632, heads=2, rpm=3600, zones=16, outer_mb_s=4.2, inner_mb_s=2.6,
        track_skew_ms=2.08, cylinder_skew_ms=2.08),
    "wd_ultrastar_hc560_20tb": dict(
        sectors=39_063_650_304, heads=18, rpm=7200, zones=30, outer_mb_s=291, inner_share=0.48, unit=8,
        track_skew_ms=1.11, cylinder_skew_ms=1.11),
}


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

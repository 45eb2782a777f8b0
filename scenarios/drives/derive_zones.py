#!/usr/bin/env python3
"""Derives the zones of a drive whose datasheet gives capacity and sustained rates, but no zone table.

    derive_zones.py NAME                prints the zones of the drive NAME as they stand in its file
    derive_zones.py NAME --check FILE   compares them with FILE, exit status 1 if they differ

models/study/armature/zones.py has the equations.
"""

import argparse
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "models" / "study"))
from armature.zones import derive  # noqa: E402  (found by the line above)

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

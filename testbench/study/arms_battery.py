"""Designs of drives with several arms beside each other, over pieces of traces at several densities, on shipped drives, with
caches off and as delivered: is MA(n) never worse than SA(n), MC(n) never worse than MA(n), n arms never worse than one?

    python3 testbench/study/arms_battery.py [--only PATTERN] [--jobs 2] [--densities 5] [--page FILE]
    python3 testbench/study/arms_battery.py --gaps [--page FILE]

Prints each run's ratios (mean response, 99th percentile) and a summary of each comparison. Which arm is nearest to a request is a
matter of luck, so a ratio scatters by several per cent: each is the geometric mean over several densities, 2 % apart. Without
ARMATURE_REFERENCE, the folder of the traces that are not shipped, it runs the shipped trace and the streams that it makes itself.
--gaps: one stream of small reads, of which some are written, so that the reads behind them need an arm anew. --page writes the
table into a page between its marks, <!-- battery --> or <!-- gaps -->.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import geometric_mean

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "models/app/shell"))

import marked_region  # noqa: E402

SCENARIOS = ROOT / "scenarios"
REFERENCE = Path(os.environ["ARMATURE_REFERENCE"]) / "traces/workloads" if "ARMATURE_REFERENCE" in os.environ else None
DRIVES = {
    "es": "seagate_barracuda_es_750",
    "15k": "hitachi_ultrastar_15k73",
    "a7k": "hitachi_ultrastar_a7k1000",
    "20t": "wd_ultrastar_hc560_20tb",
}
DESIGNS = [("1", 1, "SA"), ("SA2", 2, "SA"), ("MA2", 2, "MA"), ("MC2", 2, "MC"), ("SA4", 4, "SA"), ("MA4", 4, "MA"), ("MC4", 4, "MC")]
RATIOS = [
    ("SA2", "1"), ("MA2", "1"), ("MC2", "1"), ("MA2", "SA2"), ("MC2", "MA2"), ("SA4", "1"),
    ("SA4", "SA2"), ("MA4", "SA4"), ("MC4", "MA4"), ("MA4", "MA2"), ("MC4", "MC2"),
]  # fmt: skip
# Trace, requests left out at its start, requests (0: all), factor of the arrival times.
PIECES = [
    ("git", 0, 3000, 4), ("git", 12000, 3000, 2), ("git", 30150, 3000, 1), ("git", 30150, 3000, 6), ("git", 45000, 3000, 8),
    ("web", 0, 3000, 2), ("web", 5000, 3000, 4), ("web", 12000, 3000, 8),
    ("fin", 0, 3000, 1), ("fin", 4000, 3000, 0.25), ("fin", 7000, 3000, 0.1),
    ("cloud", 0, 3000, 1), ("cloud", 40000, 3000, 2), ("cloud", 80000, 3000, 1),
    ("copy", 0, 0, 1), ("copyq", 0, 0, 1), ("readers", 0, 0, 1), ("readers", 0, 0, 0.5), ("mixed", 0, 0, 1), ("mixed", 0, 0, 0.5),
]  # fmt: skip
KEYS = {
    "web": 'device_layout = "overlay"\n',
    "fin": 'device_layout = "overlay"\n',
    "cloud": 'columns.time_unit = "s"\ncolumns.size_unit = "bytes"\n',
}
Request = tuple[float, int, int, str]  # seconds, LBN, sectors, R or W


def copy() -> Iterator[Request]:
    """One stream is read, and another one written: 32 MB/s each, as they come."""
    for i in range(1500):
        yield i * 0.004, 1_000_000 + 256 * i, 256, "R"
        yield i * 0.004 + 0.0005, 90_000_000 + 256 * i, 256, "W"


def copy_in_bursts() -> Iterator[Request]:
    """The same at 26 MB/s, eight requests of each at once."""
    for i in range(2000):
        yield (i // 8) * 0.02, 1_000_000 + 128 * i, 128, "R"
        yield (i // 8) * 0.02, 90_000_000 + 128 * i, 128, "W"


def readers() -> Iterator[Request]:
    """Two streams are read in random turn."""
    draw, at = random.Random(3), [1_000_000, 60_000_000]
    for i in range(4000):
        stream = draw.randrange(2)
        yield i * 0.006, at[stream], 32, "R"
        at[stream] += 32


def mixed() -> Iterator[Request]:
    """Six streams, of which two are written, reads near them, and random reads and writes."""
    draw, time = random.Random(5), 0.0
    at = [draw.randrange(100_000_000) for _ in range(6)]
    for _ in range(4000):
        time += draw.expovariate(120)
        stream, kind = draw.randrange(6), draw.random()
        if kind < 0.4:
            yield time, at[stream], 64, "R" if stream < 4 else "W"
            at[stream] += 64
        elif kind < 0.7:
            yield time, at[stream] + draw.randrange(100_000), 8, "R"
        else:
            yield time, draw.randrange(120_000_000) // 8 * 8, 8, "W" if kind < 0.85 else "R"


MADE = {"copy": copy, "copyq": copy_in_bursts, "readers": readers, "mixed": mixed}


def traces(folder: Path) -> dict[str, Path]:
    files = {"git": SCENARIOS / "traces/ext4_git_sqlite.csv.zst"}
    if REFERENCE is not None:
        files |= {
            "web": REFERENCE / "websearch_60s.mqsim.trace",
            "fin": REFERENCE / "financial1_first10000.ssdsim.trace",
            "cloud": REFERENCE / "cloudphysics_2h.csv",
        }
    for name, requests in MADE.items():
        files[name] = folder / f"{name}.csv"
        rows = "".join(f"{time:.6f},{lbn},{sectors},{op}\n" for time, lbn, sectors, op in requests())
        files[name].write_text("time_s,lbn,sectors,op\n" + rows)
    return files


def scenario(trace: Path, piece: tuple[str, int, int, float], drive: str, caches: bool) -> str:
    name, skip, limit, scale = piece
    text = f'[workload]\nkind = "trace"\nfile = "{trace}"\nskip = {skip}\nlimit = {limit}\ntime_scale = {scale}\n'
    return text + 'time_zero = "first_request"\nout_of_range = "wrap"\n' + KEYS.get(name, "") + designs(drive, caches)


def designs(drive: str, caches: bool) -> str:
    text = ""
    for label, arms, design in DESIGNS:
        text += f'[drives.d{label}]\nmodel = "{SCENARIOS}/drives/{DRIVES[drive]}.toml"\n'
        text += f'arms.count = {arms}\narms.design = "{design}"\n'
        text += "" if caches else "cache.look_ahead = false\ncache.write = false\n"
    return text


def responses(binary: Path, folder: Path, name: str, text: str) -> dict[str, tuple[float, float]]:
    """Mean and 99th percentile of each drive, ms."""
    file, out = folder / f"{name}.toml", folder / name
    file.write_text(text)
    subprocess.run([binary, "run", file, "--out", out, "--quiet", "--set", "output.request_log=false"], check=True)
    drives = json.loads((out / "summary.json").read_text())["drives"]
    return {drive["name"][1:]: (drive["response"]["all"]["mean_ms"], drive["response"]["all"]["p99_ms"]) for drive in drives}


Ratios = dict[tuple[str, str], tuple[float, float]]  # of designs: mean response, 99th percentile


def ratios_of(results: list[dict[str, tuple[float, float]]]) -> Ratios:
    def ratio(over: str, under: str, which: int) -> float:
        return geometric_mean(result[over][which] / result[under][which] for result in results)

    return {(over, under): (ratio(over, under, 0), ratio(over, under, 1)) for over, under in RATIOS}


def summary(results: dict[str, Ratios]) -> list[str]:
    lines = ["| | mean: geometric mean | worse by 2 % in | worst | p99: geometric mean | worse by 5 % in | worst |"]
    lines.append("|---|--:|--:|---|--:|--:|---|")
    for over, under in RATIOS:
        cells = [f"{over} / {under}"]
        for which, limit in ((0, 1.02), (1, 1.05)):
            ratios = {name: result[over, under][which] for name, result in results.items()}
            worst = max(ratios, key=ratios.__getitem__)
            mean = geometric_mean(ratios.values())
            worse = sum(ratio > limit for ratio in ratios.values())
            cells += [f"{mean:.2f}", f"{worse} of {len(ratios)}", f"{ratios[worst]:.2f} {worst}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def gaps(binary: Path) -> list[str]:
    """Mean response of one stream with gaps over one arm's, by requests in flight and the share that is written."""
    several = [label for label, _, _ in DESIGNS[1:]]
    lines = ["| in flight, written | one arm, ms | " + " | ".join(several) + " |", "|---|--:|" + "--:|" * len(several)]
    for outstanding, written in ((4, 0.1), (8, 0.1), (8, 0.2), (8, 0.3), (16, 0.2)):
        load = f"count = 20000\noutstanding = {outstanding}\nread_fraction = {1 - written:.1f}\n"
        text = f'[workload]\nkind = "closed"\n{load}sequential_fraction = 1\nsize_sectors = 16\n' + designs("es", True)
        with tempfile.TemporaryDirectory() as temporary:
            means = {label: mean for label, (mean, _) in responses(binary, Path(temporary), "gaps", text).items()}
        cells = [f"{means[label] / means['1']:.2f}" for label in several]
        lines.append(f"| {outstanding}, {written:.0%} | {means['1']:.3f} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", type=Path, default=ROOT / ".build/release/models/app/armature")
    options.add_argument("--only", default="", help="runs whose name has this pattern: 'web.*20t.on'")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--densities", type=int, default=5, help="of each piece, 2 %% apart")
    options.add_argument("--gaps", action="store_true", help="the stream with gaps in place of the battery")
    options.add_argument("--page", type=Path, help="write the table into this page, too")
    given = options.parse_args()
    if given.gaps:
        lines = gaps(given.binary)
        print("\n".join(lines))
        if given.page:
            marked_region.write(given.page, "<!-- gaps -->\n", "\n".join(lines) + "\n", "<!-- end of gaps -->\n")
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = traces(folder)
        runs = {}
        for piece in PIECES:
            if piece[0] not in files:
                continue
            for drive in DRIVES:
                for caches in (False, True):
                    name = f"{piece[0]}+{piece[1]}x{piece[3]}.{drive}.{'on' if caches else 'off'}"
                    if not re.search(given.only, name):
                        continue
                    scales = [piece[3] * 1.02 ** (i - (given.densities - 1) / 2) for i in range(given.densities)]
                    runs[name] = [scenario(files[piece[0]], (*piece[:3], scale), drive, caches) for scale in scales]
        if not runs:
            sys.exit(f"no run's name has {given.only!r} in it")
        print(f"{'mean, p99':28}" + "".join(f"{over + '/' + under:>13}" for over, under in RATIOS))
        results = {}
        with ThreadPoolExecutor(given.jobs) as pool:
            work = {
                name: [pool.submit(responses, given.binary, folder, f"{name}-{i}", text) for i, text in enumerate(texts)]
                for name, texts in runs.items()
            }
            for name, futures in work.items():
                results[name] = ratios = ratios_of([future.result() for future in futures])
                cells = "".join(f"{mean:7.2f} {p99:5.2f}" for mean, p99 in ratios.values())
                print(f"{name:28}{cells}", flush=True)
        lines = summary(results)
        print("\n" + "\n".join(lines))
        if given.page:
            marked_region.write(given.page, "<!-- battery -->\n", "\n".join(lines) + "\n", "<!-- end of battery -->\n")


if __name__ == "__main__":
    main()

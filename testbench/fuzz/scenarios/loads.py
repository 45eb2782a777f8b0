"""Draws of a load: synthetic, or a trace of our own in one of the formats."""

from __future__ import annotations

from random import Random

import traces

SIZES = (1, 2, 7, 8, 8, 8, 16, 63, 64, 100, 128, 255, 256, 257, 504, 512, 700, 1000, 1024, 2040, 2048, 4096, 8192, 16384, 32768, 65535, 65536)
WRITTEN = ("csv", "csv", "csv", "csv", "spc", "disksim", "validate", "iolog", "msr", "ssdsim", "blkparse")


def sizes(rng: Random, most: int, grain: int) -> list[int]:
    """Some sizes that occur in one load: mostly small, sometimes with a very large one among them."""
    fitting = [grain * max(1, size // grain) for size in SIZES if grain * max(1, size // grain) <= most]
    usual = [size for size in fitting if size <= 2048] or fitting[:1]
    drawn = [rng.choice(usual) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.3:
        drawn.append(rng.choice(fitting))
    if rng.random() < 0.2:
        drawn.append(grain * rng.randint(1, max(1, min(most, 3000) // grain)))
    return drawn


def requests(rng: Random, chosen: list[int], sectors: int) -> int:
    """How many, so that a run moves no more than `sectors`."""
    mean = sum(chosen) / len(chosen)
    many = rng.choice((1, 3, 20, 60, 125, 250, 400))
    return max(1, min(many, int(sectors / mean)))


def mix(rng: Random, keys: dict, range_sectors: int, largest: int) -> None:
    """Several streams in place of one, in parts of the range that hold their requests; none if it is too small."""
    grain = keys.get("workload.align_sectors", 8)
    least = (largest + grain) / range_sectors
    leaf = 9 * grain * 8 / range_sectors  # of a walk with reuse: 8 requests of up to 8 grains, and the alignment
    if least > 0.3:
        return
    rows = []
    for _ in range(rng.randint(1, 5)):
        space = rng.uniform(min(1, 2 * least), 1)
        start = rng.uniform(0, 1 - space)
        kind = rng.choice(("uniform", "runs", "reuse") if 2 * leaf < space else ("uniform", "runs"))
        run = rng.uniform(2 * least, space) if kind == "runs" and 2 * least < space else 0
        sectors = grain * rng.randint(1, 8) if kind == "reuse" else rng.choice((0, 0, largest))
        rows.append([round(rng.uniform(0.01, 3), 3), rng.choice((0, 0.3, 0.5, 1)), start, space, run, int(kind == "reuse"), sectors])
    keys["workload.mix"] = rows
    for key in ("read_fraction", "sequential_fraction", "streams", "hot_spots"):
        keys.pop(f"workload.{key}", None)


def synthetic(rng: Random, blocks: int, grain: int, sectors: int) -> dict:
    """Keys of an open or a closed load."""
    keys: dict = {"workload.kind": rng.choice(("open", "closed", "closed"))}
    last = blocks - 1
    if rng.random() < 0.5:
        last = min(last, rng.choice((999, 3999, 39_999, 400_000, 3_000_000)))
    first = 0
    if rng.random() < 0.2:
        first = grain * rng.randint(0, max(0, (last - 1) // (2 * grain)))
    chosen = sizes(rng, min(65536, max(last - first + 1, 1)), grain)
    if len(chosen) == 1:
        keys["workload.size_sectors"] = chosen[0]
    else:
        keys["workload.sizes"] = [[size, round(rng.uniform(0.1, 10), 3)] for size in chosen]
    keys["workload.count"] = requests(rng, chosen, sectors)
    if last != blocks - 1:
        keys["workload.last_lbn"] = last
    if first:
        keys["workload.first_lbn"] = first
    if grain == 8 or rng.random() < 0.5:
        keys["workload.align_sectors"] = grain * rng.choice((1, 1, 2, 8))
    if keys["workload.kind"] == "closed":
        keys["workload.outstanding"] = rng.choice((1, 1, 2, 3, 4, 8, 24, 32, 64, 256))
    else:
        keys["workload.rate_per_s"] = round(10 ** rng.uniform(0, 4), 1)
    if rng.random() < 0.7:
        keys["workload.read_fraction"] = rng.choice((0.0, 0.2, 0.5, 0.5, 0.7, 0.9))
    if rng.random() < 0.4:
        keys["workload.sequential_fraction"] = rng.choice((0.3, 0.8, 1.0))
        if rng.random() < 0.4:
            keys["workload.streams"] = rng.choice((2, 3, 7, 16))
    if rng.random() < 0.2:
        start = round(rng.uniform(0, 0.5), 2)
        keys["workload.hot_spots"] = [[round(rng.uniform(0.1, 0.9), 2), round(rng.uniform(0.05, 0.4), 2), start]]
    align, largest = keys.get("workload.align_sectors", 8), max(chosen)
    mean = min(align * rng.choice((1, 1.5, 4, 30)), 4096)
    if rng.random() < 0.15 and 16 * mean + 2 * align < (last - first + 1) / 2 / keys.get("workload.streams", 1):
        if "workload.hot_spots" not in keys:
            keys.pop("workload.sizes", None)
            keys["workload.size_mean_sectors"], largest = mean, int(16 * mean)
            keys["workload.count"] = requests(rng, [int(mean)], sectors)
    if rng.random() < 0.2:
        mix(rng, keys, last - first + 1, largest)
    return keys


def accesses(rng: Random, blocks: int, grain: int, sectors: int, flushes: bool) -> list[tuple]:
    """(time in s, operation, first block, sectors, fua): a mix of streams, repeats and scattered requests."""
    span = min(blocks, rng.choice((800, 4000, 40_000, 400_000, blocks)))
    base = grain * rng.randint(0, max(0, (blocks - span) // grain))
    chosen = sizes(rng, min(65536, span), grain)
    count = requests(rng, chosen, sectors)
    reads, repeat, follow = rng.choice((1, 0.8, 0.5, 0.5, 0.2, 0)), rng.random() * 0.6, rng.random()
    gap = 10 ** rng.uniform(-6, -0.5)
    streams = [base] * rng.randint(1, 4)
    rows: list[tuple] = []
    now = 0.0
    for _ in range(count):
        if rng.random() < 0.7:
            now += rng.expovariate(1 / gap)
        elif rng.random() < 0.02:
            now += rng.choice((0.05, 1, 7))
        if flushes and rng.random() < 0.03:
            rows.append((now, "F", 0, 0, False))
            continue
        size = rng.choice(chosen)
        stream = rng.randrange(len(streams))
        if rows and rows[-1][3] and rng.random() < repeat:
            near = rng.choice(rows[-20:])
            lbn = near[2] + grain * (rng.randint(-size, size) // grain if rng.random() < 0.5 else 0)
        elif rng.random() < follow:
            lbn = streams[stream]
        else:
            lbn = base + grain * rng.randint(0, span // grain)
        lbn = max(0, min(lbn, blocks - size)) // grain * grain
        streams[stream] = lbn + size if lbn + 2 * size < blocks else base
        rows.append((now, "R" if rng.random() < reads else "W", lbn, size, flushes and rng.random() < 0.05))
    return rows


def as_csv(rows) -> tuple[str, list[str], list[str]]:
    lines = [f"{t:.9f},0,,,F," if op == "F" else f"{t:.9f},0,{lbn},{n},{op},{'fua' if fua and op == 'W' else ''}" for t, op, lbn, n, fua in rows]
    return "load.csv", ["time_s,device,lbn,sectors,op,flags"], lines


def as_iolog(rng: Random, rows) -> tuple[str, list[str], list[str]]:
    """Version 2 is a closed loop, version 3 has times."""
    names = {"R": "read", "W": "write"}
    version = rng.choice((2, 3))
    lines = []
    for t, op, lbn, n, _ in rows:
        at = f"{int(t * 1e6)} " if version == 3 else ""
        lines.append(f"{at}f sync 0 0" if op == "F" else f"{at}f {names[op]} {lbn * 512} {n * 512}")
    at = "0 " if version == 3 else ""
    return "load.iolog", [f"fio version {version} iolog", f"{at}f add", f"{at}f open"], lines


def as_blkparse(rows) -> tuple[str, list[str], list[str]]:
    lines = []
    for number, (t, op, lbn, n, fua) in enumerate(rows):
        if op == "F":
            lines.append(f"8,0 0 {number + 1} {t:.9f} 7 Q FN [x]")
        else:
            lines.append(f"8,0 0 {number + 1} {t:.9f} 7 Q {op}{'F' if fua and op == 'W' else ''} {lbn} + {n} [x]")
    return "load.blkparse", [], lines


def as_lines(rows, name: str) -> tuple[str, list[str], list[str]]:
    """The formats of one line a request."""
    lines = []
    for t, op, lbn, n, _ in rows:
        if op == "F":
            continue
        read = op == "R"
        if name == "spc":
            lines.append(f"0,{lbn},{n * 512},{op},{t:.6f}")
        elif name == "disksim":
            lines.append(f"{t * 1e3:.6f} 0 {lbn} {n} {1 if read else 0}")
        elif name == "validate":
            lines.append(f"{op} Hit {lbn} {n} 5000.0 {t % 0.01 * 1e6:.2f}")
        elif name == "msr":
            lines.append(f"{128166372000000000 + int(t * 1e7)},host,0,{'Read' if read else 'Write'},{lbn * 512},{n * 512},50000")
        else:
            lines.append(f"{int(t * 1e9)} 0 {lbn} {n} {1 if read else 0}")
    return f"load.{name}", [], lines


def trace(rng: Random, blocks: int, grain: int, sectors: int) -> tuple[dict, str, list[str], list[str]]:
    """Keys, file name, head and lines of a trace."""
    if rng.random() < 0.4:
        keys, head, lines = traces.csv(rng, lambda each: accesses(rng, each, grain, sectors, flushes=True), blocks, grain)
        if lines:
            keys |= {"workload.kind": "trace", "workload.file": "load.csv", "workload.format": rng.choice(("csv", "auto"))}
            return keys, "load.csv", head, lines
    form = rng.choice(WRITTEN)
    rows = accesses(rng, blocks, grain, sectors, flushes=form in ("csv", "iolog", "blkparse"))
    if form == "csv":
        name, head, lines = as_csv(rows)
    elif form == "iolog":
        name, head, lines = as_iolog(rng, rows)
    elif form == "blkparse":
        name, head, lines = as_blkparse(rows)
    else:
        name, head, lines = as_lines(rows, form)
    known = form in ("csv", "spc", "msr", "iolog", "blkparse", "validate")
    keys = {"workload.kind": "trace", "workload.file": name, "workload.format": "auto" if known and rng.random() < 0.2 else form}
    if form == "iolog" and rng.random() < 0.5:
        keys["workload.iolog.in_flight"] = rng.choice((2, 8, 40))
    if rng.random() < 0.3:
        keys["workload.out_of_range"] = "wrap"
    return keys, name, head, lines

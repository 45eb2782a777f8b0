"""Traces that the model itself has made, so that the truth is known."""

from __future__ import annotations

import random
from dataclasses import replace

from armature import measured
from armature.program import Program
from conftest import ROOT

ATLAS = ROOT / "scenarios/drives/quantum_atlas_10k.toml"
BARRACUDA = ROOT / "scenarios/drives/seagate_barracuda_es_750.toml"
C3323A = ROOT / "scenarios/drives/hp_c3323a.toml"
CACHES = ["cache.look_ahead=true", "cache.write=true", "buffer.size=2048", "buffer.segments=8"]


SIZES = (1, 4, 8, 16, 24)


def requests(count: int, sectors: int, seed: int = 1, sizes: tuple[int, ...] = SIZES) -> str:
    """Reads and writes, near and far, some sequential, with think times of 5 to 40 ms."""
    choice = random.Random(seed)
    lines, lbn = [], 0
    for _ in range(count):
        kind = choice.random()
        if kind > 0.3:
            lbn = choice.randrange(sectors - 2000) if kind > 0.5 else min(max(lbn + choice.randrange(-300, 300), 0),
                                                                         sectors - 2000)
        size = choice.choice(sizes)
        lines.append(f"{'W' if choice.random() < 0.3 else 'R'} Miss {lbn} {size} 1000 {choice.uniform(5e3, 4e4):.3f}")
        lbn += size
    return "\n".join(lines) + "\n"


def measured_by_the_model(bench, program: Program, drive, sets: list[str], count: int = 3000,
                          sectors: int = 8_000_000, sizes: tuple[int, ...] = SIZES) -> measured.Trace:
    """A trace whose measured times are the model's own with these keys."""
    plain = measured.read_trace(str(bench.write("plain.trace", requests(count, sectors, sizes=sizes))))
    times = measured.Drive(program, str(drive), sets).replay(plain).response_ms
    bench.write("made.trace", replace(plain, measured_ms=times).text)
    return measured.read_trace(str(bench.directory / "made.trace"))

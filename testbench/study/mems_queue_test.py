"""Queues of a MEMS store against a simulation of its own, written from docs/guide/mems.md alone: other settling and other loads than those
of the published streams. It shares no code with the program; both serve the same requests."""

from __future__ import annotations

import bisect
import math
import random
import subprocess

import pytest
from conftest import ROOT

STORE = ROOT / "scenarios/drives/mems/g2_dissertation.toml"
BIT, HALF, PUSH, FACTOR, SPEED, RESONANCE = 40e-9, 50e-6, 803.6, 0.75, 0.7e6 * 40e-9, 739.0
STIFF = FACTOR * PUSH / HALF
CELLS, ROWS, TRACKS, CYLINDERS = 10, 27, 10, 2500
BLOCKS = CELLS * ROWS * TRACKS * CYLINDERS
LOWEST, ROW_BITS, SERVO_BITS, EDGE = -1220, 90, 10, 1250
PASS = ROW_BITS * BIT / SPEED
TRANSFER = 5.12e-6
BELOW, UP, DOWN = 1e-15, 1, -1


def phase(begin: float, end: float, speed_at_begin: float, force: float) -> float:
    """Seconds from begin to the larger end under a constant force and the spring, by the oscillation about force / k."""
    middle, omega = force / STIFF, math.sqrt(STIFF)
    size = math.hypot(begin - middle, speed_at_begin / omega)

    def angle(x: float) -> float:
        return math.acos(max(-1.0, min(1.0, (x - middle) / size)))

    return (angle(begin) - angle(end)) / omega


def seek(begin: float, end: float, speed: float) -> float:
    if begin == end:
        return 0.0
    if end < begin:
        begin, end = -begin, -end
    switch = (begin + end) / 2 + STIFF * (end**2 - begin**2) / (4 * PUSH)
    # The way back of the second phase is a push from its end in the mirrored world.
    return phase(begin, switch, speed, PUSH) + phase(-end, -switch, speed, PUSH)


def turnaround(y: float, direction: int) -> float:
    force = PUSH + STIFF * abs(y) * (1 if direction * y > 0 else -1)
    return 2 / math.sqrt(STIFF) * math.atan(SPEED * math.sqrt(STIFF) / force)


class Sled:
    def __init__(self, settle_constants: float):
        self.settle = settle_constants / (2 * math.pi * RESONANCE)
        self.x, self.y, self.direction, self.since = 0, 0, DOWN, 0.0
        self._x, self._y = {}, {}

    def across(self, x: int, to: int) -> float:
        key = (x, to)
        if key not in self._x:
            self._x[key] = 0.0 if x == to else seek(x * BIT, to * BIT, 0.0) + self.settle
        return self._x[key]

    def along(self, y: int, direction: int, to: int, wanted: int) -> float:
        key = (y, direction, to, wanted)
        if key not in self._y:
            way = direction if to == y else (UP if to > y else DOWN)
            time = turnaround(y * BIT, direction) if way != direction else 0.0
            time += seek(y * BIT, to * BIT, SPEED)
            self._y[key] = time + (turnaround(to * BIT, way) if wanted != way else 0.0)
        return self._y[key]

    def swept(self, now: float) -> tuple[int, int, float]:
        """Where a sled that has nothing to do is: bit, direction, and when it may leave."""
        y, direction, time = self.y, self.direction, self.since
        if now <= time:
            return y, direction, time
        while True:
            edge = direction * EDGE
            there = time + abs(edge - y) * BIT / SPEED
            if now < there:
                return y + direction * int((now - time) * SPEED / BIT + 1e-6), direction, now
            turned = there + turnaround(edge * BIT, direction)
            y, direction, time = edge, -direction, turned
            if now < turned:
                return y, direction, turned

    def reach(self, place: tuple[int, int], now: float) -> tuple[float, int]:
        """When it is at a row, and in which direction it passes: the one that is sooner."""
        x, row = place
        y, direction, leaves = self.swept(now)
        aside = self.across(self.x, x)
        up = max(aside, self.along(y, direction, LOWEST + ROW_BITS * row, UP))
        down = max(aside, self.along(y, direction, LOWEST + ROW_BITS * (row + 1) + SERVO_BITS, DOWN))
        return (leaves + up, UP) if up < down else (leaves + down, DOWN)

    def go(self, place: tuple[int, int], now: float) -> float:
        begins, way = self.reach(place, now)
        x, row = place
        self.x, self.direction = x, way
        self.y = LOWEST + ROW_BITS * (row + 1) if way == UP else LOWEST + ROW_BITS * row + SERVO_BITS
        self.since = begins + PASS
        return self.since


def place_of(lbn: int) -> tuple[int, int]:
    track, within = divmod(lbn, CELLS * ROWS)
    row = within // CELLS
    return track // TRACKS - CYLINDERS // 2, ROWS - 1 - row if track % 2 else row


def passes_of(lbn: int, sectors: int) -> list[tuple[tuple[int, int], int]]:
    """Rows in their order with the blocks of each; the end of a track and the begin of the next one may be one."""
    passes = []
    while sectors:
        count = min(sectors, CELLS - lbn % CELLS)
        if passes and passes[-1][0] == place_of(lbn) and passes[-1][1] < CELLS:
            count = min(count, CELLS - passes[-1][1])
            passes[-1] = (passes[-1][0], passes[-1][1] + count)
        else:
            passes.append((place_of(lbn), count))
        lbn, sectors = lbn + count, sectors - count
    return passes


def serve(requests: list[tuple[float, int, int]], policy: str, settle_constants: float) -> tuple[float, float, float]:
    """Mean response in ms, its squared coefficient of variation, and the mean time of the sled for a request in ms."""
    sled, free, bus, last = Sled(settle_constants), 0.0, 0.0, 0
    waiting: list[tuple[float, int, int]] = []
    responses, busy, following = [], 0.0, 0
    while following < len(requests) or waiting:
        if not waiting:
            free = max(free, requests[following][0])
        while following < len(requests) and requests[following][0] <= free + BELOW:
            waiting.append(requests[following])
            following += 1
        if policy == "fcfs":
            chosen = 0
        elif policy == "clook":
            chosen = min(range(len(waiting)), key=lambda i: (waiting[i][1] < last, waiting[i][1]))
        elif policy == "sstf":
            chosen = min(range(len(waiting)), key=lambda i: abs(waiting[i][1] - last))
        else:
            chosen = min(range(len(waiting)), key=lambda i: sled.reach(place_of(waiting[i][1]), free)[0])
        arrival, lbn, sectors = waiting.pop(chosen)
        begin = free
        for place, count in passes_of(lbn, sectors):
            free = sled.go(place, free)
            bus = max(bus, free) + count * TRANSFER
        busy += free - begin
        responses.append(1e3 * (bus - arrival))
        last = lbn + sectors
    mean = sum(responses) / len(responses)
    variance = sum((r - mean) ** 2 for r in responses) / len(responses)
    return mean, variance / mean**2, 1e3 * busy / len(responses)


def stream(count: int, rate: float, seed: int) -> list[tuple[float, int, int]]:
    """Reads of an exponential size, 4 KB in the mean, anywhere. Times have whole nanoseconds, as the trace has them."""
    source, at, requests = random.Random(seed), 0.0, []
    for _ in range(count):
        at += source.expovariate(rate)
        sectors = min(1000, max(1, math.ceil(source.expovariate(1 / 8))))
        requests.append((round(at, 9), source.randrange(BLOCKS - sectors + 1), sectors))
    return requests


def compare(bench, settle: float, load: float, count: int) -> None:
    service = serve(stream(2_000, 100.0, 1), "fcfs", settle)[2]
    requests = stream(count, 1e3 * load / service, round(100 * load + 1000 * settle))
    trace = "".join(f"{1e3 * at:.6f} 0 {lbn} {sectors} 1\n" for at, lbn, sectors in requests)
    bench.write("m.trace", trace)
    out = subprocess.run(
        [bench.environment["ARMATURE_BINARY"], "mems", "schedule", str(STORE), "m.trace", "--drain", "--policy", "fcfs,clook,sstf,sptf",
         "--set", "sled.seek_model=exact", "--set", f"sled.settle_time_constants={settle}"],
        cwd=bench.directory, check=True, text=True, stdout=subprocess.PIPE).stdout
    lines = [line.split("\t") for line in out.splitlines()]
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    assert [row["policy"] for row in rows] == ["fcfs", "clook", "sstf", "sptf"]
    for row in rows:
        mean, scv, _ = serve(requests, row["policy"], settle)
        told = f"settle {settle}, load {load}, {row['policy']}: {row['mean_ms']} for {mean:.4f} ms, {row['scv']} for {scv:.4f}"
        print(told)
        assert float(row["mean_ms"]) == pytest.approx(mean, rel=0.005), told
        assert float(row["scv"]) == pytest.approx(scv, rel=0.02), told


def test_the_queue_is_that_of_another_simulation(bench):
    compare(bench, 0.5, 0.65, 3_000)


@pytest.mark.full
@pytest.mark.parametrize("load", [0.1, 0.3, 0.65, 0.88])
@pytest.mark.parametrize("settle", [0, 0.5, 1.5, 2.5])
def test_the_queue_at_every_load_and_settling(bench, settle, load):
    compare(bench, settle, load, 20_000)

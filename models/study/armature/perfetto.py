"""A run as a trace for Perfetto (ui.perfetto.dev) or chrome://tracing: the JSON of the Trace Event Format.

Of each drive a process. Its threads are the blocks, each with as many lanes as it has spans at once: two slices of a thread
must not overlap. A flow leads from the request through its phases. Counters: requests in the system, arms at work, watts.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from pathlib import Path

from .program import Program
from .spans import BLOCKS, DriveLives, Life, Span, watts

NOTE = ("Times of the run are whole picoseconds. The format has microseconds, of which Perfetto keeps nanoseconds: ts and dur are cut "
        "off at the nanosecond, and the arguments begin_ps and end_ps of a slice are exact.")
_LANES = 100_000  # thread numbers of a block


def _us(ps: int) -> float:
    """Microseconds, cut off at the nanosecond. A double holds those of 52 days exactly."""
    return ps // 1000 / 1000


class _Lanes:
    """Threads of one block. A span gets the first thread that is free when it begins."""

    def __init__(self, first: int):
        self.first = first
        self._free: list[int] = []
        self._taken: list[tuple[int, int]] = []  # end, thread
        self.count = 0

    def take(self, begin: int, end: int) -> int:
        while self._taken and self._taken[0][0] <= begin:
            heapq.heappush(self._free, heapq.heappop(self._taken)[1])
        if self._free:
            thread = heapq.heappop(self._free)
        else:
            thread = self.first + self.count
            self.count += 1
        heapq.heappush(self._taken, (end, thread))
        return thread


def _block_order(blocks: set[str]) -> list[str]:
    kinds = [block.rstrip("0123456789") for block in BLOCKS]
    return ["requests", *sorted(blocks, key=lambda block: (kinds.index(block.rstrip("0123456789")), block))]


def _slice(process: int, thread: int, name: str, begin: int, end: int, more: dict[str, object]) -> dict[str, object]:
    return {"ph": "X", "cat": "request", "pid": process, "tid": thread, "name": name, "ts": _us(begin), "dur": round(_us(end) - _us(begin), 3),
            "args": {**{key: value for key, value in more.items() if value is not None}, "begin_ps": begin, "end_ps": end}}


def _flow(process: int, flow: int, slices: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Arrows from slice to slice, at their beginnings."""
    for place, one in enumerate(slices):
        kind = "s" if place == 0 else "f" if place == len(slices) - 1 else "t"
        yield {"ph": kind, "cat": "request", "name": "request", "id": flow, "pid": process, "tid": one["tid"], "ts": one["ts"],
               **({"bp": "e"} if kind != "s" else {})}


def _metadata(process: int, name: str, thread: int | None, value: dict[str, object]) -> dict[str, object]:
    return {"ph": "M", "pid": process, "name": name, **({} if thread is None else {"tid": thread}), "args": value}


def _steps(life: Life) -> list[Span]:
    """The request as a whole, then its phases."""
    return [Span("requests", life.name, life.arrival, life.completion), *life.spans]


def _threads(drive: DriveLives, lanes: dict[str, _Lanes]) -> dict[tuple[int, int], int]:
    """The thread of each step by request and place; lanes are given in the order of time."""
    steps = sorted((step.begin, life.number, place, step.end, step.block) for life in drive.lives for place, step in enumerate(_steps(life)))
    return {(number, place): lanes[block].take(begin, end) for begin, number, place, end, block in steps}


def _names(process: int, drive: str, lanes: dict[str, _Lanes]) -> Iterator[dict[str, object]]:
    yield _metadata(process, "process_name", None, {"name": drive})
    for block, of_block in lanes.items():
        for lane in range(of_block.count):
            thread = of_block.first + lane
            yield _metadata(process, "thread_name", thread, {"name": block if of_block.count == 1 else f"{block} {lane + 1}"})
            yield _metadata(process, "thread_sort_index", thread, {"sort_index": thread})


def _of_drive(process: int, drive: DriveLives, draws: list[tuple[int, float]], first_flow: int) -> Iterator[dict[str, object]]:
    blocks = _block_order({span.block for life in drive.lives for span in life.spans})
    lanes = {block: _Lanes(1 + place * _LANES) for place, block in enumerate(blocks)}
    threads = _threads(drive, lanes)
    yield from _names(process, drive.drive, lanes)
    for flow, life in enumerate(drive.lives, first_flow):
        slices = []
        for place, step in enumerate(_steps(life)):
            about = {"request": life.number, **({} if place else life.attributes)}
            slices.append(_slice(process, threads[life.number, place], step.phase, step.begin, step.end, about))
        yield from slices
        if len(slices) > 1:
            yield from _flow(process, flow, slices)
    for name, unit, values in (("queue", "requests", drive.depth()), ("arms at work", "arms", drive.arms()), ("power", "W", draws)):
        for at, value in values:
            yield {"ph": "C", "pid": process, "name": name, "ts": _us(at), "args": {unit: value}}


def events(program: Program, run: Path, drives: list[DriveLives]) -> Iterator[dict[str, object]]:
    """The trace's events, drive by drive."""
    flow = 1
    for process, drive in enumerate(drives, 1):
        yield from _of_drive(process, drive, watts(program, run, drive.drive), flow)
        flow += len(drive.lives)


def write(program: Program, run: Path, drives: list[DriveLives], path: Path) -> None:
    with open(path, "w") as stream:
        about = {"producer": program.version, "run": run.resolve().name, "time": NOTE}
        stream.write(f'{{"displayTimeUnit":"ns","otherData":{json.dumps(about)},"traceEvents":[\n')
        for number, event in enumerate(events(program, run, drives)):
            stream.write(("" if number == 0 else ",\n") + json.dumps(event, separators=(",", ":")))
        stream.write("\n]}\n")

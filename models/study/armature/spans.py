"""The lives of a run's requests as spans on the blocks of a drive: what the exports for other viewers are made of.

Times are whole picoseconds, as the run's files have them.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .errors import InputError
from .program import Program
from .runs import log_of

# The block on which a phase is drawn (docs: results, the phases of a request); an arm has its number.
BLOCK_OF = {
    "host_queue": "host",
    "link_command": "link",
    "link_wait": "link",
    "link_data": "link",
    "link_status": "link",
    "firmware": "firmware",
    "drive_queue": "arbiter",
    "arbitration": "arbiter",
    "seek": "arm",
    "write_settle": "arm",
    "rotation": "arm",
    "channel_wait": "channel",
    "transfer": "channel",
    "buffer_fill": "buffer",
    "write_back": "buffer",
}
_OF_ARM = ("seek", "write_settle", "rotation", "transfer")  # an arm is at work
BLOCKS = ("host", "link", "firmware", "arbiter", "arm", "channel", "buffer")  # in the order in which they are drawn
_ATTRIBUTES = ("op", "lbn", "sectors", "tag", "arm", "head", "cylinder", "missed_revolutions", "miss_cause", "status")


@dataclass(frozen=True)
class Span:
    """A phase of a request on a block."""

    block: str  # of BLOCKS; "arm0"
    phase: str
    begin: int  # ps
    end: int


@dataclass
class Life:
    """A request: its attributes, and its phases in order if the run kept them."""

    number: int
    arrival: int  # ps
    completion: int
    attributes: dict[str, object]
    spans: list[Span] = field(default_factory=list)

    @property
    def name(self) -> str:
        told = self.attributes
        return f"{told['op']} {told['sectors']} at {told['lbn']}" if told["lbn"] is not None else str(told["op"])


@dataclass
class DriveLives:
    """The requests of a drive or an array, in order of arrival."""

    drive: str
    lives: list[Life]

    @property
    def whole(self) -> int:
        """Requests of which the run kept the phases."""
        return sum(bool(life.spans) for life in self.lives)

    def depth(self) -> list[tuple[int, int]]:
        """Requests in the system, from each instant (ps) at which their number changes."""
        return _counted((life.arrival, life.completion) for life in self.lives)

    def arms(self) -> list[tuple[int, int]]:
        """Arms at work, likewise, of the requests whose phases the run kept."""
        return _counted((span.begin, span.end) for life in self.lives for span in life.spans if span.phase in _OF_ARM)


def _counted(ranges: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    change: dict[int, int] = {}
    for begin, end in ranges:
        change[begin] = change.get(begin, 0) + 1
        change[end] = change.get(end, 0) - 1
    number, told = 0, []
    for at in sorted(change):
        if change[at]:
            number += change[at]
            told.append((at, number))
    return told


def picoseconds(text: str, place: str) -> int:
    """Microseconds with six decimals as whole picoseconds. InputError if they are none."""
    whole, _, part = text.partition(".")
    if not whole.isdecimal() or not part.isdecimal() or len(part) != 6:
        raise InputError(f"{place}: {text!r} is no time in us with six decimals; the file is damaged")
    return int(whole) * 1_000_000 + int(part)


def _rows(path: Path, wanted: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row with its place; InputError for a file that lacks columns or is cut off."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", newline="") as stream:
            reader = csv.DictReader(stream)
            if missing := [name for name in wanted if name not in (reader.fieldnames or ())]:
                raise InputError(f"{path}:1: no column {missing[0]}")
            for row in reader:
                place = f"{path}:{reader.line_num}"
                if None in row.values() or None in row:
                    raise InputError(f"{place}: ends within a line, or has too many fields")
                yield place, row
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _number(text: str) -> object:
    return None if text == "" else int(text) if text.lstrip("-").isdecimal() else text


def _lives(path: Path) -> dict[int, Life]:
    lives = {}
    for place, row in _rows(path, ("id", "arrival_us", "completion_us", *_ATTRIBUTES)):
        if not row["id"].isdecimal():
            raise InputError(f"{place}: {row['id']!r} is no number of a request")
        life = Life(int(row["id"]), picoseconds(row["arrival_us"], place), picoseconds(row["completion_us"], place),
                    {name: _number(row[name]) for name in _ATTRIBUTES})
        lives[life.number] = life
    return lives


def _add_spans(path: Path, lives: dict[int, Life]) -> None:
    for place, row in _rows(path, ("id", "begin_us", "end_us", "phase", "link_below")):
        life = lives.get(int(row["id"])) if row["id"].isdecimal() else None
        if life is None:  # it had not completed, so that requests.csv does not have it
            continue
        if (block := BLOCK_OF.get(row["phase"])) is None:
            raise InputError(f"{place}: there is no phase {row['phase']!r}")
        if block == "arm":
            block = f"arm{life.attributes['arm'] if life.attributes['arm'] is not None else 0}"
        begin, end = picoseconds(row["begin_us"], place), picoseconds(row["end_us"], place)
        life.spans.append(Span(block, row["phase"], begin, end))
        if row["link_below"] == "1":
            life.spans.append(Span("link", "link_overlapped", begin, end))


def read(run: Path) -> list[DriveLives]:
    """The lives of a run's requests by drive. InputError if it kept no log of them, or a file is damaged."""
    try:
        drives = [drive["name"] for drive in json.loads((run / "summary.json").read_text())["drives"]]
    except OSError as error:
        raise InputError(f"{run / 'summary.json'}: {error.strerror}; RUN is the directory of a run") from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{run / 'summary.json'}: is not the summary of a run ({error})") from None
    found = []
    for drive in drives:
        lives = _lives(log_of(run, drive, len(drives) > 1))
        place = run / drive if len(drives) > 1 else run
        if (path := place / "events.csv").exists():
            _add_spans(path, lives)
        found.append(DriveLives(drive, sorted(lives.values(), key=lambda life: (life.arrival, life.number))))
    return found


def watts(program: Program, run: Path, drive: str) -> list[tuple[int, float]]:
    """What a drive draws, W, from each instant (ps) at which it changes; nothing without waves or without an account of
    energy."""
    if not (run / "waves.fst").exists():
        return []
    told, last = [], None
    signal = f"{drive}.power.total"
    if signal not in program.signals(run):
        return []
    for at, _, value in program.changes(run, [signal]):
        if value != last and value != "nan":
            told.append((at, float(value)))
        last = value
    return told

"""A run as a transaction recording (FTR, by MINRES) for SCViewer and Surfer.

The format is that of LWTR4SC, the recorder of MINRES (github.com/Minres/LWTR4SC, ftr_writer.h): CBOR (RFC 8949) with tag 55799,
an array of chunks, none of them compressed here.

    6   info: time scale as a power of ten in s, time of creation        8   strings by number
    10  directory: streams (tag 16) and their generators (tag 17)        12  transactions of a stream
    14  relations: name, from, to, stream of each

Of each drive the stream `requests` and one a block; a generator a phase. Times are exact: the unit is 1 ps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import cbor2
from cbor2 import CBORTag

from .spans import DriveLives, Life

_INFO, _STRINGS, _DIRECTORY, _TRANSACTIONS, _RELATIONS = 6, 8, 10, 12, 14
_STREAM, _GENERATOR = 16, 17
_EVENT, _AT_BEGIN = 6, 7  # parts of a transaction: its times, and an attribute that it has from its beginning
_UNSIGNED, _STRING = 3, 10  # types of attributes
_PS = -12
_CHUNK = 1 << 16  # bytes of transactions, about, as the recorder has it
_SELF_DESCRIBED = b"\xd9\xd9\xf7"  # tag 55799
_ARRAY = b"\x9f"  # begins an array of indefinite length, which readers of the format expect


def _open(items: Iterable[bytes]) -> bytes:
    return _ARRAY + b"".join(items) + b"\xff"


def _chunk(kind: int, content: bytes) -> bytes:
    return cbor2.dumps(CBORTag(kind, content))


@dataclass
class _Stream:
    number: int
    name: str
    transactions: list[tuple[int, int, bytes]] = field(default_factory=list)  # begin, end, encoded


class _Recording:
    def __init__(self) -> None:
        self._strings: dict[str, int] = {"": 0}
        self._streams: dict[str, _Stream] = {}
        self._generators: dict[tuple[int, str], int] = {}
        self._relations: list[bytes] = []
        self._last = 0

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def add(self, stream: str, generator: str, begin: int, end: int, attributes: dict[str, object]) -> tuple[int, int]:
        """A transaction; its number and that of its stream."""
        here = self._streams.setdefault(stream, _Stream(len(self._streams) + 1, stream))
        by = self._generators.setdefault((here.number, generator), len(self._generators) + 1)
        self._last += 1
        parts = [CBORTag(_EVENT, [self._last, by, begin, end])]
        for name, value in attributes.items():
            if value is None:
                continue
            kind, told = (_UNSIGNED, value) if isinstance(value, int) and value >= 0 else (_STRING, self._string(str(value)))
            parts.append(CBORTag(_AT_BEGIN, [self._string(name), kind, told]))
        here.transactions.append((begin, end, cbor2.dumps(parts)))
        return self._last, here.number

    def relate(self, name: str, source: tuple[int, int], sink: tuple[int, int]) -> None:
        self._relations.append(cbor2.dumps([self._string(name), source[0], sink[0], source[1], sink[1]]))

    def _directory(self) -> bytes:
        kind = self._string("TRANSACTION")
        streams = [CBORTag(_STREAM, [one.number, self._string(one.name), kind]) for one in self._streams.values()]
        generators = [CBORTag(_GENERATOR, [number, self._string(name), stream]) for (stream, name), number in self._generators.items()]
        return _chunk(_DIRECTORY, _open(map(cbor2.dumps, [*streams, *generators])))

    def _chunks(self, stream: _Stream) -> Iterable[bytes]:
        kept: list[tuple[int, int, bytes]] = []
        size = 0
        ordered = sorted(stream.transactions, key=lambda one: one[:2])
        for place, one in enumerate(ordered, 1):
            kept.append(one)
            size += len(one[2])
            if size >= _CHUNK or place == len(ordered):
                content = _open((encoded for _, _, encoded in kept))
                yield cbor2.dumps(CBORTag(_TRANSACTIONS, [stream.number, min(begin for begin, _, _ in kept), max(end for _, end, _ in kept),
                                                          content]))
                kept, size = [], 0

    def encoded(self) -> Iterable[bytes]:
        """The file, in parts. The time of creation is 0, so that the same run gives the same file."""
        yield _SELF_DESCRIBED + _ARRAY
        yield _chunk(_INFO, cbor2.dumps([_PS, CBORTag(1, 0)]))
        directory = self._directory()  # names some more strings
        yield _chunk(_STRINGS, cbor2.dumps({number: text for text, number in self._strings.items()}))
        yield directory
        for stream in self._streams.values():
            yield from self._chunks(stream)
        if self._relations:
            yield _chunk(_RELATIONS, _open(self._relations))
        yield b"\xff"


def _add(recording: _Recording, drive: str, life: Life) -> None:
    whole = recording.add(f"{drive}.requests", str(life.attributes["op"]), life.arrival, life.completion,
                          {"request": life.number, **life.attributes})
    before = None
    for span in life.spans:
        part = recording.add(f"{drive}.{span.block}", span.phase, span.begin, span.end, {"request": life.number})
        recording.relate("phase", whole, part)
        if before is not None:
            recording.relate("next", before, part)
        before = part


def write(drives: list[DriveLives], path: Path) -> None:
    recording = _Recording()
    for drive in drives:
        for life in drive.lives:
            _add(recording, drive.drive, life)
    with open(path, "wb") as stream:
        for part in recording.encoded():
            stream.write(part)

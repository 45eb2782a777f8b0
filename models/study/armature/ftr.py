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

from .spans import DriveLives, Life

_INFO, _STRINGS, _DIRECTORY, _TRANSACTIONS, _RELATIONS = 6, 8, 10, 12, 14
_STREAM, _GENERATOR = 16, 17
_EVENT, _AT_BEGIN = 6, 7  # parts of a transaction: its times, and an attribute that it has from its beginning
_UNSIGNED, _STRING = 3, 10  # types of attributes
_PS = -12
_CHUNK = 1 << 16  # bytes of transactions, about, as the recorder has it
_SELF_DESCRIBED = 55799


def _head(major: int, value: int) -> bytes:
    """A CBOR item's first bytes: major type and a number, as short as it goes."""
    if value < 24:
        return bytes([major << 5 | value])
    for more, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 1 << 8 * size:
            return bytes([major << 5 | more]) + value.to_bytes(size, "big")
    raise OverflowError(value)


def _int(value: int) -> bytes:
    return _head(0, value) if value >= 0 else _head(1, -1 - value)


def _text(value: str) -> bytes:
    content = value.encode()
    return _head(3, len(content)) + content


def _bytes(content: bytes) -> bytes:
    return _head(2, len(content)) + content


def _array(*items: bytes) -> bytes:
    return _head(4, len(items)) + b"".join(items)


def _open_array(items: Iterable[bytes]) -> bytes:
    """An array of indefinite length, which readers of the format expect."""
    return b"\x9f" + b"".join(items) + b"\xff"


def _tag(number: int, item: bytes) -> bytes:
    return _head(6, number) + item


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
        parts = [_tag(_EVENT, _array(_int(self._last), _int(by), _int(begin), _int(end)))]
        for name, value in attributes.items():
            if value is None:
                continue
            kind, told = (_UNSIGNED, value) if isinstance(value, int) and value >= 0 else (_STRING, self._string(str(value)))
            parts.append(_tag(_AT_BEGIN, _array(_int(self._string(name)), _int(kind), _int(told))))
        here.transactions.append((begin, end, _array(*parts)))
        return self._last, here.number

    def relate(self, name: str, source: tuple[int, int], sink: tuple[int, int]) -> None:
        self._relations.append(_array(_int(self._string(name)), _int(source[0]), _int(sink[0]), _int(source[1]), _int(sink[1])))

    def _directory(self) -> bytes:
        kind = self._string("TRANSACTION")
        streams = [_tag(_STREAM, _array(_int(one.number), _int(self._string(one.name)), _int(kind))) for one in self._streams.values()]
        generators = [_tag(_GENERATOR, _array(_int(number), _int(self._string(name)), _int(stream)))
                      for (stream, name), number in self._generators.items()]
        return _tag(_DIRECTORY, _bytes(_open_array([*streams, *generators])))

    def _chunks(self, stream: _Stream) -> Iterable[bytes]:
        kept: list[tuple[int, int, bytes]] = []
        size = 0
        ordered = sorted(stream.transactions, key=lambda one: one[:2])
        for place, one in enumerate(ordered, 1):
            kept.append(one)
            size += len(one[2])
            if size >= _CHUNK or place == len(ordered):
                content = _open_array(encoded for _, _, encoded in kept)
                yield _tag(_TRANSACTIONS, _array(_int(stream.number), _int(min(begin for begin, _, _ in kept)),
                                                 _int(max(end for _, end, _ in kept)), _bytes(content)))
                kept, size = [], 0

    def encoded(self) -> Iterable[bytes]:
        """The file, in parts. The time of creation is 0, so that the same run gives the same file."""
        yield _head(6, _SELF_DESCRIBED) + b"\x9f"
        yield _tag(_INFO, _bytes(_array(_int(_PS), _tag(1, _int(0)))))
        directory = self._directory()  # names some more strings
        strings = b"".join(_int(number) + _text(text) for text, number in self._strings.items())
        yield _tag(_STRINGS, _bytes(_head(5, len(self._strings)) + strings))
        yield directory
        for stream in self._streams.values():
            yield from self._chunks(stream)
        if self._relations:
            yield _tag(_RELATIONS, _bytes(_open_array(self._relations)))
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

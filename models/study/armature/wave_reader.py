"""The waves of a run, or of another simulator: signals, and their changes in order of time, from FST or VCD."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from .errors import InputError
from .program import Program

_UNITS = {"s": 12, "ms": 9, "us": 6, "ns": 3, "ps": 0}  # powers of ten of ps
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_MAGIC = b"$"  # a VCD file begins with a keyword; an FST file with the byte of a block


@dataclass(frozen=True)
class Instant:
    """What changes at one time: the last value of each signal, by its name."""

    time: int  # ps
    changes: dict[str, str]


class Waves:
    """A dump that can be read once from its beginning: `signals`, then `instants`."""

    def __init__(self, program: Program, place: str, globs: list[str]):
        self.path = Path(place) / "waves.fst" if Path(place).is_dir() else Path(place)
        if not self.path.is_file():
            raise InputError(f"{self.path}: there is no such file (armature run --waves makes it)")
        self._program, self._globs = program, globs
        self._vcd = _Vcd(self.path, globs) if _is_vcd(self.path) else None
        self.signals = self._vcd.names if self._vcd else set(program.signals(self.path, globs))

    def instants(self) -> Iterator[Instant]:
        """Times at which a signal changes. Values that a signal has already are no change, and of several at one time the
        last one counts."""
        known: dict[str, str] = {}
        changes = self._vcd.changes() if self._vcd else self._program.changes(self.path, self._globs)
        for time, told in itertools.groupby(changes, key=lambda change: change[0]):
            new = {signal: value for _, signal, value in told}
            new = {signal: value for signal, value in new.items() if known.get(signal) != value}
            if new:
                known |= new
                yield Instant(time, new)


def _unescaped(text: str) -> str:
    """The text of a VCD string as GTKWave writes it: what is no visible character as \\ooo."""
    def one(match: re.Match) -> str:
        told = match[1]
        return chr(int(told, 8)) if told.isdecimal() else _ESCAPED.get(told, told)

    return re.sub(r"\\([0-7]{3}|.)", one, text)


def _is_vcd(path: Path) -> bool:
    with open(path, "rb") as stream:
        return stream.read(64).lstrip()[:1] == _MAGIC


class _Vcd:
    """IEEE 1364's value change dump, with the strings and reals of GTKWave."""

    def __init__(self, path: Path, globs: list[str]):
        self._path, self._globs = path, globs
        self._by_code: dict[str, list[str]] = {}  # several names of one code are aliases
        self._width: dict[str, int] = {}
        self._scale = 1
        self._words = self._read()
        self._header()
        self.names = {name for names in self._by_code.values() for name in names}

    def _read(self) -> Iterator[str]:
        try:
            with open(self._path) as stream:
                for line in stream:
                    yield from line.split()
        except UnicodeDecodeError:
            raise InputError(f"{self._path}: is neither FST nor VCD") from None

    def _refuse(self, why: str) -> InputError:
        return InputError(f"{self._path}: the file is damaged: {why}")

    def _until_end(self) -> list[str]:
        return list(itertools.takewhile(lambda word: word != "$end", self._words))

    def _header(self) -> None:
        scopes: list[str] = []
        for word in self._words:
            if word == "$enddefinitions":
                self._until_end()
                return
            told = self._until_end()
            if word == "$timescale":
                self._scale = self._ps("".join(told))
            elif word == "$scope" and len(told) == 2:
                scopes.append(told[1])
            elif word == "$upscope" and scopes:
                scopes.pop()
            elif word == "$var" and len(told) >= 4:
                name = ".".join([*scopes, "".join(told[3:])])
                if not self._globs or any(fnmatchcase(name.partition("[")[0], glob) for glob in self._globs):
                    self._by_code.setdefault(told[2], []).append(name)
                    self._width[told[2]] = int(told[1]) if told[1].isdecimal() else 1
            elif not word.startswith("$"):
                raise self._refuse(f"{word!r} stands before $enddefinitions")
        raise self._refuse("there is no $enddefinitions")

    def _ps(self, told: str) -> int:
        number, unit = told.rstrip("smunpf"), told.lstrip("0123456789")
        if number not in ("1", "10", "100") or unit not in _UNITS:
            raise InputError(f"{self._path}: its unit of time is {told!r}; 1 ps to 100 s can be read")
        return int(number) * 10 ** _UNITS[unit]

    def changes(self) -> Iterator[tuple[int, str, str]]:
        time = 0
        for word in self._words:
            if word[0] == "#":
                if not word[1:].isdecimal() or int(word[1:]) * self._scale < time:
                    raise self._refuse(f"{word!r} is no time behind {time} ps")
                time = int(word[1:]) * self._scale
            elif word[0] == "$":
                if word == "$comment":
                    self._until_end()
            elif word[0] in "bBrRsS":
                code = next(self._words, None)
                if code is None:
                    raise self._refuse("it ends within a value")
                yield from self._of(code, time, word[1:], word[0])
            elif word[0] in "01xXzZ":
                yield from self._of(word[1:], time, word[0], "b")
            else:
                raise self._refuse(f"{word!r} is no value")

    def _of(self, code: str, time: int, value: str, kind: str) -> Iterable[tuple[int, str, str]]:
        if kind in "rR":
            try:
                value = f"{float(value) + 0.0:.17g}"
            except ValueError:
                raise self._refuse(f"{value!r} is no real number") from None
        elif kind in "sS":
            value = _unescaped(value)
        elif kind in "bB":  # a dump may leave out bits on the left that are as the first one, or 0
            value = value.lower()
            value = value.rjust(self._width.get(code, 1), value[0] if value[:1] in ("x", "z") else "0")
        return [(time, name, value) for name in self._by_code.get(code, ())]

"""What a person did wrong, told in one message; the exit status is 2."""

from __future__ import annotations

import errno
import os
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator


class InputError(Exception):
    """Bad input: an unknown key, an empty range, a missing file."""


class RunFailed(Exception):
    """A run that did not end well: exit status 1 (wrong data, an error), 3 (no progress), or 128 and a signal's number."""

    def __init__(self, message: str, status: int, result: object):
        super().__init__(message)
        self.status = status
        self.result = result  # what it has written, as far as it came


def read_input(path: Path) -> str:
    """The text of a file that somebody named. A device or a pipe may have no end: OSError, as for a folder."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "is a pipe or a device; a file is expected", str(path))
    return path.read_text()


def read_toml(path: Path) -> dict:
    """A TOML file that somebody named. InputError, with its name, if it cannot be read or is none."""
    try:
        return tomllib.loads(read_input(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}") from None


@contextmanager
def writing(option: str, place: Path) -> Iterator[None]:
    """What cannot be written there (no permission, no room, a file in the way) is an InputError that names the place: the
    error of a full disk has no name of its own."""
    try:
        yield
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        named = f": {error.filename}" if error.filename and str(error.filename) != str(place) else ""
        raise InputError(f"{option} {place}{named}: {error.strerror or error}") from None


def refuse_unwritable(option: str, place: Path) -> None:
    """InputError if no directory `place` can be made or written to. Before a long run, so that it is not lost; leaves
    nothing behind."""
    existing = place
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir():
        raise InputError(f"{option} {place}: {existing} is not a directory")
    _try_file(option, place, existing)


def refuse_unwritable_file(option: str, place: Path) -> None:
    """InputError if no file `place` can be made. Before a long run; leaves nothing behind."""
    if place.exists() and not place.is_file():
        raise InputError(f"{option} {place}: is a {'directory' if place.is_dir() else 'device'}; a file is expected")
    if not place.parent.is_dir():
        raise InputError(f"{option} {place}: there is no directory {place.parent}")
    _try_file(option, place, place.parent)


def refuse_foreign(place: Path, mark: str) -> None:
    """InputError for a directory of results that holds something else: it has no file `mark`."""
    if place.exists() and not place.is_dir():
        raise InputError(f"--out {place}: not a directory")
    if place.is_dir() and any(place.iterdir()) and not (place / mark).exists():
        raise InputError(f"--out {place}: there is something else in it")
    refuse_unwritable("--out", place)


def _try_file(option: str, place: Path, directory: Path) -> None:
    """InputError, about `place`, if no file can be made in the directory."""
    probe = directory / f".armature-{os.getpid()}"
    try:
        try:
            probe.write_bytes(b"x")
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{option} {place}: no file can be made in {directory} ({error.strerror or error})") from None

"""What a person did wrong, told in one message; the exit status is 2."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator


class InputError(Exception):
    """Bad input: an unknown key, an empty range, a missing file."""


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
    with writing(option, place):
        probe = existing / f".armature-{os.getpid()}"
        try:
            probe.write_bytes(b"x")
        finally:
            probe.unlink(missing_ok=True)

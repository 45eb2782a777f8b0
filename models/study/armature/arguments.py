"""Types of the commands' options."""

from __future__ import annotations

import argparse
import math
import os
import urllib.parse
from pathlib import Path

from .pool import local_cores
from .store import default_directory


def _whole_from(least: int, text: str) -> int:
    value = int(text) if text.strip().lstrip("+-").isdecimal() else least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"a whole number from {least} on is expected, not {text}")
    return value


def positive(text: str) -> int:
    """A whole number from 1 on."""
    return _whole_from(1, text)


def whole(text: str) -> int:
    """A whole number from 0 on."""
    return _whole_from(0, text)


def amount(text: str) -> float:
    """A finite number from 0 on."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"a number from 0 on is expected, not {text}")
    return value


def scheduler(text: str) -> str:
    """The address of a dask scheduler, with a port."""
    try:
        parts = urllib.parse.urlsplit(text if "://" in text else "tcp://" + text)
        known = parts.scheme in ("tcp", "tls", "ws", "wss") and parts.hostname and parts.port
    except ValueError:
        known = False
    if not known:
        raise argparse.ArgumentTypeError(f"{text}: an address with a port is expected, such as tcp://host:8786")
    return text


def add_pool(parser: argparse.ArgumentParser) -> None:
    """Options of commands that run many points."""
    parser.add_argument("--jobs", type=positive, default=local_cores(), metavar="N", help="programs side by side (as many as cores)")
    parser.add_argument("--scheduler", type=scheduler, metavar="ADDRESS", help="a dask scheduler that runs the points: tcp://host:8786")
    parser.add_argument("--cache", type=Path, default=default_directory(), metavar="DIR",
                        help="where results are kept for the next time (ARMATURE_CACHE, or ~/.cache/armature/points)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")


def add_powers(parser: argparse.ArgumentParser) -> None:
    """What a drive draws, where its file does not say it or the figures of another one are of interest."""
    for name, unit, text in (("idle-w", "W", "what the drive draws at idle"), ("standby-w", "W", "what it draws in standby"),
                             ("ways-s", "S", "time of the ways to standby and back together"),
                             ("ways-j", "J", "energy of the drive on these ways")):
        parser.add_argument(f"--{name}", type=amount, metavar=unit, help=f"{text} (by the drive file)")


def program_name() -> str:
    """What the program is called in messages: as the user called it."""
    return Path(os.environ.get("ARMATURE_PROGRAM", "armature")).name

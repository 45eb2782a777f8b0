"""The C++ program: its version, its keys, and what a scenario becomes with some keys set."""

from __future__ import annotations

import hashlib
import os
import re
import signal as signal_module
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import tabular
from .errors import InputError

_ESCAPED = {"n": "\n", "t": "\t", "\\": "\\"}  # in a text of `armature waves changes`
_LONG = 8  # values of a list


@dataclass(frozen=True)
class Key:
    """A line of `armature describe --tsv`."""

    name: str
    type: str
    unit: str
    meaning: str
    allowed: str = ""  # range, or the words of a choice


class Refused(InputError):
    """The program found something wrong with a scenario or a key (its exit status 2)."""


class Program:
    """The program `armature`, by the path of its binary."""

    def __init__(self, binary: str | os.PathLike[str]):
        self.binary = str(Path(binary).resolve())
        if not os.access(self.binary, os.X_OK):
            raise InputError(f"no program {self.binary} (ARMATURE_BINARY says where it is)")

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.binary, *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                              start_new_session=True)

    def said(self, *arguments: str) -> str:
        """What a command prints. Refused, with its message, if it does not end well."""
        done = self.call(*arguments)
        if done.returncode != 0:
            raise Refused(done.stderr.strip() or done.stdout.strip() or f"armature {arguments[0]} ended with status {done.returncode}")
        return done.stdout

    def run(self, scenario: str | Path, out: Path, sets: Iterable[str] = ()) -> None:
        """Simulates a scenario. Refused if the run does not end well."""
        self.said("run", str(scenario), "--quiet", "--out", str(out), *as_options("--set", sets))

    @cached_property
    def version(self) -> str:
        return self.call("--version").stdout.strip()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the binary: two builds of uncommitted sources have the same version and other results."""
        return hashlib.sha256(Path(self.binary).read_bytes()).hexdigest()

    @cached_property
    def keys(self) -> dict[str, Key]:
        rows = tabular.read(self.call("describe", "--tsv").stdout)
        return {row["key"]: Key(row["key"], row["type"], row["unit"] or "", row["meaning"] or "", row["allowed"] or "") for row in rows}

    def key(self, name: str) -> Key | None:
        """The description of a key as --set writes it: spindle.rpm or drives.atlas.spindle.rpm."""
        if name.startswith("drives."):
            name = name.split(".", 2)[2] if name.count(".") >= 2 else name
            if name == "model":
                name = "drives.NAME.model"
        return self.keys.get(name)

    def signals(self, waves: Path, globs: Iterable[str] = ()) -> dict[str, str]:
        """Kinds (bits, real, text) of the signals of a run's waves that a glob matches, of all if there are none. Refused if the
        waves cannot be read."""
        lines = self.said("waves", "signals", str(waves), *as_options("--signals", globs)).splitlines()
        return dict(line.split("\t") for line in lines[1:])

    def changes(self, waves: Path, globs: list[str]) -> Iterator[tuple[int, str, str]]:
        """Each change of the signals that a glob matches, of all if there are none, in order: time in ps, signal, value.
        Refused if the waves cannot be read to their end."""
        command = [self.binary, "waves", "changes", str(waves), *as_options("--signals", globs)]
        with tempfile.TemporaryFile("w+") as errors:
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
                try:
                    next(process.stdout, "")  # the header
                    for line in process.stdout:
                        time, signal, value = line.rstrip("\n").split("\t")
                        yield int(time), signal, value if "\\" not in value else re.sub(r"\\(.)", lambda found: _ESCAPED[found[1]], value)
                finally:
                    process.stdout.close()
            if process.returncode not in (0, -signal_module.SIGPIPE):
                errors.seek(0)
                raise Refused(errors.read().strip() or f"{waves}: cannot be read")

    def check(self, path: Path) -> str:
        """Reads a scenario or a drive file as a run does; what the program says of it. Refused: something is wrong with it."""
        return self.said("check", str(path))

    def layout(self, drive: Path) -> list[dict[str, str]]:
        """The zones of a drive file (`armature layout`)."""
        return tabular.read(self.said("layout", str(drive)))

    def resolve(self, scenario: str | Path, sets: Iterable[str] = ()) -> str:
        """The resolved configuration as TOML. Refused if the program refuses it."""
        return self.said("check", str(scenario), "--resolved", *as_options("--set", sets))


def as_options(option: str, values: Iterable[str]) -> list[str]:
    """The option before each value."""
    return [word for value in values for word in (option, value)]


def configuration_of(toml: str) -> dict:
    """The resolved configuration as tables, without what says where results go and what of them is written."""
    configuration = tomllib.loads(toml)
    configuration.pop("output", None)
    return configuration


def without_tables(configuration: dict) -> dict:
    """The same without lists of more than a few values (zones, seek tables), of which thousands of points would have
    thousands."""
    return {key: without_tables(value) if isinstance(value, dict) else value
            for key, value in configuration.items() if not (isinstance(value, list) and len(value) > _LONG)}


def value_of(configuration: dict, drive: str, key: str) -> object | None:
    """What a drive of a resolved configuration has under a key as --set writes it; None if there is no such key."""
    path = key.split(".")
    for start in [configuration] if path[0] == "drives" else [configuration.get("drives", {}).get(drive, {}), configuration]:
        node: object = start
        for part in path:
            if not isinstance(node, dict) or part not in node:
                node = None
                break
            node = node[part]
        if node is not None and not isinstance(node, dict):
            return node
    return None


def input_files(configuration: dict) -> list[str]:
    """Files that a resolved configuration reads.

    A contents file is written too, so several points cannot share one: InputError.
    """
    for name, drive in configuration.get("drives", {}).items():
        if drive.get("media", {}).get("contents") == "file":
            raise InputError(f'drive {name}: media.contents = "file" keeps what a run wrote for the next one, so the points of a sweep '
                             'would not be independent; use "memory"')
    workload = configuration.get("workload", {})
    return [workload["file"]] if workload.get("kind") == "trace" and workload.get("file") else []

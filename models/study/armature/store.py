"""Results kept by what they follow from: a sweep that is repeated, resumed or overlaps another runs only the rest.

The key of a point is a hash of its resolved configuration (without [output]), the program, and the contents of the
files that it reads. An entry is a directory that is renamed into place when it is whole; a list of its files with
their hashes finds what a loss of power left of one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

from .program import Program, input_files
from .simulate import Job, digest

_LIST = "files.json"
_FORMAT = 1  # raised when entries of older programs cannot be used


def default_directory() -> Path:
    if chosen := os.environ.get("ARMATURE_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "armature" / "points"


def make_job(program: Program, name: str, toml: str, configuration: dict, requests: bool, columns: tuple[str, ...] = ()) -> Job:
    """The job of a resolved configuration, with some columns of requests.csv or all. Raises InputError for a
    configuration that no sweep can have."""
    inputs = tuple((path, digest(path)) for path in input_files(configuration))
    # Not where a file lies counts, but what is in it.
    told = json.loads(json.dumps(configuration))
    if told.get("workload", {}).get("kind") == "trace":
        # `format = "auto"` looks at the name too.
        told["workload"]["file"] = Path(told["workload"]["file"]).name
    about = [_FORMAT, program.version, program.digest, told, [d for _, d in inputs], columns]
    text = json.dumps(about, sort_keys=True)
    key = hashlib.sha256(text.encode()).hexdigest()
    lines = [line for line in toml.splitlines(keepends=True) if not line.startswith("#")]  # the most of it is help
    return Job(key, program.binary, program.version, name, "".join(lines), inputs, requests, columns)


class Store:
    """A directory of results by key."""

    def __init__(self, directory: Path):
        self.directory = directory

    def _path(self, key: str) -> Path:
        return self.directory / key[:2] / key

    def find(self, key: str, requests: bool) -> Path | None:
        """The directory of a whole entry, with requests.csv if it is wanted; None if there is none."""
        path = self._path(key)
        try:
            listed = json.loads((path / _LIST).read_text())
            if requests and not any(name.endswith("requests.csv.gz") for name in listed):
                return None
            for name, wanted in listed.items():
                with open(path / name, "rb") as stream:
                    if hashlib.file_digest(stream, "sha256").hexdigest() != wanted:
                        return None
        except (OSError, ValueError, AttributeError):
            return None
        return path

    def keep(self, key: str, files: dict[str, bytes]) -> Path:
        """Writes an entry, in one step for whoever looks for it."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=".new-", dir=path.parent))
        try:
            listed = {}
            for name, content in files.items():
                target = place / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                listed[name] = hashlib.sha256(content).hexdigest()
            (place / _LIST).write_text(json.dumps(listed, indent=1, sort_keys=True))
            for _ in range(3):  # another sweep may be doing the same
                try:
                    os.rename(place, path)
                    return path
                except OSError:
                    if self.find(key, any(name.endswith("requests.csv.gz") for name in files)):
                        return path
                    old = Path(tempfile.mkdtemp(prefix=".old-", dir=path.parent))
                    try:
                        os.rename(path, old / "entry")
                    except OSError:
                        pass
                    shutil.rmtree(old, ignore_errors=True)
            raise OSError(f"{path}: cannot be replaced")
        finally:
            shutil.rmtree(place, ignore_errors=True)


def copy_entry(entry: Path, target: Path) -> None:
    """Puts the files of an entry into a directory: hard links where the file system allows, which cost no room."""
    for name in json.loads((entry / _LIST).read_text()):
        destination = target / name
        destination.parent.mkdir(parents=True, exist_ok=True)
        destination.unlink(missing_ok=True)
        try:
            os.link(entry / name, destination)
            continue
        except OSError:
            pass
        try:
            shutil.copyfile(entry / name, destination)
        except OSError as error:  # whose name is that of the entry, where there is room
            destination.unlink(missing_ok=True)
            raise OSError(error.errno, error.strerror, str(destination)) from None

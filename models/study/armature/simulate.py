"""Runs one point. This module needs nothing but Python's standard library and is sent to cluster workers whole, so that
they need a Python with `distributed` and the program, and no copy of this package.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable


@dataclass(frozen=True)
class Job:
    """One point, ready to run anywhere that has the program and the files."""

    key: str  # of the store
    binary: str
    version: str
    name: str  # of the scenario, for the titles of its results
    toml: str  # resolved configuration
    inputs: tuple[tuple[str, str], ...] = ()  # files that it reads, with their SHA-256
    requests: bool = False  # whether requests.csv is wanted
    columns: tuple[str, ...] = ()  # of it; all if none are named


@dataclass
class Outcome:
    """What became of a job. `files` are the results by their name in a run's directory, requests.csv compressed."""

    key: str
    status: int  # of the program; 128 + signal if a signal ended it; -1 if it could not be started
    message: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    wall_s: float = 0.0


_PLACE = "armature-point-"
_digests: dict[tuple[str, int, int], str] = {}
_versions: dict[tuple[str, int], str] = {}


def digest(path: str) -> str:
    """SHA-256 of a file, read once as long as neither its size nor its time of change differ."""
    status = os.stat(path)
    known = (path, status.st_size, status.st_mtime_ns)
    if known not in _digests:
        with open(path, "rb") as stream:
            _digests[known] = hashlib.file_digest(stream, "sha256").hexdigest()
    return _digests[known]


def _unlike_here(job: Job) -> str:
    """Why the job cannot give the result that was asked for on this machine; empty if it can."""
    try:
        known = (job.binary, os.stat(job.binary).st_mtime_ns)
        if known not in _versions:
            _versions[known] = subprocess.run(
                [job.binary, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
            ).stdout.strip()
        if _versions[known] != job.version:
            return f"{job.binary} is {_versions[known]} here and {job.version} where the sweep was started"
        for path, wanted in job.inputs:
            if digest(path) != wanted:
                return f"{path} is not the file that it was when the sweep was started"
    except OSError as error:
        return f"{error.filename or job.binary}: {error.strerror}"
    return ""


def clear_leftovers() -> None:
    """Removes the directories of processes that were killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PLACE}*-*"):
        owner = path.name.removeprefix(_PLACE).split("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            shutil.rmtree(path, ignore_errors=True)  # another user's stays


def _chosen(path: Path, columns: tuple[str, ...]) -> bytes:
    """The columns of a request log; its fields hold neither commas nor quotes."""
    if not columns:
        return path.read_bytes()
    with open(path) as stream:
        header = stream.readline().rstrip("\n").split(",")
        places = [header.index(name) for name in columns]
        lines = [",".join(columns)]
        for line in stream:
            fields = line.rstrip("\n").split(",")
            lines.append(",".join(fields[place] for place in places))
    return ("\n".join(lines) + "\n").encode()


def _command(job: Job, scenario: Path, out: Path) -> list[str]:
    keys = {"output.request_log": "true" if job.requests else "false", "output.timelines": "0", "output.waves": "false"}
    command = [job.binary, "run", str(scenario), "--out", str(out), "--quiet"]
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]
    if starter := shutil.which("setpriv"):  # a worker that is killed takes the program with it
        command = [starter, "--pdeathsig", "TERM", *command]
    return command


def _wait(process: subprocess.Popen, stopped: Callable[[], bool]) -> None:
    """Until the program has ended, or was ended because `stopped` says so."""
    pause = 0.002
    while process.poll() is None:
        if stopped():
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
            return
        try:
            process.wait(pause)
        except subprocess.TimeoutExpired:
            pause = min(2 * pause, 0.2)


def _results(out: Path, columns: tuple[str, ...]) -> dict[str, bytes]:
    files = {}
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if path.name == "requests.csv":
            files[name + ".gz"] = gzip.compress(_chosen(path, columns), 1, mtime=0)
        elif path.name in ("summary.json", "resolved.toml"):
            files[name] = path.read_bytes()
    return files


def simulate(job: Job, stopped: Callable[[], bool] = lambda: False) -> Outcome:
    """Runs the program on the job in a directory of its own, which is gone afterwards.

    `stopped` is asked several times a second; when it says so the program is ended.
    """
    start = time.monotonic()
    if reason := _unlike_here(job):
        return Outcome(job.key, -1, reason)
    place = Path(tempfile.mkdtemp(prefix=f"{_PLACE}{os.getpid()}-"))
    try:
        scenario = place / job.name
        scenario.write_text(job.toml)
        out = place / "results"
        with (
            open(place / "errors", "wb") as errors,
            subprocess.Popen(
                _command(job, scenario, out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
            ) as process,
        ):
            _wait(process, stopped)
        status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        outcome = Outcome(
            job.key, status, (place / "errors").read_text(errors="replace").strip(), wall_s=time.monotonic() - start
        )
        if status != 0:
            outcome.message = outcome.message.replace(str(place) + "/", "") or f"ended with status {status}"
            return outcome
        outcome.files = _results(out, job.columns)
        return outcome
    finally:
        shutil.rmtree(place, ignore_errors=True)

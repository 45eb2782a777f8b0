"""Starts the program on a scenario, with limits of processor time, wall time and memory."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

CPU_SECONDS = 40  # no scenario that is drawn needs a tenth of it
WALL_SECONDS = 600  # on a machine that does other things
MEMORY_BYTES = 6 << 30


@dataclass
class Ended:
    """How a run of the program ended."""

    status: int  # negative: a signal
    out: str
    err: str
    hung: bool

    @property
    def message(self) -> str:
        return self.err.strip()


def start(program: str, arguments: list[str], directory: Path, cpu_seconds: int = CPU_SECONDS, shuffle: int = 0) -> Ended:
    """Runs `program arguments` in a directory. A run that reaches a limit counts as hung."""
    environment = dict(os.environ, SC_COPYRIGHT_MESSAGE="DISABLE", LC_ALL="C")
    if shuffle:
        environment["ARMATURE_SHUFFLE"] = str(shuffle)
    with subprocess.Popen(
        [program, *arguments],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        limits = {
            resource.RLIMIT_CPU: (cpu_seconds, cpu_seconds + 2),
            resource.RLIMIT_AS: (MEMORY_BYTES, MEMORY_BYTES),
            resource.RLIMIT_CORE: (0, 0),
        }
        for what, values in limits.items():  # from outside: a function in the child would make each start a slow one
            try:
                resource.prlimit(process.pid, what, values)
            except ProcessLookupError:
                break  # it is over already
        try:
            out, err = process.communicate(timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Ended(-signal.SIGKILL, "", f"no end within {WALL_SECONDS} s", True)
    hung = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    return Ended(process.returncode, out, err, hung)

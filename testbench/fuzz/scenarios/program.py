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


def _limits(cpu_seconds: int):
    def apply():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 2))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return apply


def start(program: str, arguments: list[str], directory: Path, cpu_seconds: int = CPU_SECONDS) -> Ended:
    """Runs `program arguments` in a directory. A run that reaches a limit counts as hung."""
    environment = dict(os.environ, SC_COPYRIGHT_MESSAGE="DISABLE", LC_ALL="C")
    try:
        done = subprocess.run(
            [program, *arguments],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=WALL_SECONDS,
            preexec_fn=_limits(cpu_seconds),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ended(-signal.SIGKILL, "", f"no end within {WALL_SECONDS} s", True)
    hung = done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    return Ended(done.returncode, done.stdout, done.stderr, hung)

"""What the tests share: the commands as processes, a small scenario, a program that counts its starts."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from armature.program import Program

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = """
[workload]
kind = "open"
rate_per_s = 60
read_fraction = 0.66
count = 400

[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
"""


class Bench:
    """A directory of its own with a cache of its own."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.environment = dict(
            os.environ,
            PYTHONPATH=str(ROOT / "models/study"),
            ARMATURE_PROGRAM="armature",
            ARMATURE_CACHE=str(directory / "cache"),
        )
        self.write("s.toml", SCENARIO)

    def write(self, name: str, text: str) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, name: str) -> bytes:
        return (self.directory / name).read_bytes()

    def start(self, *arguments: str, **more) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "armature", *arguments],
            cwd=self.directory,
            text=True,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **more,
        )

    def run(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        assert process.returncode == status, f"{arguments} ended with {process.returncode}:\n{out}\n{err}"
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def call(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess:
        """The same within this process: the start of another takes longer than most commands on small files."""
        from armature.__main__ import main

        out, err = io.StringIO(), io.StringIO()
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            with contextlib.chdir(self.directory), mock.patch.dict(os.environ, self.environment):
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    done = main(list(arguments))
        except SystemExit as ended:  # of argparse
            done = ended.code
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        assert done == status, f"{arguments} ended with {done}:\n{out.getvalue()}\n{err.getvalue()}"
        return subprocess.CompletedProcess(arguments, done, out.getvalue(), err.getvalue())

    def armature(self, *arguments: str) -> None:
        subprocess.run([self.environment["ARMATURE_BINARY"], *arguments], cwd=self.directory, check=True)

    def count_starts(self, pause_s: float = 0) -> None:
        """Puts a program in the real one's place that notes each `run`, waits, and becomes the real one."""
        real = self.environment["ARMATURE_BINARY"]
        path = self.write(
            "counting",
            f"""#!/bin/bash
if [[ $1 == run ]]; then echo run >>{self.directory}/starts; read -rt {pause_s} <> <(:); fi  # no process of its own
exec {real} "$@"
""",
        )
        path.chmod(0o755)
        self.environment["ARMATURE_BINARY"] = str(path)

    def starts(self) -> int:
        path = self.directory / "starts"
        return len(path.read_text().splitlines()) if path.exists() else 0


def small_place(bench, kilobytes: int):
    """A file system with little room, in a name space of its own; None if this user may not make one."""
    mount = f"mount -t tmpfs -o size={kilobytes}k none {bench.write('small/.keep', '').parent}"
    command = ["unshare", "--map-root-user", "--mount", "bash", "-c", f'{mount} && exec "$@"', "-"]
    able = subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    return command if able else None


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def program(bench) -> Program:
    return Program(bench.environment["ARMATURE_BINARY"])


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not shutil.which("chromium"):
        pytest.skip("no chromium to open pages with")
    from browser import Browser

    here = Browser(tmp_path_factory.mktemp("browser") / "profile")
    yield here
    here.close()

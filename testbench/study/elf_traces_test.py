"""The instructions of firmware as an ELF in a stretch of time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["ARMATURE_BINARY"])
ELF = PROGRAM.parents[1] / "firmware/firmware.elf"

pytestmark = pytest.mark.skipif(not ELF.exists(), reason="no compiler for RISC-V built firmware.elf")

SCENARIO = """\
[workload]
kind = "open"
rate_per_s = 60
count = 20
[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
"""
AS_ELF = ["--set", "controller.processor=iss"]


def run(place: Path, *options: str) -> None:
    (place / "s.toml").write_text(SCENARIO)
    subprocess.run([PROGRAM, "run", "s.toml", "--quiet", *options], cwd=place, check=True)


def test_instructions_of_a_stretch_of_time(tmp_path: Path) -> None:
    in_time = [*AS_ELF, "--set", "firmware.time=instructions"]
    run(tmp_path, *in_time, "--instructions", "all.tsv")
    run(tmp_path, *in_time, "--instructions", "part.tsv", "--from", "0.1", "--to", "150 ms")
    header, *everything = (tmp_path / "all.tsv").read_text().splitlines()
    same_header, *part = (tmp_path / "part.tsv").read_text().splitlines()
    wanted = [line for line in everything if 0.1 <= float(line.partition("\t")[0]) <= 0.15]
    assert header == same_header and 1000 < len(wanted) < len(everything)
    assert part == wanted

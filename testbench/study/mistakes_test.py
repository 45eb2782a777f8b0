"""Mistakes planted into native firmware (testbench/mistakes/planted.c) end the run at their instant, with function and line."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["ARMATURE_BINARY"]).parents[2] / "testbench/mistakes"
SOURCE = (ROOT / "testbench/mistakes/planted.c").read_text().splitlines()

pytestmark = pytest.mark.skipif(not (PROGRAMS / "armature_mistakes").exists(), reason="armature_mistakes is not built")

SCENARIO = """\
[workload]
kind = "open"
rate_per_s = 60
count = 400
[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
"""

BOTH = ("armature_mistakes", "armature_mistakes_debug")
DEBUG = ("armature_mistakes_debug",)
FOUND = {  # number: name in planted.c, programs that find it, what they say
    1: ("null_write", BOTH, "null pointer"),
    2: ("null_read", BOTH, "null pointer"),
    3: ("null_call", BOTH, "a jump to 0x0, a null pointer"),
    4: ("index_high", DEBUG, "an index out of bounds"),
    5: ("index_low", DEBUG, "an index out of bounds"),
    6: ("index_far", BOTH, "firmware's mistake"),
    7: ("division", BOTH, "a division by zero"),
    8: ("big_array", BOTH, "its stack overflows"),
    12: ("halfword", BOTH, "a read at 0x40080000"),
    13: ("misaligned_register", BOTH, "firmware's bus error: a read at 0x40080002"),
    14: ("unmapped", BOTH, "firmware's bus error: a write at 0x400803f0"),
    15: ("write_to_code", BOTH, "firmware's mistake"),
    16: ("jump_to_data", BOTH, "where there is no code"),
    17: ("wild_call", BOTH, "a jump to 0xa5a5a5a4"),
    18: ("unreachable", DEBUG, "undefined behaviour"),
    19: ("shift", DEBUG, "undefined behaviour"),
    20: ("overflow", DEBUG, "undefined behaviour"),
    23: ("completed_twice", BOTH, "which holds no command"),
    24: ("wrong_tag", BOTH, "which holds no command"),
    26: ("dma_out_of_range", BOTH, "a transfer of"),
    30: ("stop", BOTH, "an impossible state"),
    31: ("write_to_constant", BOTH, "a write at"),
    32: ("misaligned_memory", DEBUG, "undefined behaviour"),
    33: ("wrong_context", BOTH, "with a context that is not the drive's"),
}
QUICK = {1, 3, 4, 7, 14, 23}


def line(name: str) -> int:
    return next(i for i, text in enumerate(SOURCE, 1) if text.endswith(f"// {name}"))


def run(program: str, number: int, place: Path) -> tuple[int, str]:
    (place / "s.toml").write_text(SCENARIO)
    environment = dict(os.environ, ARMATURE_PLANTED=str(number))
    words = [PROGRAMS / program, "run", "s.toml", "--quiet"]
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=100, env=environment, check=False)
    return done.returncode, done.stderr


def check(number: int, place: Path) -> None:
    name, programs, words = FOUND[number]
    for program in programs:
        status, told = run(program, number, place)
        assert status == 1, f"{program} {name}: {told}"
        assert words in told or "undefined behaviour" in told, f"{program} {name}"
        assert re.search(rf"in the handler \w+ at \d+\.\d{{12}} s: .*planted\.c:{line(name)}\)", told), f"{program} {name}: {told}"
        assert (place / "out/requests.csv").exists(), "the results up to there"
        assert run(program, number, place) == (status, told) or "0x" in told, "at the same instant each time"


@pytest.mark.parametrize("number", sorted(QUICK))
def test_a_mistake_is_told_with_its_line(number: int, tmp_path: Path) -> None:
    check(number, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("number", sorted(set(FOUND) - QUICK))
def test_more_mistakes_are_told_with_their_lines(number: int, tmp_path: Path) -> None:
    check(number, tmp_path)


def test_without_a_mistake_the_run_is_complete(tmp_path: Path) -> None:
    assert run("armature_mistakes", 0, tmp_path) == (0, "")


def test_a_lost_grant_is_told_by_the_age_of_its_request(tmp_path: Path) -> None:
    status, told = run("armature_mistakes", 22, tmp_path)
    assert status == 3, told
    assert re.search(r"request \d+ \(tag \d+\) waits \d+\.\d+ s .*in phase firmware .*arm 0 granted", told) or "nothing is scheduled" in told

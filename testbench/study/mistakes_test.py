"""Mistakes planted into firmware (testbench/mistakes/planted.c), native and as an ELF, end the run at their instant, with
handler, function and line. docs/lab/planted-mistakes.md has the table."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ["ARMATURE_BINARY"])
PROGRAMS = PROGRAM.parents[2] / "testbench/mistakes"
SOURCE = (ROOT / "testbench/mistakes/planted.c").read_text().splitlines()

needs_programs = pytest.mark.skipif(not (PROGRAMS / "armature_mistakes").exists(), reason="armature_mistakes is not built")
needs_compiler = pytest.mark.skipif(not shutil.which("riscv64-unknown-elf-gcc"), reason="no compiler for RISC-V")

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
DEBUG_ELF = ("debug",)
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
    38: ("completed_early", BOTH, "have not moved over the link"),
    30: ("stop", BOTH, "an impossible state"),
    31: ("write_to_constant", BOTH, "a write at"),
    32: ("misaligned_memory", DEBUG, "undefined behaviour"),
    33: ("wrong_context", BOTH, "with a context that is not the drive's"),
    9: ("recursion", BOTH, "its stack overflows"),
    10: ("endless", BOTH, "it does not return within 2 seconds"),
    11: ("polling", BOTH, "it does not return within 2 seconds"),
    29: ("illegal_x86", BOTH, "an illegal instruction"),
    34: ("division_overflow", BOTH, "or one whose result is too large"),
    35: ("past_the_context", BOTH, "which is not firmware's memory"),
    36: ("absent_arm", BOTH, "firmware's bus error: a write at 0x40023000"),
    40: ("smash", BOTH, "an access to an address that cannot be"),
}
AT_END = {40: r"smash \(mistakes/planted\.c:\d+\)"}  # of a function, natively: it returns to where it has written
QUICK = {1, 3, 4, 7, 14, 23, 35}


# As an ELF: plain and debug, or debug only. What the trap of a debug ELF says is the same for each.
ELFS = ("plain", "debug")
TRAP = r"is a trap \(ebreak\)"
FOUND_IN_ELF = {  # number: name in planted.c, ELFs that find it, what the plain one says; the debug one that or a trap
    1: ("null_write", ELFS, "writes 4 bytes at 0x00000000, where there is no memory"),
    2: ("null_read", ELFS, "reads 4 bytes at 0x00000000, where there is no memory"),
    3: ("null_call", ELFS, "0x00000000 lies where there is no code"),
    4: ("index_high", DEBUG_ELF, ""),
    5: ("index_low", DEBUG_ELF, ""),
    6: ("index_far", ELFS, "where there is no memory"),
    7: ("division", ELFS, "divides by zero"),
    8: ("big_array_elf", ELFS, "where there is no memory"),
    9: ("recursion", ELFS, "where there is no memory"),
    10: ("endless", ELFS, "an endless loop"),
    11: ("polling", ELFS, "an endless loop"),
    12: ("halfword", ELFS, "reads at 0x40080000 what is no aligned word"),
    13: ("misaligned_register", ELFS, "reads at 0x40080002 what is no aligned word"),
    14: ("unmapped", ELFS, "firmware's bus error: a write at 0x400803f0"),
    15: ("write_to_code", ELFS, "which is code"),
    16: ("jump_to_data", ELFS, "lies where there is no code"),
    17: ("wild_call", ELFS, "0xa5a5a5a4 lies where there is no code"),
    18: ("unreachable", DEBUG_ELF, ""),
    19: ("shift", DEBUG_ELF, ""),
    20: ("overflow", DEBUG_ELF, ""),
    23: ("completed_twice", ELFS, "a completion of tag 0, which holds no command"),
    24: ("wrong_tag", ELFS, "a completion of tag 16, which holds no command"),
    26: ("dma_out_of_range", ELFS, "a transfer of 1 sectors at 0x3ffffe00"),
    38: ("completed_early", ELFS, "have not moved over the link"),
    29: ("illegal_riscv", ELFS, "is illegal"),
    30: ("stop", ELFS, "an impossible state"),
    31: ("write_to_constant", ELFS, "which is code"),
    32: ("misaligned_memory", DEBUG_ELF, ""),
    34: ("division_overflow", DEBUG_ELF, ""),
    35: ("past_the_context", ELFS, "writes 4 bytes at 0x10100000, where there is no memory"),
    36: ("absent_arm", ELFS, "firmware's bus error: a write at 0x40023000"),
    40: ("smash", ELFS, "0xa5a5a5a4 lies where there is no code: a jump by a wrong pointer in fw_"),
    41: ("wait_in_a_handler", ELFS, "waits for an interrupt (wfi) in an interrupt's handler"),
}
# A call at a function's end leaves no frame of that function, unless the ELF is one for debugging.
BY_TAIL_CALL = dict.fromkeys((14, 36), r"__wrap_fw_granted \(planted/planted\.c:\d+\)") | {
    **dict.fromkeys((3, 16, 17), r"wrong pointer in plant \(planted/planted\.c:\d+\)"),  # one jump for all of them
    40: r"wrong pointer in fw_\w+ \(\w+/\w+\.c:\d+\)",  # returns to what was written
    23: r"fw_finish \(engine/requests\.c:\d+\)",
    26: r"fw_stream_send \(jobs/attached\.c:\d+\)",
}
WITHOUT_CALLERS = (9, 30, 40)  # an endless row of them; FW_STOP tells its own place; who called is written over
QUICK_IN_ELF = {1, 3, 4, 7, 12, 20, 23}


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
        there = AT_END.get(number) if program not in DEBUG else None
        there = there or rf"planted\.c:{line(name)}\)"
        assert re.search(rf"in the handler \w+ at \d+\.\d{{12}} s: .*{there}", told), f"{program} {name}: {told}"
        assert (place / "out/requests.csv").exists(), "the results up to there"
        assert run(program, number, place) == (status, told) or "0x" in told, "at the same instant each time"


@needs_programs
@pytest.mark.parametrize("number", sorted(QUICK))
def test_a_mistake_is_told_with_its_line(number: int, tmp_path: Path) -> None:
    check(number, tmp_path)


@pytest.mark.full
@needs_programs
@pytest.mark.parametrize("number", sorted(set(FOUND) - QUICK))
def test_more_mistakes_are_told_with_their_lines(number: int, tmp_path: Path) -> None:
    check(number, tmp_path)


@needs_programs
def test_without_a_mistake_the_run_is_complete(tmp_path: Path) -> None:
    assert run("armature_mistakes", 0, tmp_path) == (0, "")


@needs_programs
def test_a_lost_grant_is_told_by_the_age_of_its_request(tmp_path: Path) -> None:
    status, told = run("armature_mistakes", 22, tmp_path)
    assert status == 3, told
    assert re.search(r"request \d+ \(tag \d+\) waits \d+\.\d+ s .*in phase firmware .*arm 0 granted", told) or "nothing is scheduled" in told


@pytest.fixture(scope="module")
def elves(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The drive's firmware with planted.c, as an ELF and as one for debugging."""
    place = tmp_path_factory.mktemp("elf")
    (place / "src/planted").mkdir(parents=True)
    shutil.copy(ROOT / "testbench/mistakes/planted.c", place / "src/planted")
    listed = (ROOT / "testbench/mistakes/CMakeLists.txt").read_text()
    wrapped = re.search(r"set\(wrapped ([\w ]+)\)", listed)[1].split()
    wrap = ",".join(["-Wl", *(f"--wrap={name}" for name in wrapped)])
    for name, options in (("plain", []), ("debug", ["--debug"])):
        words = [ROOT / "models/firmware/rv32/build", place / "src", "-o", place / name, wrap, *options]
        subprocess.run(words, check=True)
    return {name: (place / name).read_bytes() for name in ELFS}


def with_mistake(elf: bytes, number: int, place: Path) -> Path:
    """The ELF with this number in fw_planted_number."""
    path = place / "planted.elf"
    path.write_bytes(elf)
    symbols = subprocess.run(["riscv64-unknown-elf-nm", path], capture_output=True, text=True, check=True).stdout
    address = int(re.search(r"^(\w+) \w fw_planted_number$", symbols, re.MULTILINE)[1], 16)
    patched = bytearray(elf)
    (headers,), (size, count) = struct.unpack_from("<I", elf, 28), struct.unpack_from("<HH", elf, 42)
    for at in range(headers, headers + size * count, size):
        kind, offset, _, physical, length = struct.unpack_from("<5I", elf, at)
        if kind == 1 and physical <= address < physical + length:  # PT_LOAD
            struct.pack_into("<I", patched, offset + address - physical, number)
    path.write_bytes(patched)
    return path


def run_elf(elf: bytes, number: int, place: Path, *options: str) -> tuple[int, str]:
    (place / "s.toml").write_text(SCENARIO)
    words = [PROGRAM, "run", "s.toml", "--quiet", "--firmware", with_mistake(elf, number, place), *options]
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stderr


def check_elf(elves: dict[str, bytes], number: int, folder: Path) -> None:
    name, finders, words = FOUND_IN_ELF[number]
    for kind in ELFS:
        status, told = run_elf(elves[kind], number, folder)
        if kind not in finders:
            # What an index beyond the end overwrites is the layout's choice: the run may end with an error of the drive's.
            ends = (0, 1) if name == "index_high" else (0,)
            assert status in ends, f"{kind} {name}: the page says that nobody can know"
            continue
        assert status == 1, f"{kind} {name}: {told}"
        assert words and words in told or kind == "debug" and re.search(TRAP, told), f"{kind} {name}: {told}"
        assert re.search(r"in the handler \w+ at \d+\.\d{12} s", told), f"{kind} {name}: {told}"
        place = BY_TAIL_CALL.get(number) if kind == "plain" else None
        assert re.search(place or rf"planted\.c:{line(name)}\)", told), f"{kind} {name}: {told}"
        assert number in WITHOUT_CALLERS or re.search(r"called by (fw_isr|handle|__wrap_fw_\w+|fw_\w+) \(", told), f"{kind} {name}: {told}"
        assert (folder / "out/requests.csv").exists(), "the results up to there"
        assert run_elf(elves[kind], number, folder) == (status, told), "at the same instant each time"


@needs_compiler
@pytest.mark.parametrize("number", sorted(QUICK_IN_ELF))
def test_a_mistake_in_an_elf_is_told_with_its_line(elves: dict[str, bytes], number: int, tmp_path: Path) -> None:
    check_elf(elves, number, tmp_path)


@pytest.mark.full
@needs_compiler
@pytest.mark.parametrize("number", sorted(set(FOUND_IN_ELF) - QUICK_IN_ELF))
def test_more_mistakes_in_an_elf_are_told_with_their_lines(elves: dict[str, bytes], number: int, tmp_path: Path) -> None:
    check_elf(elves, number, tmp_path)


@pytest.mark.full
@needs_compiler
def test_what_an_elf_does_without_a_trace_is_said_by_other_checks(elves: dict[str, bytes], tmp_path: Path) -> None:
    """Rows of the page's table that name another way to find the mistake."""
    for kind in ELFS:
        status, told = run_elf(elves[kind], 21, tmp_path)  # an interrupt that is not cleared
        assert status == 1 and "an impossible state" in told, "in the next handler"
        status, told = run_elf(elves[kind], 22, tmp_path)  # a grant that is forgotten
        assert status == 3 and ("waits" in told or "nothing is scheduled" in told)
        verify = [f"--set={text}" for text in ("host.verify=true", "media.contents=memory", "workload.read_fraction=0.5",
                  "workload.last_lbn=799", "cache.write=false", "cache.look_ahead=false")]  # fmt: skip
        status, told = run_elf(elves[kind], 25, tmp_path, *verify)  # a wrong LBA to the channel
        assert status == 1 and "wrong" in told
        status, told = run_elf(elves[kind], 28, tmp_path, "--check-firmware")  # 3,000 reads of a register
        assert status == 1 and "broke a rule of time" in told
        status, told = run_elf(elves[kind], 37, tmp_path)  # an interrupt that is masked
        assert status == 3 and "waits" in told
        status, told = run_elf(elves[kind], 39, tmp_path, *verify)  # a transfer of another request's buffer
        assert status == 1 and "wrong" in told
        for harmless in (0, 27, 33):  # nothing; a register that is only read; an ELF has one context
            assert run_elf(elves[kind], harmless, tmp_path) == (0, "")

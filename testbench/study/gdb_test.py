"""Firmware under gdb: stops, locals and gdb's own commands for it; what firmware does wrong ends the run with a message."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ["ARMATURE_BINARY"])
DEBUGGED = PROGRAM.with_name("armature_gdb")
PTRACE = PROGRAM.with_name("gdb_ptrace.so")

pytestmark = pytest.mark.skipif(
    not DEBUGGED.exists() or not shutil.which("gdb"), reason="armature_gdb is not built beside the program, or there is no gdb"
)

SCENARIO = """\
[workload]
kind = "closed"
count = 200
outstanding = 4
read_fraction = 0.5

[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "s.toml").write_text(SCENARIO)
    return tmp_path


def session(place: Path, commands: str, out: str = "out") -> subprocess.CompletedProcess:
    """gdb with `commands`; its status is that of the program if they end with finish_it."""
    (place / "commands.gdb").write_text(commands)
    words = ["gdb", "-q", "-nx", "-batch", "-x", ROOT / "models/firmware/gdb/firmware.py", "-x", "commands.gdb"]
    words += ["--args", DEBUGGED, "run", "s.toml", "--quiet", "--out", out]
    environment = dict(os.environ, SC_COPYRIGHT_MESSAGE="DISABLE", COLUMNS="200")
    if PTRACE.exists():
        environment["LD_PRELOAD"] = str(PTRACE)
    return subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=200, env=environment, check=False)


FINISH = "continue\npython import gdb; code = gdb.parse_and_eval('$_exitcode'); print(f'status {int(code)}')\n"


def test_a_request_is_followed_from_its_start_to_its_grant_and_results_stay_the_same(place: Path) -> None:
    done = session(
        place,
        "fw-break-request 40\ncontinue\ninfo args\nfw-time\nfw-request 40\nfw-queue\nfw-regs aau\nfw-regs\n",
    )
    text = done.stdout
    tag = int(re.search(r"request 40, tag (\d+)", text)[1])
    assert f"tag = {tag}" in text, "the handler's argument"
    assert re.search(r"\n0\.\d{12} s\n", text), "simulated time"
    assert re.search(rf"tag {tag}: (read|write) of \d+ sectors at \d+", text)
    assert "sectors = 8" in text and "media_done = " in text, "the whole request"
    assert len(re.findall(r"^tag \d+: ", text, flags=re.MULTILINE)) >= 3, "the queue holds others"
    assert re.search(r"^ctrl +0x[0-9a-f]{8}", text, flags=re.MULTILINE), "registers by name"
    assert "fw-regs: the blocks are aau, " in done.stderr, "and their blocks"

    done = session(place, "break fw_granted\nrun\nbacktrace 2\ninfo locals\ndelete\n" + FINISH, "debugged")
    assert "#0  fw_granted (ctx=" in done.stdout
    assert "grant" in done.stdout, "a local"
    assert "status 0" in done.stdout
    subprocess.run([PROGRAM, "run", "s.toml", "--quiet", "--out", "plain"], cwd=place, check=True)
    for name in ("requests.csv", "events.csv"):
        assert (place / "debugged" / name).read_bytes() == (place / "plain" / name).read_bytes()


def test_registers_are_shown_one_by_one_or_where_they_differ_from_reset(place: Path) -> None:
    commands = "break fw_granted\nrun\n"
    for words in ("aau", "aau slot_commit", "aau slot_commit[3]", "aau SLOT_COMMIT[1023]", "dbg fatal"):
        commands += f"echo \\n[{words}]\\n\nfw-regs {words}\n"
    done = session(place, commands)
    shown = dict(re.findall(r"^\[([^\n]*)\]\n(.*?)(?=\n\n\[|\Z)", done.stdout, flags=re.MULTILINE | re.DOTALL))
    whole = shown["aau"].splitlines()
    assert len(whole) < 60, "of 5,000 registers those that firmware has written"
    assert re.fullmatch(r"\d{4} registers hold their reset values", whole[-1])
    slots = shown["aau slot_commit"].splitlines()
    assert slots and all(line.startswith("slot_commit[") or "hold their reset values" in line for line in slots)
    assert re.fullmatch(r"slot_commit\[3\] +0x[0-9a-f]{8}  angle 0x.*", shown["aau slot_commit[3]"])
    assert shown["aau SLOT_COMMIT[1023]"].startswith("slot_commit[1023]  0x00000000"), "one that is asked for is always shown"
    assert shown["dbg fatal"].startswith("fatal"), "one without an index too"
    assert "fw-regs: aau has no register nonsense, but " in session(place, "fw-regs aau nonsense\n").stderr
    beyond = session(place, "fw-regs aau slot_commit[1024]\n").stderr
    assert "fw-regs: aau has no register slot_commit[1024], but slot_commit[0..1023]" in beyond


def test_what_is_not_there_is_told(place: Path) -> None:
    done = session(place, "fw-time\n")
    assert "the simulation is not running" in done.stderr
    done = session(place, "break fw_granted\nrun\nfw-request 199\n")
    assert "request 199 is not at the drive; fw-break-request 199 waits for it" in done.stderr
    done = session(place, "break fw_granted\nrun\nfw-drive none\n")
    assert "the drives are atlas" in done.stderr


def test_an_impossible_state_ends_the_run_with_file_line_and_state(place: Path) -> None:
    done = session(place, 'break fw_granted\nrun\nprint fw_stop(ctx, "planted.c", 123, "planted")\ndelete\n' + FINISH)
    assert "status 1" in done.stdout
    assert re.search(r"drive atlas: firmware stopped at an impossible state, in the handler grant at 0\.\d{12} s: planted \(planted.c:123\), state \w+", done.stderr)


def test_a_bus_error_ends_the_run_with_address_handler_and_time(place: Path) -> None:
    done = session(place, "break fw_granted\nrun\nprint mmio_read32(ctx, 0x10)\ndelete\n" + FINISH)
    assert "status 1" in done.stdout
    found = re.search(r"drive atlas: firmware's bus error: a read at 0x00000010, which nothing answers, in the handler (\w+) at 0\.\d{12} s", done.stderr)
    assert found and found[1] == "grant"


def test_a_handler_without_an_end_is_told_with_its_name(place: Path) -> None:
    # A jump to itself in place of the handler's first instruction.
    done = session(place, "break fw_granted\nrun\ndelete\nset {short}$pc = 0xfeeb\n" + FINISH)
    assert "status 1" in done.stdout
    assert re.search(r"it does not return within 2 seconds of processor time, in the handler \w+ at", done.stderr)

"""Firmware as an ELF under gdb, backwards: states, causes and results on the way back and forth again."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ["ARMATURE_BINARY"])
BUILT = PROGRAM.parents[1] / "firmware"  # firmware.elf and its objects
ELF = BUILT / "firmware.elf"
GCC = "riscv64-unknown-elf-gcc"
RV32 = ["-march=rv32imac", "-mabi=ilp32", "-misa-spec=2.2"]

pytestmark = pytest.mark.skipif(
    not ELF.exists() or not shutil.which("gdb-multiarch"), reason="there is no ELF of the firmware, or no gdb-multiarch"
)

SCENARIO = """\
[workload]
kind = "closed"
count = 120
outstanding = 4
read_fraction = 0.5

[controller]
processor = "iss"

[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
"""
SECOND = """
[drives.fast]
model = "drives/quantum_atlas_10k.toml"
spindle.rpm = 12000
"""
RESULTS = ("requests.csv", "events.csv", "waves.fst", "waves.gtkw")


def run(place: Path, *words: str, status: int = 0) -> None:
    done = subprocess.run([PROGRAM, "run", "s.toml", "--quiet", *words], cwd=place, check=False)
    assert done.returncode == status


def processes_of(place: Path) -> list[str]:
    """Command lines of processes that work for the run of this test."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if f"unix:{place}/gdb" in words:
            found.append(" ".join(words))
    return found


class Session:
    """A run that waits for gdb, and gdb with commands at it."""

    def __init__(self, place: Path, commands: str, *words: str, elf: Path = ELF):
        self.socket = place / "gdb"
        self.server = subprocess.Popen(
            [PROGRAM, "run", "s.toml", "--quiet", "--gdb", f"unix:{self.socket}", *words],
            cwd=place,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            line = self.server.stderr.readline()
            assert "waits for gdb" in line, line
            (place / "commands.gdb").write_text(
                f"set pagination off\nset confirm off\nset architecture riscv:rv32\ntarget remote {self.socket}\n"
                + commands
            )
            gdb = ["gdb-multiarch", "-q", "-nx", "-batch", "-x", "commands.gdb", str(elf)]
            # `monitor` answers on standard error; a pipe for both keeps their order.
            done = subprocess.run(
                ["stdbuf", "-o0", *gdb],
                cwd=place,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
                check=False,
            )
            self.text = done.stdout
            self.errors = self.server.stderr.read()
            self.status = self.server.wait(60)
        finally:
            self.server.kill()
        assert "Error in sourced command file" not in self.text, self.text
        assert not processes_of(place)

    def part(self, name: str) -> str:
        """What was printed between "begin NAME" and "end NAME"."""
        return re.search(rf"begin {name}\n(.*?)end {name}\n", self.text, re.DOTALL)[1]


def state(name: str) -> str:
    """gdb's commands that show all there is of a state."""
    return f"""echo begin {name}\\n
info registers
monitor time
monitor queue
monitor regs aau
monitor regs srv0
monitor regs chn0
x/2000xw 0x10000000
echo end {name}\\n
"""


def times(command: str, count: int) -> str:
    return f"set $i = 0\nwhile $i < {count}\n  {command}\n  set $i = $i + 1\nend\n"


def test_back_and_forth_is_the_same_state_and_leaves_the_same_results(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    commands = (
        "break fw_granted\nignore 1 60\ncontinue\n"
        + state("here")
        + "reverse-continue\n"
        + state("before")
        + "continue\n"
        + state("again")
        + times("reverse-stepi", 15)
        + state("back")
        + times("stepi", 15)
        + state("forth")
        + "reverse-stepi\nreverse-finish\nreverse-next\nreverse-step\n"
        + "delete\ncontinue\n"
    )
    session = Session(tmp_path, commands, "--waves", "--out", "back")
    assert session.part("here") == session.part("again") == session.part("forth")
    assert session.part("before") != session.part("here") != session.part("back")
    assert session.status == 0 and "exited normally" in session.text

    run(tmp_path, "--waves", "--out", "plain")
    for name in RESULTS:
        assert (tmp_path / "back" / name).read_bytes() == (tmp_path / "plain" / name).read_bytes(), name


def changed_elf(place: Path, after: str, line: str) -> tuple[Path, int]:
    """Firmware with a line more in events.c, behind the one that holds `after`; and the number of that line."""
    lines = (ROOT / "models/firmware/src/engine/events.c").read_text().splitlines()
    number = next(i for i, text in enumerate(lines) if after in text) + 1
    lines.insert(number, line)
    (place / "events.c").write_text("\n".join(lines))
    include = [f"-I{ROOT}/models/firmware/include", f"-I{ROOT}/models/firmware/src"]
    compiled = [GCC, *RV32, "-std=c11", "-ffreestanding", "-O2", "-g", *include, "-c", "events.c", "-o", "events.o"]
    subprocess.run(compiled, cwd=place, check=True)
    objects = [str(p) for p in sorted(BUILT.glob("rv32/**/*.o")) if p.name != "events.c.o"]
    link = [GCC, *RV32, "-nostdlib", f"-Wl,-T,{BUILT}/firmware.ld", "-Wl,-z,max-page-size=4096", "-o", "changed.elf"]
    subprocess.run([*link, "events.o", *objects, "-lgcc"], cwd=place, check=True)
    return place / "changed.elf", number + 1


needs_compiler = pytest.mark.skipif(not shutil.which(GCC), reason="there is no compiler for RV32")


@needs_compiler
def test_what_firmware_prints_is_printed_once(tmp_path: Path) -> None:
    elf, _ = changed_elf(tmp_path, "fw_aau_take_grant(ctx);", '  fw_printf(ctx, "slot %u goes to arm %u", slot, n);')
    (tmp_path / "s.toml").write_text(SCENARIO)
    words = ["--console", "--firmware", str(elf)]
    commands = "break fw_granted\nignore 1 50\ncontinue\n" + times("reverse-continue", 10) + "delete\ncontinue\n"
    session = Session(tmp_path, commands, *words, "--out", "back", elf=elf)
    plain = [PROGRAM, "run", "s.toml", "--quiet", *words, "--out", "plain"]
    done = subprocess.run(plain, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr.count("goes to arm") > 60
    assert session.errors == done.stderr


@needs_compiler
def test_from_a_fault_back_to_the_grant_that_caused_it(tmp_path: Path) -> None:
    """The grant of slot 3 leaves a wrong job, by which the arm's handler jumps to nowhere milliseconds later."""
    elf, line = changed_elf(tmp_path, "->granted(ctx, n, slot)", "  if (slot == 3u) ctx->arm[n].job = 250u;")
    (tmp_path / "s.toml").write_text(SCENARIO)
    commands = (
        "continue\nmonitor time\n"
        + "watch -l fw_the_context.arm[0].job\nreverse-continue\nmonitor time\nmonitor queue\nx/i $pc\n"
        + "delete\nbreak fw_serve_grant\nreverse-continue\nmonitor time\nkill\n"
    )
    session = Session(tmp_path, commands, "--out", "bad", "--firmware", str(elf), elf=elf)
    text = session.text
    assert re.search(r"received signal SIG(SEGV|ILL)", text), text
    fault, write, grant = (float(t) for t in re.findall(r"^(\d+\.\d{12}) s, atlas", text, re.MULTILINE))
    assert grant == write < fault, "the write is in the handler of the grant"
    assert fault - write > 1e-4, "the arm moved meanwhile"
    assert re.search(r"Old value = 250 .*\nNew value = \d ", text), "the value as it was before the write"
    assert re.search(rf"fw_serve_grant .* at events.c:{line}\n{line}\t.*job = 250u;", text), text
    assert re.search(r"^=> 0x[0-9a-f]+ <fw_serve_grant\+\d+>:\tsb\t", text, re.MULTILINE), "the store is yet to come"
    assert "Breakpoint 2, fw_serve_grant" in text
    assert re.search(r"request \d+: .* at the drive under tag \d+", text), "the queue is that of then"


def test_a_change_is_there_behind_its_place_and_not_before(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    show = "print fw_the_context.timers.deadline[14]\n"
    commands = (
        "break fw_granted\nignore 1 20\ncontinue\nset var fw_the_context.timers.deadline[14] = 77\n"
        + show
        + "continue\nreverse-stepi\n"
        + show
        + "reverse-continue\n"
        + show
        + "reverse-stepi\n"
        + show
        + "stepi\n"
        + show
        + "kill\n"
    )
    session = Session(tmp_path, commands, "--out", "changed")
    values = re.findall(r"^\$\d+ = (\d+)", session.text, re.MULTILINE)
    assert values == ["77", "77", "77", "0", "0"], session.text


def test_a_watchpoint_on_a_register_of_a_block_finds_its_access(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    header = (ROOT / "models/firmware/include/armature/firmware/regs/soc.h").read_text()
    unit = int(re.search(r"SOC_AAU_BASE (0x[0-9A-Fa-f]+)", header)[1], 16)
    header = (ROOT / "models/firmware/include/armature/firmware/regs/aau.h").read_text()
    grant = int(re.search(r"AAU_GRANT (0x[0-9A-Fa-f]+)", header)[1], 16)
    commands = (
        f"break fw_granted\nignore 1 20\ncontinue\ndelete\nawatch *(unsigned*){unit + grant:#x}\n"
        + "reverse-continue\nmonitor time\nreverse-continue\nmonitor time\nbacktrace 2\n"
        + "continue\ncontinue\nmonitor time\nkill\n"
    )
    session = Session(tmp_path, commands, "--out", "watched")
    assert session.text.count("Hardware access (read/write) watchpoint 2") >= 4, session.text
    last, one_before, last_again = re.findall(r"^(\d+\.\d{12}) s, atlas", session.text, re.MULTILINE)
    assert one_before < last == last_again
    assert "fw_granted (ctx=" in session.text


def test_of_two_drives_each_goes_back_by_its_own_instructions(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO + SECOND)
    trap = "f'tbreak trap thread {gdb.selected_thread().num}'"
    threads = "python print('thread', gdb.selected_thread().num)\ninfo registers pc\nmonitor time\n"
    commands = (
        "break fw_granted\nignore 1 50\ncontinue\necho begin here\\n\n"
        + threads
        + "echo end here\\n\nreverse-continue\n"
        + "continue\necho begin again\\n\n"
        + threads
        + "echo end again\\n\n"
        # Beyond the beginnings of its traps, before some of which the other drive's processor was at work.
        + "delete\n"
        + times(f"python gdb.execute({trap})\n  reverse-continue\n  reverse-stepi", 5)
        + "echo begin back\\n\n"
        + threads
        + "echo end back\\n\ncontinue\n"
    )
    session = Session(tmp_path, commands, "--waves", "--out", "back")
    assert session.part("here") == session.part("again")
    assert session.part("back").splitlines()[0] == session.part("here").splitlines()[0], "the same drive"
    run(tmp_path, "--waves", "--out", "plain")
    for name in ("waves.fst", "atlas/requests.csv", "fast/requests.csv", "atlas/events.csv", "fast/events.csv"):
        assert (tmp_path / "back" / name).read_bytes() == (tmp_path / "plain" / name).read_bytes(), name


def test_where_there_is_no_way_back_gdb_is_told(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    tried = "python\ntry:\n  gdb.execute('reverse-stepi')\nexcept gdb.error as e:\n  print('error:', e)\nend\n"
    contents = ["--set", "media.contents=file", "--set", "media.contents_file=c"]
    session = Session(tmp_path, "break fw_granted\ncontinue\n" + tried + "kill\n", *contents, "--out", "o")
    assert "error: Target remote does not support this command." in session.text, session.text
    assert "gdb cannot go back in this run: media.contents" in session.errors

    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.DEVNULL)
    every = ["--set", "output.every_s=1", "--set", f"output.every_file={tmp_path}/pipe"]
    session = Session(tmp_path, tried + "kill\n", *every, "--out", "o")
    reader.wait(10)
    assert "gdb cannot go back in this run: " in session.errors and "/pipe is a pipe" in session.errors

    session = Session(tmp_path, "reverse-stepi\nreverse-continue\nkill\n", "--out", "o")
    assert session.text.count("No more reverse-execution history.") == 2, session.text


def test_nothing_is_left_when_gdb_goes_or_is_killed(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    back = "break fw_granted\nignore 1 20\ncontinue\nreverse-continue\n"
    session = Session(tmp_path, back + "delete\ndetach\n", "--out", "detached")
    assert session.status == 0
    run(tmp_path, "--out", "plain")
    assert (tmp_path / "detached/requests.csv").read_bytes() == (tmp_path / "plain/requests.csv").read_bytes()
    session = Session(tmp_path, back + "python import os; os.kill(os.getpid(), 9)\n", "--out", "lost")
    assert session.status == 143


def test_files_end_where_the_run_ends(tmp_path: Path) -> None:
    """Of a run that goes back to its beginning and is ended there nothing is left of what came later."""
    (tmp_path / "s.toml").write_text(SCENARIO.replace("count = 120", "count = 600"))
    commands = "monitor at request 500\ncontinue\npython print(open('out/requests.csv').read().count('\\n'))\n"
    session = Session(tmp_path, commands + "reverse-continue\nkill\n", "--waves", "--out", "out")
    assert int(re.search(r"^(\d+)$", session.text, re.MULTILINE)[1]) > 100, "rows had been written by then"
    assert "No more reverse-execution history." in session.text
    assert session.status == 143
    assert (tmp_path / "out/requests.csv").read_text().count("\n") == 1, "the header"
    assert (tmp_path / "out/waves.fst").stat().st_size < 50_000


def test_a_search_is_broken_off_by_ctrl_c_and_by_a_lost_connection(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO.replace("count = 120", "count = 5000"))
    command = [PROGRAM, "run", "s.toml", "--quiet", "--gdb", f"unix:{tmp_path}/gdb", "--out", "out"]
    server = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(60)

    def ask(packet: str) -> str:
        connection.sendall(f"${packet}#{sum(packet.encode()) % 256:02x}".encode())
        return receive()

    def receive() -> str:
        text = b""
        while not re.search(rb"\$[^#]*#..$", text):
            text += (byte := connection.recv(1))
            assert byte, text
        return re.search(rb"\$([^#]*)#..$", text)[1].decode()

    try:
        assert "waits for gdb" in server.stderr.readline()
        connection.connect(f"{tmp_path}/gdb")
        assert ask("QStartNoAckMode") == "OK"
        assert "ReverseStep+;ReverseContinue+" in ask("qSupported")
        assert answer(ask, receive, "at time 8") == "stops at 8.000000000000 s: continue\n"
        assert ask("vCont;c").startswith("O") and receive().startswith("T00thread:1;")
        assert len(processes_of(tmp_path)) > 2, "checkpoints"
        connection.sendall(b"$bc#c5")
        time.sleep(0.05)
        connection.sendall(b"\x03")
        assert re.match("T0[25]thread:1;", receive()), "interrupted, or at the beginning already"
        assert answer(ask, receive, "mechanics").startswith("stack 0: ")
        assert "replaylog:begin;" in ask("bc")
        assert ask("vCont;s").startswith("T05thread:1;")
        connection.sendall(b"$bc#c5")
        connection.close()
        assert server.wait(60) == 143
    finally:
        server.kill()
    assert not processes_of(tmp_path)


def answer(ask, receive, words: str) -> str:
    """The answer to `monitor WORDS`."""
    text, packet = "", ask("qRcmd," + words.encode().hex())
    while packet != "OK":
        text += bytes.fromhex(packet[1:]).decode()
        packet = receive()
    return text

"""Firmware that runs as an ELF under gdb-multiarch: stops, watchpoints, threads, faults, and what `monitor` and the fw-
commands say. What gdb only looks at changes no result."""

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
ELF = PROGRAM.parents[1] / "firmware/firmware.elf"
DRIVE = '[drives.{}]\nmodel = "drives/quantum_atlas_10k.toml"\ncontroller.processor = "{}"\n'
LOAD = '[workload]\nkind = "closed"\ncount = 120\noutstanding = 4\nread_fraction = 0.5\n'

pytestmark = pytest.mark.skipif(not ELF.exists(), reason="no compiler for RISC-V built firmware.elf")
needs_gdb = pytest.mark.skipif(not shutil.which("gdb-multiarch"), reason="no gdb-multiarch")


class Run:
    """A run that waits for gdb."""

    started: list[subprocess.Popen] = []

    def __init__(self, place: Path, *options: str, drives: str = DRIVE.format("atlas", "iss"), out: str = "out"):
        self.place = place
        self.out = place / out
        (place / "s.toml").write_text(LOAD + drives)
        self.socket = place / "gdb"
        words = [PROGRAM, "run", "s.toml", "--quiet", "--out", out, *options]
        environment = dict(os.environ, SC_COPYRIGHT_MESSAGE="DISABLE")
        self.plain = [words[0], *words[1:5], "plain", *options]
        self.process = subprocess.Popen(
            [*words, "--gdb", f"unix:{self.socket}"], cwd=place, text=True, stderr=subprocess.PIPE, env=environment
        )
        Run.started.append(self.process)
        for _ in range(600):
            if self.socket.exists() or self.process.poll() is not None:
                break
            time.sleep(0.05)

    def gdb(self, commands: str) -> str:
        """What gdb prints; with `status` and `errors` of the run, which has ended with it."""
        (self.place / "commands.gdb").write_text(commands)
        words = ["gdb-multiarch", "-q", "-nx", "-batch", "-x", ROOT / "models/firmware/gdb/firmware.py"]
        words += ["-ex", f"fw-connect {self.socket}", "-x", "commands.gdb", ELF]
        environment = dict(os.environ, COLUMNS="200")
        done = subprocess.run(
            words, cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, env=environment, check=False
        )
        self.finish()
        return done.stdout

    def finish(self) -> None:
        _, self.errors = self.process.communicate(timeout=100)
        self.status = self.process.returncode

    def results(self, out: Path | None = None) -> list[bytes]:
        return [path.read_bytes() for path in sorted((out or self.out).rglob("*.csv"))]

    def results_without_gdb(self) -> list[bytes]:
        subprocess.run(self.plain, cwd=self.place, check=True)
        return self.results(self.place / "plain")


@pytest.fixture(autouse=True)
def no_run_is_left():
    yield
    while Run.started:
        Run.started.pop().kill()  # nothing, if it has ended


@needs_gdb
def test_a_grant_with_its_request_in_flight_and_results_stay_the_same(tmp_path: Path) -> None:
    run = Run(tmp_path)
    text = run.gdb(
        "break fw_granted\nrun\nbacktrace\nmonitor queue\nprint ctx->drive.queue_depth\nstep\nfinish\nstepi\n"
        "delete\nwatch fw_the_context.requests[0].state\ncontinue\ncontinue\ndelete\n"
        "awatch *(unsigned *)0x40010018\ncontinue\nbacktrace 3\ndelete\nx/2xw 0x40010000\nx/1xb 0x40010001\n"
        "print mmio_read32(ctx, 0x40010004)\nmonitor regs hif\nfw-regs chn0\nmonitor regs tmr now\ntbreak fw_start_request if tag == 2\ncontinue\ncontinue\n"
    )
    assert re.search(r"Breakpoint 1, fw_granted \(ctx=0x1000\w+ <fw_the_context>\) at \S+/engine/events.c:\d+", text)
    assert re.search(r"#2 .* fw_isr \(ctx=.*#3 .* trap \(\)", text, re.DOTALL), "its callers"
    assert re.search(r"request 0: read of 8 sectors at LBN \d+, arrived at 0\.0+ s, at the drive under tag 0", text)
    assert "$1 = 32" in text
    assert "fw_aau_grant (ctx=" in text, "a step goes into a function"
    assert "Value returned is $2 = " in text
    changed = re.findall(r"Hardware watchpoint 2: .*\n\nOld value = (\d).*\nNew value = (\d)", text)
    assert len(changed) == 2 and changed[0][1] == changed[1][0], "each change of a variable, in its order"
    assert re.search(r"Hardware access \(read/write\) watchpoint 3: .*\n\nValue = 0\n0x\w+ in mmio_write32", text), "a block's register"
    assert re.search(r"#2 .* fw_granted", text)
    words = re.search(r"0x40010000:\t(0x\w{8})\t(0x\w{8})\n0x40010001:\t(0x\w{2})\n\$3 = (\d+)", text)
    assert words, "registers of blocks as memory"
    assert int(words[1], 16) >> 8 & 0xFF == int(words[3], 16), "and a byte of one"
    assert int(words[2], 16) == int(words[4]), "as firmware reads them"
    assert re.search(r"Temporary breakpoint 4, fw_start_request \(ctx=.*, tag=(tag@entry=)?2", text)
    assert "exited normally" in text
    assert run.status == 0
    assert run.results() == run.results_without_gdb()


@needs_gdb
def test_a_changed_variable_changes_the_run(tmp_path: Path) -> None:
    run = Run(tmp_path)
    text = run.gdb("break fw_granted\nrun\nset var ctx->host.write_cache = 0\nprint ctx->host.write_cache\ndelete\ncontinue\n")
    assert "$1 = false" in text and "exited normally" in text
    assert run.results() != run.results_without_gdb()


@needs_gdb
def test_drives_are_threads_and_a_native_one_runs_beside_them(tmp_path: Path) -> None:
    drives = DRIVE.format("atlas", "iss") + DRIVE.format("native", "native") + DRIVE.format("other", "iss")
    run = Run(tmp_path, drives=drives + "spindle.rpm = 12000\n")
    text = run.gdb(
        "info threads\nbreak fw_granted thread 2\nrun\ninfo threads\nstep\nprint ctx->requests[0].state\nthread 1\n"
        "monitor time\nmonitor other time\nfw-drive other\nmonitor time\nfw-regs tmr after\ndelete\nmonitor at request 30\ncontinue\ncontinue\n"
    )
    assert re.search(r"^  2 +Thread 2 \"other\" ", text, re.MULTILINE)
    assert 'Thread 2 "other" hit Breakpoint 1, fw_granted' in text
    assert re.search(r"1 +Thread 1 \"atlas\" \(waits for an interrupt\) +fw_run", text)
    assert re.search(r"\* 2 +Thread 2 \"other\" \(in the handler grant\) +fw_granted", text)
    assert re.search(r"s, atlas: waits for an interrupt, \d+ instructions\n", text)
    assert len(re.findall(r"s, other: in the handler grant, \d+ instructions\n", text)) == 2, "by its name, and as the selected one"
    assert re.search(r"^after +0x", text, re.MULTILINE)
    assert re.search(r'request 30, tag \d+\n\nThread 2 "other" stopped.\nfw_start_request', text)
    assert run.status == 0 and len(run.results()) >= 3
    assert run.results() == run.results_without_gdb()


@needs_gdb
@pytest.mark.parametrize(
    ("mistake", "signal", "told"),
    [
        ("set $pc = 0x20", "SIGSEGV", "0x00000020 lies where there is no code: a jump by a wrong pointer"),
        ("set $a0 = 0", "SIGSEGV", r"reads? \d bytes? at 0x\w+, where there is no memory"),
        ("print mmio_read32(ctx, 0x40ff0000)", "SIGBUS", "a read at 0x40ff0000, which nothing answers"),
        ("print mmio_read32(ctx, 0x40010002)", "SIGBUS", "at 0x40010002 what is no aligned word"),
        ('print fw_stop(ctx, &ctx->requests[31], 123, 0)', "SIGABRT", "firmware stopped at an impossible state"),
    ],
)
def test_a_fault_is_a_signal_at_its_instruction_and_ends_the_run(tmp_path: Path, mistake: str, signal: str, told: str) -> None:
    run = Run(tmp_path)
    planted = f"python\ntry:\n  gdb.execute('{mistake}')\nexcept gdb.error as error:\n  print(error)\nend\n"
    reached = "continue\n" if mistake.startswith("set") else ""
    text = run.gdb(f"break fw_granted\nrun\ndelete\n{planted}{reached}backtrace 2\nmonitor time\ncontinue\n")
    assert re.search(rf"atlas: .*{told}", text), text
    assert signal in text
    assert re.search(r"0\.\d{12} s, atlas: in the handler grant", text), "time stands at the fault"
    assert "exited with code 01" in text
    assert run.status == 1 and re.search(told, run.errors)


@needs_gdb
def test_with_time_of_instructions_a_stop_is_at_its_instructions_instant(tmp_path: Path) -> None:
    """As the log of a run without gdb has it: at breakpoints, steps, watchpoints of memory, and on the way back."""
    timed = ("--set", "firmware.time=instructions", "--set", "workload.count=12")
    run = Run(tmp_path, *timed)
    stops = "monitor time\nprint/x $pc\n"
    text = run.gdb(
        f"monitor at request 5\nrun\n{stops}delete\nbreak fw_book\ncontinue\n{stops}stepi 7\n{stops}next\n{stops}reverse-stepi 3\n{stops}"
        f"stepi 3\n{stops}delete\nwatch fw_the_context.requests[0].state\ncontinue\n{stops}delete\ncontinue\n"
    )
    assert run.status == 0 and "exited normally" in text
    assert run.results() == run.results_without_gdb()
    log = subprocess.run([*run.plain, "--instructions", "log.tsv"], cwd=tmp_path, check=True) and (tmp_path / "log.tsv").read_text()
    begins = [(fields[0], int(fields[4], 16)) for fields in (line.split("\t") for line in log.splitlines()[1:])]
    told = re.findall(r"^(\d+\.\d{12}) s, atlas: .* (\d+) instructions\n\$\d+ = (0x\w+)", text, re.MULTILINE)
    assert len(told) == 7, text
    for number, (time_s, executed, pc) in enumerate(told):
        begin, at = begins[int(executed)]
        assert at == int(pc, 16), "the next instruction of the log"
        assert time_s == begin, f"stop {number} at {pc}"
    assert told[2][0] != told[1][0] and told[4][0] < told[3][0] and told[5] == told[3]


@needs_gdb
def test_monitor_speaks_of_the_simulation(tmp_path: Path) -> None:
    run = Run(tmp_path, "--waves")
    text = run.gdb(
        "monitor help\nmonitor nonsense\nmonitor at\nmonitor at request x\nmonitor at time 5 parsec\nmonitor request 5\n"
        "monitor at time 20 ms\nrun\nmonitor time\nmonitor request 119\nmonitor regs\nmonitor regs aau ctrl\nmonitor regs aau none\n"
        "monitor regs none\nmonitor regs hif\nmonitor wave off\nmonitor wave off\nmonitor at time 0.01\nmonitor at time 0.03\n"
        "continue\nmonitor wave on\nfw-time\nmonitor at request 60\ncontinue\nfw-request 60\nfw-queue\nmonitor at time 9\ncontinue\n"
    )
    assert re.search(r"^monitor at request N +continue stops where", text, re.MULTILINE)
    assert "there is no command nonsense; monitor help lists them" in text
    assert "there is no command at;" in text
    assert "at request x: a number in requests.csv is expected" in text
    assert "at time 5 parsec: " in text
    assert "request 5 is not here" in text
    assert "stops at 0.020000000000 s: continue\nstopped at 0.020000000000 s\n\nProgram stopped.\n" in text
    assert "\n0.020000000000 s, atlas: waits for an interrupt, " in text
    assert "monitor regs BLOCK [REGISTER]: registers" in text
    assert re.search(r"^ctrl +0x\w{8}$", text, re.MULTILINE)
    assert "aau has no register none" in text
    assert "atlas has no block none; its blocks are hif aau " in text
    assert "registers hold their reset values" in text
    assert "waves are off from 0.020000000000 s on\nwaves are off already\n" in text
    assert "at time 0.01: it is 0.020000000000 s already" in text
    assert "waves are drawn from 0.030000000000 s on\n0.030000000000 s\n" in text
    tag = re.search(r"request 60, tag (\d+)\n\nProgram stopped.\nfw_start_request \(ctx=.*tag=(?:tag@entry=)?(\d+)\)", text)
    assert tag and tag[1] == tag[2]
    assert len(re.findall(rf"^tag {tag[1]}: (?:read|write) of 8 sectors", text, re.MULTILINE)) == 2, "by number and in the queue"
    assert run.status == 0
    assert run.results() == run.results_without_gdb()
    table = subprocess.run([PROGRAM, "samples", "out", "--hz", "1000", "--signals", "*.chn0.*"], cwd=tmp_path, capture_output=True, check=False)
    assert table.returncode == 0, "the waves are whole"


class Client:
    """gdb's end of the connection, by hand."""

    def __init__(self, run: Run):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(60)
        self.connection.connect(str(run.socket))

    def send(self, packet: str) -> None:
        self.connection.sendall(f"${packet}#{sum(packet.encode()) % 256:02x}".encode())

    def receive(self) -> str:
        text = b""
        while not re.search(rb"\$[^#]*#..$", text):
            text += (byte := self.connection.recv(1))
            assert byte, text
        return re.search(rb"\$([^#]*)#..$", text)[1].decode()

    def ask(self, packet: str) -> str:
        self.send(packet)
        return self.receive()


def test_ctrl_c_stops_a_run_and_a_detached_one_ends_as_ever(tmp_path: Path) -> None:
    run = Run(tmp_path, "--set", "workload.count=3000")
    client = Client(run)
    assert client.ask("QStartNoAckMode") == "OK"
    client.send("vCont;c")
    time.sleep(0.2)
    client.connection.sendall(b"\x03")
    assert client.receive().startswith("T02thread:1;")
    assert client.ask("vCont;s").startswith("T05thread:1;")
    assert client.ask("D") == "OK"
    run.finish()
    assert run.status == 0
    assert run.results() == run.results_without_gdb()


@pytest.mark.parametrize(("how", "message"), [("kill", "ended by gdb"), ("close", "the connection to gdb is lost"), ("signal", "stopped by the user")])
def test_whoever_ends_a_run_leaves_its_results_up_to_there(tmp_path: Path, how: str, message: str) -> None:
    run = Run(tmp_path)
    client = Client(run)
    assert client.ask("Z1,1000,2") == "OK"
    if how == "kill":
        assert client.ask("vKill;1") == "OK"
    elif how == "close":
        client.connection.close()
    else:
        run.process.terminate()
    run.finish()
    assert run.status == 143
    assert message in (run.out / "summary.json").read_text()


def test_a_wrong_address_and_native_firmware_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(LOAD + DRIVE.format("atlas", "native"))
    for options, message in [
        (["--gdb", "unix:gdb"], "--gdb: the firmware of no drive runs as an ELF"),
        (["--gdb", "nowhere", "--set", "controller.processor=iss"], "--gdb nowhere: unix:PATH or localhost:PORT is expected"),
        (["--gdb", "10.0.0.1:1234", "--set", "controller.processor=iss"], "only this machine can be named"),
    ]:
        done = subprocess.run([PROGRAM, "run", "s.toml", *options], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and message in done.stderr
    assert not (tmp_path / "out").exists()
    done = subprocess.run([PROGRAM, "run", "s.toml", "--gdb", "list", "--firmware", ELF], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"atlas\telf\t{ELF}\n"

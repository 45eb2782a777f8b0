"""Firmware as an ELF and native give the same requests.csv and energy.csv over the behaviour set (testbench/behaviour): the
shipped scenarios, points of experiments, random drives. With time of its own an ELF gives the same alone, under gdb, and
beside seven drives."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["ARMATURE_BINARY"]
ELF = Path(PROGRAM).parents[1] / "firmware/firmware.elf"
AS_ELF = ["--set", "controller.processor=iss"]
JOBS = len(os.sched_getaffinity(0))
NO_SCENARIO = "published_loads.toml"  # a table of loads among the shipped scenarios
PARTS = 3  # of the experiments and random drives, which take minutes

pytestmark = pytest.mark.skipif(not ELF.exists(), reason="no compiler for RISC-V built firmware.elf")


def load_behaviour() -> ModuleType:
    """The tool behind `armature behaviour`; its folder becomes importable."""
    sys.path.insert(0, str(ROOT / "testbench/behaviour"))
    spec = importlib.util.spec_from_file_location("behaviour", ROOT / "testbench/behaviour/__main__.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["behaviour"] = module
    spec.loader.exec_module(module)
    return module


behaviour = load_behaviour()
import cases  # noqa: E402  (found by load_behaviour)


def differs(case: cases.Case) -> str:
    """What of the case is another as an ELF; empty: nothing."""
    native = behaviour.run(PROGRAM, case)
    elf = behaviour.run(PROGRAM, cases.Case(case.name, case.scenario, [*case.options, *AS_ELF], case.drawn))
    if not native.files and case.scenario.name != NO_SCENARIO:
        return f"{case.name}: left nothing, status {native.status}: {native.message[:300]}"
    if native.status != elf.status:
        return f"{case.name}: status {native.status} natively, {elf.status} as an ELF: {elf.message[:300]}"
    unlike = [name for name in sorted({*native.files, *elf.files}) if native.files.get(name) != elf.files.get(name)]
    return f"{case.name}: {', '.join(unlike)}" if unlike else ""


def check(chosen: list[cases.Case]) -> None:
    assert chosen
    with ThreadPoolExecutor(JOBS) as pool:
        found = [text for text in pool.map(differs, chosen) if text]
    assert not found, "\n".join(found)


SHORT = {  # scenario: what makes it short
    "four_arms": "workload.count=150",
    "mems": "workload.count=150",
    "raid5": "workload.count=100",
    "read_errors": "workload.count=150",
}


def test_an_elf_gives_what_native_firmware_does(tmp_path: Path) -> None:
    """Several arms, a MEMS store, an array, retries: a share of each."""
    check([cases.Case(case.name, case.scenario, ["--set", SHORT[case.scenario.stem]]) for case in cases.shipped() if case.scenario.stem in SHORT])


@pytest.mark.full
def test_of_all_shipped_scenarios() -> None:
    check(cases.shipped())


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_of_points_of_all_experiments(part: int) -> None:
    check(cases.experiments()[part::PARTS])


@pytest.mark.full
def test_of_random_drives(tmp_path: Path) -> None:
    check(cases.random_drives(PROGRAM, tmp_path, 40))


ALONE = """\
[workload]
kind = "closed"
count = 120
outstanding = 4
read_fraction = 0.5

[firmware]
time = "instructions"

[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
controller.processor = "iss"
"""
BESIDE = """
[drives.{name}]
model = "drives/{model}.toml"
controller.processor = "iss"
"""
NEIGHBOURS = ["quantum_atlas_10k", "seagate_cheetah_15k3", "hp_c3323a", "ibm_ultrastar_18es", "seagate_barracuda_es_750",
              "wd_velociraptor_300", "hitachi_travelstar_7k60"]  # fmt: skip


def rows(place: Path, drive: str) -> bytes:
    path = place / drive / "requests.csv"
    return (path if path.exists() else place / "requests.csv").read_bytes()


def run(place: Path, scenario: str, out: str, *options: str) -> None:
    (place / "s.toml").write_text(scenario)
    subprocess.run([PROGRAM, "run", "s.toml", "--quiet", "--out", out, *options], cwd=place, check=True)


def under_gdb(place: Path, out: str, commands: str) -> str:
    """What gdb prints of a run of s.toml that it holds; the run has ended."""
    (place / "commands.gdb").write_text(commands)
    socket = place / f"{out}.socket"
    words = [PROGRAM, "run", "s.toml", "--quiet", "--out", out, "--gdb", f"unix:{socket}"]
    server = subprocess.Popen(words, cwd=place, stderr=subprocess.PIPE, text=True)
    try:
        while not socket.exists() and server.poll() is None:
            time.sleep(0.02)
        words = ["gdb-multiarch", "-q", "-nx", "-batch", "-x", ROOT / "models/firmware/gdb/firmware.py"]
        words += ["-ex", f"fw-connect {socket}", "-x", "commands.gdb", ELF]
        done = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=200, check=False)
        _, errors = server.communicate(timeout=100)
        assert server.returncode == 0, errors
    finally:
        server.kill()
    return done.stdout + done.stderr


def test_with_time_of_its_own_neighbours_change_nothing(tmp_path: Path) -> None:
    run(tmp_path, ALONE, "alone")
    run(tmp_path, ALONE + "".join(BESIDE.format(name=f"n{i}", model=model) for i, model in enumerate(NEIGHBOURS)), "beside")
    assert rows(tmp_path / "beside", "atlas") == rows(tmp_path / "alone", "atlas")
    assert rows(tmp_path / "beside", "n0") == rows(tmp_path / "alone", "atlas"), "the same drive again"


@pytest.mark.skipif(not shutil.which("gdb-multiarch"), reason="no gdb-multiarch")
def test_with_time_of_its_own_gdb_changes_nothing(tmp_path: Path) -> None:
    """Stops, steps, looks, watchpoints, and the way back: then the run goes on to the same end."""
    run(tmp_path, ALONE, "alone", "--waves")
    under_gdb(tmp_path, "plain", "continue\n")
    text = under_gdb(
        tmp_path,
        "stops",
        "break fw_granted\nignore 1 20\nrun\nmonitor time\nstepi 5\nnext\nfw-regs aau grant\nfw-queue\nmonitor mechanics\n"
        "awatch *(unsigned *)0x40010018\ncontinue\ncontinue\nreverse-continue\nreverse-stepi\nmonitor time\ndelete\n"
        "monitor at time 300 ms\ncontinue\nmonitor at request 100\ncontinue\nmonitor time\ncontinue\n",
    )
    assert "exited normally" in text, text
    times = [float(at) for at in re.findall(r"^(\d+\.\d{12}) s, atlas: in the handler", text, re.MULTILINE)]
    assert len(times) == 3, text
    assert re.search(r"Hardware access \(read/write\) watchpoint 2", text)
    for out in ("plain", "stops"):
        assert rows(tmp_path / out, "atlas") == rows(tmp_path / "alone", "atlas"), out

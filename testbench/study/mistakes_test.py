"""What people mistype: each message names the remedy, ends with status 2, and nothing is written."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ["ARMATURE_BINARY"]

SCENARIO = """\
[workload]
kind = "closed"
count = 100

[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
"""

# --set KEY=VALUE, and what the message must name
SETTINGS = [
    ("rpm=7200", '"spindle.rpm"'),
    ("count=5", '"workload.count"'),
    ("spindel.rpm=7200", '"spindle"'),
    ("spindle.rmp=7200", '"rpm"'),
    ("spindle.speed_rpm=7200", '"rpm"'),
    ("spindle.rpm=fast", "rpm, rev/s"),
    ("spindle.rpm=7200ms", "a rotational speed is expected"),
    ("spindle.rpm=10", "allowed: 60 to 60000 rpm"),
    ("spindle.rpm", "spindle.rpm=5400"),
    ("seek.average=3", '"average_ms"'),
    ("cache.write_cache=true", '"write"'),
    ("cache.write=yes", "true or false is expected"),
    ("cache.enabled=true", "allowed here: write, look_ahead"),
    ("host.policy=SPTF", '"sptf"'),
    ("host.polcy=sptf", '"policy"'),
    ("host.queue_depth=3", '"depth"'),
    ("arms.design=ma", '"MA"'),
    ("arms.count=9", "allowed: 1 to 8"),
    ("arms.count=2.5", "no whole number"),
    ("workload.rate=50", '"rate_per_s"'),
    ("workload.kind=random", "one of: trace, open, closed"),
    ("workload.file=t.csv", "there is no file"),
    ("output.dir=x", '"directory"'),
    ("simulation.until_s=soon", "a time is expected (ps, ns, us"),
    ("simulation.duration=5", "allowed here: seed, until_s"),
    ("drives.atls.spindle.rpm=1", 'did you mean "atlas"?'),
    ("drives.zzz.spindle.rpm=1", "its drives are: atlas"),
    ("drives.atlas.spindel.rpm=1", '"spindle"'),
    ("drives.atlas.model=drives/quantum_atlas10k.toml", "drives/quantum_atlas_10k.toml?"),
    ("drives.atlas.model=drives/barracuda.toml", "seagate_barracuda_es_750.toml?"),
]

# Words of a command, and what the message must name
COMMANDS = [
    (["run", "scenaro.toml"], "did you mean scenario.toml?"),
    (["check", "scenario.tml"], "did you mean scenario.toml?"),
    (["run", "scenario.toml", "--wave"], "did you mean --waves?"),
    (["run", "scenario.toml", "--unitl", "5"], "did you mean --until?"),
    (["runn", "scenario.toml"], "did you mean run?"),
    (["trace", "inof", "x"], "did you mean info?"),
    (["import", "disksm", "x"], "did you mean disksim?"),
    (["mems", "sek", "x"], "did you mean seek?"),
    (["describe", "spindel"], 'did you mean "spindle"?'),
    (["explain", "5"], "--run DIR"),
    (["explain", "first"], "0 or more"),
    (["run", "drive.toml"], "is a drive file; a scenario names it"),
    (["describe", "requests.cvs"], "did you mean requests.csv?"),
    (["servo", "follow", "x.toml"], "armature servo: one of track, seek, bode"),
    (["mems"], "armature mems: one of seek, surface"),
    (["mems", "scan", "store.toml", "--read", "a9"], "names out of a1 to a4"),
    (["mems", "layout", "scenario.toml"], "scenario.toml looks like a scenario"),
    (["import", "disksim", "drive.toml"], "is a TOML file; DiskSim's .diskspecs"),
    (["run", "scenario.toml", "--around", "100"], "there is no request 100; the load has 100, from 0"),
    (["run", "scenario.toml", "--out", "scenario.toml"], "scenario.toml: is the file that is read"),
    (["run", "scenario.toml", "--until", "5furlongs"], "a time is expected (ps, ns, us"),
    (["run", "scenario.toml", "--waves", "--from", "3", "--to", "1"], "end before they begin"),
    (["samples", "nowhere", "--hz", "100"], "nowhere"),
]

# A file, what is in it, the words of a command, and what the message must name: the file with its line, and the remedy
FILES = [
    ("t.csv", "time_s,lbn,sectors,op\n0.0,1,8,R\n0.1,abc,8,R\n", ["trace", "info", "t.csv"], "t.csv:3:5: address 'abc' is not a number"),
    ("t.csv", "time_s,lbn,sectors\n0.0,1,8\n", ["trace", "info", "t.csv"], "t.csv:1: no column is the op of a request; columns.op"),
    ("t.csv", "time_s,lbn,sectors,op\n1.0,1,8,R\n0.5,1,8,R\n", ["trace", "info", "t.csv"], "t.csv:3: time goes back"),
    ("t.csv", "time_s,lbn,sectors,op\n1.0,1,8,R\n0.5,1,8,R\n", ["trace", "info", "t.csv"], "sort the trace by time"),
    ("t.trace", "no trace\n", ["trace", "info", "t.trace"], "t.trace:1: the format of the trace is not known"),
    ("t.csv.zst", "time_s,lbn,sectors,op\n", ["trace", "info", "t.csv.zst"], "its content is not compressed"),
    ("s.toml", "[workload]\nkind = \"closed\"\ncount = 1\ncount = 2\n", ["run", "s.toml"], "s.toml:4"),
    ("s.toml", "[workload\n", ["run", "s.toml"], "s.toml:1"),
    ("s.toml", "", ["run", "s.toml"], "s.toml:1: no drive: a section [drives.NAME]"),
    ("s.toml", "\xff", ["check", "s.toml"], "s.toml:1"),
    ("s.toml", "[workload]\ncount = 1\n[drives.a]\n", ["run", "s.toml"], 's.toml:3:1: drive a: model = "drives/....toml" is missing'),
    ("s.toml", "[workload]\ncount = 1\n[drives.\"a/b\"]\n", ["run", "s.toml"], "made of letters, digits"),
    ("s.toml", '[drives.a]\nmodel = "scenario.toml"\n', ["run", "s.toml"], "looks like a scenario"),
]

# Words of the wrapper, which ends before it installs or builds anything
WRAPPER = [
    (["help", "nosuch"], "no such command: nosuch"),
    (["help", "sweeep"], "did you mean sweep?"),
    (["nosuch"], "usage: armature COMMAND"),
    (["install", "--prefix"], "--prefix needs a folder"),
    (["install", "--perfix", "x"], "no such option (--prefix DIR)"),
    (["test", "nosuch"], "-R nosuch runs the tests whose names match"),
    (["test", "--preset"], "--preset needs a name"),
    (["bench", "nosuch"], "no such benchmark: nosuch (throughput"),
    (["gdb"], "which scenario?"),
    (["gdb", "scenaro.toml"], "scenaro.toml: there is no such file"),
    (["gdb", "scenario.toml", "-x"], "-x needs a file"),
    (["gen", "comands"], "regs, commands, columns, pictures"),
]

DRIVES = ROOT / "scenarios/drives"
ATLAS, STORE = str(DRIVES / "quantum_atlas_10k.toml"), str(DRIVES / "mems/g2.toml")
LAPTOP = str(ROOT / "scenarios/laptop_idle.toml")

# The same of the commands that are Python's
STUDIES = [
    (["sweep", "scenaro.toml", "--set", "spindle.rpm=1,2"], "did you mean scenario.toml?"),
    (["compare", "nowhere"], "nowhere"),
    (["reproduce", "--jobs", "0"], "from 1 on is expected, not 0"),
    (["reproduce", "figure-4-88"], "there are 000-parallelism/"),
    (["oracle", "nowhere.toml"], "nowhere.toml: cannot be read"),
    (["oracle", "scenario.toml"], "no drive whose file has idle and standby power"),
    (["fleet", "/dev/zero"], "/dev/zero: is a pipe or a device"),
    (["validate", ATLAS, "/dev/zero"], "/dev/zero: is a pipe or a device"),
    (["sweep", "scenario.toml", "--list", "/dev/zero"], "--list /dev/zero: is a pipe or a device"),
    (["sweep", "/dev/zero", "--set", "spindle.rpm=1,2"], "/dev/zero: is a pipe or a device"),
    (["fleet", "fleet.toml"], "draw: spindle.rpm: least (9000) is above most (5000)"),
    (["fleet", "scenario.toml"], "no key 'workload' is known here; there are drives"),
    (["sweep", "scenario.toml", "--set", "spindle.rpm=5400..7200"], "a range needs --sample N"),
    (["sweep", "scenario.toml", "--set", "spindle.rpm="], "a value is missing"),
    (["sweep", "scenario.toml", "--set", "spindle.rpm=1,2", "--figures", "p999"], "did you mean p99.9?"),
    (["sweep", "scenario.toml", "--set", "host.tags=1,2", "--baseline", "nosuch"], "there are atlas"),
    (["sweep", "scenario.toml", "--set", "host.tags=1,2", "--cost", "nosuch=5"], "--cost nosuch: no such drive; there are atlas"),
    (["sweep", "scenario.toml", "--set", "host.tags=1,2", "--figures", "mean,cost"], "--cost DRIVE=USD"),
    (["sweep", "scenario.toml", "--set", "host.tags=1,2", "--figures", "queue.nosuch"], "no figure 'queue.nosuch'"),
    (["sweep", "scenario.toml", "--replications", "99999999999"], "a sweep has up to 1,000,000"),
    (["sweep", "scenario.toml", "--set", "host.tags=1..9", "--sample", "99999999999"], "a sweep has up to 1,000,000"),
    (["sweep", "scenario.toml", "--set", "host.tags=1..9", "--sample", "2", "--sample-seed", "-1"], "from 0 on is expected, not -1"),
    (["sweep", "scenario.toml", "--set", "host.tags=1,2", "--scheduler", "foo"], "an address with a port is expected"),
    (["drives", "nosuch"], "there are hitachi_dk23da_30"),
    (["loads", "nosuch"], "there are spc1_like"),
    (["fit", "drive.toml", "scenario.toml", "-o", "x.toml"], "scenario.toml:1: a line of measurements is"),
    (["fit", ATLAS, "measured.trace", "-o", "."], "-o .: is a directory; a file is expected"),
    (["fit", ATLAS, "measured.trace", "-o", "none/x.toml"], "-o none/x.toml: there is no directory none"),
    (["fit", ATLAS, "measured.trace", "-o", "/proc/x.toml"], "-o /proc/x.toml: no file can be made in /proc ("),
    (["fit", STORE, "measured.trace", "-o", "x.toml"], "mems/g2.toml: a MEMS store has no rotation"),
    (["validate", STORE, "measured.trace"], "mems/g2.toml: a MEMS store has no rotation"),
    (["validate", ATLAS, "measured.trace", "--out", "/proc/x"], "--out /proc/x: no file can be made in /proc ("),
    (["validate", ATLAS, "measured.trace", "--from", "-5"], "from 0 on is expected, not -5"),
    (["validate", ATLAS, "measured.trace", "--set", "drives=5"], "--set drives=5: a key of the drive is expected"),
    (["validate", ATLAS, "measured.trace", "--set", "model=x"], "--set model=x: a key of the drive is expected"),
    (["validate", ATLAS, "measured.trace", "--set", "workload.count=5"], "--set workload.count: workload: no such section; allowed"),
    (["validate", ATLAS, "measured.trace", "--set", "spindle.rpm=10"], "--set spindle.rpm: spindle.rpm: 10 rpm is out of range"),
    (["oracle", LAPTOP, "--spin-down-s", "0"], "--spin-down-s 0: drives.laptop.idle.spin_down_s: 0 s is out of range; allowed: 0.001"),
    (["oracle", LAPTOP, "--spin-down-s", "1e9"], "--spin-down-s 1e+09: drives.laptop.idle.spin_down_s"),
    (["oracle", LAPTOP, "--spin-down-s", "-1"], "a number from 0 on is expected, not -1"),
    (["oracle", LAPTOP, "--ways-j", "1e9"], "break-even time (--spin-down-s tells another): drives.laptop.idle.spin_down_s"),
    (["oracle", LAPTOP, "--lead-ms", "nan"], "--lead-ms: a number from 0 on is expected, not nan"),
    (["oracle", LAPTOP, "--lead-ms", "-3"], "--lead-ms: a number from 0 on is expected, not -3"),
    (["idle", "r", "--idle-w", "inf"], "--idle-w: a number from 0 on is expected, not inf"),
    (["idle", "r", "--standby-w", "-1"], "--standby-w: a number from 0 on is expected, not -1"),
    (["idle", "r", "--ways-s", "some"], "--ways-s: a number from 0 on is expected, not some"),
    (["idle", "r", "--ways-j", "inf"], "--ways-j: a number from 0 on is expected, not inf"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    (tmp_path / "drive.toml").write_text("[spindle]\nrpm = 7200\n[geometry]\nzones = [[0, 9, 100, 0, 0, 0]]\n")
    (tmp_path / "store.toml").write_text("[sled]\n")
    (tmp_path / "fleet.toml").write_text(
        'drives = 9\n[[class]]\nname = "a"\nshare = 1\nscenario = "scenario.toml"\n'
        'draw."spindle.rpm" = { kind = "normal", mean = 7200, deviation = 50, least = 9000, most = 5000 }\n')
    (tmp_path / "measured.trace").write_text("".join(f"R Miss {i * 7919} 8 9000 1000\n" for i in range(50)))
    return tmp_path


def refused(place: Path, words: list[str]) -> str:
    before = sorted(place.rglob("*"))
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "internal" not in done.stderr and "Traceback" not in done.stderr
    assert sorted(place.rglob("*")) == before, "nothing is written for bad input"
    return done.stderr


@pytest.mark.parametrize(("setting", "remedy"), SETTINGS)
def test_a_setting(place: Path, setting: str, remedy: str) -> None:
    message = refused(place, [BINARY, "run", "scenario.toml", "--set", setting])
    assert remedy in message
    assert message.startswith("--set "), "it says where"
    assert message.count("\n") == 1


@pytest.mark.parametrize(("words", "remedy"), COMMANDS)
def test_a_command(place: Path, words: list[str], remedy: str) -> None:
    assert remedy in refused(place, [BINARY, *words])


def options_with_a_value(command: list[str]) -> list[list[str]]:
    """Each option of the program's `command` and of its own commands that takes a value: the command's words, the option."""
    done = subprocess.run([BINARY, *command, "--help"], capture_output=True, text=True, check=True)
    heads, _, parts = done.stdout.partition("\nSubcommands:\n")
    found = [[*command, option] for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+) [A-Z](?![a-z])", heads, re.MULTILINE)]
    for part in re.findall(r"^  ([a-z]\w*) ", parts, re.MULTILINE):
        found += options_with_a_value([*command, part])
    return found


def test_no_option_takes_an_empty_text(place: Path) -> None:
    """A script's variable that is not set: the program must not do what it would do without the option."""
    options = options_with_a_value([])
    assert ["run", "--seed"] in options and ["import", "disksim", "--out"] in options and len(options) > 60
    for *command, option in options:
        message = refused(place, [BINARY, *command, "scenario.toml", option, ""])
        assert re.match(f"{option}: (a value is expected, not an empty text|Value  not in range)", message), command
    for command in ("run", "check", "describe", "explain", "layout"):
        assert ": a value is expected, not an empty text" in refused(place, [BINARY, command, ""])


@pytest.mark.parametrize("words", [["sweep", ""], ["sweep", "scenario.toml", "--set", "host.tags=1,2", "--out="],
                                   ["compare", "r", "--out", ""]])
def test_no_study_takes_an_empty_text(place: Path, words: list[str]) -> None:
    environment = f"PYTHONPATH={ROOT / 'models/app/python'}"
    message = refused(place, ["env", environment, sys.executable, "-m", "armature_study", *words])
    assert "a value is expected, not an empty text" in message


@pytest.mark.parametrize(("words", "remedy"), STUDIES)
def test_a_study(place: Path, words: list[str], remedy: str) -> None:
    environment = f"PYTHONPATH={ROOT / 'models/app/python'}"
    assert remedy in refused(place, ["env", environment, sys.executable, "-m", "armature_study", *words])


@pytest.mark.parametrize(("name", "text", "words", "remedy"), FILES)
def test_a_file(place: Path, name: str, text: str, words: list[str], remedy: str) -> None:
    (place / name).write_bytes(text.encode("latin-1"))
    message = refused(place, [BINARY, *words])
    assert remedy in message
    assert name in message or "scenario.toml" in message


@pytest.mark.parametrize(("words", "remedy"), WRAPPER)
def test_the_wrapper(place: Path, words: list[str], remedy: str) -> None:
    assert remedy in refused(place, [str(ROOT / "armature"), *words])


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("results")
    (place / "scenario.toml").write_text(SCENARIO)
    subprocess.run([BINARY, "run", "scenario.toml", "-q", "--out", "r", "--around", "5"], cwd=place, check=True)
    return place


DAMAGED = [
    ("summary.json", "{\n", "summary.json: the file is damaged; run the scenario again"),
    ("requests.csv", None, "requests.csv:"),  # cut off in the middle of a line
]


@pytest.mark.parametrize(("name", "text", "remedy"), DAMAGED)
def test_a_damaged_result(results: Path, tmp_path: Path, name: str, text: str | None, remedy: str) -> None:
    shutil.copytree(results / "r", tmp_path / "r")
    damaged = tmp_path / "r" / name
    damaged.write_text(damaged.read_text()[:2000] if text is None else text)
    assert remedy in refused(tmp_path, [BINARY, "explain", "90", "--run", "r"])
    environment = f"PYTHONPATH={ROOT / 'models/app/python'}"
    message = refused(tmp_path, ["env", environment, sys.executable, "-m", "armature_study", "compare", "r"])
    assert f"r/{name}" in message and ("damaged" in message or "cut off" in message)


def changed_summary(change) -> object:
    def edit(text: str) -> str:
        summary = json.loads(text)
        change(summary)
        return json.dumps(summary)

    return edit


def row_of(text: str, number: int) -> str:
    return text.splitlines(keepends=True)[number]


_RESPONSE = 13  # column of response_us in requests.csv, from 0

# A result that compare would misread: the file, what is done to its text, and what the message must name
MISLEADING = [
    ("requests.csv", lambda text: text.replace(row_of(text, 3), row_of(text, 2)), "stands in it twice"),
    ("requests.csv", lambda text: re.sub(r"(?m)^(5(?:,[^,]*){%d}),[^,]*" % (_RESPONSE - 1), r"\1,nan", text, count=1),
     "request 5: its response_us is no time"),
    ("summary.json", changed_summary(lambda told: told.update(format_version=99)), "format_version is 99; this program reads 1"),
    ("summary.json", changed_summary(lambda told: told.update(drives=[])), "the run has no drives"),
    ("summary.json", changed_summary(lambda told: told["run"].update(simulated_s=float("nan"))), "NaN is no figure"),
]


@pytest.mark.parametrize(("name", "edit", "remedy"), MISLEADING)
def test_a_misleading_result(results: Path, tmp_path: Path, name: str, edit, remedy: str) -> None:
    shutil.copytree(results / "r", tmp_path / "r")
    changed = tmp_path / "r" / name
    changed.write_text(edit(changed.read_text()))
    environment = f"PYTHONPATH={ROOT / 'models/app/python'}"
    message = refused(tmp_path, ["env", environment, sys.executable, "-m", "armature_study", "compare", "r"])
    assert f"r/{name}" in message and remedy in message and message.count("\n") == 1


def test_a_sweep_of_another_version(results: Path, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r/sweep.json").write_text('{"format_version": 2, "points": []}')
    environment = f"PYTHONPATH={ROOT / 'models/app/python'}"
    message = refused(tmp_path, ["env", environment, sys.executable, "-m", "armature_study", "compare", "r"])
    assert "r/sweep.json: its format_version is 2" in message


def test_damaged_waves_are_named(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "r", tmp_path / "r")
    waves = tmp_path / "r/waves.fst"
    waves.write_bytes(waves.read_bytes()[:500])
    done = subprocess.run([BINARY, "explain", "5", "--run", "r"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "The waves of this run are damaged: r/waves.fst is no FST dump." in done.stdout
    assert "is no FST dump" in refused(tmp_path, [BINARY, "samples", "r", "--hz", "100"])

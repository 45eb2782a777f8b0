"""What people mistype: each message names the remedy, ends with status 2, and nothing is written."""

from __future__ import annotations

import os
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
    (["describe", "average"], '"*average*"'),
    (["explain", "5"], "--run DIR"),
    (["explain", "first"], "0 or more"),
    (["run", "drive.toml"], "is a drive file; a scenario names it"),
]

# The same of the commands that are Python's
STUDIES = [
    (["sweep", "scenaro.toml", "--set", "spindle.rpm=1,2"], "did you mean scenario.toml?"),
    (["compare", "nowhere"], "nowhere"),
    (["reproduce", "figure-4-88"], "there are 000-parallelism/"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    (tmp_path / "drive.toml").write_text("[spindle]\nrpm = 7200\n[geometry]\nzones = [[0, 9, 100, 0, 0, 0]]\n")
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


@pytest.mark.parametrize(("words", "remedy"), STUDIES)
def test_a_study(place: Path, words: list[str], remedy: str) -> None:
    environment = f"PYTHONPATH={ROOT / 'models/app/python'}"
    assert remedy in refused(place, ["env", environment, sys.executable, "-m", "armature_study", *words])

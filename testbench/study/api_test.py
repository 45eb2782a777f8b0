"""`import armature` as somebody uses it in a notebook: run, sweep, read; messages; where the program is found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import armature
import numpy as np
import pytest
from armature import locate

from conftest import ROOT

_TWO = """
[workload]
kind = "open"
rate_per_s = 60
count = 40

[drives.one]
model = "drives/quantum_atlas_10k.toml"

[drives.two]
model = "drives/seagate_barracuda_es_750.toml"
"""


@pytest.fixture
def place(bench, monkeypatch):
    monkeypatch.chdir(bench.directory)
    monkeypatch.setenv("ARMATURE_CACHE", str(bench.directory / "cache"))
    bench.write("two.toml", _TWO)
    return bench


def test_a_run_gives_tables(place):
    result = armature.run("s.toml", workload__count=50)
    assert result.drives == ["atlas"]
    requests = result.requests
    assert len(requests) == 50 and set(requests["drive"]) == {"atlas"} and set(requests["op"]) <= {"read", "write"}
    assert requests["response_us"].mean() / 1000 == pytest.approx(result.of()["response"]["all"]["mean_ms"], rel=1e-9)
    # Of each kept request the phases follow one another and add up to its response time.
    for number, phases in result.phases.groupby("id"):
        assert (phases["begin_us"].to_numpy()[1:] == phases["end_us"].to_numpy()[:-1]).all()
        took = requests.set_index("id")["response_us"][number]
        assert (phases["end_us"] - phases["begin_us"]).sum() == pytest.approx(took, abs=1e-5)
    assert result.report.is_file() and result.waves is None
    directory = result.directory
    del result
    assert not directory.exists()  # nobody asked to keep it


def test_several_drives_stand_in_one_table(place):
    result = armature.run("two.toml", out="kept", waves=True)
    assert result.drives == ["one", "two"]
    for name in result.drives:
        mine = result.requests[result.requests["drive"] == name]
        assert len(mine) == result.of(name)["completed"] == 40
    energy = result.energy  # of those whose file says what they draw
    total = energy[(energy["component"] == "all") & (energy["rail"] == "all") & (energy["view"] == "total")].set_index("drive")["energy_j"]
    assert list(total.index) == ["two"]
    assert total["two"] == pytest.approx(result.of("two")["energy"]["energy_j"], rel=1e-9)
    assert result.waves == Path("kept/waves.fst")
    with pytest.raises(armature.InputError, match="several drives; there are one, two"):
        result.of()
    with pytest.raises(armature.InputError, match="no drive three; there are one, two"):
        result.of("three")
    again = armature.read("kept")
    assert again.requests.equals(result.requests)
    with pytest.raises(armature.InputError, match="cache/summary.json: No such file"):
        armature.read("cache")


@pytest.mark.parametrize("given, key, told", [
    ({"spindle__rpm": 7200}, "spindle.rpm", 7200), ({"spindle.rpm": "5400 rpm"}, "spindle.rpm", 5400),
    ({"seek.average_ms": "8 ms"}, "seek.average_ms", 8), ({"arbiter__policy": "sptf"}, "arbiter.policy", "sptf"),
    ({"drives__atlas__arms__count": np.int64(2)}, "arms.count", 2), ({"host.depth": np.int32(4)}, "host.depth", 4)])
def test_overrides_are_those_of_set(place, program, given, key, told):
    """Numbers, numbers with their unit, words; of one drive; a dot or two underscores."""
    result = armature.run("s.toml", workload__count=2, **given)
    node = result.summary["configuration"]["drives"]["atlas"]
    for part in key.split("."):
        node = node[part]
    assert node == told


@pytest.mark.parametrize("given, message", [
    ({"spindle__rmp": 3}, "--set spindle.rmp: spindle.rmp: no such key"),
    ({"spindle__rpm": "fast"}, "does not begin with a number"),
    ({"arms.count": 99}, "99 is out of range; allowed: 1 to 8"),
    ({"spindle.rpm": "7200 ms"}, "spindle.rpm"),
    ({"spindle.rpm": object()}, "spindle.rpm: a number, a string, true, false or a list is expected")])
def test_bad_input_has_the_programs_message(place, given, message):
    with pytest.raises(armature.InputError) as told:
        armature.run("s.toml", out="x", **given)
    assert message in str(told.value)
    assert not Path("x").exists()


def test_a_missing_scenario_is_named(place):
    with pytest.raises(armature.InputError, match="absent.toml"):
        armature.run("absent.toml")


def test_a_run_that_fails_tells_why(place):
    place.write("fails", "#!/bin/sh\necho 'no progress for an hour' >&2\nexit 3\n").chmod(0o755)
    with pytest.raises(armature.RunFailed, match="no progress for an hour") as told:
        armature.run("s.toml", program="fails")
    assert told.value.status == 3
    place.write("fails", "#!/bin/sh\nkill -9 $$\n").chmod(0o755)
    with pytest.raises(armature.RunFailed, match="status 137"):
        armature.run("s.toml", program="fails")


def test_a_sweep_is_a_table(place):
    swept = armature.sweep("s.toml", {"spindle.rpm": [7200, 5400], "arms__count": range(1, 3)}, workload__count=30)
    assert (swept.ran, swept.known, swept.failed) == (4, 0, 0)
    assert swept.table["spindle.rpm [rpm]"].tolist() == [7200, 7200, 5400, 5400]
    assert swept.table["arms.count"].tolist() == [1, 2, 1, 2]
    column = "response.all.mean_ms [ms]"
    alone = armature.run("s.toml", spindle__rpm=5400, arms__count=2, workload__count=30)
    assert swept.table[column][3] == alone.of()["response"]["all"]["mean_ms"] == swept.result(3).of()["response"]["all"]["mean_ms"]
    with pytest.raises(armature.InputError, match="no requests.csv"):
        swept.result(3).requests
    again = armature.sweep("s.toml", [{"spindle.rpm": 5400, "arms.count": 2}], workload__count=30)
    assert (again.ran, again.known) == (0, 1)


def test_a_sweep_keeps_logs_and_repeats(place):
    swept = armature.sweep("s.toml", {"spindle.rpm": [7200]}, replications=2, requests=True, workload__count=20)
    assert swept.table["simulation.seed"].tolist() == [1, 2]
    assert not swept.result(0).requests["arrival_us"].equals(swept.result(1).requests["arrival_us"])


def test_points_that_fail_say_why(place):
    swept = armature.sweep("s.toml", {"workload.first_lbn": [0, 50_000], "workload.last_lbn": [40_000, 90_000]}, workload__count=5)
    assert (swept.ran, swept.failed, list(swept.table["status"])) == (3, 1, ["ok", "ok", "bad input", "ok"])
    with pytest.raises(armature.InputError, match="point 2 has no results: bad input: .*last_lbn"):
        swept.result(2)
    with pytest.raises(armature.InputError, match="no point 4; there are 4"):
        swept.result(4)


@pytest.mark.parametrize("varied, more, message", [
    ({}, {}, "nothing to vary"), ([], {}, "nothing to vary"), ([{}], {}, "nothing to vary"),
    ({"spindle.rpm": 7200}, {}, "spindle.rpm: a list of values is expected, not 7200"),
    ({"spindle.rpm": "7200"}, {}, "spindle.rpm: a list of values is expected"),
    ({"spindle.rpm": []}, {}, "spindle.rpm: a list of values is expected"),
    ({"spindle.rpm": [7200]}, {"spindle__rpm": 5400}, "spindle.rpm: given twice"),
    ({"spindle.rpm": [7200], "spindle__rpm": [5400]}, {}, "spindle.rpm: given twice"),
    ({"spindle.rmp": [1, 2]}, {}, "no such key"), ({"arms.count": [1, 99]}, {}, "99 is out of range"),
    ({"spindle.rpm": [7200]}, {"replications": 0}, "replications: a whole number from 1 on")])
def test_bad_points_are_refused(place, varied, more, message):
    with pytest.raises(armature.InputError) as told:
        armature.sweep("s.toml", varied, **more)
    assert message in str(told.value)


def test_the_program_is_found(tmp_path, monkeypatch):
    """By ARMATURE_BINARY, installed, or in the clone of the current folder or of the wrapper in PATH."""
    monkeypatch.delenv("ARMATURE_BINARY")
    monkeypatch.setattr(locate, "__file__", str(tmp_path / "site-packages/armature/locate.py"))
    clone = tmp_path / "clone"
    (clone / "scenarios").mkdir(parents=True)
    (clone / "armature").write_text("#!/bin/sh\n")
    (clone / "armature").chmod(0o755)
    (clone / "CMakePresets.json").write_text("{}")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(armature.InputError, match="ARMATURE_BINARY is not set; no armature in PATH; no clone"):
        locate.program_path()
    monkeypatch.chdir(clone / "scenarios")
    with pytest.raises(armature.InputError, match=f"{clone}/.build has no release or bench build"):
        locate.program_path()
    built = clone / ".build/release/models/app/armature"
    built.parent.mkdir(parents=True)
    shutil.copy("/bin/true", built)
    assert locate.program_path() == built
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/armature").symlink_to(clone / "armature")
    monkeypatch.chdir("/")
    assert locate.program_path() == built
    (tmp_path / "bin/armature").unlink()
    shutil.copy("/bin/true", tmp_path / "bin/armature")
    assert locate.program_path() == tmp_path / "bin/armature"
    monkeypatch.setenv("ARMATURE_BINARY", "elsewhere")
    assert locate.program_path() == Path("elsewhere")
    with pytest.raises(armature.InputError, match="elsewhere"):
        armature.run("s.toml")


def test_commands_start_without_pandas(bench):
    script = "import armature, armature.__main__, sys; assert 'pandas' not in sys.modules; assert 'run' in dir(armature)"
    subprocess.run([sys.executable, "-c", script], check=True, env=bench.environment)


@pytest.mark.full
def test_pip_installs_it(tmp_path, bench):
    """From a copy: pip builds in the tree."""
    copy = tmp_path / "tree"
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "models/study", "models/observe/assets"):
        place = copy / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place, symlinks=True)
        else:
            shutil.copy(ROOT / name, place)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target",
                    tmp_path / "site", copy], check=True)
    there = {str(path.relative_to(tmp_path / "site/armature")) for path in (tmp_path / "site/armature").rglob("*")}
    sources = {str(path.relative_to(ROOT / "models/study/armature")) for path in (ROOT / "models/study/armature").rglob("*")
               if path.suffix in (".py", ".js", ".in") and "assets" not in path.parts}
    assert sources | {"assets/report.css", "assets/palette.js"} <= there
    script = "import armature, armature.page; print(armature.__file__); print(len(armature.run('s.toml', workload__count=7).requests))"
    done = subprocess.run([sys.executable, "-c", script], check=True, cwd=bench.directory, text=True, stdout=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": str(tmp_path / "site")})
    assert done.stdout.split() == [str(tmp_path / "site/armature/__init__.py"), "7"]

"""armature sweep as a person sees it: tables, cache, failed points, bad input, Ctrl-C."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import small_place


def table(bench, name: str = "out/s-sweep/table.csv") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(bench.read(name).decode())))


def test_a_grid_gives_a_row_a_point_with_units_in_the_header(bench):
    bench.run(
        "sweep",
        "s.toml",
        "--set",
        "spindle.rpm=7200,90 rev/s",
        "--set",
        "host.policy=fcfs,clook",
        "--format",
        "csv,parquet",
    )
    rows = table(bench)
    assert [(row["spindle.rpm [rpm]"], row["host.policy"]) for row in rows] == [
        ("7200", "fcfs"),
        ("7200", "clook"),
        ("5400", "fcfs"),
        ("5400", "clook"),
    ]
    assert {row["status"] for row in rows} == {"ok"}
    # The figures are those of a run by hand.
    bench.armature("run", "s.toml", "--set", "spindle.rpm=5400", "--set", "host.policy=clook", "--out", "by_hand", "-q")
    drive = json.loads(bench.read("by_hand/summary.json"))["drives"][0]
    assert float(rows[3]["response.all.mean_ms [ms]"]) == drive["response"]["all"]["mean_ms"]
    assert float(rows[3]["response.all.phase_means_ms.seek [ms]"]) == drive["response"]["all"]["phase_means_ms"]["seek"]
    parquet = pq.read_table(bench.directory / "out/s-sweep/table.parquet")
    assert parquet.column_names == list(rows[0])
    assert parquet["response.all.mean_ms [ms]"].to_pylist() == [float(row["response.all.mean_ms [ms]"]) for row in rows]
    assert parquet.schema.field("spindle.rpm [rpm]").metadata[b"unit"] == b"rpm"


def test_the_configuration_that_check_prints_is_the_one_that_run_leaves(bench):
    bench.armature("run", "s.toml", "--set", "spindle.rpm=5400", "--out", "r", "-q")
    printed = subprocess.run(
        [
            bench.environment["ARMATURE_BINARY"],
            "check",
            "s.toml",
            "--resolved",
            "--set",
            "spindle.rpm=5400",
            "--set",
            'output.directory="r"',
        ],
        cwd=bench.directory,
        check=True,
        capture_output=True,
    ).stdout
    assert printed == bench.read("r/resolved.toml")


def test_several_drives_have_a_row_each(bench):
    bench.write(
        "s.toml",
        """
[workload]
count = 100
[drives.a]
model = "drives/quantum_atlas_10k.toml"
[drives.b]
model = "drives/quantum_atlas_10k.toml"
""",
    )
    bench.call("sweep", "s.toml", "--set", "drives.b.spindle.rpm=5000,6000", "--set", "host.tags=4")
    rows = table(bench)
    assert [(row["point"], row["drive"], row["drives.b.spindle.rpm [rpm]"]) for row in rows] == [
        ("0", "a", "5000"),
        ("0", "b", "5000"),
        ("1", "a", "6000"),
        ("1", "b", "6000"),
    ]
    mean = "response.all.mean_ms [ms]"
    assert rows[0][mean] == rows[2][mean] and rows[1][mean] != rows[3][mean]


def test_what_is_known_does_not_run_again(bench):
    bench.count_starts()
    bench.call("sweep", "s.toml", "--set", "spindle.rpm=5000,6000,7000")
    assert bench.starts() == 3
    first = bench.read("out/s-sweep/table.csv")
    done = bench.call("sweep", "s.toml", "--set", "spindle.rpm=5000,6000,7000", "--jobs", "1")
    assert bench.starts() == 3 and "3 known, 0 run" in done.stdout
    assert bench.read("out/s-sweep/table.csv") == first
    bench.call("sweep", "s.toml", "--set", "spindle.rpm=6000,7000,8000", "--out", "other")
    assert bench.starts() == 4
    # The same value in another unit, by another layer, is the same point.
    bench.write("t.toml", bench.read("s.toml").decode() + "spindle.rpm = 8000\n")
    bench.call("sweep", "t.toml", "--set", "simulation.seed=1", "--out", "third")
    assert bench.starts() == 4
    # Request logs that nobody kept are worth a run.
    bench.call("sweep", "s.toml", "--set", "spindle.rpm=8000", "--out", "fourth", "--requests")
    assert bench.starts() == 5 and (bench.directory / "fourth/points/0000/requests.csv.gz").exists()
    bench.call("sweep", "s.toml", "--set", "spindle.rpm=8000", "--out", "fourth")
    assert bench.starts() == 5


def test_a_changed_trace_file_runs_again_and_a_damaged_entry_too(bench):
    bench.count_starts()
    bench.write("t.csv", "time_s,lbn,sectors,op\n0,8,8,R\n1,80000,8,R\n")
    bench.write(
        "s.toml", '[workload]\nkind = "trace"\nfile = "t.csv"\n[drives.a]\nmodel = "drives/quantum_atlas_10k.toml"\n'
    )
    bench.call("sweep", "s.toml", "--set", "spindle.rpm=5000")
    bench.call("sweep", "s.toml", "--set", "spindle.rpm=5000")
    assert bench.starts() == 1
    bench.write("t.csv", "time_s,lbn,sectors,op\n0,8,8,R\n1,80008,8,R\n")
    bench.call("sweep", "s.toml", "--set", "spindle.rpm=5000")
    assert bench.starts() == 2
    bench.write("t.csv", "time_s,lbn,sectors,op\n0,8,8,R\n1,80000,8,R\n")  # as before: known
    bench.call("sweep", "s.toml", "--set", "spindle.rpm=5000")
    assert bench.starts() == 2
    for summary in bench.directory.glob("cache/*/*/summary.json"):
        summary.unlink()  # the sweep's directory has links to the same file
        summary.write_text("{")
    bench.call("sweep", "s.toml", "--set", "spindle.rpm=5000")
    assert bench.starts() == 3
    assert not list(bench.directory.glob("cache/*/.*"))


def test_a_failed_point_is_reported_and_stops_nothing(bench):
    # No request completes within a millisecond.
    done = bench.call(
        "sweep", "s.toml", "--set", "simulation.stall_s=0.001,100", "--set", "spindle.rpm=5000,6000", status=1
    )
    rows = table(bench)
    assert [row["status"] for row in rows] == ["no progress", "no progress", "ok", "ok"]
    assert "simulation.stall_s" in rows[0]["message"] or "none completed" in rows[0]["message"]
    assert "4 run, 2 failed" in done.stdout and "point 1" in done.stderr
    assert rows[0]["spindle.rpm [rpm]"] == "5000"


def test_a_combination_that_the_program_refuses_is_a_failed_point(bench):
    # A range of addresses that begins behind its end; either key alone is right.
    bench.call(
        "sweep", "s.toml", "--set", "workload.first_lbn=0,50000", "--set", "workload.last_lbn=40000,90000", status=1
    )
    assert [row["status"] for row in table(bench)] == ["ok", "ok", "bad input", "ok"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["s.toml", "--set", "spindle.rmp=1,2"], 'spindle.rmp: no such key; did you mean "rpm"?'),
        (["s.toml", "--set", "spindle.rpm=7200,5 ms"], '"5 ms" is a time; a rotational speed is expected'),
        (["s.toml", "--set", "spindle.rpm=7200,1e9"], "out of range"),
        (["s.toml", "--set", "spindle.rpm=7200,,5400"], "a value is missing"),
        (["s.toml", "--set", "spindle.rpm=7200,7200"], "a value stands twice"),
        (["s.toml", "--set", "spindle.rpm=9..9", "--sample", "4"], "an empty range"),
        (["s.toml", "--set", "spindle.rpm=7200..5400", "--sample", "4"], "an empty range"),
        (["s.toml", "--set", "spindle.rpm=5400..7200 ms", "--sample", "4"], "is a time"),
        (["s.toml", "--set", "spindle.rpm=5400..7200"], "a range needs --sample N"),
        (["s.toml", "--set", "buffer.segments=1.5..4", "--sample", "4"], "whole numbers"),
        (["s.toml", "--set", "workload.sizes=[[8, 1]"], "a bracket or quote is not closed"),
        (["s.toml", "--set", "spindle.rpm=1000", "--set", "spindle.rpm=2000"], "the key stands twice"),
        (["s.toml", "--sample", "4"], "--sample needs at least one"),
        (["s.toml"], "nothing to vary"),
        (["none.toml", "--set", "spindle.rpm=7200"], "none.toml: cannot be read"),
        (["s.toml", "--set", "workload.kind=trace", "--set", "workload.file=none.csv"], "none.csv"),
        (["s.toml", "--list", "none.csv"], "--list none.csv: No such file"),
        (["s.toml", "--list", "bad.csv"], "bad.csv:3: 1 fields, the header has 2"),
        (["s.toml", "--list", "bad.toml"], "tables [[point]] are expected"),
        (["s.toml", "--set", "spindle.rpm=7200", "--out", "full"], "there is something else in it"),
        (["s.toml", "--set", "spindle.rpm=7200", "--out", "s.toml/below"], "--out s.toml/below: s.toml is not a directory"),
        (["s.toml", "--set", "spindle.rpm=7200", "--out", "/proc/below"], "--out /proc/below"),
        (["s.toml", "--set", "spindle.rpm=7200", "--cache", "s.toml/below"], "--cache s.toml/below: s.toml is not a directory"),
        (["s.toml", "--set", "spindle.rpm=7200", "--scheduler", "tcp://127.0.0.1:1"], "no dask scheduler answers"),
        (
            ["s.toml", "--set", "media.contents=file", "--set", "media.contents_file=c"],
            "points of a sweep would not be",
        ),
    ],
)
def test_bad_input_ends_with_2_and_one_message(bench, arguments, message):
    bench.write("bad.csv", "spindle.rpm,host.tags\n7200,4\n7200\n")
    bench.write("bad.toml", "spindle.rpm = 7200\n")
    bench.write("full/precious", "x")
    bench.count_starts()
    done = bench.call("sweep", *arguments, status=2)
    assert message in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert bench.starts() == 0 and not (bench.directory / "out").exists()
    assert bench.read("full/precious") == b"x"


def test_points_from_a_list(bench):
    bench.write("p.csv", "spindle.rpm, host.policy\n7200, fcfs\n90 rev/s, \n")
    bench.call("sweep", "s.toml", "--list", "p.csv")
    assert [(row["spindle.rpm [rpm]"], row["host.policy"]) for row in table(bench)] == [
        ("7200", "fcfs"),
        ("5400", "fcfs"),
    ]
    bench.write(
        "p.toml", '[[point]]\nspindle.rpm = 7200\n[[point]]\nhost.policy = "clook"\nworkload.sizes = [[8, 1]]\n'
    )
    bench.call("sweep", "s.toml", "--list", "p.toml", "--replications", "2")
    assert [(row["spindle.rpm [rpm]"], row["host.policy"], row["simulation.seed"]) for row in table(bench)] == [
        ("7200", "fcfs", "1"),
        ("7200", "fcfs", "2"),
        ("10025", "clook", "1"),
        ("10025", "clook", "2"),
    ]


@pytest.mark.parametrize("method", [pytest.param("lhs", marks=pytest.mark.full), "sobol"])
def test_a_sample_covers_each_range_evenly_and_can_be_repeated(bench, method):
    arguments = [
        "sweep",
        "s.toml",
        "--sample",
        "8",
        "--method",
        method,
        "--set",
        "spindle.rpm=5000..9000",
        "--set",
        "buffer.segments=1..4",
        "--set",
        "host.policy=fcfs,sptf",
        "--set",
        "workload.count=16",
    ]
    bench.call(*arguments)
    rows = table(bench)
    # One point in each eighth of a range: what both methods promise for each single key.
    assert sorted(int((float(row["spindle.rpm [rpm]"]) - 5000) / 500) for row in rows) == list(range(8))
    assert sorted(row["buffer.segments"] for row in rows) == ["1", "1", "2", "2", "3", "3", "4", "4"]
    assert sorted(row["host.policy"] for row in rows) == ["fcfs"] * 4 + ["sptf"] * 4
    first = bench.read("out/s-sweep/table.csv")
    bench.call(*arguments)
    assert bench.read("out/s-sweep/table.csv") == first
    bench.call(*arguments, "--sample-seed", "2")
    assert bench.read("out/s-sweep/table.csv") != first


def test_a_cache_without_room_is_told(bench):
    if not (inside := small_place(bench, 16)):
        pytest.skip("no name space to mount a small file system in")
    done = subprocess.run([*inside, sys.executable, "-m", "armature", "sweep", "s.toml", "--set", "spindle.rpm=7200,9000",
                           "--requests", "--cache", "small/c"], cwd=bench.directory, env=bench.environment,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "--cache small/c: No space left on device" in done.stderr


def test_results_without_room_are_told_by_their_place(bench):
    """Not by the place of the cache, from which they are copied where no links can be made."""
    if not (inside := small_place(bench, 16)):
        pytest.skip("no name space to mount a small file system in")
    done = subprocess.run([*inside, sys.executable, "-m", "armature", "sweep", "s.toml", "--set", "spindle.rpm=7200,9000",
                           "--requests", "--cache", "c", "--out", "small/o"], cwd=bench.directory, env=bench.environment,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert re.search(r"--out small/o(: small/o/\S+)?: No space left on device", done.stderr), done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full),
                                    pytest.param(signal.SIGKILL, marks=pytest.mark.full)])
def test_an_interrupted_sweep_goes_on_where_it_ended(bench, number):
    bench.count_starts(pause_s=0.2)
    arguments = [
        "sweep",
        "s.toml",
        "--set",
        "spindle.rpm=" + ",".join(str(5000 + 100 * i) for i in range(20)),
        "--jobs",
        "2",
    ]
    process = bench.start(*arguments)
    while bench.starts() < 8:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    if number == signal.SIGKILL:
        assert process.returncode == -9
    else:
        assert process.returncode == 128 + number, err
        assert "interrupted; the same command goes on" in err
        rows = table(bench)
        assert len(rows) == 20 and {row["status"] for row in rows} == {"ok", "not run"}
    kept = len(list(bench.directory.glob("cache/*/*/summary.json")))
    assert 4 <= kept <= 8
    before = bench.starts()
    done = bench.run(*arguments)
    assert bench.starts() - before == 20 - kept and f"{kept} known" in done.stdout
    assert not list(Path(tempfile.gettempdir()).glob(f"armature-point-{process.pid}-*"))
    whole = bench.read("out/s-sweep/table.csv")
    bench.environment["ARMATURE_CACHE"] = str(bench.directory / "fresh")
    bench.run(*arguments)
    assert bench.read("out/s-sweep/table.csv") == whole

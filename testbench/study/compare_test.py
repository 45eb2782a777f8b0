"""armature compare on runs of the program: its figures are the runs' own, its pairs the same requests."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from armature import measured
from armature.runs import COLUMNS, PHASES
from conftest import small_place


def tsv(bench, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(bench.read(name).decode()), delimiter="\t"))


def responses(bench, name: str) -> dict[int, float]:
    return {
        int(row["id"]): float(row["response_us"]) / 1000
        for row in csv.DictReader(io.StringIO(bench.read(name).decode()))
    }


@pytest.fixture
def two(bench):
    """Two runs of the same requests with different policies."""
    for policy in ("fcfs", "sptf"):
        bench.armature(
            "run",
            "s.toml",
            "--set",
            f"host.policy={policy}",
            "--set",
            "host.depth=1",
            "--set",
            "workload.count=4000",
            "--out",
            policy,
            "-q",
        )
    return bench


def test_the_columns_that_are_read_are_those_that_the_program_describes(bench):
    listed = subprocess.run([bench.environment["ARMATURE_BINARY"], "describe", "requests.csv", "--tsv"], capture_output=True, text=True, check=True)
    told = [line.split("\t")[0] for line in listed.stdout.splitlines()[1:]]
    first = told.index("host_queue_us")
    assert tuple(told[first : told.index("link_status_us") + 1]) == tuple(f"{phase}_us" for phase in PHASES)
    assert set(COLUMNS) | set(measured.COLUMNS) <= set(told)
    bench.armature("run", "s.toml", "--out", "r", "-q")
    assert bench.read("r/requests.csv").decode().splitlines()[0].split(",") == told


def test_figures_are_those_of_the_runs_and_phases_add_up(two):
    two.run("compare", "fcfs", "sptf", "--warm-up", "none")
    for row, phases in zip(tsv(two, "out/compare/figures.tsv"), tsv(two, "out/compare/phases.tsv")):
        told = json.loads(two.read(f"{row['run']}/summary.json"))["drives"][0]["response"]["all"]
        assert float(row["mean_ms"]) == pytest.approx(told["mean_ms"], rel=1e-12)
        for name in ("p50", "p90", "p95", "p99"):
            assert float(row[f"{name}_ms"]) == pytest.approx(told[f"{name}_ms"], rel=1e-12)
        assert row["requests"] == "4000" and row["host.policy"] == row["run"]
        for phase, value in told["phase_means_ms"].items():
            assert float(phases[f"{phase}_ms"]) == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert sum(float(v) for k, v in phases.items() if k != "run") == pytest.approx(told["mean_ms"], rel=1e-9)


def test_differences_are_of_the_same_requests(two):
    done = two.run("compare", "fcfs", "sptf")
    (row,) = tsv(two, "out/compare/differences.tsv")
    a, b = responses(two, "sptf/requests.csv"), responses(two, "fcfs/requests.csv")
    cut = int(re.search(r"after (\d+) requests", done.stdout).group(1))
    assert float(row["mean_difference_ms"]) == pytest.approx(np.mean([a[i] - b[i] for i in range(cut, 4000)]), rel=1e-9)
    assert row["paired"] == f"the same {4000 - cut} requests one by one" and row["from"] == "fcfs"
    figures = {r["run"]: r for r in tsv(two, "out/compare/figures.tsv")}
    apart = math.hypot(*(float(figures[name]["mean_half_width_ms"]) for name in ("fcfs", "sptf")))
    assert float(row["mean_half_width_ms"]) < apart
    two.run("compare", "fcfs", "sptf", "--baseline", "sptf", "--out", "other")
    (other,) = tsv(two, "other/differences.tsv")
    assert float(other["mean_difference_ms"]) == pytest.approx(-float(row["mean_difference_ms"]))


@pytest.mark.full
def test_runs_with_other_requests_are_not_paired(two):
    two.armature(
        "run",
        "s.toml",
        "--set",
        "host.policy=sptf",
        "--set",
        "host.depth=1",
        "--set",
        "workload.count=4000",
        "--seed",
        "2",
        "--out",
        "seed_2",
        "-q",
    )
    two.run("compare", "fcfs", "seed_2")
    (row,) = tsv(two, "out/compare/differences.tsv")
    assert row["paired"] == "as independent runs"


def test_a_warm_up_is_left_out_of_everything(two):
    two.run("compare", "fcfs", "--warm-up", "1000")
    (row,) = tsv(two, "out/compare/figures.tsv")
    told = responses(two, "fcfs/requests.csv")
    assert row["requests"] == "3000"
    assert float(row["mean_ms"]) == pytest.approx(np.mean([told[i] for i in range(1000, 4000)]), rel=1e-9)
    (phases,) = tsv(two, "out/compare/phases.tsv")
    assert sum(float(v) for k, v in phases.items() if k != "run") == pytest.approx(float(row["mean_ms"]), rel=1e-9)


def test_runs_that_differ_in_their_seed_only_are_replications(bench):
    bench.call(
        "sweep",
        "s.toml",
        "--set",
        "host.policy=fcfs,sptf",
        "--set",
        "host.depth=1",
        "--replications",
        "4",
        "--requests",
        "--out",
        "w",
    )
    bench.call("compare", "w", "--warm-up", "none")
    rows = tsv(bench, "out/compare/figures.tsv")
    assert [(row["run"], row["replications"], row["requests"]) for row in rows] == [
        ("policy=fcfs", "4", "1600"),
        ("policy=sptf", "4", "1600"),
    ]
    table = list(csv.DictReader(io.StringIO(bench.read("w/table.csv").decode())))
    means = np.array([float(row["response.all.mean_ms [ms]"]) for row in table])
    assert float(rows[0]["mean_ms"]) == pytest.approx(means[:4].mean())
    (difference,) = tsv(bench, "out/compare/differences.tsv")
    each = means[4:] - means[:4]
    assert difference["paired"] == "4 replications by seed"
    # Student's t for 3 degrees of freedom: 3.182.
    assert float(difference["mean_half_width_ms"]) == pytest.approx(3.1824463 * each.std(ddof=1) / 2)


def test_a_trace_is_taken_whole(bench):
    lines = "".join(f"{i / 20},{(i * 7919 * 8) % 1000000},8,R\n" for i in range(300))
    bench.write("t.csv", "time_s,lbn,sectors,op\n" + lines)
    bench.write(
        "s.toml", '[workload]\nkind = "trace"\nfile = "t.csv"\n[drives.a]\nmodel = "drives/quantum_atlas_10k.toml"\n'
    )
    bench.armature("run", "s.toml", "--out", "r", "-q")
    assert "after 0 requests" in bench.call("compare", "r").stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nowhere"], "neither a run nor a sweep"),
        (["no_log"], "no requests.csv"),
        (["fcfs", "--baseline", "x"], "no such run; there are fcfs"),
        (["fcfs", "--warm-up", "some"], "auto, mser5, none or a number"),
        (["fcfs", "--warm-up", "4000"], "nothing is left"),
        (["fcfs", "--out", "full"], "there is something else in it"),
        (["broken"], "requests.csv"),
        (["half"], "it is cut off"),
        (["in_a_line"], "ends within a line"),
        (["no_summary"], "is not the summary of a run"),
        (["fcfs", "--out", "s.toml/below"], "is not a directory"),
        (["fcfs", "sptf", "--cost", "nosuch=1"], "--cost nosuch: no such drive or run; there are atlas, fcfs, sptf"),
        (["fcfs", "--figures", "mean,cost"], "--figures cost: --cost NAME=USD tells the prices"),
    ],
)
def test_bad_input_ends_with_2_and_one_message(two, arguments, message):
    two.armature("run", "s.toml", "--set", "output.request_log=false", "--out", "no_log", "-q")
    two.write("full/precious", "x")
    shutil.copytree(two.directory / "fcfs", two.directory / "broken")
    two.write("broken/requests.csv", "id,device\n1\n")
    whole = two.read("fcfs/requests.csv").decode()
    for name, text in (("half", "".join(whole.splitlines(True)[:200])), ("in_a_line", whole[:-2])):
        shutil.copytree(two.directory / "fcfs", two.directory / name)
        two.write(f"{name}/requests.csv", text)
    two.write("no_summary/summary.json", "{}")
    done = two.run("compare", *arguments, status=2)
    assert message in done.stderr and "Traceback" not in done.stderr
    assert not (two.directory / "out").exists()


@pytest.mark.full
def test_a_place_without_room_is_told(two):
    if not (inside := small_place(two, 64)):
        pytest.skip("no name space to mount a small file system in")
    done = subprocess.run([*inside, sys.executable, "-m", "armature", "compare", "fcfs", "--out", "small/x"],
                          cwd=two.directory, env=two.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "--out small/x: No space left on device" in done.stderr
    # Without a name for what is full: standard output.
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "armature", "compare", "fcfs", "--out", "y"], cwd=two.directory,
                              env=two.environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and "No space left on device" in done.stderr and "Exception" not in done.stderr


def test_the_page_opens_offline_with_all_its_pictures(two):
    two.run("compare", "fcfs", "sptf")
    page = two.read("out/compare/compare.html").decode()
    assert "default-src 'none'" in page
    assert not re.search(r"<(script|link|img|iframe)[^>]*(src|href)=[\"']?(https?:)?//", page)
    if not (browser := shutil.which("chromium")):
        pytest.skip("no chromium to open it with")
    done = subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--v=0",
            f"--user-data-dir={two.directory}/profile",
            "--virtual-time-budget=8000",
            "--dump-dom",
            f"file://{two.directory}/out/compare/compare.html",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "CONSOLE" not in done.stderr, done.stderr
    # Each picture has drawn itself, and can be zoomed.
    for name in ("means", "differences", "cdf", "tail", "phases"):
        part = done.stdout.split(f'id="{name}"', 1)[1][:40000]
        assert "main-svg" in part and 'data-title="Zoom"' in part, name

"""A sweep on a dask cluster of two workers, started as a person would start them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

SMALL_GRID = [
    "sweep",
    "s.toml",
    "--set",
    "host.policy=fcfs,clook,sstf,sptf",
    "--set",
    "workload.rate_per_s=20,40",
    "--set",
    "simulation.seed=1,2",
]
GRID = [*SMALL_GRID, "--set", "spindle.rpm=5000,5400,7200,10000"]


class Cluster:
    """A scheduler and workers without this package on their path."""

    def __init__(self, directory: Path):
        self.directory = directory
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.processes: list[subprocess.Popen] = []
        self._start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)

    def _start(self, *arguments: str) -> subprocess.Popen:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        with open(self.directory / f"dask-{len(self.processes)}.log", "w") as log:
            process = subprocess.Popen(
                [str(Path(sys.executable).with_name("dask")), *arguments],
                stdout=log,
                stderr=log,
                env=environment,
                cwd=self.directory,
            )
        self.processes.append(process)
        return process

    def worker(self, nanny: bool = True) -> subprocess.Popen:
        return self._start(
            "worker", self.address, "--nthreads", "1", "--no-dashboard", *([] if nanny else ["--no-nanny"])
        )

    def end(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture
def cluster(tmp_path: Path):
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.end()


@pytest.mark.parametrize("points", [16, pytest.param(64, marks=pytest.mark.full)])
def test_points_give_the_same_table_here_and_on_two_workers(bench, cluster, points):
    grid = GRID if points == 64 else SMALL_GRID
    cluster.worker()
    cluster.worker()
    bench.run(*grid, "--out", "here", "--format", "csv,parquet")
    bench.environment["ARMATURE_CACHE"] = str(bench.directory / "other_cache")
    bench.count_starts()
    done = bench.run(*grid, "--out", "there", "--format", "csv,parquet", "--scheduler", cluster.address)
    assert f"{points} run" in done.stdout and bench.starts() == points
    assert bench.read("here/table.csv") == bench.read("there/table.csv")
    assert bench.read("here/table.parquet") == bench.read("there/table.parquet")
    assert bench.read("here/table.csv").count(b"\n") == points + 1


@pytest.mark.full
def test_a_fleet_has_the_same_figures_here_and_on_two_workers(bench, cluster):
    from fleet_test import FLEET, SCENARIO

    cluster.worker()
    cluster.worker()
    bench.write("s.toml", SCENARIO)
    bench.write("f.toml", FLEET)
    bench.run("fleet", "f.toml", "--out", "here")
    bench.environment["ARMATURE_CACHE"] = str(bench.directory / "other_cache")
    bench.count_starts()
    bench.run("fleet", "f.toml", "--out", "there", "--scheduler", cluster.address)
    assert bench.starts() == 8
    for name in ("fleet.tsv", "drives.tsv"):
        assert bench.read(f"here/{name}") == bench.read(f"there/{name}")


@pytest.mark.full
@pytest.mark.parametrize("nanny", [False, True])
def test_a_worker_killed_in_mid_sweep_loses_no_point(bench, cluster, nanny):
    bench.run(*GRID, "--out", "here")
    bench.environment["ARMATURE_CACHE"] = str(bench.directory / "other_cache")
    bench.count_starts(pause_s=0.05)
    victim = cluster.worker(nanny)
    cluster.worker()
    process = bench.start(*GRID, "--out", "there", "--scheduler", cluster.address)
    while bench.starts() < 15:
        assert process.poll() is None
        time.sleep(0.02)
    if nanny:  # the worker itself, whom the nanny starts anew
        workers = [
            child for child in psutil.Process(victim.pid).children() if "spawn_main" in " ".join(child.cmdline())
        ]
        assert len(workers) == 1
        workers[0].kill()
    else:
        victim.kill()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "64 run, 0 failed" in out
    assert bench.read("here/table.csv") == bench.read("there/table.csv")


@pytest.mark.full
def test_ctrl_c_ends_the_programs_of_the_workers_and_the_sweep_goes_on_elsewhere(bench, cluster):
    cluster.worker()
    cluster.worker()
    bench.count_starts(pause_s=0.2)
    process = bench.start(*GRID, "--scheduler", cluster.address)
    while bench.starts() < 10:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    time.sleep(1.5)  # for the workers to hear of it
    begun = bench.starts()
    time.sleep(1)
    assert bench.starts() == begun < 20
    kept = len(list(bench.directory.glob("cache/*/*/summary.json")))
    done = bench.run(*GRID)
    assert f"{kept} known, {64 - kept} run, 0 failed" in done.stdout


@pytest.mark.full
def test_ctrl_c_ends_a_program_that_runs_on_a_worker(bench, cluster):
    cluster.worker()
    bench.count_starts(pause_s=60)
    process = bench.start(*GRID, "--scheduler", cluster.address)
    while bench.starts() < 1:
        assert process.poll() is None
        time.sleep(0.02)

    def running() -> list[psutil.Process]:
        return [
            one
            for one in psutil.process_iter(["cmdline"])
            if f"{bench.directory}/counting" in (one.info["cmdline"] or []) and "run" in one.info["cmdline"]
        ]

    assert running()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    deadline = time.monotonic() + 15
    while running() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not running()


def test_workers_with_another_program_say_so(bench, cluster):
    cluster.worker()
    other = bench.write(
        "armature-other",
        f"""#!/bin/bash
if [[ $1 == --version && $PWD != {bench.directory}/here ]]; then echo "armature 9"; exit; fi
exec {bench.environment["ARMATURE_BINARY"]} "$@"
""",
    )
    other.chmod(0o755)
    bench.environment["ARMATURE_BINARY"] = str(other)
    (bench.directory / "here").mkdir()
    bench.directory = bench.directory / "here"
    done = bench.run("sweep", "../s.toml", "--set", "spindle.rpm=5000,6000", "--scheduler", cluster.address, status=1)
    assert "is armature 9 here and armature" in done.stderr


def test_a_job_queue_s_script_starts_a_worker_of_this_environment():
    """dask-jobqueue makes the scripts that a queue starts; without a queue it can be seen what they say."""
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(
        queue="batch",
        cores=2,
        memory="2GB",
        processes=2,
        walltime="01:00:00",
        python=sys.executable,
        scheduler_options={"dashboard_address": None},
    )
    try:
        script = cluster.job_script()
    finally:
        cluster.close()
    assert "#SBATCH -p batch" in script
    assert f"{sys.executable} -m distributed.cli.dask_worker tcp://" in script

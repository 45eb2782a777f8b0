"""armature reproduce: the experiments of the repository, and every verdict on small ones."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import ROOT, SCENARIO

REFERENCE = Path(os.environ.get("ARMATURE_REFERENCE") or ROOT / "../shared/reference")


def reproduce(bench, *arguments: str, status: int = 0) -> dict:
    bench.run("reproduce", *arguments, status=status)
    told = json.loads(bench.read("out/reproduce/reproduce.json"))
    assert bench.read("out/reproduce/reproduce.html").startswith(b"<!doctype html>")
    assert bench.read("out/reproduce/verdicts.tsv").count(b"\n") == 1 + sum(len(e["rows"]) for e in told["experiments"])
    return told


def test_the_laptop_array_s_rates(bench):
    told = reproduce(bench, "001-laptop-arrays", "--quick")
    rates = next(e for e in told["experiments"] if e["name"].endswith("/rates"))
    # By hand: 3 / (10 + 4.17 ms), and 1 / 6.314 ms.
    assert rates["measures"]["array"]["value"] == pytest.approx(211.66, rel=0.01)
    assert rates["measures"]["server_24k"]["value"] == pytest.approx(158.39, rel=0.01)


def test_power_as_datasheets_and_document_000_have_it(bench):
    told = {e["name"].split("/")[1]: e for e in reproduce(bench, "energy", "--quick")["experiments"]}
    assert sorted(told) == ["datasheets", "document-000", "on-track", "reading", "standby"]
    assert [row["state"] for e in told.values() for row in e["rows"]] == ["holds"] * 24
    # The tests' definitions, from the runs' own figures.
    figures = told["datasheets"]["measures"]
    parts = [figures[f"{kind}_barracuda_es"]["value"] for kind in ("seek", "work", "idle")]
    assert figures["operating_barracuda_es"]["value"] == pytest.approx(0.4 * parts[0] + 0.4 * parts[1] + 0.2 * parts[2])
    # Work costs more than its share of seeks, and the arm alone explains a seek: no figure is another's copy.
    assert parts[1] > parts[0] > parts[2] > told["standby"]["measures"]["standby_barracuda_es"]["value"]


def test_m_g_1_with_40_replications(bench):
    told = reproduce(bench, "queueing/mg1", "--quick")["experiments"][0]
    assert [row["state"] for row in told["rows"]] == ["holds"] * 4
    # W by hand: E[S] = 9.0976 ms, E[S^2] = 91.100 ms^2.
    for name, rate in (("wait_30", 0.030), ("wait_55", 0.055), ("wait_80", 0.080)):
        measure = told["measures"][name]
        assert measure["exact"] == pytest.approx(rate * 91.100 / (2 * (1 - rate * 9.0976)), rel=1e-4)
        assert measure["mean"] == pytest.approx(measure["exact"], abs=2 * measure["half_width"])


@pytest.mark.full
def test_m_g_1_with_200_replications(bench):
    told = reproduce(bench, "queueing/mg1")["experiments"][0]
    for name in ("wait_30", "wait_55", "wait_80"):
        assert told["measures"][name]["of"] == 200
    assert [row["state"] for row in told["rows"]] == ["holds"] * 4


def test_four_policies_on_the_atlas_10k(bench):
    if not (REFERENCE / "disksim/workloads/hdd_60.trace.gz").exists():
        pytest.skip(f"no DiskSim workloads in {REFERENCE} (ARMATURE_REFERENCE says where they are)")
    told = reproduce(bench, "003-mems-storage/figure-6.1")["experiments"][0]
    assert sum(row["state"] == "holds" and row["verdict"].startswith("order holds") for row in told["rows"]) == 5
    assert not any(row["state"] == "fails" for row in told["rows"])


EXPERIMENT = """
title = "t"
scenario = "s.toml"
[sweep]
set."host.tags" = [1, 2]
[[measure]]
name = "n"
value = "mean(completed)"
[[measure]]
name = "first"
where = { "host.tags" = 1 }
value = "2 * n + config('host.tags') - completed"
"""


def write(bench, rows: str, more: str = EXPERIMENT) -> None:
    bench.write("root/scenarios/experiments/doc/one/experiment.toml", more + rows)
    bench.write("root/scenarios/experiments/doc/one/s.toml", SCENARIO)


def row(text: str) -> str:
    return f'[[row]]\nid = "1"\nclaims = "c"\n{text}\n'


@pytest.mark.parametrize(
    "text, status, state, verdict",
    [
        ('measure = "first"\nvalue = 401\ntolerance_percent = 0', 0, "holds", "within tolerance"),
        ('measure = "n"\nvalue = 404\ntolerance_percent = 1', 0, "holds", "within tolerance"),
        ('measure = "n"\nvalue = 405\ntolerance_percent = 1', 1, "fails", "outside of its tolerance"),
        (
            'measure = "n"\nvalue = 500\ntolerance_percent = 1\ndiffers = "d"\nours = 400\nours_tolerance_percent = 1',
            0,
            "holds",
            "differs because d",
        ),
        (
            'measure = "n"\nvalue = 500\ntolerance_percent = 1\ndiffers = "d"\nours = 300\nours_tolerance_percent = 1',
            1,
            "fails",
            "is not the 300 that was explained",
        ),
        ('increasing = ["n", "first"]', 0, "holds", "order holds: n < first"),
        ('increasing = ["first", "n"]', 1, "fails", "order does not hold"),
        ('cannot = "x"', 0, "open", "cannot be tested here because x"),
        ('measure = "n"\nvalue = 500\nreport = true', 0, "open", "reported"),
    ],
)
def test_verdicts(bench, text, status, state, verdict):
    write(bench, row(text))
    told = reproduce(bench, "doc", "--root", str(bench.directory / "root"), status=status)["experiments"][0]
    assert told["rows"][0]["state"] == state and verdict in told["rows"][0]["verdict"]


def test_an_absent_file_is_said_and_fails_nothing(bench):
    write(
        bench,
        row('measure = "n"\nvalue = 1\ntolerance_percent = 1'),
        EXPERIMENT.replace(
            "[sweep]\n", '[sweep]\nset."workload.file" = ["@not/there.gz"]\nset."workload.kind" = ["trace"]\n'
        ),
    )
    told = reproduce(bench, "--root", str(bench.directory / "root"))["experiments"][0]
    assert told["rows"][0]["state"] == "open" and "the file is absent: not/there.gz" in told["rows"][0]["verdict"]


@pytest.mark.parametrize(
    "rows, more, message",
    [
        (row('measure = "m"\nvalue = 1\ntolerance_percent = 1'), EXPERIMENT, "no measure m"),
        (row('mesure = "n"\nvalue = 1\ntolerance_percent = 1'), EXPERIMENT, "mesure: no such key"),
        (row('measure = "n"\nvalue = 1'), EXPERIMENT, "one of tolerance_percent"),
        (row('cannot = "x"'), EXPERIMENT.replace("mean(completed)", "mean(nonsense)"), "nonsense: no such figure"),
        (
            row('cannot = "x"'),
            EXPERIMENT.replace("mean(completed)", "response.all.mean_ms"),
            "rows with different values",
        ),
        (row('cannot = "x"'), EXPERIMENT.replace("mean(completed)", "__import__('os')"), "is not known here"),
        (row('cannot = "x"'), EXPERIMENT.replace('host.tags" = [1, 2]', 'host.tgas" = [1]'), "no such key"),
        (
            row('cannot = "x"'),
            EXPERIMENT.replace('name = "n"', 'name = "n{k}"\neach = { l = [1] }'),
            "'k' is not in `each`",
        ),
        (row('cannot = "x"'), EXPERIMENT.replace('title = "t"', ""), "title is missing"),
    ],
)
def test_a_wrong_experiment_ends_with_2(bench, rows, more, message):
    if "different values" in message:
        more = more.replace("host.tags", "spindle.rpm").replace("[1, 2]", "[6000, 7000]").replace("= 1 }", "= 6000 }")
    write(bench, rows, more)
    done = bench.run("reproduce", "--root", str(bench.directory / "root"), status=2)
    assert message in done.stderr and "Traceback" not in done.stderr


def test_an_experiment_that_does_not_exist(bench):
    assert "no experiment nothing" in bench.run("reproduce", "nothing", status=2).stderr

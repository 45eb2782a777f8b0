"""What a sweep answers: the figures and their units, differences within each point, and the page with its pictures."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest
from armature import figures, table
from armature.statistics import Estimate
from armature.study_page import verdict

TWO = """
[workload]
kind = "open"
rate_per_s = 60
count = 1200

[drives.one]
model = "drives/seagate_barracuda_es_750.toml"
[drives.two]
model = "drives/seagate_barracuda_es_750.toml"
arms.count = 2
"""


def tsv(bench, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(bench.read(name).decode()), delimiter="\t"))


def rows(bench, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(bench.read(name).decode())))


@pytest.fixture
def swept(bench):
    bench.write("s.toml", TWO)
    bench.done = bench.call("sweep", "s.toml", "--set", "workload.rate_per_s=20,60", "--baseline", "one", "--replications", "3",
                           "--cost", "one=100", "--cost", "two=130", "--out", "w")
    return bench


def test_the_unit_of_each_column_is_that_of_its_name(swept):
    endings = {"_ms": "ms", "_s": "s", "_j": "J", "_w": "W", "_js": "J s", "_per_s": None}
    seen = set()
    for title in rows(swept, "w/table.csv")[0]:
        name, _, unit = title.partition(" [")
        parts = name.split(".")
        for ending, wanted in endings.items():
            # The innermost name that says a unit: by_rail_j.5V is in J, phase_means_ms.buffer_fill in ms.
            said = [part for part in parts if part.endswith(tuple(endings))]
            if wanted and said and said[-1].endswith(ending) and not said[-1].endswith("_per_s") and name != "workload.rate_per_s":
                assert unit == wanted + "]", title
                seen.add(parts[-1])
    assert {"buffer_fill", "write_back", "5V", "energy_j", "mean_ms", "average_w"} <= seen


def test_figures_and_differences_are_those_of_the_runs_point_by_point(swept):
    table_rows = rows(swept, "w/table.csv")
    columns = {"mean_ms": "response.all.mean_ms [ms]", "p99_ms": "response.all.p99_ms [ms]", "average_w": "energy.average_w [W]",
               "energy_per_request_j": "energy.energy_per_request_j [J]", "requests_per_s": "requests_per_s [1/s]"}
    told = tsv(swept, "w/differences.tsv")
    assert [(row["workload.rate_per_s [requests/s]"], row["drive"], row["from"]) for row in told] == [("20", "two", "one"), ("60", "two", "one")]
    for row in told:
        at = [r for r in table_rows if r["workload.rate_per_s [requests/s]"] == row["workload.rate_per_s [requests/s]"]]
        for name, column in columns.items():
            one, two = (np.array([float(r[column]) for r in at if r["drive"] == drive]) for drive in ("one", "two"))
            assert len(one) == len(two) == 3
            assert float(row[f"{name}_difference"]) == pytest.approx((two - one).mean(), rel=1e-9, abs=1e-12)
            # Student's t for 2 degrees of freedom: 4.3027.
            half = 4.3026527 * (two - one).std(ddof=1) / math.sqrt(3)
            assert float(row[f"{name}_half_width"]) == pytest.approx(half, rel=1e-6, abs=1e-12), name
        assert float(row["cost_usd_difference"]) == 30
    assert "minus one at the same point, with 95 % intervals (3 replications by seed)" in swept.done.stdout
    heading = swept.done.stdout.splitlines()[0]
    assert [name for name in ("rate_per_s, requests/s", "drive", "mean, ms", "p99, ms", "requests/s", "MB/s", "utilisation", "W", "J/request", "USD")
            if name not in heading] == []


def test_without_replications_the_same_requests_are_paired(bench):
    bench.write("s.toml", TWO)
    bench.call("sweep", "s.toml", "--set", "workload.rate_per_s=20,60", "--baseline", "two", "--out", "w")
    for number, row in enumerate(tsv(bench, "w/differences.tsv")):
        assert row["paired"] == "the same 1200 requests one by one" and row["point"] == str(number)
        logs = []
        for drive in ("one", "two"):
            import gzip

            with gzip.open(bench.directory / f"w/points/{number:04d}/{drive}/requests.csv.gz", "rt") as stream:
                logs.append({r["id"]: float(r["response_us"]) / 1000 for r in csv.DictReader(stream)})
        assert float(row["mean_ms_difference"]) == pytest.approx(np.mean([logs[0][i] - logs[1][i] for i in logs[0]]), rel=1e-9)
        assert float(row["mean_ms_half_width"]) > 0
        assert row["average_w_difference"] and not row["average_w_half_width"], "of one run watts have no interval"


def test_utilisation_is_the_mean_of_the_arms(bench):
    bench.write("s.toml", TWO)
    bench.armature("run", "s.toml", "--out", "r", "-q")
    summary = json.loads(bench.read("r/summary.json"))
    for drive, arms in (("one", 1), ("two", 2)):
        states = {c["component"]: c["states"] for c in summary["utilisation"]}
        by_hand = sum(states[f"{drive}.disk.srv{i}"]["seek"]["share"] + states[f"{drive}.disk.chn{i}"]["wait"]["share"]
                      + states[f"{drive}.disk.chn{i}"]["transfer"]["share"] for i in range(arms)) / arms
        flat, units = table.figures(summary, drive)
        assert flat["utilisation"] == pytest.approx(by_hand) and units["utilisation"] == "" and 0.2 < by_hand < 1


def test_which_figures_are_shown_can_be_chosen(bench):
    bench.write("s.toml", TWO)
    done = bench.call("sweep", "s.toml", "--set", "host.tags=4,8", "--figures", "p99.9,watts,queue.max_depth")
    assert done.stdout.splitlines()[0].split() == ["tags", "drive", "p99.9,", "ms", "W", "queue.max_depth,", "requests"]
    # Of a run, too: compare.
    bench.armature("run", "s.toml", "--out", "r", "-q")
    done = bench.call("compare", "r", "--baseline", "two", "--figures", "p90,joules_per_request,cost", "--cost", "one=90")
    assert done.stdout.splitlines()[1].split() == ["p90,", "ms", "J/request", "USD"]
    (row,) = tsv(bench, "out/compare/differences.tsv")
    joules = {d["name"]: d["energy"]["energy_per_request_j"] for d in json.loads(bench.read("r/summary.json"))["drives"]}
    assert float(row["energy_per_request_j_difference"]) == pytest.approx(joules["one"] - joules["two"])
    assert {r["run"]: r["cost_usd"] for r in tsv(bench, "out/compare/figures.tsv")} == {"r/one": "90.0", "r/two": ""}


def test_a_figure_that_nothing_has_is_told(bench):
    bench.write("m.toml", '[workload]\nkind = "closed"\ncount = 50\n[drives.g2]\nmodel = "drives/mems/g2.toml"\n')
    done = bench.call("sweep", "m.toml", "--set", "host.tags=4,8", "--figures", "mean,utilisation,watts")
    assert "no row has the figure utilisation" in done.stderr and "utilisation" not in done.stdout
    bench.armature("run", "m.toml", "--out", "r", "-q")
    done = bench.call("compare", "r", "--figures", "mean,utilisation,watts")
    assert "no row has the figure utilisation" in done.stderr and "utilisation" not in done.stdout
    # Of what nobody asked for nothing is said.
    assert "no row has" not in bench.call("compare", "r").stderr + bench.run("sweep", "m.toml", "--set", "host.tags=4,8").stderr


@pytest.mark.parametrize("arguments, message", [
    (["--figures", "p99,wats"], "no figure 'wats'; did you mean watts?"),
    (["--baseline", "three"], "--baseline three: no such drive; there are one, two"),
    (["--cost", "one"], "--cost one: NAME=DOLLARS is expected"),
    (["--cost", "one=cheap"], "NAME=DOLLARS is expected"),
])
def test_bad_input_ends_with_2_before_anything_runs(bench, arguments, message):
    bench.write("s.toml", TWO)
    bench.count_starts()
    done = bench.call("sweep", "s.toml", "--set", "host.tags=4,8", *arguments, status=2)
    assert message in done.stderr and "Traceback" not in done.stderr
    assert bench.starts() == 0 and not (bench.directory / "out").exists()


def test_help_tells_the_figures_with_their_units(bench):
    for command in ("sweep", "compare"):
        told = bench.call(command, "--help").stdout
        for figure in figures.KNOWN.values():
            assert any(line.split()[:2] == [figure.name, figure.unit or "-"] for line in told.splitlines()), figure.name


def test_a_difference_is_coloured_by_the_figures_better_direction():
    rate, watts, busy = (figures.KNOWN[name] for name in ("requests_per_s", "watts", "utilisation"))
    assert [verdict(f, Estimate(5, 1, 8)) for f in (rate, watts, busy)] == ["good", "bad", ""]
    assert [verdict(f, Estimate(-5, 1, 8)) for f in (rate, watts)] == ["bad", "good"]
    assert verdict(rate, Estimate(5, 6, 8)) == "" and verdict(rate, Estimate(5, math.nan, 0)) == ""


def test_an_axis_is_logarithmic_where_values_span_more_than_a_decade():
    assert figures.spans_decade([1, 10.1]) and not figures.spans_decade([1, 10])
    assert not figures.spans_decade([0, 100]) and not figures.spans_decade([math.nan]) and figures.spans_decade([math.nan, 1, 11])


def test_a_logarithmic_range_has_as_many_points_in_each_part_of_its_logarithm(bench):
    bench.call("sweep", "s.toml", "--sample", "6", "--set", "workload.rate_per_s=1..1000 log", "--set", "buffer.segments=1..64 log",
              "--set", "workload.count=10", "--out", "w")
    rates = sorted(float(row["workload.rate_per_s [requests/s]"]) for row in rows(bench, "w/table.csv"))
    assert [int(math.log10(rate) * 2) for rate in rates] == list(range(6))
    assert {float(row["buffer.segments"]) % 1 for row in rows(bench, "w/table.csv")} == {0}

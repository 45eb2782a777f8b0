"""Fleets: intervals that hold what they say, samples that repeat, the same figures here and on a cluster, files that are wrong."""

from __future__ import annotations

import argparse
import csv
import io

import numpy as np
import pytest
from armature import fleet
from armature.errors import InputError

SCENARIO = "[workload]\nkind = \"open\"\ncount = 60\nrate_per_s = 10\n[drives.d]\nmodel = \"drives/hitachi_travelstar_7k60.toml\"\n"
FLEET = """
drives = 1_000
runs = 8
[[class]]
name = "busy"
share = 0.75
scenario = "s.toml"
draw."workload.rate_per_s" = { kind = "uniform", low = 20, high = 40 }
[[class]]
name = "calm"
share = 0.25
scenario = "s.toml"
set."workload.read_fraction" = 1
draw."workload.rate_per_s" = { kind = "choice", values = [1, 2], shares = [3, 1] }
draw."workload.size_sectors" = { kind = "lognormal", median = 16, sigma = 0.5, least = 1, most = 64, whole = true }
"""


def population(rng: np.random.Generator, sizes: tuple[int, ...]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Drives of classes that differ, in watts, rate and response times."""
    classes = np.repeat(np.arange(len(sizes)), sizes)
    watts = rng.normal(5 + 4 * classes, 1)
    rate = rng.lognormal(1 + classes, 0.4)
    mean = 5 + 0.3 * rate + rng.exponential(2, len(classes))
    return {"watts": watts, "requests_per_s": rate, "mean": mean, "p99": 3 * mean}, classes


@pytest.mark.full
def test_intervals_hold_the_fleets_figures_nineteen_times_of_twenty(monkeypatch):
    monkeypatch.setattr(fleet, "_RESAMPLES", 400)
    rng = np.random.default_rng(5)
    sizes, sampled = (4_000, 1_000), (40, 25)
    rows, classes = population(rng, sizes)
    true = fleet._figures(rows, np.ones(sum(sizes)))
    names, held, repeats = list(fleet.FIGURES), np.zeros(len(fleet.FIGURES)), 300
    for repeat in range(repeats):
        chosen = np.concatenate([rng.choice(np.flatnonzero(classes == c), n, replace=False) for c, n in enumerate(sampled)])
        weights = np.array([sizes[c] / sampled[c] for c in classes[chosen]])
        told = fleet.estimates({name: values[chosen] for name, values in rows.items()}, weights, classes[chosen], repeat)
        held += [not (one.low > true[name] or one.high < true[name]) for name, one in zip(names, told)]  # an end may be open
    for name, share in zip(names, held / repeats):
        assert 0.90 <= share <= 0.99, f"{name}: {share}"  # 0.95 with a standard deviation of 0.013


def test_the_interval_of_a_total_is_that_of_the_stratified_mean():
    rows, classes = population(np.random.default_rng(2), (60, 30))
    weights = np.where(classes == 0, 50.0, 20.0)
    told = fleet.estimates(rows, weights, classes, 1)[0]
    # Cochran, Sampling Techniques, 1977, section 5.4, without the correction for a finite population.
    variance = sum((50, 20)[c] ** 2 * n * rows["watts"][classes == c].var(ddof=1) for c, n in enumerate((60, 30)))
    assert told.value == pytest.approx(float(weights @ rows["watts"]) / 1000)
    assert told.high - told.low == pytest.approx(2 * 1.96 * variance**0.5 / 1000, rel=0.06)


def test_a_weighted_quantile_is_the_least_value_that_enough_weight_does_not_exceed():
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 8.0])
    assert [fleet.quantile(values, weights, share) for share in (0.05, 0.1, 0.11, 0.9, 0.95)] == [1, 1, 2, 2, 3]


def options(bench, **more) -> argparse.Namespace:
    return argparse.Namespace(**{"runs": 0, "cache": bench.directory / "cache", "jobs": 2, "scheduler": None, "quiet": True, **more})


def test_a_sample_repeats_and_grows_at_its_end(bench):
    bench.write("s.toml", SCENARIO)
    bench.write("f.toml", FLEET)
    read = fleet.read(bench.directory / "f.toml")
    assert fleet.allocation(read, 8) == {"busy": 6, "calm": 2}
    few, many = (fleet.sample(read, read.classes[0], count) for count in (3, 6))
    assert many[:3] == few and len({dict(point)["simulation.seed"] for point in many}) == 6
    rates = [float(dict(point)["workload.rate_per_s"]) for point in fleet.sample(read, read.classes[0], 400)]
    assert 20 <= min(rates) and max(rates) <= 40 and np.mean(rates) == pytest.approx(30, abs=1)
    calm = [dict(point) for point in fleet.sample(read, read.classes[1], 400)]
    assert sum(one["workload.rate_per_s"] == "1" for one in calm) == pytest.approx(300, abs=35)
    sizes = [int(one["workload.size_sectors"]) for one in calm]
    assert np.median(sizes) == pytest.approx(16, abs=2) and max(sizes) <= 64


def test_a_fleet_has_its_tables_and_its_page(bench):
    bench.write("s.toml", SCENARIO)
    bench.write("f.toml", FLEET)
    told = bench.run("fleet", "f.toml", "--out", "o")
    assert "1000 drives of 2 classes by 8 of them; 0 have no result" in told.stdout
    drives = list(csv.DictReader(io.StringIO(bench.read("o/drives.tsv").decode()), delimiter="\t"))
    assert [row["class"] for row in drives] == ["busy"] * 6 + ["calm"] * 2
    assert [float(row["stands_for"]) for row in drives] == pytest.approx([125.0] * 8)
    table = {(row["class"], row["figure"]): row for row in csv.DictReader(io.StringIO(bench.read("o/fleet.tsv").decode()), delimiter="\t")}
    power = table["all", "power"]
    assert power["unit"] == "kW" and float(power["value"]) == pytest.approx(sum(125 * float(row["average_w"]) for row in drives) / 1000)
    assert float(power["low_95"]) < float(power["value"]) < float(power["high_95"])
    parts = sum(float(table[name, "power"]["value"]) for name in ("busy", "calm"))
    assert parts == pytest.approx(float(power["value"]))
    assert "How drives differ" in bench.read("o/fleet.html").decode()
    before = bench.read("o/fleet.tsv")
    bench.run("fleet", "f.toml", "--out", "o", "--jobs", "1")
    assert bench.read("o/fleet.tsv") == before


@pytest.mark.parametrize("change, message", [
    (("share = 0.25", "share = 0.2"), "the shares of the classes add up to 0.95, not to 1"),
    (("kind = \"uniform\"", "kind = \"zipf\""), "class busy: draw: workload.rate_per_s: kind = one of uniform,"),
    (("low = 20", "low = 40"), "low must be less than high"),
    (("low = 20, ", ""), "uniform needs 'low'"),
    (("shares = [3, 1]", "shares = [3]"), "as many numbers as values"),
    (("runs = 8", "runs = 1"), "runs: a number of at least 2 is expected"),
    (("runs = 8", "run = 8"), "no key 'run' is known here"),
    (("name = \"calm\"", "name = \"busy\""), "two classes have one name"),
    (("drives = 1_000", "drives = "), "f.toml: "),
    (("scenario = \"s.toml\"\ndraw", "scenario = \"none.toml\"\ndraw"), "none.toml"),
    (("draw.\"workload.rate_per_s\" = { kind = \"uniform\"", "draw.\"workload.rte\" = { kind = \"uniform\""), "workload.rte"),
])
def test_a_file_that_is_wrong_is_told(bench, change, message):
    bench.write("s.toml", SCENARIO)
    assert change[0] in FLEET
    bench.write("f.toml", FLEET.replace(*change, 1))
    done = bench.run("fleet", "f.toml", "--out", "o", status=2)
    assert message in done.stderr, done.stderr
    assert not (bench.directory / "o").exists()


def test_a_class_of_several_drives_says_which(bench):
    bench.write("s.toml", SCENARIO + "[drives.e]\nmodel = \"drives/hitachi_travelstar_7k60.toml\"\n")
    bench.write("f.toml", FLEET)
    assert "class busy: drive: one of d, e is expected" in bench.run("fleet", "f.toml", "--out", "o", status=2).stderr
    bench.write("f.toml", FLEET.replace("share =", "drive = \"e\"\nshare ="))
    bench.run("fleet", "f.toml", "--out", "o")


def test_a_file_without_classes_is_refused(tmp_path):
    (tmp_path / "f.toml").write_text("drives = 3\n")
    with pytest.raises(InputError, match="tables \\[\\[class\\]\\] are expected"):
        fleet.read(tmp_path / "f.toml")

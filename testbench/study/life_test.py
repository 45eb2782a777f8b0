"""Lives of drives and arrays: closed forms, fleets that are drawn, what a run says, what is refused (docs/guide/life.md)."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from armature.lifetimes import (Rates, alive, array_mttdl, draw_lives, draw_losses, drive_arms, drive_mttf, estimate, even,
                                      parallel, series)

SCENARIO = """
[workload]
kind = "closed"
count = 500
outstanding = 2
[drives.disk]
model = "drives/seagate_barracuda_es_750.toml"
arms.count = 2
thermal.case_k_w = 1
[output]
directory = "out"
"""


def of(arms: int, common: float = 0.0, contained: float = 1.0, arm=even(1e-6)) -> Rates:
    return Rates(common, arms, arm, contained)


@pytest.mark.parametrize("arms", [1, 2, 3, 4, 8])
def test_parallel_arms_live_the_harmonic_sum(arms: int) -> None:
    assert drive_mttf(of(arms)) == pytest.approx(parallel(1e-6, arms), rel=1e-12)
    assert estimate(draw_lives(of(arms), 200_000, np.random.default_rng(arms))).mean == pytest.approx(parallel(1e-6, arms), rel=0.01)


def test_without_grace_the_first_failure_is_the_last() -> None:
    rates = of(4, common=2e-6, contained=0)
    assert drive_mttf(rates) == pytest.approx(series([2e-6] + 4 * [1e-6]), rel=1e-12)
    assert drive_arms(rates) == pytest.approx(4)
    assert alive(rates, np.array([0, 1e5]))[1] == pytest.approx(math.exp(-0.6), rel=1e-9)


def test_two_parallel_arms_and_what_is_common() -> None:
    """Inclusion and exclusion: both arms, less the pair."""
    assert drive_mttf(of(2, common=3e-6)) == pytest.approx(2 / 4e-6 - 1 / 5e-6, rel=1e-12)
    hours = np.array([1e4, 1e5, 1e6])
    expected = np.exp(-3e-6 * hours) * (1 - (1 - np.exp(-1e-6 * hours)) ** 2)
    assert alive(of(2, common=3e-6), hours) == pytest.approx(expected, rel=1e-9)


def test_a_fleet_lives_as_the_arithmetic_says() -> None:
    """Load that the others take over, failures that are not contained: within the error bars, 19 of 20 times."""
    held = 0
    for seed in range(20):
        rates = of(3, common=1e-6, contained=0.8, arm=lambda arms: 1e-6 * 3 / arms)
        fleet = draw_lives(rates, 10_000, np.random.default_rng(seed))
        held += estimate(fleet).holds(drive_mttf(rates))
        year = 1e5
        share = float((fleet > year).mean())
        assert abs(share - alive(rates, np.array([year]))[0]) < 4 * math.sqrt(share * (1 - share) / len(fleet))
    assert held >= 17


@pytest.mark.parametrize("spare", [0, 1])
def test_an_array_of_plain_drives_has_the_known_mttdl(spare: int) -> None:
    """Patterson, Gibson and Katz (1988): with n drives of one MTTF and repairs much faster, MTTF^2 / (n (n - 1) MTTR)."""
    rates, n, repair = of(1, common=0.0, contained=0), 8, 24
    mttf = 1e6
    known = mttf / n if spare == 0 else mttf**2 / (n * (n - 1) * repair)
    assert array_mttdl(rates, n, spare, repair) == pytest.approx(known, rel=0.001 if spare else 1e-9)


def test_drawn_arrays_lose_data_as_the_chain_says() -> None:
    rates = Rates(4e-4, 2, lambda arms: 4e-4 / arms, 0.9)
    known = array_mttdl(rates, 4, 1, 50)
    drawn = estimate(draw_losses(rates, 4, 1, 50, 20_000, np.random.default_rng(3)))
    assert drawn.mean == pytest.approx(known, rel=0.03)
    assert abs(drawn.mean - known) < 2 * drawn.half


def rows_of(bench) -> list[dict]:
    with open(bench.directory / "life/life.csv", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_run_gives_temperature_load_and_arms(bench) -> None:
    bench.write("s.toml", SCENARIO)
    done = bench.call("life", "s.toml", "--out", "life", "--array", "raid5", "--drives", "4", "--arrays", "2", "--mttf-h", "10000")
    assert "MTTF" in done.stdout and (bench.directory / "life/life.svg").exists()
    plain, graceful = rows_of(bench)
    assert plain["arms"] == "2" and plain["graceful"] == "0" and graceful["graceful"] == "1"
    assert float(plain["case_c"]) > 30 and 0 < float(plain["busy"]) <= 1 and float(plain["starts_per_h"]) == 0
    assert float(plain["mttf_h"]) < float(graceful["mttf_h"])
    assert float(plain["mttdl_h"]) < float(graceful["mttdl_h"])
    heat = 1.025 ** (float(plain["case_c"]) - 40)
    arm = 0.5 + 0.5 * float(plain["busy"]) / 0.3
    assert float(plain["mttf_h"]) == pytest.approx(10000 / heat / (0.6 + 2 * 0.4 * arm), rel=1e-4)


def test_each_degree_counts(bench) -> None:
    bench.write("s.toml", SCENARIO)
    for c in ("40", "50"):
        bench.call("life", "s.toml", "--out", "life", "--celsius", c, "--starts-per-day", "10", "--start-cycles", "1e12", "--fleet", "2")
        (bench.directory / "life/life.csv").rename(bench.directory / f"{c}.csv")
    cool, warm = (list(csv.DictReader(open(bench.directory / f"{c}.csv")))[0] for c in ("40", "50"))
    assert float(cool["mttf_h"]) / float(warm["mttf_h"]) == pytest.approx(1.025**10, rel=1e-4)


@pytest.mark.parametrize("arguments, says", [
    (["nowhere"], "neither a run nor a sweep"),
    (["missing.toml"], "missing.toml"),
    (["s.toml", "--arm-share", "1.5"], "from 0 to 1"),
    (["s.toml", "--mttf-h", "0"], "above 0"),
    (["s.toml", "--array", "raid6", "--drives", "2"], "needs more than 2"),
    (["s.toml", "--fleet", "1"], "at least 2"),
])
def test_bad_input_is_refused(bench, arguments: list[str], says: str) -> None:
    bench.write("s.toml", SCENARIO)
    done = bench.call("life", *arguments, status=2)
    assert says in done.stderr


def test_a_run_without_temperatures_says_so(bench) -> None:
    bench.write("s.toml", SCENARIO.replace("thermal.case_k_w = 1", ""))
    assert "--celsius" in bench.call("life", "s.toml", "--out", "life", status=2).stderr

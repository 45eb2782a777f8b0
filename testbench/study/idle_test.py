"""Idle periods: what the analysis finds of made ones, against closed forms, and what a drive's spin-down policy costs and
saves, against the formulas of a queue whose server goes away."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
from armature import idle, measures
from armature.idle import Powers

POWERS = Powers(idle_w=2.0, standby_w=0.25, ways_s=4.25, ways_j=11.94)
SCENARIO = """
[simulation]
seed = 5
[workload]
kind = "open"
rate_per_s = {rate}
count = {count}
size_sectors = 8
[cache]
look_ahead = false
write = false
[drives.disk]
model = "drives/hitachi_travelstar_7k60.toml"
{more}
[output]
directory = "out"
"""


def test_periods_are_the_times_in_which_no_request_is_at_the_drive() -> None:
    sent = np.array([5.0, 0.0, 1.0, 12.0, 11.0])
    done = np.array([6.0, 3.0, 2.0, 13.0, 12.5])  # the third one lies within the second one's time, the last two overlap
    begins, lengths = idle.periods(sent, done)
    assert begins.tolist() == [3.0, 6.0]
    assert lengths.tolist() == [2.0, 5.0]


def test_autocorrelation_of_a_known_process() -> None:
    rng = np.random.default_rng(3)
    noise = rng.normal(size=200_000)
    values = np.empty_like(noise)
    values[0] = noise[0]
    for i in range(1, len(noise)):
        values[i] = 0.6 * values[i - 1] + noise[i]
    along = idle.autocorrelation(values)
    assert len(along) == 50
    assert along[:10] == pytest.approx(0.6 ** np.arange(1, 11), abs=0.01)
    independent = idle.autocorrelation(rng.exponential(1, 200_000))
    assert np.abs(independent).max() < 4 / math.sqrt(200_000)
    assert len(idle.autocorrelation(np.ones(10))) == 0
    assert len(idle.autocorrelation(np.array([1.0, 2.0, 4.0]))) == 2


@pytest.mark.parametrize("mean, ways", [(0.5, 0.1), (3, 0.1), (3, 4.25), (20, 0.1), (20, 4.25), (20, 41), (100, 4.25), (100, 41)])
def test_the_bound_of_exponential_periods_is_the_closed_form(mean: float, ways: float) -> None:
    expected = idle.oracle_saves_of_exponential(mean, POWERS, ways)
    lengths = np.random.default_rng(7).exponential(mean, 4_000_000)
    assert idle.oracle_saves(lengths, POWERS, ways) / len(lengths) == pytest.approx(expected, rel=0.02)


def test_the_same_where_the_ways_draw_less_than_idle_and_only_their_time_counts() -> None:
    cheap = Powers(idle_w=2.0, standby_w=0.25, ways_s=4.0, ways_j=1.2)
    lengths = np.random.default_rng(8).exponential(5, 1_000_000)
    expected = idle.oracle_saves_of_exponential(5, cheap, 4.0)
    assert idle.oracle_saves(lengths, cheap, 4.0) / len(lengths) == pytest.approx(expected, rel=0.01)


def test_no_period_is_used_that_costs_more_than_it_saves() -> None:
    cheap = Powers(2.0, 0.25, 4.0, 1.0)  # the ways draw less than idle: a period must only be long enough for them
    assert idle.oracle_saves(np.array([3.999, 4.0]), cheap, 4.0) == pytest.approx(2.0 * 4 - 1.0)
    dear = Powers(2.0, 0.25, 4.0, 100.0)
    assert idle.oracle_saves(np.array([10.0, 20.0]), dear, 4.0) == 0


def run(bench, name: str, rate: float, count: int, more: str = "") -> dict:
    bench.write("s.toml", SCENARIO.format(rate=rate, count=count, more=more))
    bench.armature("run", "s.toml", "--out", name)
    return json.loads((bench.directory / name / "summary.json").read_text())["drives"][0]


def test_the_command_tells_what_the_log_holds(bench) -> None:
    run(bench, "a", 0.05, 400)
    bench.run("idle", "a", "--out", "i")
    with open(bench.directory / "i" / "idle_periods.csv") as stream:
        rows = list(csv.DictReader(stream))
    lengths = np.array([float(row["length_s"]) for row in rows])
    assert 390 <= len(rows) <= 399
    assert lengths.mean() == pytest.approx(20, rel=0.15)
    with open(bench.directory / "i" / "oracle.csv") as stream:
        bound = [(float(r["spin_down_and_up_s"]), float(r["saved_of_idle_energy"])) for r in csv.DictReader(stream)]
    assert all(a[1] >= b[1] for a, b in zip(bound, bound[1:])), "longer ways save less"
    assert "<svg" in (bench.directory / "i" / "idle.svg").read_text()
    bench.run("idle", "a", "--out", "j", "--ways-j", "1e6")
    assert float((bench.directory / "j" / "oracle.csv").read_text().splitlines()[-1].split(",")[-1]) == 0
    assert "standby must draw less" in bench.run("idle", "a", "--out", "k", "--standby-w", "3", status=2).stderr


UNLOAD_S, STOP_S, START_S, LOAD_S = 0.85, 0.40, 2.47, 0.53  # of the drive file
UNLOAD_J, STOP_J, START_J, LOAD_J = 2.15, 0.79, 7.55, 1.45
IDLE_W, STANDBY_W = 2.0, 0.25


def cycle(rate: float, away: float) -> tuple[float, float, float]:
    """Of Poisson arrivals at a drive that goes into standby by itself in the part `away` of its idle periods, after a time that
    does not depend on what comes: mean number N of requests with which a busy period begins, E[N (N - 1)], and energy from the end of the last one until then. A request that comes while the
    arms go onto the ramp turns them round there; one that comes while the stack slows down starts it from the speed that it has;
    otherwise the first one starts it from standstill."""
    # While they unload: n of them, and those who come while they load.
    n, turned, loading = rate * UNLOAD_S, -math.expm1(-rate * UNLOAD_S), rate * LOAD_S
    first = n + turned * loading
    pairs = n**2 + 2 * n * loading + turned * loading**2
    energy = UNLOAD_J + turned * LOAD_J
    # None of them: one, after a time T, which finds the part min(T / STOP_S, 1) of the speed gone.
    x = rate * STOP_S
    part = -math.expm1(-x) / x
    square = 2 / x**2 * (1 - math.exp(-x) * (1 + x))
    back, back_square = LOAD_S + START_S * part, LOAD_S**2 + 2 * LOAD_S * START_S * part + START_S**2 * square
    first += (1 - turned) * (1 + rate * back)
    pairs += (1 - turned) * (2 * rate * back + rate**2 * back_square)
    energy += (1 - turned) * ((STOP_J + START_J) * part + LOAD_J + STANDBY_W * math.exp(-x) / rate)
    idle_s = (1 - away) / rate
    return 1 - away + away * first, away * pairs, idle_s * IDLE_W + away * energy


@pytest.mark.parametrize("timeout", [2.0, 10.0, 40.0])
def test_what_a_fixed_time_costs_and_saves_is_what_the_queue_with_vacations_says(bench, timeout: float) -> None:
    """Energy: the mean of a regeneration cycle. Response: the decomposition of Fuhrmann and Cooper, "Stochastic Decompositions
    in the M/G/1 Queue with Generalized Vacations", 1985: what a request waits longer than without the policy is
    E[N (N - 1)] / (2 rate E[N])."""
    rate, count = 0.05, 40_000
    keys = f'idle.spin_down = "fixed"\nidle.spin_down_s = {timeout}'
    compare_with_the_formula(bench, rate, count, keys, math.exp(-rate * timeout))


@pytest.mark.parametrize("break_even", [6.25, 30.0])
def test_a_random_time_costs_and_saves_what_the_formula_says(bench, break_even: float) -> None:
    """The same with the mean of e^(-rate T) over the density e^(T/B) / (B (e - 1)) on 0 to B."""
    rate, count = 0.05, 40_000
    keys = f'idle.spin_down = "probabilistic"\nidle.spin_down_s = {break_even}'
    away = math.expm1(1 - rate * break_even) / ((math.e - 1) * (1 - rate * break_even))
    compare_with_the_formula(bench, rate, count, keys, away)


def compare_with_the_formula(bench, rate: float, count: int, keys: str, away: float) -> None:
    usual = run(bench, "usual", rate, count)
    policy = run(bench, "policy", rate, count, keys)
    first, pairs, rest_j = cycle(rate, away)
    busy = rate * usual["response"]["all"]["mean_ms"] * 1e-3  # of so few requests the response is the service time
    expected_w = rate * (1 - busy) / first * rest_j + usual["energy"]["average_w"] - (1 - busy) * IDLE_W
    assert policy["energy"]["average_w"] == pytest.approx(expected_w, rel=0.02)
    added = (policy["response"]["all"]["mean_ms"] - usual["response"]["all"]["mean_ms"]) * 1e-3
    assert added == pytest.approx(pairs / (2 * rate * first), rel=0.02)


class Requests:
    """Columns of a drive's requests."""

    def __init__(self, **columns: list[float]):
        self._columns = columns

    def column(self, name: str) -> np.ndarray:
        return np.array(self._columns[name], float)


def test_the_column_of_idle_periods_reaches_from_the_begin_of_the_run_to_its_end():
    log = Requests(arrival_us=[2e6, 3e6, 10e6], host_queue_us=[0, 1e6, 0], completion_us=[4e6, 5e6, 11e6])
    assert measures._idle(log, 12.0) == pytest.approx([2, 5, 1])
    assert measures._idle(Requests(arrival_us=[], host_queue_us=[], completion_us=[]), 12.0) == pytest.approx([12])

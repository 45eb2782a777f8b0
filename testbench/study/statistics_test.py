"""Warm-up, intervals and differences against series of which the truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from armature import statistics
from scipy import stats
from scipy.signal import lfilter


def autoregressive(seed: int, phi: float, count: int) -> np.ndarray:
    """x_i = phi x_(i-1) + e_i with mean 0 and variance 1 / (1 - phi^2), stationary from the start."""
    noise = np.random.default_rng(seed).normal(size=count)
    noise[0] /= math.sqrt(1 - phi * phi)
    return lfilter([1], [1, -phi], noise)


def by_batches(*means: float) -> np.ndarray:
    return np.repeat(means, 5).astype(float)


def test_mser_5_by_hand():
    # Sum of squares over the squared number, from each batch on: 49.33/36 = 1.370, 1.2/25 = 0.048, 1/16 = 0.0625,
    # 0.667/9 = 0.0741. The least is the second: one batch of five is left out.
    assert statistics.mser5(by_batches(9, 1, 1, 2, 1, 2)) == 5
    # The spread within a batch does not count, nor what is left over behind the last whole one.
    assert (
        statistics.mser5(np.concatenate([by_batches(9, 1, 1, 2, 1, 2) + np.tile([-2, -1, 0, 1, 2], 6), [99, 99]])) == 5
    )
    assert statistics.mser5(by_batches(1, 2, 1, 2, 1, 2, 1, 2)) == 0
    assert statistics.mser5(np.ones(4)) == 0


def test_mser_5_is_its_definition_on_any_series():
    for seed in range(20):
        series = autoregressive(seed, 0.8, 400) + 1e6 + 8 * np.exp(-np.arange(400) / (1 + 5 * seed))
        means = [series[i : i + 5].mean() for i in range(0, 400, 5)]
        value = [sum((y - np.mean(means[d:])) ** 2 for y in means[d:]) / (80 - d) ** 2 for d in range(41)]
        assert statistics.mser5(series) == 5 * int(np.argmin(value))


def test_a_run_that_grows_has_no_steady_state():
    growing = np.arange(1000.0)
    assert statistics.never_settles(growing, statistics.mser5(growing))
    steady = autoregressive(1, 0.5, 1000)
    assert not statistics.never_settles(steady, statistics.mser5(steady))


@pytest.mark.parametrize("phi, count", [(0.0, 2000), (0.9, 20000)])
def test_intervals_hold_the_mean_in_95_of_100_series(phi, count):
    held = sum(statistics.mean(autoregressive(seed, phi, count)).covers(0) for seed in range(400))
    low, high = stats.binom.interval(0.99, 400, 0.95)
    assert low <= held <= high
    # An interval that took the requests for independent would hold it far less often at 0.9: it would be
    # sqrt((1 + phi) / (1 - phi)) = 4.4 times too narrow.
    exact = 1.96 / (1 - phi) / math.sqrt(count)
    half = np.mean([statistics.mean(autoregressive(seed, phi, count)).half_width for seed in range(50)])
    assert half == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize("q", [0.5, 0.9, 0.99])
def test_intervals_hold_the_quantile_in_95_of_100_series(q):
    truth = -math.log(1 - q)
    held = sum(
        statistics.quantile(np.random.default_rng(seed).exponential(size=16000), q).covers(truth) for seed in range(400)
    )
    low, high = stats.binom.interval(0.999, 400, 0.95)
    assert low <= held <= high


def test_correlated_series_get_fewer_batches_and_a_warning_if_those_are_correlated_too():
    counts = [statistics.mean(autoregressive(seed, 0.95, 4000)).batches for seed in range(40)]
    alone = [statistics.mean(autoregressive(seed, 0.0, 4000)).batches for seed in range(40)]
    assert np.mean(counts) < 45 < np.mean(alone) and set(alone) <= set(statistics.BATCH_COUNTS)
    walk = statistics.mean(np.cumsum(np.random.default_rng(1).normal(size=4000)))
    assert walk.batches == 8 and "too narrow" in walk.warning


def test_von_neumann_s_test_is_one_of_ten_on_independent_means():
    found = sum(statistics.correlated(np.random.default_rng(seed).normal(size=32)) for seed in range(2000))
    assert 0.08 < found / 2000 < 0.12
    assert statistics.correlated(np.arange(8.0))
    assert not statistics.correlated(np.array([0, 1] * 4))
    assert not statistics.correlated(np.ones(8))


def test_too_few_requests_have_no_interval():
    few = statistics.mean(np.arange(100.0))
    assert few.value == 49.5 and math.isnan(few.half_width) and few.warning
    assert not few.covers(49.5)
    # 8 batches of 500 have five requests beyond 99 %: too few.
    assert math.isnan(statistics.quantile(autoregressive(1, 0, 4000), 0.99).half_width)
    assert math.isfinite(statistics.quantile(autoregressive(1, 0, 16000), 0.99).half_width)


def test_quantiles_are_of_the_nearest_rank():
    ordered = np.arange(1.0, 101.0)
    assert [statistics.nearest_rank(ordered, q) for q in (0.5, 0.9, 0.95, 0.99, 0.999)] == [50, 90, 95, 99, 100]
    assert statistics.nearest_rank(np.array([1.0, 2.0, 3.0]), 0.5) == 2


def test_paired_differences_leave_out_what_both_have():
    shared = autoregressive(1, 0.9, 8000) * 10
    a, b = (
        shared + np.random.default_rng(2).normal(size=8000) + 0.5,
        shared + np.random.default_rng(3).normal(size=8000),
    )
    together = statistics.mean(a - b)
    apart = statistics.unpaired(statistics.mean(a), statistics.mean(b))
    assert together.covers(0.5) and together.half_width < 0.05 < 1 < apart.half_width
    assert together.value == pytest.approx(apart.value)
    shifted = statistics.paired_quantile(shared + 3, shared, 0.9)
    assert shifted.value == pytest.approx(3) and shifted.half_width == pytest.approx(0, abs=1e-9)


def test_replications_and_welch_agree_with_scipy():
    a, b = np.random.default_rng(4).normal(5, 2, 12), np.random.default_rng(5).normal(4, 1, 7)
    one = statistics.replications(a)
    low, high = stats.t.interval(0.95, 11, a.mean(), stats.sem(a))
    assert (one.low, one.high) == (pytest.approx(low), pytest.approx(high))
    both = statistics.unpaired(one, statistics.replications(b))
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert (both.low, both.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert math.isnan(statistics.replications(a[:1]).half_width)

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tailc.models import tail_resampling
from tailc.models.core_queues.level_progress import level_progress
from tailc.models.tail_resampling import bootstrap_with_fitted_tail
from tailc.models.workload import Workload

SEEDS = range(40)


def workload(work_ms, weight=None):
    rows = len(work_ms)
    return Workload(
        np.rint(np.asarray(work_ms) * 1e6).astype(np.int64),
        np.ones(rows, np.int64) if weight is None else np.asarray(weight, np.int64),
        (np.arange(rows) % 2).astype(np.int32),
        np.array([[1.0, 1.5], [1.0, 1.9]]),
    )


def pareto(rows, shape, seed=1):
    return 3.0 * (1.0 - np.random.default_rng(seed).random(rows)) ** -shape


def test_small_samples_get_longer_requests_than_any_measured():
    source = workload(pareto(300, 1 / 1.5))
    longest = [bootstrap_with_fitted_tail(source, seed).work_ns.max() for seed in SEEDS]
    assert np.mean(np.array(longest) > source.work_ns.max()) > 0.3


def test_in_a_few_requests_of_infinite_variance_the_body_shows_the_tail():
    """Requests up to 22 ms alone are a sample of a law by which one in 500 exceeds 190 ms."""
    body = 3.0 * (1.0 - (np.arange(400) + 0.5) / 420) ** (-1 / 1.5)
    source = workload(body)
    assert body.max() < 30
    drawn = [bootstrap_with_fitted_tail(source, seed).work_ns / 1e6 for seed in SEEDS]
    beyond = np.mean([np.mean(each > 190) for each in drawn])
    assert beyond > 0.3 * (3.0 / 190) ** 1.5


@pytest.mark.parametrize(
    "source",
    [
        workload(pareto(2_000, 1 / 1.5)),
        workload(pareto(2_000, 1 / 2.5)),
        workload(np.random.default_rng(1).lognormal(2.0, 1.0, 300)),
        workload(np.random.default_rng(1).exponential(10.0, 1_000)),
    ],
)
def test_where_the_tail_is_known_or_the_body_follows_no_power_law_it_is_fitted_alone(
    source, monkeypatch
):
    found = [bootstrap_with_fitted_tail(source, seed).work_ns for seed in range(5)]
    monkeypatch.setattr(tail_resampling, "fit_power_law", lambda *_: None)
    for seed, work_ns in enumerate(found):
        assert np.array_equal(work_ns, bootstrap_with_fitted_tail(source, seed).work_ns)


def drawn_index(source: Workload) -> float:
    """The index of the tails of many samples, by Hill's estimator."""
    drawn = [bootstrap_with_fitted_tail(source, seed).work_ns for seed in SEEDS]
    start = np.quantile(source.work_ns, 0.95)
    above = np.concatenate([each[each > start] for each in drawn])
    return float(1 / np.mean(np.log(above / start)))


def test_an_index_of_infinite_variance_is_at_the_lower_end_of_its_interval():
    assert 1.2 < drawn_index(workload(pareto(400, 1 / 1.5))) < 1.5


@pytest.mark.parametrize("index", [2.2, 2.5, 3.5])
@pytest.mark.parametrize("rows", [300, 1_000])
def test_an_index_of_finite_variance_is_that_of_the_body_and_not_of_a_short_tail(index, rows):
    """The largest requests of the sample are cut to the 98th percentile of the law."""
    work = np.minimum(pareto(rows, 1 / index), 3.0 * 0.02 ** (-1 / index))
    assert drawn_index(workload(work)) == pytest.approx(index, rel=0.15)


def test_the_tail_has_the_shape_of_the_law():
    source = workload(pareto(20_000, 0.5))
    drawn = bootstrap_with_fitted_tail(source, 7)
    assert drawn.requests == source.requests
    start = np.quantile(source.work_ns, 0.95)
    above = drawn.work_ns[drawn.work_ns > start] - start
    shape, _, _ = stats.genpareto.fit(above, floc=0)
    assert shape == pytest.approx(0.5, abs=0.15)


def test_requests_below_the_tail_are_measured_ones_with_their_speedups():
    source = workload(pareto(300, 0.4))
    drawn = bootstrap_with_fitted_tail(source, 3)
    known = np.isin(drawn.work_ns, source.work_ns)
    assert drawn.weight[known].sum() >= 0.85 * drawn.requests
    assert drawn.requests == 5_100
    at = dict(zip(source.work_ns, source.curve_of, strict=True))
    assert all(at[w] == c for w, c in zip(drawn.work_ns[known], drawn.curve_of[known], strict=True))


def test_constant_demand_and_large_samples_are_only_bootstrapped():
    constant = bootstrap_with_fitted_tail(workload(np.full(300, 10.0)), 1)
    assert set(constant.work_ns) == {10_000_000}
    assert constant.requests == 300
    large = workload(pareto(500, 0.5), np.full(500, 1_000))
    assert set(bootstrap_with_fitted_tail(large, 1).work_ns) <= set(large.work_ns)


def test_the_same_seed_gives_the_same_sample():
    source = workload(pareto(300, 0.5))
    one, same, other = (bootstrap_with_fitted_tail(source, seed) for seed in (1, 1, 2))
    assert one.work_ns.tolist() == same.work_ns.tolist()
    assert one.work_ns.tolist() != other.work_ns.tolist()


def test_at_levels_of_a_clock_longer_requests_keep_their_share_of_memory_time():
    """At the reference clock a request does 2^62 parts in as many ns as it has work."""
    work_ns = np.rint(pareto(1_000, 0.5) * 1e6).astype(np.int64)
    memory_ns = work_ns // 4
    levels = level_progress(work_ns, memory_ns, (1_000_000, 2_000_000), 2_000_000)
    rows = len(work_ns)
    ones = np.ones((1, 1))
    source = Workload(
        work_ns, np.ones(rows, np.int64), np.zeros(rows, np.int32), ones, memory_ns, levels
    )
    drawn = bootstrap_with_fitted_tail(source, 5)
    assert drawn.work_ns.max() != source.work_ns.max()
    np.testing.assert_allclose(2.0**62 / drawn.clocked.rate[:, 1], drawn.work_ns, rtol=1e-6)
    half_clock_ns = 2 * (drawn.work_ns - drawn.memory_ns) + drawn.memory_ns
    np.testing.assert_allclose(2.0**62 / drawn.clocked.rate[:, 0], half_clock_ns, rtol=1e-6)
    np.testing.assert_allclose(drawn.clocked.memory_ns, drawn.work_ns / 4, rtol=1e-5)
    np.testing.assert_allclose(drawn.clocked.cycles, 1.5 * drawn.work_ns, rtol=1e-5)

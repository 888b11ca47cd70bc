from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tailc.traces.power_law import ParetoTail, fit_power_law, index_above


def rows(law, count):
    """The values of a law of scipy at equal steps of probability."""
    return law.ppf((np.arange(count) + 0.5) / count)


def fitted(values, weight=None) -> ParetoTail | None:
    ones = np.ones(len(values), np.int64)
    return fit_power_law(np.asarray(values, float), ones if weight is None else weight)


@pytest.mark.parametrize("index", [1.1, 1.5, 2.5])
@pytest.mark.parametrize("count", [150, 300, 5_000])
def test_the_index_of_a_power_law_is_found(index, count):
    found = fitted(rows(stats.pareto(index, scale=3.0), count))
    assert found is not None
    assert found.index == pytest.approx(index, rel=0.05)
    assert found.start < 4.0


def test_values_below_the_law_do_not_hide_it():
    low, high = rows(stats.uniform(1, 4), 100), rows(stats.pareto(1.5, scale=5.0), 400)
    found = fitted(np.concatenate([low, high]))
    assert found is not None
    assert found.index == pytest.approx(1.5, rel=0.05)
    assert 5.0 <= found.start < 6.0


@pytest.mark.parametrize(
    "law",
    [
        stats.lognorm(1.0, scale=8.0),
        stats.expon(scale=10.0),
        stats.gamma(0.5, scale=20.0),
        stats.uniform(2, 100),
        stats.weibull_min(0.7, scale=10.0),
    ],
)
def test_other_laws_are_no_power_laws(law):
    for count in (300, 1_000):
        assert fitted(rows(law, count)) is None
        drawn = law.rvs(count, random_state=np.random.default_rng(1))
        assert fitted(drawn) is None


def test_few_or_equal_or_no_positive_values_have_none():
    assert fitted(rows(stats.pareto(1.5), 99)) is None
    assert fitted(np.full(500, 7.0)) is None
    assert fitted(np.zeros(500)) is None


def test_a_weight_is_that_number_of_equal_rows():
    values = rows(stats.pareto(1.5, scale=3.0), 200)
    twice = fitted(values, np.full(200, 2, np.int64))
    assert twice == fitted(np.repeat(values, 2))


def test_the_index_is_the_inverse_of_the_mean_logarithm():
    values, weight = np.array([1.0, 2.0, 4.0, 8.0]), np.array([9, 1, 1, 2])
    logs = (math.log(2) + 2 * 2 * math.log(2)) / 4
    assert index_above(2.0, values, weight) == pytest.approx(1 / logs)

from __future__ import annotations

import numpy as np
import pytest

from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.tail_fit import TailLaw, demand_tail


def profile(demand_ms, weight=None):
    count = len(demand_ms)
    return DemandProfile(
        np.asarray(demand_ms, float),
        np.ones(count, np.int64) if weight is None else np.asarray(weight),
        np.ones((1, 1)),
        np.zeros(count, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "core",
    )


def quantiles(inverse, count=20_000):
    """A sample as even as can be: the quantiles in the middle of each place."""
    return inverse((np.arange(count) + 0.5) / count)


@pytest.mark.parametrize(
    ("inverse", "shape"),
    [
        (lambda p: -np.log(1 - p), 0.0),
        (lambda p: (1 - p) ** (-1 / 4), 0.25),
        (lambda p: 1 + p, -1.0),
    ],
)
def test_laws_whose_tail_is_known_are_found(inverse, shape):
    found = demand_tail(profile(quantiles(inverse)))
    assert found is not None
    assert found.shape == pytest.approx(shape, abs=0.03)
    assert found.share == pytest.approx(0.05, abs=0.001)


def test_the_fit_goes_through_the_tail_of_an_exponential():
    found = demand_tail(profile(quantiles(lambda p: -10 * np.log(1 - p))))
    assert found is not None
    # Half of what is above a demand of an exponential law is above 10 ln 2 more.
    for half in (1, 2, 3):
        demand_ms = found.start + half * 10 * np.log(2)
        assert found.survival(demand_ms) == pytest.approx(0.05 / 2**half, rel=0.05)


def test_weights_count_as_so_many_requests():
    demand = quantiles(lambda p: -np.log(1 - p), 4_000)
    single, double = demand_tail(profile(demand)), demand_tail(profile(demand, np.full(4_000, 5)))
    assert single is not None
    assert double is not None
    assert double.shape == pytest.approx(single.shape, abs=0.01)
    assert double.scale == pytest.approx(single.scale, rel=0.01)


def test_few_or_equal_demands_have_no_fit():
    assert demand_tail(profile(quantiles(lambda p: 1 + p, 500))) is None
    assert demand_tail(profile(np.full(2_000, 7.0))) is None


@pytest.mark.parametrize("shape", [-0.5, 0.0, 0.7])
def test_exceeded_by_is_the_inverse_of_survival(shape):
    law = TailLaw(10.0, 0.05, shape, 3.0)
    parts = np.array([1.0, 0.4, 1e-3])
    values = law.exceeded_by(parts)
    assert values[0] == 10.0
    assert [law.survival(value) for value in values] == pytest.approx(0.05 * parts)

"""Training: parameters of synthetic servers, and columns that cannot be told apart."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import nnls
from tailc_solvers.power.model import CounterPowerModel, PowerCounters, Watts, columns_of
from tailc_solvers.power.train import Training, errors, train

from tests.reference.counter_traces import QUIET, TRUE, Noise, trace


def test_a_server_that_follows_the_model_has_its_parameters_found():
    counters, watts = trace(4_000, 1, QUIET)
    # A constant voltage of the uncore is no column twice: the components are measured apart.
    found = train(counters, watts)
    assert found.is_unique
    for ours, true in zip(found.model.components, TRUE.components, strict=True):
        assert ours == pytest.approx(true, rel=1e-6)
    assert found.core.residual_w < 1e-6
    assert 1 < found.core.condition < 1e4


def test_predictions_of_another_trace_are_as_near_as_the_dissertation_has_them():
    """Mean error 1.7 % and 5.1 % of the server, at most 0.35 % in the long term (table 3.1)."""
    found = train(*trace(20_000, 1, Noise()))
    counters, watts = trace(20_000, 2, Noise())
    off = errors(found.model.predict(counters), watts)
    assert off.absolute.total < 0.051
    assert off.absolute.rest == max(off.absolute[:4])
    assert max(off.long_term) < 0.01


def test_none_of_the_parameters_is_negative_and_the_fit_is_that_of_active_sets():
    draw = np.random.default_rng(3)
    counters, watts = trace(500, 3, Noise())
    odd = Watts(*(power * draw.uniform(0, 2, 500) for power in dataclasses.astuple(watts)))
    found = train(counters, odd)
    for columns, power, part in zip(
        columns_of(counters),
        (odd.core, odd.uncore, odd.dram, odd.rest),
        (found.core, found.uncore, found.dram, found.rest),
        strict=True,
    ):
        assert min(part.parameters) >= 0
        assert part.residual_w == pytest.approx(nnls(columns, power)[1] / np.sqrt(500), rel=1e-9)


def test_columns_that_follow_one_another_are_named():
    """Loads that are a third of all instructions: c1 + c2 / 3 is all that can be known."""
    counters, watts = trace(500, 4, QUIET)
    alike = dataclasses.replace(counters, near_loads=counters.instructions / 3)
    found = train(alike, watts).core
    assert found.status is Training.SINGULAR
    assert found.alike == ("c1", "c2")
    assert np.isinf(found.condition)


def test_one_frequency_cannot_tell_leakage_from_switching():
    counters, watts = trace(160, 5, QUIET)
    found = train(counters, watts).core
    assert found.status is Training.SINGULAR
    assert found.alike == ("i", "c0")


def test_fewer_samples_than_parameters_are_singular():
    counters, watts = trace(3, 6, QUIET)
    assert train(counters, watts).core.status is Training.SINGULAR


def test_a_counter_that_is_never_used_is_named():
    counters, watts = trace(500, 7, QUIET)
    still = dataclasses.replace(counters, far_accesses=0 * counters.far_accesses)
    found = train(still, watts).core
    assert (found.status, found.alike) == (Training.UNUSED, ("c3",))
    assert found.parameters[4] == 0.0


def test_power_adds_up_over_cores_by_hand():
    """Two cores of 1 V at 2 GHz and IPC 1 and 2, no loads: 2 (i + 2 c0) + 2 c1 (1 + 2)."""
    two, one = np.ones((1, 2)), np.ones(1)
    counters = PowerCounters(
        two, 2 * two, np.array([[1.0, 2.0]]), 0 * two, 0 * two, one, one, one, 2 * one, 3 * one
    )
    found = CounterPowerModel((1, 10, 100, 5, 5), (1, 10, 100), (7, 2), (4,)).predict(counters)
    assert found.core == pytest.approx([2 * (1 + 20) + 600])
    assert found.uncore == pytest.approx([1 + 10 + 200])
    assert found.dram == pytest.approx([7 + 6])
    assert found.total == pytest.approx([642 + 211 + 13 + 4])


def test_errors_are_of_the_whole_server_by_sample_and_of_the_component_over_all():
    measured = Watts(*(np.array([10.0, 10.0]) for _ in range(4)))
    predicted = dataclasses.replace(measured, core=np.array([12.0, 9.0]))
    found = errors(predicted, measured)
    assert found.absolute == pytest.approx((1.5 / 40, 0, 0, 0, 1.5 / 40))
    assert found.long_term == pytest.approx((0.05, 0, 0, 0, 0.0125))
    assert found.absolute_w == pytest.approx(1.5)


def test_what_is_no_trace_is_refused():
    counters, watts = trace(10, 8, QUIET)
    with pytest.raises(ValueError, match="cache_hits must be finite and not negative"):
        dataclasses.replace(counters, cache_hits=-counters.cache_hits)
    with pytest.raises(ValueError, match="each sample"):
        dataclasses.replace(counters, cache_hits=counters.cache_hits[1:])
    with pytest.raises(ValueError, match=r"\[samples, cores\]"):
        dataclasses.replace(counters, freq_ghz=counters.freq_ghz[:, :2])
    with pytest.raises(ValueError, match="entry for each sample"):
        train(counters, Watts(*(power[1:] for power in dataclasses.astuple(watts))))
    with pytest.raises(ValueError, match="none negative"):
        dataclasses.replace(TRUE, dram=(-1.0, 1.0))

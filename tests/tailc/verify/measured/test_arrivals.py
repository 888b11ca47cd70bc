"""Measured arrivals compared with a process: no difference by chance, and planted ones found."""

import numpy as np
import pytest

from tailc.models import streams
from tailc.models.arrivals import Poisson
from tailc.models.modulated_arrivals import Burstiness
from tailc.models.streams import Purpose
from tailc.verify.measured.arrivals import compare_arrivals

POISSON = Poisson(10_000)
BURSTY = Burstiness(4_000_000, 2_000_000).with_rate(10_000)
TRIALS = 20


def flags(measured, predicted, requests=5_000):
    """How often the rate, and how often the index is flagged."""
    found = [
        compare_arrivals(
            measured.arrival_ns(streams.stream(seed, Purpose.ARRIVALS, 0), requests), predicted
        )
        for seed in range(TRIALS)
    ]
    return sum(one.has_other_rate for one in found), sum(one.has_other_index for one in found)


@pytest.mark.parametrize("process", [POISSON, BURSTY])
@pytest.mark.parametrize("requests", [500, 5_000])
def test_chance_is_not_flagged(process, requests):
    assert flags(process, process, requests) == (0, 0)


def test_a_rate_higher_by_a_tenth_is_flagged():
    rates, indices = flags(Poisson(11_000), POISSON)
    assert (rates >= 18, indices) == (True, 0)


@pytest.mark.parametrize(("measured", "predicted"), [(BURSTY, POISSON), (POISSON, BURSTY)])
def test_bursts_of_one_of_them_are_flagged(measured, predicted):
    rates, indices = flags(measured, predicted)
    assert (rates, indices) == (0, TRIALS)


def test_a_constant_gap_has_no_dispersion():
    found = compare_arrivals(np.arange(2_000) * 100_000_000, POISSON)
    assert (found.rate_mrps, found.index, found.has_other_index) == (10_000, 0.0, True)
    assert found.is_flagged

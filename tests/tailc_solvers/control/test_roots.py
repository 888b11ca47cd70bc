"""Stability of sampled loops: closed forms, and two tests that know nothing of one another."""

import numpy as np
import pytest
from tailc_solvers.control.plant import SampledPlant
from tailc_solvers.control.roots import (
    characteristic,
    delays_within,
    is_schur,
    is_stable,
    spectral_radius,
    stable_for_delays,
)

from tests.tailc_solvers.control.roots_case import LOW_LOAD, PUBLISHED_GAINS

"""Tail over threshold with a type twice as fast, 1 - 1/2, seen through a window of four epochs."""

"""Haque et al., MICRO 2017, table 2."""


@pytest.mark.parametrize("delay", [1, 2, 3, 5, 9])
def test_an_integral_loop_around_a_pure_delay_is_stable_up_to_its_known_gain(delay):
    """z^d - z^(d-1) + g ki has its roots inside for 0 < g ki < 2 sin(pi / (2 (2 d - 1)))."""
    limit = 2 * np.sin(np.pi / (2 * (2 * delay - 1)))
    plant = SampledPlant((0.5,), delay=delay)
    assert is_stable(plant, 0.0, 0.999 * limit / 0.5, 0.0, delay)
    assert not is_stable(plant, 0.0, 1.001 * limit / 0.5, 0.0, delay)
    assert not is_stable(plant, 0.0, -0.001, 0.0, delay)


def test_an_integral_gain_of_one_over_the_plants_is_deadbeat():
    plant = SampledPlant((0.5,))
    assert spectral_radius(characteristic(plant, 0.0, 2.0, 0.0, 1)) == 0.0


def test_pole_placement_puts_the_roots_where_it_says():
    """For b z^-1 / (1 - a z^-1): kp = (a - p1 p2) / b, ki = (1 - p1)(1 - p2) / b."""
    b, a, wanted = 0.3, 0.8, (0.2, 0.6)
    kp, ki = (a - wanted[0] * wanted[1]) / b, (1 - wanted[0]) * (1 - wanted[1]) / b
    found = np.roots(characteristic(SampledPlant((b,), (1.0, -a)), kp, ki, 0.0, 1))
    assert np.sort(found.real) == pytest.approx((0.0, *wanted), abs=1e-12)  # kd = 0: one at 0


def test_schur_and_cohn_agree_with_the_roots_on_random_polynomials():
    rng = np.random.default_rng(7)
    verdicts = set()
    for _ in range(2000):
        polynomial = rng.normal(size=rng.integers(1, 9)) * rng.uniform(0.2, 1.0)
        polynomial[0] = 1.0
        radius = spectral_radius(polynomial)
        assert abs(radius - 1.0) > 1e-9
        assert is_schur(polynomial) == (radius < 1.0)
        verdicts.add(radius < 1.0)
    assert verdicts == {True, False}


@pytest.mark.parametrize("gains", PUBLISHED_GAINS)
def test_the_published_gains_are_stable_at_low_load_with_a_window_of_four_epochs(gains):
    assert stable_for_delays(LOW_LOAD, *gains)


def test_the_published_gains_with_the_sign_turned_are_not_stable():
    kp, ki, kd = PUBLISHED_GAINS[0]
    assert not is_stable(LOW_LOAD, -kp, -ki, -kd, 1)


@pytest.mark.parametrize(
    ("delay", "wanted"), [(1, [1, 2]), (2, [1, 2, 3]), (4, [3, 4, 5]), (10, [8, 9, 10, 11, 12])]
)
def test_delays_within_a_fifth_hold_an_epoch_more_and_one_fewer(delay, wanted):
    assert list(delays_within(delay)) == wanted


def test_a_loop_that_an_epoch_more_makes_unstable_is_told():
    plant = SampledPlant((1.0,))
    assert is_stable(plant, 0.0, 1.5, 0.0, 1)  # below 2
    assert not stable_for_delays(plant, 0.0, 1.5, 0.0)  # above 1, the limit of two epochs

"""Sampled plants against python-control's zero-order hold and closed forms."""

import math

import control
import numpy as np
import pytest
from tailc_solvers.control.plant import Plant, lag
from tailc_solvers.control.sampling import sample_plant

from tests.tailc_solvers.control.plants import CONTINUOUS

STEP = 0.25
WITHOUT_DEAD_TIME = {n: Plant(p.num, p.den) for n, (p, _) in CONTINUOUS.items() if len(p.den) > 1}


@pytest.mark.parametrize("name", WITHOUT_DEAD_TIME)
def test_a_sampled_plant_is_the_one_of_a_zero_order_hold(name):
    plant = WITHOUT_DEAD_TIME[name]
    held = control.sample_system(control.tf(plant.num, plant.den), STEP, "zoh")
    wanted = control.step_response(held, np.arange(41) * STEP).outputs
    assert sample_plant(plant, STEP).step_response(40) == pytest.approx(wanted[1:], abs=1e-9)


@pytest.mark.parametrize("dead_time", [0.0, 0.1, 0.25, 0.6, 1.0])
def test_a_dead_time_of_parts_of_a_sample_is_exact(dead_time):
    found = sample_plant(lag(2.0, [1.5], dead_time), STEP).step_response(30)
    late = np.arange(1, 31) * STEP - dead_time
    wanted = np.where(late > 1e-12, 2 * (1 - np.exp(-np.maximum(late, 0) / 1.5)), 0.0)
    assert found == pytest.approx(wanted, abs=1e-9)


def test_a_first_order_lag_has_the_pole_and_gain_of_the_textbook():
    plant = sample_plant(lag(3.0, [2.0], 0.5), STEP)
    pole = math.exp(-STEP / 2)
    assert plant.delay == 3
    assert plant.a == pytest.approx((1.0, -pole))
    assert plant.b == pytest.approx((3 * (1 - pole),))


def test_an_integrator_stays_one():
    plant = sample_plant(Plant((1.0,), (1.0, 1.0, 0.0), 0.5), STEP)
    assert plant.is_integrating
    assert plant.is_stable


def test_a_dead_time_of_thousands_of_samples_is_refused():
    with pytest.raises(ValueError, match="1000 samples"):
        sample_plant(lag(1.0, [1.0], 2.0), 1e-3)

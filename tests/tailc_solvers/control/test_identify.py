"""Identification: plants that made the response come back, noise and all."""

import numpy as np
import pytest
from tailc_solvers.control.identify import UnfitResponseError, identify
from tailc_solvers.control.plant import SampledPlant

WINDOW_OF_FOUR = SampledPlant((0.125,) * 4)
PLANTS = {
    "gain": SampledPlant((0.5,)),
    "window": WINDOW_OF_FOUR,
    "late window": SampledPlant((0.125,) * 4, delay=3),
    "one pole": SampledPlant((0.1,), (1.0, -0.9), 3),
    "falling": SampledPlant((-0.1,), (1.0, -0.7)),
    "two poles": SampledPlant((0.1, 0.05), (1.0, -1.5, 0.54), 2),
}


@pytest.mark.parametrize("name", PLANTS)
def test_an_exact_response_gives_its_plant_back(name):
    plant, size = PLANTS[name], 3.0
    found = identify(size * plant.step_response(60), size).plant
    assert (found.delay, len(found.a), len(found.b)) == (plant.delay, len(plant.a), len(plant.b))
    assert found.b == pytest.approx(plant.b, abs=1e-5)
    assert found.a == pytest.approx(plant.a, abs=1e-5)


@pytest.mark.parametrize("name", PLANTS)
def test_noise_is_left_as_the_residual_and_moves_the_gain_little(name):
    plant, sigma = PLANTS[name], 0.02
    noise = sigma * np.random.default_rng(3).normal(size=80)
    found = identify(plant.step_response(80) + noise, 1.0)
    # Of 80 values at most five go into the fit.
    assert found.residual == pytest.approx(np.sqrt(np.mean(noise**2)), rel=0.1)
    # Half of the values at least are at rest: 3 standard deviations of their mean.
    assert found.plant.gain == pytest.approx(plant.gain, abs=max(0.01, 0.03 * abs(plant.gain)))


def test_the_step_response_is_that_of_the_difference_equation():
    """y(k) = 0.5 y(k-1) + 2 u(k-2) + u(k-3), u = 1 from epoch 0 on."""
    plant = SampledPlant((2.0, 1.0), (1.0, -0.5), 2)
    assert list(plant.step_response(5)) == [0.0, 2.0, 4.0, 5.0, 5.5]


def test_the_same_response_gives_the_same_bytes():
    y = PLANTS["two poles"].step_response(50)
    assert repr(identify(y, 1.0)) == repr(identify(y.copy(), 1.0))


@pytest.mark.parametrize(
    ("response", "size", "says"),
    [
        ([0.0] * 20, 1.0, "constant"),
        ([1.0, 1.0, 1.0], 1.0, "fewer than"),
        ([1.0, np.nan, 1.0, 1.0, 1.0], 1.0, "finite"),
        ([1.0] * 20, 0.0, "not 0"),
        (list(np.arange(1.0, 41.0)), 1.0, "not settled"),
    ],
)
def test_a_response_that_says_too_little_is_refused(response, size, says):
    with pytest.raises(UnfitResponseError, match=says):
        identify(response, size)

"""Plants come back from their own step responses, at uneven times and under noise."""

import numpy as np
import pytest
from tailc_solvers.control.identify import UnfitResponseError
from tailc_solvers.control.step_fit import fit_step

RNG = np.random.default_rng(5)
TIMES = np.sort(RNG.uniform(0, 30, 240))


def response(gain, lags, dead_time):
    """Partial fractions of distinct lags, by hand."""
    later = np.maximum(TIMES - dead_time, 0.0)
    if not lags:
        return gain * (dead_time <= TIMES)
    shares = [np.prod([1 / (1 - other / own) for other in lags if other != own]) for own in lags]
    fall = sum(share * np.exp(-later / own) for share, own in zip(shares, lags, strict=True))
    return gain * (1 - fall)


@pytest.mark.parametrize(
    ("gain", "lags", "dead_time"),
    [(2.0, [3.0], 1.5), (-0.5, [3.0], 0.0), (1.0, [4.0, 1.0], 2.0), (10.0, [], 4.0)],
)
def test_an_exact_response_gives_its_plant_back(gain, lags, dead_time):
    fit = fit_step(TIMES, 0.5 * response(gain, lags, dead_time), 0.5)
    assert fit.plant.gain == pytest.approx(gain, rel=1e-3)
    assert np.sort(-1 / fit.plant.poles.real)[::-1] == pytest.approx(lags, rel=1e-2)
    # Without a lag any dead time between two rows is the same.
    rows = TIMES if not lags else np.arange(0, 30, 0.02)
    assert np.sum(rows < fit.plant.dead_time) == pytest.approx(np.sum(rows < dead_time), abs=1)


def test_noise_is_the_residual_and_hardly_moves_the_plant():
    noise = 0.05 * np.random.default_rng(8).normal(size=TIMES.size)
    fit = fit_step(TIMES, response(2.0, [3.0], 1.5) + noise, 1.0)
    assert fit.residual == pytest.approx(np.sqrt(np.mean(noise**2)), rel=0.03)
    assert fit.plant.gain == pytest.approx(2.0, rel=0.02)
    assert fit.plant.dead_time == pytest.approx(1.5, abs=0.3)


def test_a_ramp_has_not_settled():
    with pytest.raises(UnfitResponseError, match="not settled"):
        fit_step(TIMES, TIMES, 1.0)


@pytest.mark.parametrize(
    ("times", "values", "says"),
    [
        ([0.0, 1.0], [0.0, 1.0], "fewer"),
        (np.arange(9.0)[::-1], np.ones(9), "ascend"),
        (np.arange(9.0), np.zeros(9), "constant"),
        (np.arange(9.0), [np.inf] * 9, "finite"),
    ],
)
def test_a_response_that_says_too_little_is_refused(times, values, says):
    with pytest.raises(UnfitResponseError, match=says):
        fit_step(times, values, 1.0)

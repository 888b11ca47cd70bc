"""Fits of step times: exact where the model is exact, monotone where measurements are noisy."""

from __future__ import annotations

import numpy as np
import pytest
from tailc_solvers.step_times import fit_sum

PROMPT, DECODING = (
    each.ravel().astype(float) for each in np.meshgrid([0, 64, 256, 512], [1, 2, 4, 8, 16])
)


def predicted(fitted, amounts):
    return fitted.constant + sum(
        np.interp(amount, part.knots, part.values)
        for amount, part in zip(amounts, fitted.parts, strict=True)
    )


def test_a_linear_time_is_fitted_exactly_with_one_segment():
    time = 5 + 0.1 * PROMPT + 0.3 * DECODING
    fitted = fit_sum([PROMPT, DECODING], time)
    assert fitted.segments == 1
    assert fitted.worst < 1e-9
    assert predicted(fitted, [PROMPT, DECODING]) == pytest.approx(time)


@pytest.mark.parametrize("shape", [np.sqrt, np.square, lambda x: np.minimum(x, 100.0)])
def test_a_curved_time_needs_more_segments_and_is_close(shape):
    prompt = np.arange(0.0, 800.0, 8.0)
    time = 20 + shape(prompt) * 100 / shape(800.0)
    fitted = fit_sum([prompt], time)
    assert fitted.segments > 1
    assert fitted.error < 0.05
    assert predicted(fitted, [prompt]) == pytest.approx(time, rel=0.3)


def test_a_noisy_time_never_decreases_and_its_error_is_about_the_noise():
    rng = np.random.default_rng(5)
    time = (5 + 0.1 * PROMPT + 0.3 * DECODING) * rng.uniform(0.9, 1.1, len(PROMPT))
    fitted = fit_sum([PROMPT, DECODING], time)
    for part in fitted.parts:
        assert (np.diff(part.values) >= 0).all()
        assert part.values[0] == 0
    assert 0.02 < fitted.error < 0.15


def test_an_amount_that_is_always_zero_takes_no_time():
    fitted = fit_sum([PROMPT, np.zeros_like(PROMPT)], 5 + 0.1 * PROMPT)
    assert fitted.parts[1].values.tolist() == [0, 0]

import numpy as np
import pytest
from tailc_solvers.shares.least_squares import least_squares


def test_a_model_without_noise_is_found():
    rng = np.random.default_rng(1)
    x, u = rng.uniform(1, 9, 40), rng.uniform(0.1, 0.9, 40)
    model = least_squares(x, u, 0.6 * x + 2 * u)
    assert model is not None
    assert (model.a, model.b) == pytest.approx((0.6, 2.0), rel=1e-12)
    assert model.error_rms == pytest.approx(0, abs=1e-12)


def test_least_squares_agrees_with_a_library():
    rng = np.random.default_rng(2)
    x, u = rng.uniform(1, 9, 300), rng.uniform(0.1, 0.9, 300)
    y = 0.3 * x + 40 * u + rng.normal(0, 2, 300)
    model = least_squares(x, u, y)
    wanted, (squares,), *_ = np.linalg.lstsq(np.column_stack([x, u]), y, rcond=None)
    assert model is not None
    assert (model.a, model.b) == pytest.approx(wanted, rel=1e-9)
    assert model.error_rms == pytest.approx(np.sqrt(squares / 300), rel=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_share_that_never_changes_tells_nothing(share):
    assert least_squares(np.full(9, 4.0), np.full(9, share), np.full(9, 4.0)) is None


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(3)
    x, u, y = rng.uniform(1, 9, (3, 500))
    order = rng.permutation(500)
    assert least_squares(x, u, y) == least_squares(x[order], u[order], y[order])

import numpy as np
import pytest

from tests.reference.static_share import best_static_share


def error_of(share, a, b, disturbed, start, target):
    now, errors = start, []
    for k in range(len(a)):
        now = (a[k] * now + b[k] * share) * disturbed[k]
        errors.append(abs(now - target) / target)
    return np.mean(errors)


def case(seed, a=0.3):
    rng = np.random.default_rng(seed)
    phases = np.where(np.arange(60) % 30 < 10, 12.0, 20.0)
    return np.full(60, a), phases, rng.uniform(0.8, 1.2, 60), 5.0, 10.0


def test_one_phase_without_noise_has_the_share_that_meets_the_target():
    """10 = 0.6 10 + 20 r, from 10 on."""
    found = best_static_share(np.full(5, 0.6), np.full(5, 20.0), np.ones(5), 10.0, 10.0, (0, 1))
    assert found.share == pytest.approx(0.2)
    assert found.error == pytest.approx(0, abs=1e-15)


def test_of_two_phases_the_longer_has_its_way():
    """Throughput 20 r and 10 r: at 0.5 the first 3 are right and the 2 others are off by half."""
    b = np.array([20.0, 20.0, 20.0, 10.0, 10.0])
    found = best_static_share(np.zeros(5), b, np.ones(5), 0.0, 10.0, (0, 1))
    assert found.share == pytest.approx(0.5)
    assert found.error == pytest.approx(0.2)


@pytest.mark.parametrize("seed", range(6))
def test_no_share_of_a_fine_grid_is_better(seed):
    parts = case(seed)
    found = best_static_share(*parts, (0.05, 1.0))
    assert found.error == pytest.approx(error_of(found.share, *parts), rel=1e-12)
    grid = [error_of(share, *parts) for share in np.linspace(0.05, 1, 400)]
    assert found.error <= min(grid) + 1e-12


def test_a_median_outside_the_limits_gives_the_nearer_limit():
    parts = case(1)
    assert best_static_share(*parts, (0.9, 1.0)).share == 0.9
    assert best_static_share(*parts, (0.0, 0.1)).share == 0.1

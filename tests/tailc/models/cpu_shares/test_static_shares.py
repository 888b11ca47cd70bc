import numpy as np
import pytest

from tailc.forms.shares import Machine
from tailc.models.cpu_shares.baselines.fair import equal_part
from tailc.models.cpu_shares.plant import replay
from tailc.models.cpu_shares.static_shares import best_static
from tests.reference.static_share import best_static_share
from tests.tailc.models.cpu_shares.hosts import plant_of, shares_of


@pytest.mark.parametrize("seed", range(3))
def test_the_search_comes_to_the_weighted_median(seed):
    b = np.where(np.arange(90) % 30 < 12, 14.0, 25.0)
    shares = shares_of(Machine("phases", 10_000, 0, 20_000))
    plant = plant_of([0.2], [b], 90, noise=0.1, seed=seed)
    found = best_static(shares, plant)
    # The first step is before a window is full, and does not count.
    start = replay(shares, plant, np.full((1, 90), found.shares[0])).throughput[0, 0]
    wanted = best_static_share(
        plant.a[0, 1:], plant.b[0, 1:], plant.disturbed[0, 1:], start, 10.0, (0.05, 1.0)
    )
    assert found.errors[0] == pytest.approx(wanted.error, rel=0.01)
    assert found.shares[0] == pytest.approx(wanted.share, abs=0.01)


def test_shares_that_are_more_than_the_host_are_cut_in_proportion():
    machines = (Machine("a", 8_000, 0, 10_000), Machine("b", 12_000, 0, 20_000))
    found = best_static(shares_of(*machines), plant_of([0, 0], [10.0, 20.0], 20))
    assert found.shares == pytest.approx((0.8 / 1.4, 0.6 / 1.4), abs=0.001)
    assert found.errors == pytest.approx((1 - 1 / 1.4,) * 2, abs=0.002)


def test_equal_parts_are_of_all_machines():
    machines = (Machine("a", 8_000, 0, 10_000), Machine("b", None, 0, 1), Machine("c", None, 0, 1))
    assert equal_part(shares_of(*machines)) == pytest.approx(1 / 3, abs=1e-6)


def test_a_search_costs_no_more_where_models_are_estimated_often():
    """Some 140 replays of 200 steps and 750,000 ticks each would take minutes."""
    machine, plant = Machine("a", 10_000, 0, 20_000), plant_of([0.2], [20.0], 200, noise=0.1)
    often = best_static(shares_of(machine, estimate_us=1), plant)
    usual = best_static(shares_of(machine), plant)
    assert often == usual
    assert often.errors[0] == pytest.approx(
        replay(shares_of(machine), plant, np.full((1, 200), usual.shares[0])).slo_error[0]
    )

"""Two phases that share a target, against closed forms and a search over all thresholds."""

import itertools

import numpy as np
import pytest
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.evaluate import evaluate_thresholds
from tailc_solvers.thresholds.phases import Phase, solve_phases


def phase(demand_ms, speed, power, rank=None):
    demand_ms = np.array(demand_ms, dtype=np.float64)
    return Phase(WeightedSample.common(demand_ms, [1.0]), speed, power, rank or demand_ms.size)


def test_the_phase_whose_time_is_cheaper_to_save_is_sped_up_first():
    # Twice as fast: a ms saved costs 3 - 2 / 1 = 1 of energy in the first, 5 - 2 = 3 in the second.
    first, second = phase([100], [1, 2], [1, 3]), phase([100], [1, 2], [1, 5])
    for target, energy in ((200, 200), (175, 225), (150, 250), (120, 340), (100, 400)):
        found = solve_phases(first, second, target_ms=target, tolerance=1e-6)
        assert found.status is Status.OPTIMAL
        assert found.energy == pytest.approx(energy, rel=1e-6)
        assert found.bound <= found.energy * (1 + 1e-12)
        assert found.phases[0].tail_ms + found.phases[1].tail_ms <= target * (1 + 1e-9)


def test_a_phase_that_no_type_speeds_up_gets_the_time_that_it_needs():
    first, second = phase([40, 80], [1], [1]), phase([100, 100], [1, 2], [1, 3])
    found = solve_phases(first, second, target_ms=140)
    # 80 ms for the first; the second has 60 ms for 100 of work: 20 at 1 and 80 at 2.
    assert found.phases[1].age_ms[0] == pytest.approx(20, rel=1e-6)
    assert found.energy == pytest.approx(60 + 20 + 40 * 3, rel=1e-6)


def test_a_target_that_no_split_meets_is_infeasible():
    parts = phase([100], [1, 2], [1, 3]), phase([100], [1, 4], [1, 9])
    found = solve_phases(*parts, target_ms=74)
    assert (found.status, found.energy) == (Status.INFEASIBLE, np.inf)
    assert found.phases[0].nearest_tail_ms + found.phases[1].nearest_tail_ms == 75
    assert solve_phases(*parts, target_ms=75).energy == pytest.approx(150 + 225)


@pytest.mark.parametrize("seed", range(6))
def test_no_thresholds_on_a_grid_need_less_energy(seed):
    random = np.random.default_rng(seed)
    parts = [
        phase(random.exponential(50, 12), [1, 1.6, 2.2], [1, 2.2, powers], rank=11)
        for powers in (3.6, 4.5)
    ]
    target = 0.7 * sum(np.sort(part.sample.demand_ms)[10] for part in parts)
    found = solve_phases(*parts, target_ms=target, tolerance=1e-4)
    least = least_on_grid(parts, target, steps=30)
    assert found.status is Status.OPTIMAL
    assert found.bound <= least
    assert found.energy <= least * (1 + 1e-4)
    assert found.energy >= 0.97 * least


def least_on_grid(parts, target_ms, steps):
    """Every pair of ages of either phase, and never."""
    figures = []
    for part in parts:
        grid = [*np.linspace(0, part.sample.demand_ms.max(), steps), np.inf]
        pairs = itertools.combinations_with_replacement(grid, 2)
        sample = WeightedSample.common(part.sample.demand_ms, part.speed)
        figures.append([evaluate_thresholds(sample, part.power, p, part.rank) for p in pairs])
    return min(
        a.energy + b.energy
        for a, b in itertools.product(*figures)
        if a.tail_ms + b.tail_ms <= target_ms
    )

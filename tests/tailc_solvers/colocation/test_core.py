"""Pairs of frequencies: by loops over all, by hand, and where climbing ends elsewhere."""

import dataclasses

import numpy as np
import pytest
from tailc_solvers.colocation.core import best_pair, climb, climbed_pair
from tailc_solvers.status import Status

from tests.reference import colocation_plain as plain
from tests.tailc_solvers.colocation.core_case import GRID, core, random_cores, switching


def test_the_grid_has_14_levels_and_196_pairs():
    assert core().work_per_joule().shape == (14, 14)


@pytest.mark.parametrize("least", [0, 5, 13])
def test_the_best_pair_is_that_of_loops_over_all(least):
    for problem in random_cores(60):
        found, wanted = best_pair(problem, least), plain.best_pair(problem, least)
        if wanted is None:
            assert found.status is Status.INFEASIBLE
            assert found.critical is found.batch is None
        else:
            assert (found.critical, found.batch) == wanted[:2]
            assert found.work_per_joule == pytest.approx(wanted[2], rel=1e-12)


def test_for_every_forced_frequency_no_other_batch_frequency_is_better():
    for problem in random_cores(20):
        by_critical = best_pair(problem).best_batch
        for a, b, u, work, power in plain.pairs(problem):
            if u >= 1:
                assert by_critical[a] is None
            else:
                best = problem.work_per_joule()[a, by_critical[a]]
                assert work / power <= best * (1 + 1e-12)
                assert b is not None


def test_a_busy_share_of_80_instead_of_90_percent_doubles_batch_work():
    """Compute alone, u0 = 0.9 at 2.4 GHz: u = 0.8 takes 2.7 GHz, and 0.2 is twice 0.1."""
    grid = np.array([2.4, 2.7])
    problem = core(
        freq_ghz=grid,
        critical_power_w=np.ones(2),
        batch_power_w=np.ones(2),
        critical_memory=0.0,
        utilization=0.9,
    )
    work = problem.batch_work()
    assert work[1, 0] / work[0, 0] == pytest.approx(2.0)


def test_more_requests_ask_for_no_lower_frequencies_and_give_less_for_a_joule():
    found = [best_pair(core(utilization=u)) for u in (0.1, 0.3, 0.5, 0.7, 0.9)]
    critical = [pair.critical for pair in found]
    batch = [pair.batch for pair in found]
    assert critical == sorted(critical)
    assert batch == sorted(batch)
    tpw = [pair.work_per_joule for pair in found]
    assert tpw == sorted(tpw, reverse=True)


def test_memory_bound_requests_run_slower_at_the_optimum():
    compute, memory = best_pair(core(critical_memory=0.1)), best_pair(core(critical_memory=0.7))
    assert memory.critical < compute.critical
    assert abs(memory.batch - compute.batch) <= 1


def test_forced_above_its_optimum_the_best_batch_frequency_is_no_lower():
    pair = best_pair(core(critical_memory=0.6))
    assert pair.best_batch[int(np.searchsorted(GRID, 2.4))] >= pair.batch


def test_a_core_that_requests_overload_has_no_pair():
    found = best_pair(core(utilization=5.0))
    assert found.status is Status.INFEASIBLE
    assert found.best_batch == (None,) * 14
    assert found.work_per_joule == 0.0


def test_climbing_ends_at_the_optimum_of_smooth_power():
    for problem in random_cores(200):
        found = best_pair(problem)
        if found.status is Status.OPTIMAL:
            end = climb(problem, (13, 13))
            assert problem.work_per_joule()[end] == pytest.approx(found.work_per_joule, rel=1e-9)


def test_climbing_stops_short_where_power_has_a_step():
    """A regulator that takes 8 W more from 1.6 GHz on hides what lies beyond."""
    stepped = switching(1.0) + np.where(GRID >= 1.6, 8.0, 0.0)
    problem = core(batch_power_w=stepped, batch_memory=0.0, shared_w=30.0, utilization=0.05)
    found = best_pair(problem)
    ends = {climb(problem, (at, 0)) for at in range(14)}
    assert any(problem.work_per_joule()[end] < 0.999 * found.work_per_joule for end in ends)


STEPPED = core(
    batch_power_w=switching(1.0) + np.where(GRID >= 1.6, 8.0, 0.0),
    batch_memory=0.0,
    shared_w=2.0,
    utilization=0.05,
)
"""Batch work that draws 8 W more from 1.6 GHz on: a climb from above sees no way down."""


@pytest.mark.parametrize("least", [0, 5, 13])
def test_a_climbed_pair_of_smooth_power_is_the_best_of_all(least):
    for problem in random_cores(200):
        found, wanted = climbed_pair(problem, least), best_pair(problem, least)
        assert found.work_per_joule == pytest.approx(wanted.work_per_joule, rel=1e-9)
        assert found.status is (
            Status.INFEASIBLE if wanted.status is Status.INFEASIBLE else Status.LOCAL
        )


def test_a_climbed_pair_is_never_better_than_the_best_and_no_neighbour_is_better():
    draw = np.random.default_rng(11)
    short = 0
    for smooth in random_cores(200):
        noise = draw.uniform(0.9, 1.1, (2, 14))
        problem = dataclasses.replace(
            smooth,
            critical_power_w=smooth.critical_power_w * noise[0],
            batch_power_w=smooth.batch_power_w * noise[1],
        )
        found, best = climbed_pair(problem), best_pair(problem)
        if found.critical is None or found.batch is None:
            assert best.status is Status.INFEASIBLE
            continue
        tpw = problem.work_per_joule()
        assert found.work_per_joule == tpw[found.critical, found.batch] <= best.work_per_joule
        short += found.work_per_joule < best.work_per_joule
        near = np.abs(np.arange(14)[:, None] - (found.critical, found.batch)) <= 1
        assert tpw[near[:, 0], found.batch].max() == found.work_per_joule
        assert tpw[found.critical, near[:, 1]].max() == found.work_per_joule
    assert short > 0


def test_a_climb_with_requests_at_one_frequency_stops_at_a_step_of_power_too():
    found, best = climbed_pair(STEPPED), best_pair(STEPPED)
    assert found.best_batch[-1] == 13
    assert best.best_batch[-1] == 3
    assert found.work_per_joule < best.work_per_joule


def test_a_climb_goes_no_lower_than_requests_may_run():
    assert climbed_pair(core()).critical < 12
    assert climbed_pair(core(), 12).critical == 12


def test_a_core_that_requests_overload_has_nowhere_to_climb():
    found = climbed_pair(core(utilization=5.0))
    assert found.status is Status.INFEASIBLE
    assert found.best_batch == (None,) * 14


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"freq_ghz": GRID[::-1]}, "ascend"),
        ({"batch_power_w": np.ones(3)}, "by frequency"),
        ({"batch_power_w": np.zeros(14)}, "positive"),
        ({"batch_memory": 1.5}, "from 0 to 1"),
        ({"utilization": 0.0}, "must be positive"),
        ({"shared_w": -1.0}, "not be negative"),
    ],
)
def test_what_is_no_core_is_refused(changed, says):
    with pytest.raises(ValueError, match=says):
        core(**changed)

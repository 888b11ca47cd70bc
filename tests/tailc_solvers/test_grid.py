"""The grid search against the literal enumerator of the paper."""

import numpy as np
import pytest
from tailc_solvers.intervals import grid
from tailc_solvers.intervals.engines import curves_engine, individual_engine
from tailc_solvers.intervals.grid import GridSolution, search_grid
from tailc_solvers.objective import Objective
from tailc_solvers.status import Status

from tests.reference.enumerator import Winner
from tests.reference.instances import Instance, random_instance


def solve(instance: Instance, **more):
    return search_grid(
        instance.sample,
        instance.costs,
        instance.loads,
        instance.budget,
        beta_ppm=instance.beta_ppm,
        step_ms=instance.step,
        longest_ms=instance.longest,
        objective=Objective.TAIL if instance.target is None else Objective.COST,
        target_ms=instance.target,
        **more,
    )


ENGINES = {
    "curves": curves_engine,
    "individual": individual_engine,
}


def assert_equals_enumerator(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With either engine, whichever would have been chosen."""
    instance = random_instance(seed)
    wanted = [instance.enumerate(load).winner for load in instance.loads]
    for name, engine in ENGINES.items():
        monkeypatch.setattr(grid, "engine_for", engine)
        got = solve(instance)
        for row, winner in enumerate(wanted):
            where = f"seed {seed}, {name}, load {instance.loads[row]}, {instance}"
            if winner is None:
                assert_infeasible(instance, got, row, where)
            else:
                assert_same(got, winner, row, where)


def assert_same(got: GridSolution, wanted: Winner, row: int, where: str) -> None:
    assert got.status[row] is Status.OPTIMAL, where
    assert got.v_ms[row].tolist() == [float(v) for v in wanted.v], where
    figures = [got.tail_ms, got.mean_ms, got.cost_time_ms, got.total_cost]
    exact = [wanted.tail, wanted.mean, wanted.cost_time, wanted.total_cost]
    # A dozen additions and divisions of doubles.
    assert [f[row] for f in figures] == pytest.approx([float(x) for x in exact], rel=1e-12)


def assert_infeasible(instance: Instance, got: GridSolution, row: int, where: str) -> None:
    assert got.status[row] is Status.INFEASIBLE, where
    least = instance.enumerate(instance.loads[row], by_tail=True).winner
    least_tail = np.inf if least is None else float(least.tail)
    # The least tail is reported in whole nanoseconds.
    assert got.least_tail_ms[row] == pytest.approx(least_tail, abs=1e-6), where


@pytest.mark.parametrize("block", range(10))
def test_the_grid_search_equals_the_enumerator(block, monkeypatch):
    for seed in range(100 * block, 100 * (block + 1)):
        assert_equals_enumerator(seed, monkeypatch)


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(100, 220))
def test_the_grid_search_equals_the_enumerator_on_many_more(block, monkeypatch):
    for seed in range(100 * block, 100 * (block + 1)):
        assert_equals_enumerator(seed, monkeypatch)

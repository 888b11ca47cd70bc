"""The grid search against the literal enumerator of the paper."""

from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.intervals import grid
from tailc_solvers.intervals.engines import curves_engine, individual_engine
from tailc_solvers.intervals.grid import GridSolution, search_grid
from tailc_solvers.objective import SearchObjective
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status

from tailc.percentiles import percentile_rank
from tests.reference.enumerator import Winner
from tests.reference.instances import Instance, random_instance


def solve(instance: Instance, **more):
    return search_grid(
        instance.sample,
        instance.costs,
        instance.loads,
        instance.budget,
        rank=instance.rank,
        step_ms=instance.step,
        longest_ms=instance.longest,
        objective=SearchObjective.TAIL if instance.target is None else SearchObjective.COST,
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


@pytest.mark.parametrize("block", range(2))
def test_the_grid_search_equals_the_enumerator(block, monkeypatch):
    for seed in range(100 * block, 100 * (block + 1)):
        assert_equals_enumerator(seed, monkeypatch)


@pytest.mark.fuzz
@pytest.mark.parametrize("block", [*range(2, 10), *range(100, 220)])
def test_the_grid_search_equals_the_enumerator_on_many_more(block, monkeypatch):
    for seed in range(100 * block, 100 * (block + 1)):
        assert_equals_enumerator(seed, monkeypatch)


def larger(seed: int, shape: str) -> tuple[WeightedSample, dict]:
    """200 requests on a grid of 24 steps and 4 rungs, too large for the enumerator."""
    rng = np.random.default_rng(seed)
    demand = np.round(rng.gamma(1.6, 40, 200) + 1, 1)
    curves = {"common": 1, "classes": 4, "individual": 200}[shape]
    speeds = 1 + np.cumsum(np.sort(rng.uniform(0.2, 1.0, (curves, 3)))[:, ::-1], axis=1)
    speeds = np.column_stack([np.ones(curves), speeds])
    curve = np.arange(200) % curves
    sample = WeightedSample.classes(demand, speeds, curve, rng.integers(1, 4, 200))
    rank = percentile_rank(950_000, sample.total_weight)
    setting = {"rank": rank, "step_ms": 5, "longest_ms": 120}
    return sample, setting


@pytest.mark.parametrize("target_ms", [None, 90.0])
@pytest.mark.parametrize("shape", ["common", "classes", "individual"])
def test_both_searches_give_the_same_bits_on_larger_grids(shape, target_ms, monkeypatch):
    for seed in range(3):
        sample, setting = larger(seed, shape)
        objective = SearchObjective.TAIL if target_ms is None else SearchObjective.COST
        found = []
        for engine in ENGINES.values():
            monkeypatch.setattr(grid, "engine_for", engine)
            found.append(
                search_grid(
                    sample,
                    [1, 2, 3, 4],
                    range(1, 21),
                    12,
                    objective=objective,
                    target_ms=target_ms,
                    **setting,
                )
            )
        assert found[0].v_ms.tolist() == found[1].v_ms.tolist()
        assert found[0].status == found[1].status


@pytest.mark.parametrize("shape", ["common", "classes", "individual"])
def test_one_worker_and_two_give_the_same_bits(shape):
    sample, setting = larger(7, shape)
    one, two = (
        search_grid(sample, [1, 2, 3, 4], range(1, 21), 12, workers=workers, **setting)
        for workers in (1, 2)
    )
    assert one.v_ms.tobytes() == two.v_ms.tobytes()
    assert one.tail_ms.tobytes() == two.tail_ms.tobytes()
    assert one.evaluations == two.evaluations
    assert one.course == two.course


def test_the_budget_is_never_exceeded_and_is_said():
    sample, setting = larger(3, "common")
    full = search_grid(sample, [1, 2, 3, 4], [5, 10], 12, **setting)
    for budget in (1, 10, 100):
        found = search_grid(sample, [1, 2, 3, 4], [5, 10], 12, max_evaluations=budget, **setting)
        assert found.evaluations <= budget
        assert found.status == (Status.BUDGET, Status.BUDGET)
        assert (found.tail_ms >= full.tail_ms).all()
    enough = search_grid(sample, [1, 2, 3, 4], [5, 10], 12, max_evaluations=10**6, **setting)
    assert enough.status == (Status.OPTIMAL, Status.OPTIMAL)


def test_the_course_falls_to_the_mean_of_the_best_schedules():
    sample, setting = larger(3, "individual")
    found = search_grid(sample, [1, 2, 3, 4], [5, 10], 12, **setting)
    assert found.course
    assert [one.effort for one in found.course] == sorted({one.effort for one in found.course})
    values = [one.found for one in found.course]
    assert values == sorted(set(values), reverse=True)
    assert values[-1] == pytest.approx(found.tail_ms.mean(), abs=1e-6)
    assert found.course[-1].effort <= found.evaluations


def test_progress_ends_at_one():
    sample, setting = larger(3, "common")
    seen: list[float] = []
    search_grid(sample, [1, 2, 3, 4], [5], 12, progress=seen.append, **setting)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_one_request_on_one_rung_waits_for_what_the_budget_lacks():
    # A = q 100 / (v_0 + 100) <= 2 at q = 3 needs v_0 = 50, and 60 on a grid of 20 ms.
    found = search_grid(
        WeightedSample.common([100], [1]), [1], [3], 2, rank=1, step_ms=20, longest_ms=100
    )
    assert found.v_ms.tolist() == [[60.0]]
    assert found.tail_ms.tolist() == [160.0]


def test_equal_demands_take_the_smallest_of_equal_schedules():
    # Within the budget at once: every request starts on the fast rung.
    sample = WeightedSample.common([30, 30, 30], [1, 2])
    found = search_grid(sample, [1, 2], [1], 2, rank=2, step_ms=10, longest_ms=30)
    assert found.v_ms.tolist() == [[0.0, 0.0]]
    assert found.tail_ms.tolist() == [15.0]


def test_rows_come_back_in_the_order_of_the_loads():
    sample, setting = larger(1, "common")
    up = search_grid(sample, [1, 2, 3, 4], [4, 9, 14], 12, **setting)
    mixed = search_grid(sample, [1, 2, 3, 4], [14, 4, 9], 12, **setting)
    assert mixed.v_ms.tolist() == up.v_ms[[2, 0, 1]].tolist()


def test_a_row_that_can_never_meet_the_budget_is_infeasible():
    found = search_grid(
        WeightedSample.common([50, 150], [1, 2]),
        [1, 2],
        [1000],
        1,
        rank=2,
        step_ms=50,
        longest_ms=150,
    )
    assert found.status == (Status.INFEASIBLE,)
    assert np.isinf(found.v_ms).all()
    assert np.isinf(found.least_tail_ms).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"target_ms": 5.0}, "`target_ms` must be set for"),
        ({"objective": "cost"}, "`target_ms` must be set for"),
        ({"step_ms": 0.0}, "step_ms must be positive"),
        ({"rank": 0}, "rank must be"),
    ],
)
def test_misuse_is_refused(change, sentence):
    setting = {"rank": 2, "step_ms": 50, "longest_ms": 150} | change
    with pytest.raises(ValueError, match=sentence):
        search_grid(WeightedSample.common([50], [1, 2]), [1, 2], [1], 6, **setting)


def test_cost_rates_may_fall_with_the_rung(monkeypatch):
    # The continuous bounds do not apply then; the search must do without.
    for seed in range(60):
        instance = random_instance(seed)
        falling = replace(instance, costs=instance.costs[::-1])
        wanted = [falling.enumerate(load).winner for load in falling.loads]
        for engine in ENGINES.values():
            monkeypatch.setattr(grid, "engine_for", engine)
            got = solve(falling)
            for row, winner in enumerate(wanted):
                if winner is not None:
                    assert_same(got, winner, row, f"seed {seed}, {falling}")

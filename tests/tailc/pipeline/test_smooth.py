"""Tables that are smooth in the load, against all schedules that are nearly the best."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.intervals.evaluate import evaluate

from tailc.errors import TailcError
from tailc.pipeline import figures as exact_figures
from tailc.pipeline import smooth
from tailc.pipeline.ladders import solve_for_schedules
from tailc.problems.interval_grid import IntervalGrid
from tailc.problems.ladder import LadderObjective, LadderProblem, Method
from tailc.progress import silent
from tailc.traces.profile import DemandProfile, Measure
from tests.reference.enumerator import TOLERANCE, axis, climbing_grid, exact, figures
from tests.reference.instances import Instance, random_instance

PPM = 1_000_000
US = 1_000
LOADS = (1, 2, 3, 4, 6)


def problem_of(instance: Instance, tolerance_ppm: int, method: Method = Method.GRID):
    sample, target = instance.sample, instance.target
    return LadderProblem(
        profile=DemandProfile(
            sample.demand_ms,
            sample.weight,
            sample.speeds,
            sample.curve.astype(np.int32),
            (),
            Measure.DEMAND_BUSY,
            "x",
        ),
        cost_ppm=tuple(round(cost * PPM) for cost in instance.costs),
        loads=LOADS,
        budget_ppm=round(instance.budget * PPM),
        percentile_ppm=min(instance.rank * PPM // sample.total_weight, PPM - 1),
        objective=LadderObjective.TAIL if target is None else LadderObjective.COST,
        target_us=None if target is None else round(target * US),
        method=method,
        grid=IntervalGrid(round(instance.step * US), round(instance.longest * US)),
        may_miss=True,
        tolerance_ppm=tolerance_ppm,
    )


def solved(problem: LadderProblem):
    """Rows with a schedule; none where no load can meet the target."""
    try:
        solution = solve_for_schedules(problem, 1, silent)
    except TailcError:
        return []
    return [row for row in solution.rows if row.schedule is not None]


def ages(schedule) -> list[float]:
    """Wait, and when each rung is left [us]."""
    stays = [np.inf if stay is None else stay for stay in schedule.stay_us]
    return [schedule.wait_us, *np.cumsum(stays).tolist()]


def in_order(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    return (before <= after).all(axis=-1)


def jumps(rows) -> int:
    table = np.array([ages(row.schedule) for row in rows])
    return int((~in_order(table[:-1], table[1:])).sum()) if len(table) else 0


def within(problem: LadderProblem, objective_us: int) -> int:
    return objective_us * (PPM + problem.tolerance_ppm) // PPM


def fewest_jumps(instance: Instance, problem: LadderProblem, rows) -> int:
    """Of all tables whose rows are as good, up to the tolerance, as those that are the best."""
    allowed = [
        allowed_ages(instance, problem, row.load, within(problem, row.evidence.objective_us))
        for row in rows
    ]
    if not allowed:
        return 0
    least = np.zeros(len(allowed[0]), int)
    for before, here in itertools.pairwise(allowed):
        least = (least + ~in_order(before, here[:, None])).min(axis=1)
    return int(least.min())


def allowed_ages(instance: Instance, problem: LadderProblem, load: int, limit_us: int):
    """Every schedule and wait of the grid that keeps the limits, request by request."""
    step, longest = exact(instance.step), exact(instance.longest)
    target_us = limit_us if problem.target_us is None else problem.target_us
    allowed = []
    for v in climbing_grid(instance.sample.n_rungs, step, longest):
        found = figures(instance.requests(), instance.exact_costs(), v, problem.rank)
        if problem.target_us is not None and found.cost * US > limit_us:
            continue
        for wait in axis(step, longest):
            is_affordable = load * found.cost <= exact(instance.budget) * (wait + found.mean) * (
                1 + TOLERANCE
            )
            if is_affordable and (wait + found.tail) * US <= target_us:
                allowed.append([float(wait) * US, *np.cumsum([float(x) * US for x in v[1:]])])
    return np.array(allowed)


@pytest.mark.parametrize("tolerance_ppm", [5_000, 100_000])
def test_a_table_jumps_no_more_often_than_any_that_is_nearly_as_good(tolerance_ppm):
    smoother = 0
    for seed in range(60):
        instance = random_instance(seed)
        problem = problem_of(instance, tolerance_ppm)
        best = solved(replace(problem, tolerance_ppm=0))
        got = jumps(solved(problem))
        assert got == fewest_jumps(instance, problem, best), f"seed {seed}, {instance}"
        smoother += got < jumps(best)
    assert smoother > 0


@settings(max_examples=40, derandomize=True, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    tolerance_ppm=st.sampled_from([1_000, 30_000, 300_000]),
    method=st.sampled_from(Method),
)
def test_no_row_is_worse_than_the_best_by_more_than_the_tolerance(seed, tolerance_ppm, method):
    instance = random_instance(seed)
    if method is Method.DUAL and len(instance.sample.speeds) > 1:
        return
    problem = problem_of(instance, tolerance_ppm, method)
    best, smooth = solved(replace(problem, tolerance_ppm=0)), solved(problem)
    for row, other in zip(best, smooth, strict=True):
        limit_us = row.evidence.objective_us * (PPM + tolerance_ppm) / PPM
        assert other.evidence.objective_us <= limit_us
        assert other.evidence.bound_us == row.evidence.bound_us
    assert jumps(smooth) <= jumps(best)


@pytest.mark.parametrize("seed", [3, 7, 13, 28])
def test_schedules_that_differ_only_in_the_wait_are_evaluated_once(seed, monkeypatch):
    """Thousands of loads have few schedules: beyond some load only the wait grows."""
    seen = []

    def recorded(sample, costs, v_ms, rank):
        schedules = np.atleast_2d(v_ms)
        if len(schedules) == 1:
            seen.append((*schedules[0, 1:].tolist(), rank))
        return evaluate(sample, costs, v_ms, rank)

    instance = random_instance(seed)
    loads = tuple(range(1, 200))
    problem = replace(problem_of(instance, 30_000, Method.DUAL), loads=loads)
    for room in (smooth, exact_figures):
        seen.clear()
        with monkeypatch.context() as patched:
            patched.setattr(room, "evaluate", recorded)
            assert len(solved(problem)) == len(loads)
        assert len(seen) == len(set(seen)) < 3 * len(loads)

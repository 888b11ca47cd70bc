"""Schedules that outlive their plan."""

from dataclasses import replace

import numpy as np
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.parallel.columns import ColumnsEffort, solve_columns
from tailc_solvers.green.parallel.problem import ParallelProblem, whole
from tailc_solvers.green.parallel.schedules import Column
from tailc_solvers.green.parallel.warm import carry_schedules

from tests.tailc_solvers.green.parallel.check_case import PROBLEM


def test_what_is_over_and_what_has_no_number_is_left_out():
    columns = [
        Column(0, 1, 0, (2, 4)),
        Column(1, 0, 1, (1, 2, 3)),
        Column(1, 0, 0, (9, 2, 3)),
        Column(2, 0, 5, (7,)),
        Column(3, 0, 5, (7,)),
    ]
    renumbered = {(0, 1): (0, 0), (1, 0): (5, 0), (2, 0): (1, 0)}
    assert carry_schedules(columns, renumbered, 2) == [
        Column(5, 0, 0, (2, 3)),
        Column(5, 0, 0, (3,)),
        Column(1, 0, 3, (7,)),
    ]


def test_the_next_epoch_goes_on_with_what_was_planned():
    with Solver(Backend.HIGHS) as solver:
        first = solve_columns(PROBLEM, solver, effort=ColumnsEffort(aim=0.0))
        assert first.solution.best is not None
        plan = first.solution.best.plan
        later = _an_epoch_later(PROBLEM, int(plan.servers[0, 0]))
        warm = carry_schedules(first.columns, {(0, 0): (0, 0)}, 1)
        second = solve_columns(later, solver, effort=ColumnsEffort(aim=0.0), warm=warm)
    assert second.solution.best is not None
    assert (second.solution.best.plan.servers == plan.servers[:, 1:]).all()


def _an_epoch_later(problem: ParallelProblem, servers: int) -> ParallelProblem:
    job = problem.jobs[0]
    if servers:
        speed = int(job.shapes[0].speed_ppt[servers - 1])
        run_ms = 1_000 * int(problem.length_s[0])
        job = replace(
            job,
            work_left=job.work_left - speed * run_ms,
            work_done=speed * run_ms,
            run_ms=run_ms,
            present=servers,
            earliest=0,
            latest=0,
        )
    else:
        job = replace(job, earliest=0, latest=job.latest - 1)
    return replace(
        problem,
        length_s=problem.length_s[1:],
        green_mj=np.ascontiguousarray(problem.green_mj[:, 1:]),
        brown_cost=problem.brown_cost[1:],
        weight_ppm=whole([1_000_000]),
        jobs=(job,),
    )

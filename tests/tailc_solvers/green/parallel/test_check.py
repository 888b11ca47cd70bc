"""What is wrong with plans, and what right ones cost, by hand and beside the plain rules."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tailc_solvers.green.parallel.check import LocatedFault, ServerPlanFault, faults_of
from tailc_solvers.green.parallel.plan import ServerPlan, ledger
from tailc_solvers.green.parallel.problem import (
    whole,
)

from tests.reference import parallel_plain
from tests.tailc_solvers.green.parallel.check_case import HOUR, JOB, PROBLEM
from tests.tailc_solvers.green.parallel.instances import small_problem

"""Three hours of one server, which it may have until its deadline; twice as fast on two."""


def plan(*rows: list[int]) -> ServerPlan:
    return ServerPlan(whole(rows), np.zeros(len(rows), dtype=np.int64))


def test_a_plan_by_hand_costs_what_it_should():
    # 10 Wh brown; 10 of 5 green and the move's 0.1 makes 15.1 over, none over; two hours and one.
    right = plan([1, 2, 0, 0, 0])
    assert faults_of(PROBLEM, right) == []
    own = ledger(PROBLEM, right)
    assert own.busy_mj.tolist() == [36_000_000, 72_000_000, 0, 0, 0]
    assert own.moving_mj.tolist() == [0, 360_000, 0, 0, 0]
    assert own.brown_mj.tolist() == [[36_000_000, 54_360_000, 0, 0, 0]]
    assert own.green_mj.tolist() == [[0, 18_000_000, 0, 0, 0]]
    assert own.run_s.tolist() == [2 * HOUR]
    assert own.cost == Fraction(100_000) * Fraction(251, 10_000) + 2_000


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ([0, 0, 0, 0, 0], LocatedFault(ServerPlanFault.NEVER_STARTED, 0)),
        ([0, 0, 1, 1, 1], LocatedFault(ServerPlanFault.OUTSIDE_WINDOW, 0, 2)),
        ([1, 0, 1, 1, 0], LocatedFault(ServerPlanFault.INTERRUPTED, 0, 1)),
        ([3, 0, 0, 0, 0], LocatedFault(ServerPlanFault.COUNT_NOT_ALLOWED, 0, 0)),
        ([-1, 2, 2, 0, 0], LocatedFault(ServerPlanFault.COUNT_NOT_ALLOWED, 0, 0)),
        ([1, 1, 0, 0, 0], LocatedFault(ServerPlanFault.UNFINISHED, 0, 1)),
        ([2, 2, 2, 0, 0], LocatedFault(ServerPlanFault.RUNS_ON, 0, 2)),
    ],
)
def test_each_fault_is_named_with_its_epoch(row, fault):
    assert fault in faults_of(PROBLEM, plan(row))


def test_a_millisecond_after_the_deadline_is_too_late():
    late = replace(JOB, work_left=JOB.work_left + 1_001, requested_speed_ppt=1_001)
    assert late.deadline_ms < 3 * HOUR * 1_000
    faults = faults_of(replace(PROBLEM, jobs=(late,)), plan([1, 1, 1, 1, 0]))
    assert faults == [LocatedFault(ServerPlanFault.TOO_LATE, 0, 3)]
    assert faults_of(PROBLEM, plan([1, 1, 1, 0, 0])) == []


def test_servers_that_are_not_there_are_counted_over_all_jobs():
    two = replace(PROBLEM, jobs=(JOB, JOB))
    assert faults_of(two, plan([2, 1, 0, 0, 0], [1, 1, 1, 0, 0])) == [
        LocatedFault(ServerPlanFault.TOO_MANY_SERVERS, epoch=0)
    ]


@pytest.mark.parametrize(
    "odd",
    [
        ServerPlan(np.ones((1, 5)), np.zeros(1, dtype=np.int64)),  # pyright: ignore[reportArgumentType]
        ServerPlan(np.ones((1, 4), dtype=np.int64), np.zeros(1, dtype=np.int64)),
        ServerPlan(np.ones((1, 5), dtype=np.int64), np.zeros(2, dtype=np.int64)),
    ],
)
def test_arrays_of_another_kind_are_no_plan(odd):
    assert faults_of(PROBLEM, odd) == [LocatedFault(ServerPlanFault.WRONG_SIZE)]


def test_a_shape_that_a_job_has_not_is_refused():
    odd = ServerPlan(whole([[1, 1, 1, 0, 0]]), whole([1]))
    assert faults_of(PROBLEM, odd) == [LocatedFault(ServerPlanFault.NO_SUCH_SHAPE, 0)]


@given(st.integers(0, 10**9), st.data())
def test_a_row_passes_where_the_plain_rules_have_it(seed, data):
    problem = small_problem(seed)
    problem = replace(problem, jobs=problem.jobs[:1])
    rows = set(parallel_plain.schedules(problem, problem.jobs[0]))
    counts = st.integers(0, problem.servers)
    free = st.tuples(*(counts for _ in range(problem.epochs)))
    row = data.draw(st.sampled_from([row for _, row in sorted(rows)]) | free if rows else free)
    shape = data.draw(st.integers(0, len(problem.jobs[0].shapes) - 1))
    found = faults_of(problem, ServerPlan(whole([row]), whole([shape])))
    assert (found == []) == ((shape, row) in rows)

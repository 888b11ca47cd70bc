"""Bid prices: by hand, beside all schedules, and beside the plan that is made anew."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.parallel.check import faults_of_column
from tailc_solvers.green.parallel.columns import ColumnsEffort, solve_columns
from tailc_solvers.green.parallel.plan import ServerPlan, ledger
from tailc_solvers.green.parallel.prices import BidPrices, bid_prices, cheapest
from tailc_solvers.green.parallel.problem import whole
from tailc_solvers.green.parallel.schedules import SchedulePrices

from tests.reference import parallel_plain
from tests.tailc_solvers.green.parallel.check_case import PROBLEM
from tests.tailc_solvers.green.parallel.instances import small_problem, solvable_problem


def test_a_server_costs_itself_and_its_energy():
    # 10 W for an hour at 100,000 micro-units a kWh are 1,000, beside 7 for the server.
    prices = SchedulePrices(np.full(5, 7_000), np.full(5, 100_000_000))
    assert bid_prices(PROBLEM, prices).server.tolist() == [1_007] * 5


def test_the_cheap_epochs_are_taken_as_far_as_servers_are_free():
    prices = BidPrices(whole([5_000, 10, 9_000, 9_000, 9_000]))
    found = cheapest(PROBLEM, 0, prices, [2, 2, 2, 2, 2])
    assert found is not None
    assert (found.start, found.servers) == (0, (1, 2))
    crowded = cheapest(PROBLEM, 0, prices, [2, 1, 2, 2, 2])
    assert crowded is not None
    assert (crowded.start, crowded.servers) == (0, (2, 1))
    assert cheapest(PROBLEM, 0, prices, [0, 0, 2, 2, 2]) is None


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.lists(st.integers(0, 9_000), min_size=4, max_size=4))
def test_no_schedule_is_cheaper_at_the_prices(seed, server):
    problem = small_problem(seed)
    job, free = problem.jobs[0], [3, 4, 2, 4]
    found = cheapest(problem, 0, BidPrices(whole(server)), free, cells=10**6)
    costs = [
        _cost(problem, server, row)
        for _, row in parallel_plain.schedules(problem, job)
        if all(n <= most for n, most in zip(row, free, strict=True))
    ]
    assert (found is None) == (costs == [])
    if found is not None:
        assert faults_of_column(problem, found) == []
        assert _cost(problem, server, found.row(4).tolist()) == pytest.approx(min(costs), abs=0.01)


def _cost(problem, server, row) -> float:
    run_s = sum(int(s) for s, n in zip(problem.length_s, row, strict=True) if n)
    waited = problem.run_cost * run_s / 3_600 / len(problem.jobs)
    return waited + sum(p * n for p, n in zip(server, row, strict=True))


def test_placing_the_last_job_by_prices_is_feasible_and_never_better_than_planning_anew():
    placed = 0
    with Solver(Backend.HIGHS) as solver:
        for seed in range(200, 212):
            problem = solvable_problem(seed)
            others = replace(problem, jobs=problem.jobs[:-1])
            before = solve_columns(others, solver, effort=ColumnsEffort(aim=0.0))
            anew = solve_columns(problem, solver, effort=ColumnsEffort(aim=0.0)).solution
            best = before.solution.best
            if best is None or before.prices is None or anew.best is None:
                continue
            plan = best.plan
            free = (problem.servers - plan.servers.sum(axis=0)).tolist()
            last = len(problem.jobs) - 1
            column = cheapest(problem, last, bid_prices(others, before.prices), free)
            if column is None:
                continue
            placed += 1
            servers = np.vstack([plan.servers, column.row(problem.epochs)])
            both = ServerPlan(servers, np.append(plan.shape, column.shape))
            assert ledger(problem, both).cost >= anew.best.ledger.cost
    assert placed >= 6

"""Choosing one of the known schedules for each job: beside all choices, and beside single swaps."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.green.parallel.exchange import Exchange
from tailc_solvers.green.parallel.plan import ledger
from tailc_solvers.green.parallel.problem import ParallelProblem
from tailc_solvers.green.parallel.schedules import Column
from tailc_solvers.green.parallel.search import plan_of

from tests.reference import parallel_plain
from tests.tailc_solvers.green.parallel.exchange_case import all_columns
from tests.tailc_solvers.green.parallel.instances import feasible_problem, solvable_problem

NO_BOUND = -math.inf


def cost_of(problem: ParallelProblem, columns: list[Column]) -> float:
    return float(ledger(problem, plan_of(problem, columns)).cost)


@settings(max_examples=30)
@given(st.integers(0, 10**9), st.integers(1, 3))
def test_of_three_jobs_the_best_choice_of_all_is_found(seed, starts):
    problem = solvable_problem(seed)
    assert len(problem.jobs) <= 3
    exchange = Exchange(problem, dict.fromkeys(all_columns(problem), 0.0), NO_BOUND)
    found = exchange.best({}, starts)
    assert [column.job for column in found] == list(range(len(problem.jobs)))
    least = float(parallel_plain.least_cost(problem))
    assert cost_of(problem, found) == pytest.approx(least, rel=1e-8)


@settings(max_examples=30)
@given(st.integers(0, 10**9))
def test_of_more_jobs_no_swap_of_one_is_better(seed):
    problem = feasible_problem(seed)
    # Twice the jobs on twice the servers: pairs and triples are no longer all there is.
    twice = replace(
        problem,
        jobs=problem.jobs * 2,
        servers=2 * problem.servers,
        power_mw=np.concatenate([problem.power_mw, problem.power_mw[-1] + problem.power_mw[1:]]),
        moves_mj=np.tile(problem.moves_mj, (2, 2))[:-1, :-1],
    )
    columns = all_columns(twice)
    found = Exchange(twice, dict.fromkeys(columns, 0.0), NO_BOUND).best({}, 2)
    least = cost_of(twice, found)
    for column in columns:
        swapped = [column if one.job == column.job else one for one in found]
        taken = np.sum([one.row(twice.epochs) for one in swapped], axis=0)
        if (taken <= twice.servers).all():
            assert cost_of(twice, swapped) >= least * (1 - 1e-8)


def test_starts_follow_the_shares():
    problem = feasible_problem(3)
    columns = all_columns(problem)
    wanted = [[c for c in columns if c.job == j][-1] for j in range(len(problem.jobs))]
    # Where nothing may be swapped, since all else is too dear, the start is the end.
    excess = {column: 0.0 if column in wanted else math.inf for column in columns}
    found = Exchange(problem, excess, 0.0).best(dict.fromkeys(wanted, 1e9), 1)
    assert found == wanted

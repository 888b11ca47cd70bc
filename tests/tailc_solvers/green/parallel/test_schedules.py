"""One job's schedules at any prices: the search beside all of them, on fine and coarse grids."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.green.parallel.check import faults_of_column
from tailc_solvers.green.parallel.kernels import NEVER
from tailc_solvers.green.parallel.parts import NANO
from tailc_solvers.green.parallel.problem import MJ_PER_KWH, S_PER_H, whole
from tailc_solvers.green.parallel.schedules import Count, SchedulePrices, ScheduleRule, Schedules

from tests.reference import parallel_plain
from tests.tailc_solvers.green.parallel.instances import obeys, small_problem

ROUNDED = 12
"""Billionths: each epoch's cost, and that of the end, is rounded down by less than two."""

prices = st.lists(st.integers(0, 10**7), min_size=4, max_size=4)
energies = st.lists(st.integers(0, 3 * 10**8), min_size=4, max_size=4)


def _priced(problem, job, row, server, energy) -> Fraction:
    """Cost of a row of server counts in billionths, as told."""
    total = Fraction(0)
    for t, n in enumerate(row):
        before = row[t - 1] if t else job.present
        takes = int(problem.power_mw[n]) * int(problem.length_s[t])
        takes += int(problem.moves_mj[before, n])
        total += server[t] * n + Fraction(energy[t] * takes, MJ_PER_KWH)
        if n:
            waited = problem.run_cost * int(problem.length_s[t])
            total += Fraction(NANO * waited, S_PER_H * len(problem.jobs))
    return total


@settings(max_examples=80)
@given(st.integers(0, 10**9), prices, energies)
def test_on_a_fine_grid_the_least_schedule_is_found(seed, server, energy):
    problem = small_problem(seed)
    job = problem.jobs[0]
    fine = Schedules(problem, 10**7)
    here = SchedulePrices(whole(server), whole(energy))
    found = fine.cheapest(here, {})[0]
    rows = [row for _, row in parallel_plain.schedules(problem, job)]
    assert (found.column is None) == (rows == [])
    if found.column is None:
        assert found.cost == found.bound == NEVER
        return
    least = min(_priced(problem, job, row, server, energy) for row in rows)
    assert found.bound == found.cost
    assert least - ROUNDED <= found.cost <= least
    row = found.column.row(problem.epochs).tolist()
    assert _priced(problem, job, row, server, energy) <= least + ROUNDED


@settings(max_examples=80)
@given(st.integers(0, 10**9), prices, energies, st.integers(1, 40))
def test_on_any_grid_bounds_are_below_and_schedules_are_feasible(seed, server, energy, cells):
    problem = small_problem(seed)
    coarse = Schedules(problem, cells)
    here = SchedulePrices(whole(server), whole(energy))
    rows = [row for _, row in parallel_plain.schedules(problem, problem.jobs[0])]
    costs = [_priced(problem, problem.jobs[0], row, server, energy) for row in rows]
    found = coarse.cheapest(here, {})[0]
    assert all(found.bound <= cost for cost in costs)
    if found.column is not None:
        assert faults_of_column(problem, found.column) == []


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "rule",
    [
        ScheduleRule(shape=0),
        ScheduleRule(least_epochs=2),
        ScheduleRule(most_epochs=2),
        ScheduleRule(0, 2, 2),
        ScheduleRule(counts=(Count(1, 2, 4),)),
        ScheduleRule(counts=(Count(1, 0, 1), Count(2, 1, 4))),
        ScheduleRule(counts=(Count(0, 1, 4),)),
    ],
)
def test_a_rule_leaves_the_schedules_that_obey(seed, rule):
    problem = small_problem(seed)
    job = problem.jobs[0]
    server, energy = [3_000, 900_000, 10, 40_000], [10**8, 10**6, 2 * 10**8, 0]
    schedules = Schedules(problem, 10**7)
    here = SchedulePrices(whole(server), whole(energy))
    found = schedules.cheapest(here, {0: rule}, [0])[0]
    rows = [
        row
        for shape, row in parallel_plain.schedules(problem, job)
        if rule.shape in (None, shape)
        and all(c.least <= row[c.epoch] <= c.most for c in rule.counts)
        and rule.least_epochs <= sum(n > 0 for n in row) <= rule.most_epochs
    ]
    assert (found.column is None) == (rows == [])
    if found.column is not None:
        assert obeys(found.column, rule)
        least = min(_priced(problem, job, row, server, energy) for row in rows)
        assert least - ROUNDED <= found.cost <= least
        assert found.bound <= least


@pytest.mark.parametrize("cells", [5, 10**7])
@pytest.mark.parametrize("seed", range(6))
def test_jobs_that_are_asked_for_together_have_the_same_answers_as_alone(seed, cells):
    problem = small_problem(seed)
    rules = {
        0: ScheduleRule(most_epochs=3),
        1: ScheduleRule(least_epochs=2, counts=(Count(2, 0, 3),)),
    }
    here = SchedulePrices(whole([3_000, 900_000, 10, 40_000]), whole([10**8, 10**6, 2 * 10**8, 0]))
    schedules = Schedules(problem, cells)
    together = schedules.cheapest(here, rules)
    for j in range(len(problem.jobs)):
        assert schedules.cheapest(here, rules, [j]) == [together[j]]
        assert Schedules(problem, cells, only=[j]).cheapest(here, rules, [j]) == [together[j]]

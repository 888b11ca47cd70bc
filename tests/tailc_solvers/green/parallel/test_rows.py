"""Rows of blocks of servers: every plan keeps them, and mixtures that cannot be do not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.parallel.columns import ColumnsEffort, solve_columns
from tailc_solvers.green.parallel.plan import ServerPlan, ledger
from tailc_solvers.green.parallel.problem import (
    ParallelJob,
    ParallelProblem,
    Shape,
    moves_of,
    whole,
)
from tailc_solvers.green.parallel.rows import Entries, MasterRows, _most_wanted

from tests.reference import parallel_plain
from tests.tailc_solvers.green.parallel.instances import feasible_problem

HOUR = 3_600
FULL_HOUR = HOUR * 1_000_000
"""Work of one server in an hour."""

WATT = HOUR * 1_000
"""A watt for an hour, in mJ."""


def some_plans(problem: ParallelProblem, count: int) -> list[ServerPlan]:
    """Plans of schedules at random, without a look at servers in common."""
    options = [list(parallel_plain.schedules(problem, job)) for job in problem.jobs]
    draw = np.random.default_rng(0)
    picked = [[one[draw.integers(len(one))] for one in options] for _ in range(count)]
    return [ServerPlan(whole([row for _, row in p]), whole([o for o, _ in p])) for p in picked]


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_every_plan_keeps_all_rows(seed):
    problem = feasible_problem(seed)
    rows = MasterRows(problem)
    assert rows.blocks.tolist() in ([1], [1, 2], [1, 2, 4])
    for plan in some_plans(problem, 20):
        used = rows.used_blocks(plan.servers, np.ones(len(problem.jobs)))
        brown = ledger(problem, plan).brown_mj / rows.unit_mj
        lack = rows.lack_mj / rows.unit_mj * (used[:, None, :] - rows.fed)
        assert (lack <= brown + 1e-9).all()
        if (plan.servers.sum(axis=0) <= problem.servers).all():
            assert (used <= rows.room[:, None]).all()
            assert rows.take_up(used, brown) == 0


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_no_plan_wants_more_than_all_jobs_can(seed):
    problem = feasible_problem(seed)
    servers, energy_mj = _most_wanted(problem)
    for plan in some_plans(problem, 20):
        assert (plan.servers.sum(axis=0) <= servers).all()
        assert (ledger(problem, plan).energy_mj <= energy_mj).all()


def test_a_mixture_that_fills_servers_or_green_energy_to_the_brim_breaks_rows():
    # Three jobs on 4 servers or none, 6 servers, green energy for 6: at most one job at a time.
    problem = fours(jobs=3, servers=6, green_w=6 * 30)
    rows = MasterRows(problem)
    servers = whole([[4, 0], [0, 4], [4, 0], [0, 4], [4, 0], [0, 4]])
    used = rows.used_blocks(servers, np.full(6, 0.5))
    assert used.tolist() == [[6, 6], [3, 3], [1.5, 1.5]]
    assert rows.room.tolist() == [6, 3, 1]
    assert rows.fed[:, 0, 0].tolist() == [6, 3, 1]
    # A second block of four lacks energy for two servers; half of it half as much.
    assert (rows.lack_mj[:, 0, 0] / WATT).tolist() == [30, 60, 60]
    before = rows.counts
    assert rows.take_up(used, np.zeros((1, 2))) == 4
    assert np.subtract(rows.counts, before).tolist() == [0, 2, 0, 2]
    assert rows.take_up(used, np.zeros((1, 2))) == 0


def fours(jobs: int, servers: int, green_w: int) -> ParallelProblem:
    """Jobs of an hour on four servers that may start in either of two hours."""
    shape = Shape.from_counts(4, [4], [4_000])
    job = ParallelJob((shape,), 4 * FULL_HOUR, 4, 4_000, 1_000, earliest=0, latest=1)
    return ParallelProblem(
        length_s=np.full(2, HOUR),
        servers=servers,
        power_mw=30_000 * np.arange(servers + 1),
        moves_mj=moves_of(np.zeros(servers + 1, dtype=np.int64), at_the_ends=False),
        green_mj=np.full((1, 2), green_w * WATT),
        weight_ppm=whole([1_000_000]),
        brown_cost=np.full(2, 100_000),
        run_cost=1_000,
        jobs=(job,) * jobs,
    )


@pytest.mark.parametrize(("servers", "watts"), [(12, 60), (8, 60)])
def test_the_first_program_has_the_cost_of_whole_blocks(servers, watts):
    # One job fits under 180 W of sun; each of the others takes 120 W: 60 are there for one of them
    # in each hour, so three jobs lack 60 W once.
    with Solver(Backend.HIGHS) as solver:
        problem = fours(jobs=3, servers=servers, green_w=180)
        found = solve_columns(problem, solver, effort=ColumnsEffort(aim=0.0, nodes=0)).solution
    assert found.best is not None
    assert found.best.ledger.brown_mj.sum() == watts * WATT
    assert found.best.ledger.cost == 100_000 * watts // 1_000 + 1_000
    assert found.ending == "best"


def test_a_program_has_more_room_than_there_is_and_another_in_each_row():
    problem = feasible_problem(3)
    rows = MasterRows(problem)
    rows.with_room[:] = True
    none = Entries.join([])
    options = {"allowed": np.empty(0, dtype=np.bool_), "unit": 1.0, "start": None}
    upper = rows.program(none, np.empty(0), 1.0, **options).row_upper
    first = len(problem.jobs)
    more = upper[first : first + rows.with_room.size].reshape(rows.with_room.shape)
    more = more - rows.room[:, None]
    assert ((more > 1e-7) & (more < 1e-5)).all()
    assert np.diff(np.sort(more, axis=None)).min() > 1e-9

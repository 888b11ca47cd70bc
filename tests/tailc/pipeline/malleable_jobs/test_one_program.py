"""Plans of a general solver: as good as those of columns and of a program written here."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome
from tailc_solvers.green.parallel.indexed_plan import solve_indexed

from tailc.errors import Code, TailcError
from tailc.pipeline.malleable_jobs import solve as solved
from tailc.pipeline.malleable_jobs.solve import solve_for_clusters
from tailc.problems.plan import PlanMethod, PlanSearch
from tests.reference.cluster_program import least_cost
from tests.tailc.pipeline.malleable_jobs.instances import (
    SPEEDS,
    curve_job,
    long_cluster,
    quarter_hours,
    random_cluster,
)

HIGHS = PlanSearch(PlanMethod.MIP)
WIDE = {1: 10**6, 2: 1_527_000, 3: 1_957_000, 4: 2_333_000, 8: 3_564_000}
SLOW = {1: 10**6, 2: 1_544_000, 3: 1_990_000, 4: 2_383_000, 8: 3_679_000}

FOUR_JOBS = quarter_hours(
    [15, 98, 206, 106, 338, 0, 280, 406, 0, 242, 307, 0, 176, 128, 0],
    [100 * p for p in (1284, 2569, 1284, 2569, 10275, 5138, 10275, 10275, 2569, 5138, 2569)]
    + [100 * p for p in (10275, 1284, 10275, 2569)],
    [
        curve_job(1, 900, 7_370, 2, SPEEDS[1]),
        curve_job(2, 1_800, 9_353, 3, SPEEDS[0]),
        curve_job(3, 5_400, 11_512, 4, SPEEDS[0]),
        curve_job(4, 6_300, 3_769, 3, WIDE),
    ],
    change_mj=600_000,
    run_cost=50_000,
    search=HIGHS,
)

FIVE_JOBS = quarter_hours(
    [26, 30, 58, 120, 112, 286, 279, 274, 184, 0, 342, 220, 353, 147, 126, 121, 128, 163, 93, 31],
    [100 * p for p in (7514, 939, 939, 3757, 1878, 1878, 7514, 7514, 7514, 939, 1878, 7514, 3757)]
    + [100 * p for p in (7514, 7514, 7514, 1878, 3757, 939, 3757)],
    [
        curve_job(1, 6_300, 8_504, 2, SPEEDS[2], (4,)),
        curve_job(2, 7_200, 5_508, 2, SLOW, (4,)),
        curve_job(3, 9_000, 2_931, 3, SLOW, (4,)),
        curve_job(4, 9_900, 9_406, 2, SPEEDS[2], (4,)),
        curve_job(5, 10_800, 2_001, 1, SLOW, (4,)),
    ],
    change_mj=5_000_000,
    run_cost=1_000_000,
    search=HIGHS,
)


@pytest.mark.parametrize("solver", ["highs", "scip", "gurobi"])
@pytest.mark.parametrize(("problem", "least"), [(FOUR_JOBS, 43_130), (FIVE_JOBS, 480_128)])
def test_work_in_milliards_does_not_hide_the_best_plan(problem, least, solver):
    search = PlanSearch(PlanMethod.MIP, solver=solver)
    found = solve_for_clusters(replace(problem, search=search))
    assert found.value == pytest.approx(least, abs=1)
    assert found.value == pytest.approx(least_cost(problem), abs=1)


@pytest.mark.parametrize("seed", range(15))
def test_plans_of_long_jobs_are_as_good_as_those_of_another_program(seed):
    problem = replace(long_cluster(seed), search=HIGHS)
    found = solve_for_clusters(problem)
    assert found.value == pytest.approx(least_cost(problem), rel=1e-5, abs=2)
    assert found.bound is not None
    assert found.proof == "dual-bound"


@pytest.mark.parametrize("seed", range(15, 18))
def test_other_solvers_agree(seed):
    problem = long_cluster(seed)
    values = {
        solver: solve_for_clusters(
            replace(problem, search=PlanSearch(PlanMethod.MIP, solver=solver))
        ).value
        for solver in ("highs", "scip", "gurobi")
    }
    assert max(values.values()) - min(values.values()) <= 1 + 1e-6 * min(values.values()), values


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_one_program_finds_a_plan_as_good(solver):
    search = PlanSearch(PlanMethod.MIP, solver=solver)
    for seed in (1, 4):
        problem = random_cluster(seed)
        best = solve_for_clusters(problem)
        found = solve_for_clusters(replace(problem, search=search))
        assert found.value == pytest.approx(best.value, rel=1e-6)
        assert found.bound == best.bound


class Liar(Solver):
    """A general solver whose answers are changed before they are given."""

    def __init__(self, backend, change):
        super().__init__(backend)
        self._change = change

    def answer(self, program, limits=None):
        return self._change(super().answer(program, limits))


LIES = {
    "no plan": (lambda _: SolverAnswer(SolverOutcome.INFEASIBLE), "it claims that there is none"),
    "a bound above all": (lambda answer: replace(answer, bound=1e9), "none of the program"),
    "no number": (lambda answer: replace(answer, bound=math.nan), "none of the program"),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_columns_refute_is_a_wrong_answer(monkeypatch, lie):
    change, message = LIES[lie]
    shared = solved.Solver

    @contextmanager
    def lying(backend):
        if backend == "scip":
            with Liar(backend, change) as liar:
                yield liar
        else:
            with shared(backend) as honest:
                yield honest

    monkeypatch.setattr(solved, "Solver", lying)
    problem = replace(random_cluster(1), search=PlanSearch(PlanMethod.MIP, solver="scip"))
    with pytest.raises(TailcError) as caught:
        solve_for_clusters(problem)
    (finding,) = caught.value.findings
    assert finding.code is Code.SOLVER_FAILED
    assert message in finding.message


def test_a_plan_that_is_not_the_best_is_no_optimum(monkeypatch):
    """A solver that knows only the dearest shape of each job."""
    problem = replace(FOUR_JOBS, search=HIGHS)
    narrow = [replace(one, speedup_ppm=_first(one)) for one in problem.jobs]
    answers = []

    def record(parallel, solver, limits=None):
        answers.append(solve_indexed(parallel, solver, limits))
        return answers[-1]

    monkeypatch.setattr(solved, "solve_indexed", record)
    solve_for_clusters(replace(problem, jobs=tuple(narrow)))
    dear = answers[0]
    monkeypatch.setattr(solved, "solve_indexed", lambda *_: dear)
    with pytest.raises(TailcError, match="another one costs less"):
        solve_for_clusters(problem)


def _first(one):
    return dict(list(one.speedup_ppm.items())[:1])


@pytest.mark.parametrize("seed", [1, 6])
def test_cp_sat_counts_energy_in_steps_that_are_fine_enough(seed):
    """With variables without a limit its steps were coarser, and its plans up to 1 % dearer."""
    by_columns = solve_for_clusters(random_cluster(seed))
    found = solve_for_clusters(
        replace(random_cluster(seed), search=PlanSearch(PlanMethod.MIP, solver="cp-sat"))
    )
    assert abs(found.value - by_columns.value) <= 1
    assert found.proof == "dual-bound"

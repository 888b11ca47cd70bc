"""Thresholds of hand-made problems, and what becomes of solvers that fail.

The two-type closed form is t = (target - w / s) / (1 - 1 / s) with w the demand of the percentile.
"""

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome, SolverPoint

from tailc.errors import Code, ExitCode, TailcError
from tailc.pipeline.solve import solve
from tailc.pipeline.threshold_methods import default_step_us
from tailc.problems.thresholds import SolverLimits, ThresholdMethod, ThresholdObjective
from tests.tailc.pipeline.cores import MS, PPM, problem, profile

METHODS = [
    {"method": ThresholdMethod.DUAL},
    {"method": ThresholdMethod.CONVEX},
    {"method": ThresholdMethod.MIP, "solver": "highs"},
    {"method": ThresholdMethod.MIP, "solver": "scip"},
    {"method": ThresholdMethod.MIP, "solver": "cp-sat"},
    {"method": ThresholdMethod.MIP, "solver": "gurobi"},
    {"method": ThresholdMethod.GRID, "limits": SolverLimits(60.0, 2_048, MS)},
]
# It rounds every time to a microsecond, and what it finds then is rounded down once more.
GRID_OF_CP_SAT_US = 10
BY_SOLVERS = METHODS[1:-1]


def ident(changes: dict) -> str:
    return f"{changes['method'].value} {changes.get('solver', '')}".strip()


def finding_of(**changes):
    with pytest.raises(TailcError) as refused:
        solve(problem(**changes))
    return refused.value.findings[0], refused.value.exit_code


@pytest.mark.parametrize("changes", METHODS, ids=ident)
def test_every_method_finds_the_closed_form_s_109_ms(changes):
    solution = solve(problem(**changes))
    (age_us,) = solution.age_us
    # 109 + (291 - 109) / 2 = 200.
    assert age_us == pytest.approx(109 * MS, abs=GRID_OF_CP_SAT_US)
    assert solution.evidence.tail_us <= 200 * MS


@pytest.mark.parametrize("changes", METHODS, ids=ident)
def test_with_common_speeds_every_method_has_the_dual_s_bound_for_a_proof(changes):
    solution = solve(problem(**changes))
    is_grid = changes["method"] is ThresholdMethod.GRID
    assert solution.proof == ("grid-exhausted" if is_grid else "dual-bound")
    # 50 ms at power 1; 109 ms at 1 and 91 at 8.
    assert solution.evidence.bound_us == pytest.approx((50 + 109 + 91 * 8) / 2 * MS * PPM, rel=1e-6)


def test_the_figures_are_those_of_the_hand_calculation():
    evidence = solve(problem()).evidence
    # 50 ms at power 1; 109 ms at 1 and 91 at 8.
    energy = (50 + 109 + 91 * 8) / 2 * 1_000 * PPM
    assert evidence.objective_us == energy
    assert evidence.bound_us == energy
    assert evidence.tail_us == 200 * MS
    assert evidence.mean_us == (50 + 200) / 2 * MS
    assert evidence.cost_time_us == energy / PPM
    assert evidence.total_cost_ppm == pytest.approx(energy / 125_000, abs=1)


def test_a_target_that_slow_cores_meet_leaves_nobody_climb():
    assert solve(problem(target_us=291 * MS)).age_us == (None,)


def test_a_target_that_only_fast_cores_meet_has_all_start_there():
    assert solve(problem(target_us=145_500)).age_us == (0,)


@pytest.mark.parametrize("changes", METHODS, ids=ident)
def test_a_target_below_the_fastest_tail_names_the_nearest(changes):
    finding, exit_code = finding_of(target_us=145_499, **changes)
    assert (finding.code, exit_code) == (Code.INFEASIBLE, ExitCode.INFEASIBLE)
    assert "`p99 <= 145.499 ms` cannot be met" in finding.message
    assert "145.5 ms" in finding.message
    assert "145.5 ms" in finding.help


def test_the_tail_objective_starts_on_the_last_rung_and_efficiency_never_leaves_the_first():
    fixed = {"method": ThresholdMethod.FIXED, "target_us": None}
    tail = solve(problem(objective=ThresholdObjective.TAIL, **fixed))
    efficiency = solve(problem(objective=ThresholdObjective.EFFICIENCY, **fixed))
    assert (tail.age_us, efficiency.age_us) == ((0,), (None,))
    assert tail.evidence.tail_us == 145_500
    assert efficiency.evidence.tail_us == 291 * MS
    assert tail.evidence.bound_us is None


OWN = profile([100.0, 100.0], curves=((1.0, 1.25), (1.0, 4.0)), curve_of=[0, 1])


@pytest.mark.parametrize("changes", METHODS[2:], ids=ident)
def test_with_speeds_of_their_own_the_slowest_request_decides(changes):
    # Both must be done by 90 ms: t + (100 - t) / 1.25 = 90 gives 50, and t + (100 - t) / 4 = 90
    # gives 86.7; the earlier one.
    (age_us,) = solve(problem(profile=OWN, target_us=90 * MS, **changes)).age_us
    assert age_us == pytest.approx(50 * MS, abs=GRID_OF_CP_SAT_US)


@pytest.mark.parametrize("changes", METHODS[2:], ids=ident)
def test_with_speeds_of_their_own_nothing_bounds_what_a_solver_says(changes):
    solution = solve(problem(profile=OWN, target_us=90 * MS, **changes))
    proofs = {"cp-sat": "none", None: "grid-exhausted"}
    assert solution.proof == proofs.get(changes.get("solver"), "solver-claim")
    assert solution.evidence.bound_us is None


@pytest.mark.parametrize("changes", METHODS[:2], ids=ident)
def test_methods_for_common_speeds_refuse_individual_ones(changes):
    finding, exit_code = finding_of(profile=OWN, target_us=90 * MS, **changes)
    assert (finding.code, exit_code) == (Code.METHOD_UNFIT, ExitCode.BAD_CONTENT)
    assert "`method: grid`" in finding.help


def test_a_request_that_no_faster_core_runs_faster_is_refused_by_the_grid():
    same = profile([100.0, 100.0], curves=((1.0, 1.0), (1.0, 4.0)), curve_of=[0, 1])
    finding, _ = finding_of(profile=same, percentile_ppm=500_000, **METHODS[-1])
    assert finding.code is Code.METHOD_UNFIT
    assert "1 of 2 sets of speeds is not faster" in finding.message


WOES = {
    SolverOutcome.NOT_INSTALLED: (Code.MISSING_PART, ExitCode.MISSING_PART),
    SolverOutcome.TIMED_OUT: (Code.BUDGET_ENDED, ExitCode.BUDGET),
    SolverOutcome.OUT_OF_MEMORY: (Code.BUDGET_ENDED, ExitCode.BUDGET),
    SolverOutcome.LIMIT: (Code.BUDGET_ENDED, ExitCode.BUDGET),
    SolverOutcome.CRASHED: (Code.SOLVER_FAILED, ExitCode.MISSING_PART),
    SolverOutcome.GARBLED: (Code.SOLVER_FAILED, ExitCode.MISSING_PART),
    SolverOutcome.TOO_LARGE: (Code.METHOD_UNFIT, ExitCode.BAD_CONTENT),
    SolverOutcome.INFEASIBLE: (Code.SOLVER_FAILED, ExitCode.MISSING_PART),
}


@pytest.mark.parametrize("changes", BY_SOLVERS[:2], ids=ident)
@pytest.mark.parametrize("outcome", WOES)
def test_a_solver_without_an_answer_is_told_with_its_exit_code(changes, outcome, monkeypatch):
    monkeypatch.setattr(Solver, "answer", lambda *_: SolverAnswer(outcome, message="so it is"))
    finding, exit_code = finding_of(**changes)
    assert (finding.code, exit_code) == WOES[outcome]
    assert "clarabel" in finding.message or "highs" in finding.message


@pytest.mark.parametrize("changes", BY_SOLVERS[:2], ids=ident)
def test_a_point_that_breaks_a_row_is_not_believed(changes, monkeypatch):
    def lie(_, program, __):
        return SolverAnswer(
            SolverOutcome.OPTIMAL, SolverPoint(np.zeros(program.n_variables), -1.0), bound=-1.0
        )

    monkeypatch.setattr(Solver, "answer", lie)
    finding, _ = finding_of(**changes)
    assert finding.code is Code.SOLVER_FAILED
    assert "wrong answer" in finding.message


def test_a_solver_that_hangs_is_ended_by_the_time_limit():
    rng = np.random.default_rng(1)
    many = profile(
        rng.exponential(100, 400), rng.uniform(1, 2, (400, 3)).cumsum(axis=1), [*range(400)]
    )
    limits = SolverLimits(0.3, 2_048)
    finding, exit_code = finding_of(
        profile=many,
        power_ppm=(PPM, 5 * PPM, 20 * PPM),
        target_us=200 * MS,
        method=ThresholdMethod.MIP,
        solver="scip",
        limits=limits,
    )
    assert (finding.code, exit_code) == (Code.BUDGET_ENDED, ExitCode.BUDGET)
    assert "`search.time_limit`" in finding.help


def test_the_default_step_gets_coarser_with_rungs_and_requests():
    few = problem()
    assert default_step_us(few) == 500
    many = profile(np.linspace(1, 300, 8_000), curves=((1.0, 1.3, 1.6, 1.9, 2.0),))
    five = problem(profile=many, power_ppm=tuple(p * PPM for p in (1, 2, 3, 4, 5)))
    assert 500 < default_step_us(five) <= 20_000


@pytest.mark.parametrize(("rungs", "step_us"), [(5, 1), (6, 500), (4, 1), (4, 20)])
def test_a_grid_on_which_no_search_ends_is_refused_with_its_size(rungs, step_us):
    speeds = tuple(1 + 0.3 * rung for rung in range(rungs))
    finding, exit_code = finding_of(
        profile=profile(np.linspace(1, 300, 8_000), curves=(speeds,)),
        power_ppm=tuple((1 + rung) * PPM for rung in range(rungs)),
        method=ThresholdMethod.GRID,
        limits=SolverLimits(60.0, 2_048, step_us),
    )
    assert (finding.code, finding.about) == (Code.METHOD_UNFIT, ("search", "step"))
    assert exit_code == ExitCode.BAD_CONTENT
    assert "visits requests" in finding.message
    assert "`step: " in finding.help

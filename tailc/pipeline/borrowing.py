"""Solve for how long batch work may share SMT cores with requests, by replays of the design trace.

A budget is the difference between the SLO and the tail of requests alone (Yang et al., USENIX ATC
2016, section 3); the kind of policy decides which requests use it. The resulting plan is replayed
on the same requests and arrival times, so that its tail is comparable with that of requests alone.
A plan found by search is measured on other requests than those of the search.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.sizes import Seed
from tailc.forms.ladder.lanes import Lanes
from tailc.percentiles import PPM
from tailc.pipeline.lane_budgets import BudgetedPlan, budgeted_plan, check_attainable
from tailc.pipeline.lane_evidence import RateEvidence
from tailc.pipeline.lane_sample import PlanMeasurement, PlanSample
from tailc.pipeline.lane_search import search_plan
from tailc.problems.borrowing import BorrowingProblem, BorrowingSolution, BudgetMethod, Calibration
from tailc.progress import Progress, silent
from tailc.tuning.batch_bounds import least_given_up_us
from tailc.units import format_mrps

# A search chooses a plan with the first seed; the second measures that plan.
SEEDS = (Seed.DESIGN, Seed.SECOND_PLAN)
_SOLVER = "tailc.pipeline.borrowing"


def solve_for_budgets(
    problem: BorrowingProblem, threads: int = 1, progress: Progress = silent
) -> BorrowingSolution:
    """Compute when requests share cores with batch work, and replay this plan at every rate.

    Raises TailcError if requests alone miss the target, or if a budget ends before batch work can
    leave the core.
    """
    is_searched = problem.method is BudgetMethod.SEARCH
    with ThreadPoolExecutor(threads) as workers:
        first, other = (_replays(problem, seed, workers) for seed in SEEDS)
        measured_on = other if is_searched else first
        progress("finding the interference", 0.0)
        lanes = lanes_for(problem, first)
        progress("replaying requests alone", 0.0)
        alone = tuple(measured_on.alone(lanes, rate) for rate in problem.rates_mrps)
        check_attainable(problem, alone)
        if is_searched:
            plan = search_plan(problem, lanes, first, other, progress)
            budgeted = BudgetedPlan(plan, (None,) * len(alone))
        else:
            budgeted = budgeted_plan(problem, lanes, alone)
        progress("replaying the plan", 0.0)
        rates = tuple(_rate_evidence(problem, lanes, budgeted, alone, measured_on, workers))
    return BorrowingSolution(
        lanes=lanes,
        plan=budgeted.plan,
        points=tuple(at.point for at in rates),
        rows=tuple(at.row for at in rates),
        proof=_proof(rates) if is_searched else "by-definition",
        solver=_SOLVER,
        evaluations=first.evaluations + other.evaluations,
    )


def _replays(problem: BorrowingProblem, seed: int, workers: Executor) -> PlanSample:
    return PlanSample(problem.profile, problem.percentile_ppm, seed, workers, problem.waking)


def _rate_evidence(
    problem: BorrowingProblem,
    lanes: Lanes,
    budgeted: BudgetedPlan,
    alone: tuple[PlanMeasurement, ...],
    replays: PlanSample,
    workers: Executor,
) -> Iterator[RateEvidence]:
    """Measure the plan at every rate; with a bound if it was searched and meets the target."""
    for rate, of_alone, budget_us in zip(
        problem.rates_mrps, alone, budgeted.budgets_us, strict=True
    ):
        under = replays.measure(lanes, budgeted.plan, rate)
        bound_us = None
        if problem.method is BudgetMethod.SEARCH and under.tail_us <= problem.target_us:
            promised = problem.percentile_ppm, problem.target_us
            bound_us = least_given_up_us(*promised, lanes, replays.replications(rate), workers)
        yield RateEvidence(rate, of_alone, under, budget_us, bound_us)


def _proof(rates: tuple[RateEvidence, ...]) -> str:
    return "none" if any(at.bound_us is None for at in rates) else "dual-bound"


# Resolution of the calibrated interference: a hundredth of a percent.
_STEP_PPM = 100
# Where a spec describes requests alone.
_ALONE = ("lanes", "calibrate", "alone")


def lanes_for(problem: BorrowingProblem, replays: PlanSample) -> Lanes:
    """Determine the hardware threads (lanes) of the cores, and how much sharing slows a request.

    The slowdown is calibrated by replay if the spec requests it. Raises TailcError (INFEASIBLE) if
    requests alone overload the server of the calibration.
    """
    interference = problem.interference
    interference_ppm = (
        _calibrated_ppm(problem, interference, replays)
        if isinstance(interference, Calibration)
        else interference
    )
    slowdown_ppm = problem.batch_slowdown_ppm
    return Lanes(
        problem.cores,
        interference_ppm,
        interference_ppm if slowdown_ppm is None else slowdown_ppm,
    )


def _calibrated_ppm(problem: BorrowingProblem, wanted: Calibration, replays: PlanSample) -> int:
    """The largest interference at which shared requests have no longer tail than requests alone."""

    def lanes(steps: int) -> Lanes:
        return Lanes(problem.cores, steps * _STEP_PPM, 0)

    alone = replays.alone(lanes(0), wanted.alone_mrps)
    if alone.is_overloaded:
        message = f"interference cannot be calibrated at {format_mrps(wanted.alone_mrps)}: "
        message += "requests alone overload the server"
        hint = "lower `lanes.calibrate.alone`"
        raise TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=_ALONE))
    low, high = 0, PPM // _STEP_PPM
    while high - low > 1:
        middle = (low + high) // 2
        tail_us = replays.measure_shared(lanes(middle), wanted.shared_mrps).tail_us
        low, high = (middle, high) if tail_us <= alone.tail_us else (low, middle)
    return low * _STEP_PPM

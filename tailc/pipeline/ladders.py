"""Solve a ladder problem, and evaluate its schedules exactly.

The grid search proves the best schedule on its grid; the continuous-time dual bounds every
schedule. Each proposed schedule is rounded to whole microseconds and evaluated again: no floating
point result of a solver enters an artifact unchecked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.course import SearchProgress
from tailc_solvers.intervals.grid import search_grid
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status

from tailc.errors import Code, Finding, TailcError
from tailc.percentiles import PPM
from tailc.pipeline.convergence import convergence_points
from tailc.pipeline.figures import US_PER_MS, ScheduleEvaluator, cost_rates, whole_us
from tailc.pipeline.smooth import smooth_schedules
from tailc.problems.convergence import ConvergencePoint
from tailc.problems.interval_grid import IntervalGrid, refuse_endless
from tailc.problems.ladder import LadderProblem, Method
from tailc.problems.schedule import LadderSolution, RowStatus, Schedule, SolvedRow
from tailc.progress import Progress
from tailc.specs.slo import promise
from tailc.units import format_us

if TYPE_CHECKING:
    from tailc_solvers.ladder.dual import ContinuousLadders as ContinuousSolution

_STATUSES = {
    Status.OPTIMAL: RowStatus.OPTIMAL,
    Status.INFEASIBLE: RowStatus.INFEASIBLE,
    Status.BUDGET: RowStatus.BUDGET,
}


@dataclass(frozen=True)
class _Proposal:
    """A solver's schedules for all loads.

    v_ms: durations [loads, rungs], inf if a rung never ends.
    """

    v_ms: NDArray[np.float64]
    status: tuple[Status, ...]
    least_tail_ms: NDArray[np.float64]
    evaluations: int
    proof: str
    solver: str
    course: tuple[SearchProgress, ...] = ()


def solve_for_schedules(problem: LadderProblem, threads: int, progress: Progress) -> LadderSolution:
    """Solve for a schedule at every load, evaluated in whole microseconds, with its proof.

    Loads that no schedule keeps within the budget are infeasible rows. Raises TailcError for a
    target that cannot be met (INFEASIBLE), a search that ends without an answer (BUDGET_ENDED), and
    a method that cannot solve the problem (METHOD_UNFIT).
    """
    sample = _sample(problem)
    continuous = None
    if problem.supplies:
        proposal, bounds_us = _by_prices(problem, sample)
    else:
        if problem.profile.has_common_curve:
            continuous = _continuous(problem, sample)
        if problem.method is Method.GRID:
            proposal = _by_grid(problem, sample, threads, progress)
        else:
            proposal = _by_dual(problem, sample, continuous)
        bounds_us = _whole_bounds(problem, continuous and continuous.bound)
    if Status.BUDGET in proposal.status:
        raise _budget_ended(problem, proposal.evaluations)
    evaluator = ScheduleEvaluator(problem, sample)
    if problem.tolerance_ppm:
        proposal = replace(proposal, v_ms=_smooth(problem, sample, proposal))
    rows = tuple(
        _row(problem, evaluator, proposal, number, bounds_us[number])
        for number in range(len(problem.loads))
    )
    _check_target(problem, rows)
    return LadderSolution(
        rows,
        proposal.proof,
        proposal.solver,
        proposal.evaluations,
        _longest_wait_us(problem),
        _course(proposal, continuous),
    )


def _smooth(
    problem: LadderProblem, sample: WeightedSample, proposal: _Proposal
) -> NDArray[np.float64]:
    """Smooth the schedules. A row that misses the target gets none, even if the dual has one."""
    solved = [status is Status.OPTIMAL for status in proposal.status]
    return smooth_schedules(
        problem, sample, np.where(np.array(solved)[:, None], proposal.v_ms, math.inf)
    )


def _longest_wait_us(problem: LadderProblem) -> int | None:
    """The grid's longest wait; None in continuous time, which has no limit."""
    return _grid(problem).longest_us if problem.method is Method.GRID else None


def _grid(problem: LadderProblem) -> IntervalGrid:
    assert problem.grid is not None
    return problem.grid


def _sample(problem: LadderProblem) -> WeightedSample:
    profile = problem.profile
    return WeightedSample(
        profile.demand_ms, profile.weight, profile.curves, profile.curve_of.astype(np.int64)
    )


def _whole_bounds(problem: LadderProblem, bound_ms: NDArray[np.float64] | None) -> list[int | None]:
    """Proved lower bound on each load's objective, rounded down [us]; None if unknown.

    Every grid schedule is also a continuous one, so the dual's bound holds for both methods.
    """
    if bound_ms is None:
        return [None] * len(problem.loads)
    bounds_ms = bound_ms.tolist()
    return [math.floor(b * US_PER_MS) if math.isfinite(b) else None for b in bounds_ms]


def _by_prices(
    problem: LadderProblem, sample: WeightedSample
) -> tuple[_Proposal, list[int | None]]:
    from tailc.pipeline.limited_ladders import limited_schedules

    result = limited_schedules(problem, sample)
    solved = result.has_schedule.tolist()
    proposal = _Proposal(
        result.v_ms,
        tuple(Status.OPTIMAL if each else Status.INFEASIBLE for each in solved),
        result.least_tail_ms,
        result.prices,
        "dual-bound",
        "tailc_solvers.ladder.limits",
    )
    return proposal, _whole_bounds(problem, result.bound)


def _continuous(problem: LadderProblem, sample: WeightedSample) -> ContinuousSolution:
    from tailc_solvers.ladder.dual import solve_ladder

    return solve_ladder(
        sample,
        cost_rates(problem),
        problem.loads,
        problem.budget_ppm / PPM,
        rank=problem.rank,
        objective=problem.objective.value,
        target_ms=_target_ms(problem),
    )


def _by_dual(
    problem: LadderProblem, sample: WeightedSample, continuous: ContinuousSolution | None
) -> _Proposal:
    if continuous is None:
        raise _dual_unfit(
            "needs a single speed-up curve for all requests",
            "use `method: grid`, or give `speedup` as one curve",
        )
    if problem.max_evaluations is not None:
        raise _dual_unfit("has no budget, because it ends by itself", "remove `max_evaluations`")
    from tailc_solvers.ladder.snap import snap

    snapped = snap(
        continuous,
        sample,
        cost_rates(problem),
        problem.budget_ppm / PPM,
        rank=problem.rank,
        target_ms=_target_ms(problem),
    )
    solved = zip(continuous.status, snapped.meets_target.tolist(), strict=True)
    return _Proposal(
        snapped.v_ms,
        tuple(status if meets else Status.INFEASIBLE for status, meets in solved),
        snapped.tail_ms,
        continuous.evaluations,
        "dual-bound",
        "tailc_solvers.ladder.dual",
    )


def _target_ms(problem: LadderProblem) -> float | None:
    return None if problem.target_us is None else problem.target_us / US_PER_MS


def _by_grid(
    problem: LadderProblem, sample: WeightedSample, threads: int, progress: Progress
) -> _Proposal:
    if problem.max_evaluations is None:
        refuse_endless(_grid(problem), problem.profile.degrees)
    result = search_grid(
        sample,
        cost_rates(problem),
        problem.loads,
        problem.budget_ppm / PPM,
        rank=problem.rank,
        step_ms=_grid(problem).step_us / US_PER_MS,
        longest_ms=_grid(problem).longest_us / US_PER_MS,
        objective=problem.objective.value,
        target_ms=_target_ms(problem),
        max_evaluations=problem.max_evaluations,
        progress=lambda share: progress("searching schedules", share),
        workers=threads,
    )
    return _Proposal(
        result.v_ms,
        result.status,
        result.least_tail_ms,
        result.evaluations,
        "grid-exhausted",
        "tailc_solvers.intervals.grid",
        result.course,
    )


def _course(
    proposal: _Proposal, continuous: ContinuousSolution | None
) -> tuple[ConvergencePoint, ...]:
    """Mean convergence over the loads that have a schedule, with the dual's bound."""
    solved = np.array([status is Status.OPTIMAL for status in proposal.status])
    bound = None
    if continuous is not None and solved.any():
        bound = float(continuous.bound[solved].mean())
    return convergence_points(proposal.course, times=US_PER_MS, bound=bound)


def _row(
    problem: LadderProblem,
    evaluator: ScheduleEvaluator,
    proposal: _Proposal,
    number: int,
    bound_us: int | None,
) -> SolvedRow:
    load, status = problem.loads[number], proposal.status[number]
    if status is not Status.OPTIMAL:
        nearest_ms = float(proposal.least_tail_ms[number])
        nearest_us = math.ceil(nearest_ms * US_PER_MS) if math.isfinite(nearest_ms) else None
        return SolvedRow(load, _STATUSES[status], nearest_tail_us=nearest_us)
    schedule = _schedule(proposal.v_ms[number])
    evidence = evaluator.evidence(load, schedule, bound_us)
    return SolvedRow(load, RowStatus.OPTIMAL, schedule, evidence)


def _schedule(v_ms: NDArray[np.float64]) -> Schedule:
    wait_us, *stays = (None if math.isinf(v) else whole_us(v) for v in v_ms.tolist())
    assert wait_us is not None
    return Schedule(wait_us, tuple(stays))


def _check_target(problem: LadderProblem, rows: tuple[SolvedRow, ...]) -> None:
    """Raise TailcError for a target that a load, or with `may_miss` every load, cannot meet."""
    missed = [row for row in rows if row.status is RowStatus.INFEASIBLE]
    if problem.target_us is None or len(missed) < (len(rows) if problem.may_miss else 1):
        return
    first, nearest_us = missed[0], [row.nearest_tail_us for row in missed]
    target = promise(problem.percentile_ppm, problem.target_us)
    message = f"`{target}` cannot be met with {_requests(first.load)} in the system"
    most = f"{problem.budget_ppm / PPM:g}"
    limit = f"within the target of {most} for the parallelism or power of all requests"
    if first.nearest_tail_us is not None:
        message += f"; the shortest possible latency is {format_us(first.nearest_tail_us)} {limit}"
    attainable_us = [nearest for nearest in nearest_us if nearest is not None]
    if len(attainable_us) < len(missed):
        hint = (
            f"no schedule with {_requests(first.load)} in the system is {limit}: lower "
            "`search.max_in_system`"
        )
    else:
        # The highest load is the hardest: all loads can meet its latency. One load may be enough.
        relaxed = format_us(min(attainable_us) if problem.may_miss else max(attainable_us))
        hint = f"relax the latency to {relaxed}, raise the target, or lower `search.max_in_system`"
    raise TailcError(Finding(Code.INFEASIBLE, message, help=hint))


def _requests(count: int) -> str:
    return "1 request" if count == 1 else f"{count} requests"


def _dual_unfit(why: str, hint: str) -> TailcError:
    return TailcError(Finding(Code.METHOD_UNFIT, f"the method `dual` {why}", help=hint))


def _budget_ended(problem: LadderProblem, evaluations: int) -> TailcError:
    message = f"the search ended after `{evaluations}` evaluations, before its answer was certified"
    grid = _grid(problem)
    hint = (
        f"raise `search.max_evaluations`, or search fewer schedules: now {grid.steps} steps of "
        f"`{grid.step_us}us` for {len(problem.cost_ppm)} rungs"
    )
    return TailcError(Finding(Code.BUDGET_ENDED, message, help=hint))

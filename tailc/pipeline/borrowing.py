"""How long batch work may borrow cores, from what replays of the design sample show.

A budget is the headroom of the SLO over requests alone (Yang et al., USENIX ATC 2016, section 3),
and goes to whom the policy says. What the policy then does is replayed on the same requests at the
same times, so that its tail and that of requests alone can be compared. What was searched for is
told of on other requests than it was chosen by.
"""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor

from tailc.errors import Code, Finding, Severity
from tailc.forms.ladder.borrowing import (
    Borrowing,
    BorrowingProblem,
    BorrowingSolution,
    BudgetMethod,
    LoadPoint,
    RateRow,
)
from tailc.forms.ladder.lanes import Lanes
from tailc.forms.ladder.solution import RowEvidence
from tailc.percentiles import PPM
from tailc.pipeline.lane_bounds import least_given_up_us
from tailc.pipeline.lane_budgets import Budgeted, budgeted, check_attainable
from tailc.pipeline.lane_calibration import lanes_for
from tailc.pipeline.lane_replays import LaneReplays, Seen
from tailc.pipeline.lane_search import low_load_age_us, searched
from tailc.pipeline.progress import Progress, silent
from tailc.specs.slo import promise
from tailc.units import format_mrps, format_us
from tailc.verify.lanes import BATCH_WAKE, CORE_WAKE

# A search chooses by the first, and is judged by the second.
SEEDS = (1, 2)
# Ways out of a miss: delays of the first two add up, the next two are within what is given.
_LESS_OR_OTHER = "give a smaller budget, or a policy whose delays do not add up: `fixed` or `safe`"
_LESS = "give a smaller budget"
_WAYS = {
    Borrowing.REFRESH: _LESS_OR_OTHER,
    Borrowing.DYNAMIC: _LESS_OR_OTHER,
    Borrowing.FIXED: _LESS,
    Borrowing.SAFE: _LESS,
    Borrowing.IDLE: "lower the rate, or relax the latency",
    Borrowing.OPTIMISED: "lower `target`, which leaves room for chance",
}
_SOLVER = "tailc.pipeline.borrowing"


def solve_for_budgets(
    problem: BorrowingProblem, threads: int = 1, progress: Progress = silent
) -> BorrowingSolution:
    """The plan of the problem's policy, and what replays show of it at every rate.

    Raises TailcError where requests alone miss the target, and where a budget ends before batch
    work can have left.
    """
    with ThreadPoolExecutor(threads) as workers:
        first, other = (_replays(problem, seed, workers) for seed in SEEDS)
        progress("finding the interference", 0.0)
        lanes = lanes_for(problem, first)
        told = other if problem.borrowing is Borrowing.OPTIMISED else first
        progress("replaying requests alone", 0.0)
        alone = tuple(told.alone(lanes, rate) for rate in problem.rates_mrps)
        check_attainable(problem, alone)
        if problem.borrowing is Borrowing.OPTIMISED:
            plan = searched(problem, lanes, first, other, progress)
            found = Budgeted(plan, (None,) * len(alone))
        else:
            found = budgeted(problem, lanes, alone)
        progress("replaying the plan", 0.0)
        seen = tuple(told.seen(lanes, found.plan, rate) for rate in problem.rates_mrps)
        progress("bounding batch work", 0.0)
        bounds_us = _bounds_us(problem, lanes, told, seen, workers)
    return BorrowingSolution(
        lanes=lanes,
        plan=found.plan,
        points=_points(problem, alone, found, seen, bounds_us),
        rows=tuple(map(_row, problem.rates_mrps, seen, bounds_us)),
        proof=_proof(problem, bounds_us),
        solver=_SOLVER,
        evaluations=first.evaluations + other.evaluations,
    )


def _replays(problem: BorrowingProblem, seed: int, workers: Executor) -> LaneReplays:
    return LaneReplays(problem.profile, problem.percentile_ppm, seed, workers, problem.waking)


def _bounds_us(
    problem: BorrowingProblem,
    lanes: Lanes,
    replays: LaneReplays,
    seen: tuple[Seen, ...],
    workers: Executor,
) -> tuple[int | None, ...]:
    """The least batch work given up, where the most was looked for and the target is met."""
    if problem.method is not BudgetMethod.SEARCH:
        return (None,) * len(seen)
    return tuple(
        least_given_up_us(problem, lanes, replays.draws(rate), workers)
        if under.tail_us <= problem.target_us
        else None
        for rate, under in zip(problem.rates_mrps, seen, strict=True)
    )


def _proof(problem: BorrowingProblem, bounds_us: tuple[int | None, ...]) -> str:
    if problem.method is not BudgetMethod.SEARCH:
        return "by-definition"
    return "none" if None in bounds_us else "dual-bound"


def _points(
    problem: BorrowingProblem,
    alone: tuple[Seen, ...],
    found: Budgeted,
    seen: tuple[Seen, ...],
    bounds_us: tuple[int | None, ...],
) -> tuple[LoadPoint, ...]:
    parts = zip(problem.rates_mrps, alone, found.budgets_us, seen, bounds_us, strict=True)
    return tuple(
        LoadPoint(
            rate,
            of_alone.tail_us,
            budget_us,
            under.tail_or_none_us,
            under.batch_ppm,
            _most_ppm(under, bound_us),
        )
        for rate, of_alone, budget_us, under, bound_us in parts
    )


def _most_ppm(seen: Seen, bound_us: int | None) -> int | None:
    """What is given up by core is that by request, times requests by core."""
    if bound_us is None:
        return None
    return PPM - (PPM - seen.batch_ppm) * bound_us // max(seen.given_up_us, 1)


def _row(rate_mrps: int, seen: Seen, bound_us: int | None) -> RateRow:
    """What is predicted at a rate; nothing where there is no end of the queue."""
    if seen.is_overloaded:
        return RateRow(None)
    evidence = RowEvidence(
        load=rate_mrps,
        objective_us=seen.given_up_us,
        bound_us=bound_us,
        tail_us=seen.tail_us,
        tail_low_us=seen.low_us,
        tail_high_us=seen.high_us,
        mean_us=seen.mean_us,
        cost_time_us=seen.given_up_us,
        total_cost_ppm=PPM - seen.batch_ppm,
    )
    return RateRow(evidence)


def predicted_misses(problem: BorrowingProblem, solution: BorrowingSolution) -> tuple[Finding, ...]:
    """A warning for each rate at which the plan misses the target on the design sample."""
    way = _WAYS[problem.borrowing]
    return tuple(
        Finding(Code.PREDICTED_MISS, _missed(problem, point), None, way, Severity.WARNING)
        for point in solution.points
        if point.tail_us is None or point.tail_us > problem.target_us
    )


def _missed(problem: BorrowingProblem, point: LoadPoint) -> str:
    at = f"at {format_mrps(point.rate_mrps)} `{problem.borrowing.value}`"
    if point.tail_us is None:
        return f"{at} overloads the server"
    target = promise(problem.percentile_ppm, problem.target_us)
    return f"{at} has {format_us(point.tail_us)} on the design sample, where `{target}` is aimed at"


def borrowing_settings(problem: BorrowingProblem, solution: BorrowingSolution) -> dict[str, int]:
    """Of lanes and budgets, and by rate what requests alone have and what they may lose."""
    settings = {
        "batch_slowdown_ppm": solution.lanes.batch_slowdown_ppm,
        "interference_ppm": solution.lanes.interference_ppm,
        "percentile_ppm": problem.percentile_ppm,
        "release_us": problem.release_us,
        "target_us": problem.target_us,
    }
    waking = {BATCH_WAKE: problem.waking.batch_ns, CORE_WAKE: problem.waking.core_ns}
    settings |= {name: told for name, told in waking.items() if told}
    if problem.method is BudgetMethod.SEARCH:
        age_us = low_load_age_us(problem, solution.lanes)
        settings |= {} if age_us is None else {"low_load_age_us": age_us}
    for number, point in enumerate(solution.points, start=1):
        told = {"alone_us": point.alone_us, "batch_ppm": point.batch_ppm}
        if point.budget_us is not None:
            told["budget_us"] = point.budget_us
        settings |= {f"rate_{number}_{name}": value for name, value in told.items()}
    return settings

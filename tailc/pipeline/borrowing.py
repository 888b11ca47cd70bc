"""How long batch work may borrow cores, from what replays of the design sample show.

A budget is the headroom of the SLO over requests alone (Yang et al., USENIX ATC 2016, section 3),
and goes to whom the policy says; what the policy then does is replayed on other random numbers.
"""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.forms.ladder.borrowing import (
    Borrowing,
    BorrowingProblem,
    BorrowingSolution,
    BudgetMethod,
    Calibration,
    LoadPoint,
    RateRow,
    age_of,
    plan_of,
)
from tailc.forms.ladder.lanes import Lanes, Plan
from tailc.forms.ladder.solution import RowEvidence
from tailc.percentiles import PPM
from tailc.pipeline.lane_replays import NO_END_US, LaneReplays, Seen
from tailc.pipeline.lane_search import low_load_age_us, searched
from tailc.pipeline.progress import Progress, silent
from tailc.specs.slo import promise
from tailc.units import format_mrps, format_us
from tailc.verify.lanes import BATCH_WAKE, CORE_WAKE

# Budgets are found on the first, and predictions made on the second.
SEEDS = (1, 2)
# Interference is found to a hundredth of a percent.
_STEP_PPM = 100
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


@dataclass(frozen=True)
class _Found:
    """A plan, and the budget at each rate that it is made of."""

    plan: Plan
    budgets_us: tuple[int | None, ...]


def solve_for_budgets(
    problem: BorrowingProblem, threads: int = 1, progress: Progress = silent
) -> BorrowingSolution:
    """The plan of the problem's policy, and what replays show of it at every rate.

    Raises TailcError (INFEASIBLE) where requests alone miss the target.
    """
    with ThreadPoolExecutor(threads) as workers:
        first, other = (_replays(problem, seed, workers) for seed in SEEDS)
        progress("finding the interference", 0.0)
        lanes = _lanes(problem, first)
        progress("replaying requests alone", 0.0)
        alone = tuple(first.alone(lanes, rate) for rate in problem.rates_mrps)
        _check_attainable(problem, alone)
        if problem.borrowing is Borrowing.OPTIMISED:
            plan = searched(problem, lanes, first, other, progress)
            found = _Found(plan, (None,) * len(alone))
        else:
            found = _found(problem, lanes, alone)
        progress("replaying the plan", 0.0)
        seen = tuple(other.seen(lanes, found.plan, rate) for rate in problem.rates_mrps)
    return BorrowingSolution(
        lanes=lanes,
        plan=found.plan,
        points=_points(problem, alone, found, seen),
        rows=tuple(map(_row, problem.rates_mrps, seen)),
        proof="none" if problem.method is BudgetMethod.SEARCH else "by-definition",
        solver=_SOLVER,
        evaluations=first.evaluations + other.evaluations,
    )


def _replays(problem: BorrowingProblem, seed: int, workers: Executor) -> LaneReplays:
    return LaneReplays(problem.profile, problem.percentile_ppm, seed, workers, problem.waking)


def _lanes(problem: BorrowingProblem, replays: LaneReplays) -> Lanes:
    told = problem.interference
    interference_ppm = (
        _calibrated_ppm(problem, told, replays) if isinstance(told, Calibration) else told
    )
    slowdown_ppm = problem.batch_slowdown_ppm
    return Lanes(
        problem.cores,
        interference_ppm,
        interference_ppm if slowdown_ppm is None else slowdown_ppm,
    )


def _calibrated_ppm(problem: BorrowingProblem, wanted: Calibration, replays: LaneReplays) -> int:
    """The most with which the tail of requests that always share is no longer than wanted."""

    def lanes(steps: int) -> Lanes:
        return Lanes(problem.cores, steps * _STEP_PPM, 0)

    alone = replays.alone(lanes(0), wanted.alone_mrps)
    if alone.is_overloaded:
        message = f"interference cannot be calibrated at {format_mrps(wanted.alone_mrps)}: "
        message += "requests alone overload the server"
        raise TailcError(Finding(Code.INFEASIBLE, message, help="lower `lanes.calibrate.alone`"))
    low, high = 0, PPM // _STEP_PPM
    while high - low > 1:
        middle = (low + high) // 2
        tail_us = replays.shared(lanes(middle), wanted.shared_mrps).tail_us
        low, high = (middle, high) if tail_us <= alone.tail_us else (low, middle)
    return low * _STEP_PPM


def _found(problem: BorrowingProblem, lanes: Lanes, alone: tuple[Seen, ...]) -> _Found:
    """What a policy of the paper does with the budgets."""
    rates = problem.rates_mrps
    if problem.borrowing is Borrowing.IDLE:
        ages = tuple((rate, problem.release_us) for rate in rates)
        return _Found(plan_of(Borrowing.IDLE, ages, lanes), (None,) * len(rates))
    budgets_us = _budgets_us(problem, alone)
    ages = tuple(
        (rate, _age_us(problem, lanes, budget))
        for rate, budget in zip(rates, budgets_us, strict=True)
    )
    return _Found(plan_of(problem.borrowing, ages, lanes), budgets_us)


def _age_us(problem: BorrowingProblem, lanes: Lanes, budget_us: int) -> int | None:
    """Batch work that is told at once to leave has left after its release."""
    age_us = age_of(budget_us, lanes, charges_harm=problem.charges_harm)
    return None if age_us is None else max(age_us, problem.release_us)


def _budgets_us(problem: BorrowingProblem, alone: tuple[Seen, ...]) -> tuple[int, ...]:
    """At each rate: the one given, or the headroom, the least of all but by load."""
    if problem.method is BudgetMethod.GIVEN:
        assert problem.budget_us is not None
        return (problem.budget_us,) * len(alone)
    headroom_us = [problem.target_us - seen.tail_us for seen in alone]
    if not problem.is_by_load:
        return (min(headroom_us),) * len(alone)
    # A higher rate has no more headroom, but for the noise of replays.
    return tuple(min(headroom_us[: place + 1]) for place in range(len(alone)))


def _check_attainable(problem: BorrowingProblem, alone: tuple[Seen, ...]) -> None:
    """Refuse rates at which requests alone miss the target already.

    A policy without headroom to find only needs that there is an end of the queue.
    """
    finds = problem.method in (BudgetMethod.HEADROOM, BudgetMethod.SEARCH)
    target_us = problem.target_us if finds else NO_END_US
    by_rate = list(zip(problem.rates_mrps, alone, strict=True))
    missed = [(rate, at) for rate, at in by_rate if at.is_overloaded or at.tail_us > target_us]
    if not missed:
        return
    told = ", ".join(f"at {format_mrps(rate)}: requests alone {_have(at)}" for rate, at in missed)
    message = f"`{promise(problem.percentile_ppm, problem.target_us)}` cannot be met {told}"
    met = [rate for rate, _ in by_rate if rate < missed[0][0]]
    ways = [f"lower rates to {format_mrps(met[-1])}" if met else "lower rates"]
    if not any(at.is_overloaded for _, at in missed):
        most_us = max(at.tail_us for _, at in missed)
        ways.insert(0, f"relax the latency to more than {format_us(most_us)}")
    raise TailcError(Finding(Code.INFEASIBLE, message, help=", or ".join(ways)))


def _have(alone: Seen) -> str:
    return "overload the server" if alone.is_overloaded else f"have {format_us(alone.tail_us)}"


def _points(
    problem: BorrowingProblem, alone: tuple[Seen, ...], found: _Found, seen: tuple[Seen, ...]
) -> tuple[LoadPoint, ...]:
    parts = zip(problem.rates_mrps, alone, found.budgets_us, seen, strict=True)
    return tuple(
        LoadPoint(rate, of_alone.tail_us, budget_us, under.tail_or_none_us, under.batch_ppm)
        for rate, of_alone, budget_us, under in parts
    )


def _row(rate_mrps: int, seen: Seen) -> RateRow:
    """What is predicted at a rate; nothing where there is no end of the queue."""
    if seen.is_overloaded:
        return RateRow(None)
    evidence = RowEvidence(
        load=rate_mrps,
        objective_us=seen.given_up_us,
        bound_us=None,
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

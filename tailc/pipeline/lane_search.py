"""Search for the sharing ages that leave the most batch work under the SLO.

A sharing age is the age up to which a request shares its core with batch work. Three steps.
*Constants*: for each policy with one age, find the longest age that meets the target at all rates;
choose the policy with the most batch work, `borrow-idle` included. *Arrival*: find the longest age
counted from arrival that meets the target, so that waiting uses up a request's time to share; it is
limited to that of a request that never waits (the threshold problem of Haque et al., MICRO 2017,
with batch work in place of energy). *By load*: start from both results, and change the age of one
number in the system at a time, by steps that halve. Accept a step if it reduces the deficit of
batch work against the best constant at some rate, or, without a deficit, if it increases the total
batch work.

The ages found are shortened until they meet the target on other random numbers too. If they then
leave less batch work than the best constant at some rate, the best constant is the result.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tailc.forms.ladder.lanes import Lanes, SharingPlan
from tailc.forms.ladder.table import LoadAxis, Rule
from tailc.percentiles import PPM
from tailc.pipeline.lane_sample import PlanSample
from tailc.pipeline.thresholds import solve_for_ages
from tailc.problems.borrowing import Borrowing, BorrowingProblem, sharing_plan
from tailc.problems.thresholds import (
    SolverLimits,
    ThresholdMethod,
    ThresholdObjective,
    ThresholdProblem,
)
from tailc.progress import Progress, silent

CONSTANTS = (Borrowing.FIXED, Borrowing.REFRESH, Borrowing.SAFE)
# Rows: no request waits, up to one per core waits, and more wait.
_ROWS = 3
# Resolution of ages, as a fraction (1/n) of the target.
_PARTS = 128
# Steps by load start at the first fraction (1/n) of the target, and end with the last.
_FIRST_PART, _LAST_PART = 2, 32
# Ages are shortened by this fraction (1/n) at a time.
_CUT = 32


@dataclass(frozen=True)
class _PlanTrial:
    """A plan with its batch work at each rate, and whether it meets the target at all rates."""

    plan: SharingPlan
    batch_ppm: tuple[int, ...]
    is_met: bool

    @property
    def total_ppm(self) -> int:
        """Sum of batch work over all rates."""
        return sum(self.batch_ppm)

    def merit(self, other: _PlanTrial) -> tuple[bool, int, int]:
        """Sort key (larger is better): target met, deficit against `other`, total batch work."""
        gains = (a - b for a, b in zip(self.batch_ppm, other.batch_ppm, strict=True))
        return self.is_met, min(0, *gains), self.total_ppm


def search_plan(
    problem: BorrowingProblem,
    lanes: Lanes,
    first: PlanSample,
    other: PlanSample,
    progress: Progress,
) -> SharingPlan:
    """Search for the plan of sharing cores with the most batch work that meets the target.

    Requests alone must meet the target at all rates. first: the sample of the search; other: the
    sample that confirms the plan.
    """
    search, judge = (_PlanTrials(problem, lanes, replays) for replays in (first, other))
    progress("trying one age for all", 0.0)
    constant = search.best_constant()
    progress("trying ages from arrival", 0.0)
    starts = (search.trial(plan_by_load(constant.plan, problem, lanes)), search.from_arrival())
    result = max(
        (search.improve(start, constant) for start in starts), key=lambda one: one.merit(constant)
    )
    progress("judging the plans", 0.0)
    confirmed = judge.cut_back(constant.plan)
    better = judge.cut_back(result.plan)
    return max(confirmed, better, key=lambda one: one.merit(confirmed)).plan


class _PlanTrials:
    """Plans tried on one sample."""

    def __init__(self, problem: BorrowingProblem, lanes: Lanes, replays: PlanSample) -> None:
        self._problem = problem
        self._lanes = lanes
        self._replays = replays

    def trial(self, plan: SharingPlan) -> _PlanTrial:
        """Measure the plan at every rate; batch work is 0 if it misses the target at some rate."""
        batch_ppm: list[int] = []
        # The highest rate is the first to miss.
        for rate in reversed(self._problem.rates_mrps):
            measurement = self._replays.measure(self._lanes, plan, rate)
            if measurement.tail_us > self._problem.target_us:
                return _PlanTrial(plan, (0,) * len(self._problem.rates_mrps), False)
            batch_ppm.append(measurement.batch_ppm)
        return _PlanTrial(plan, tuple(reversed(batch_ppm)), True)

    def best_constant(self) -> _PlanTrial:
        """The constant plan with the most total batch work; on a tie, the more cautious one."""
        idle = self.trial(self._constant(Borrowing.IDLE, self._problem.release_us))
        result = [idle]
        for borrowing in CONSTANTS:

            def with_age(age_us: int | None, borrowing: Borrowing = borrowing) -> SharingPlan:
                return self._constant(borrowing, age_us)

            result.append(self._longest(with_age, None))
        return max(result, key=lambda one: (one.is_met, one.total_ppm))

    def from_arrival(self) -> _PlanTrial:
        """The plan with the longest age from arrival that meets the target."""

        def with_age(age_us: int | None) -> SharingPlan:
            plan = SharingPlan(LoadAxis.IN_SYSTEM, (Rule.AGE_FROM_ARRIVAL,), ((1, age_us),), 1)
            return plan_by_load(plan, self._problem, self._lanes)

        return self._longest(with_age, low_load_age_us(self._problem, self._lanes))

    def improve(self, start: _PlanTrial, constant: _PlanTrial) -> _PlanTrial:
        """The best plan that single steps from `start` lead to."""
        best = start
        for step_us in _steps_us(self._problem.target_us):
            improved = True
            while improved:
                improved = False
                for ages in _neighbours(best.plan, step_us, self._problem.release_us):
                    trial = self.trial(replace(best.plan, ages_us=ages))
                    if trial.merit(constant) > best.merit(constant):
                        best, improved = trial, True
        return best

    def cut_back(self, plan: SharingPlan) -> _PlanTrial:
        """The plan with all ages shortened together until it meets the target on this sample."""
        trial = self.trial(plan)
        for left in range(_CUT - 1, -1, -1):
            if trial.is_met:
                break
            shorter = tuple((load, self._cut_age(age, left)) for load, age in plan.ages_us)
            trial = self.trial(replace(plan, ages_us=shorter))
        return trial

    def _cut_age(self, age_us: int | None, left: int) -> int:
        """The fraction `left` / `_CUT` of an age; None (never) counts as the target."""
        return (self._problem.target_us if age_us is None else age_us) * left // _CUT

    def _constant(self, borrowing: Borrowing, age_us: int | None) -> SharingPlan:
        return sharing_plan(borrowing, ((self._problem.rates_mrps[0], age_us),), self._lanes)

    def _longest(
        self, plan: Callable[[int | None], SharingPlan], most_us: int | None
    ) -> _PlanTrial:
        """The plan with the longest age that meets the target, or the least age if none does."""
        never = self.trial(plan(most_us))
        if never.is_met:
            return never
        step_us = max(self._problem.target_us // _PARTS, 1)
        limit_us = 4 * self._problem.target_us if most_us is None else most_us
        low, high = 0, max(limit_us // step_us, 1)
        best = self.trial(plan(self._problem.release_us))
        while high - low > 1:
            middle = (low + high) // 2
            trial = self.trial(plan(max(middle * step_us, self._problem.release_us)))
            low, high, best = (middle, high, trial) if trial.is_met else (low, middle, best)
        return best


def plan_by_load(plan: SharingPlan, problem: BorrowingProblem, lanes: Lanes) -> SharingPlan:
    """Make a plan of sharing cores by load: rows for no, some and many waiting requests."""
    loads = [1 + row * lanes.cores for row in range(_ROWS)]
    ages = []
    for load in loads:
        age_us = next(age for first, age in reversed(plan.ages_us) if first <= load)
        # Twice the target replaces never, so that steps can shorten it.
        ages.append((load, 2 * problem.target_us if age_us is None else age_us))
    rules = (*plan.rules, Rule.REREAD_ROW)
    return SharingPlan(LoadAxis.IN_SYSTEM, rules, tuple(ages), loads[-1])


def _steps_us(target_us: int) -> Iterator[int]:
    part = _FIRST_PART
    while part <= _LAST_PART:
        yield max(target_us // part, 1)
        part *= 2


def _neighbours(
    plan: SharingPlan, step_us: int, least_us: int
) -> Iterator[tuple[tuple[int, int | None], ...]]:
    """The ages of the plan with one of them a step longer or shorter."""
    for place, sign in itertools.product(range(len(plan.ages_us)), (1, -1)):
        load, age_us = plan.ages_us[place]
        assert age_us is not None
        moved = (load, max(age_us + sign * step_us, least_us))
        yield (*plan.ages_us[:place], moved, *plan.ages_us[place + 1 :])


def low_load_age_us(problem: BorrowingProblem, lanes: Lanes) -> int | None:
    """The age from which a request that never waits must be alone on its core [us]; None: never.

    Before this age it shares the core with batch work. The age minimises the batch work given up
    under the target (Haque et al., MICRO 2017, section 4.4, for two rungs: a request at the
    percentile, of work w, is alone from (target - w) / interference on). If both hardware threads
    together do no more work than one alone, sharing gains nothing and the age is 0.
    """
    if lanes.interference_ppm == 0:
        return None
    if lanes.interference_ppm + lanes.batch_slowdown_ppm >= PPM:
        return 0
    speeds = np.array([[(PPM - lanes.interference_ppm) / PPM, 1.0]])
    profile = replace(problem.profile, curves=speeds)
    thresholds = ThresholdProblem(
        profile=profile,
        power_ppm=(max(lanes.batch_slowdown_ppm, 1), PPM),
        static_ppm=0,
        is_in_watts=False,
        objective=ThresholdObjective.ENERGY,
        percentile_ppm=problem.percentile_ppm,
        target_us=problem.target_us,
        method=ThresholdMethod.DUAL,
        solver=None,
        limits=SolverLimits(0.0, 0),
    )
    return solve_for_ages(thresholds, 1, silent).age_us[0]

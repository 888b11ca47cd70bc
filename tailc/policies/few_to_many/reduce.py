"""Few-to-many as a ladder problem: rung d is d threads, and a thread costs one thread."""

from __future__ import annotations

import math

import numpy as np

from tailc.forms.ladder.problem import LadderProblem, Method, Objective
from tailc.percentiles import PPM, percentile_rank
from tailc.policies.few_to_many.spec import FewToManySpec
from tailc.traces.profile import DemandProfile
from tailc.traces.speedup_check import suggest_max_degree

# The default step resolves the SLO quantile's demand this finely ...
POINTS_PER_QUANTILE = 200
# ... unless the grid would then hold more schedules than this (about a second of search).
MOST_SCHEDULES_SHARED_CURVES = 40_000_000
MOST_SCHEDULES_OWN_CURVES = 2_000_000
# More curves than this are requests of their own rather than classes.
MOST_CLASSES = 64


def candidates(spec: FewToManySpec) -> tuple[FewToManySpec, ...]:
    """One spec for each target parallelism that the spec sweeps over."""
    return tuple(spec.with_target(target_ppm) for target_ppm in spec.server.targets_ppm)


def reduce(spec: FewToManySpec, profile: DemandProfile) -> LadderProblem:
    """The ladder problem whose rows are the interval table (Haque et al., ASPLOS 2015, section 4).

    Without a `max_degree`, degrees where the mean speed-up has stopped growing are cut off.
    """
    slo = spec.slos[0]
    (budget_ppm,) = spec.server.targets_ppm
    if spec.max_degree is None:
        profile = profile.first_degrees(suggest_max_degree(profile.mean_curve()))
    objective = Objective.TAIL if spec.search.objective == "tail" else Objective.COST
    step_us = spec.search.step_us or default_step_us(profile, slo.percentile_ppm)
    longest_us = spec.search.longest_interval_us or math.ceil(float(profile.demand_ms.max()) * 1e3)
    last_load = spec.search.max_in_system or max(budget_ppm // PPM, 1)
    return LadderProblem(
        profile=profile,
        cost_ppm=tuple(threads * PPM for threads in range(1, profile.degrees + 1)),
        loads=tuple(range(1, last_load + 1)),
        budget_ppm=budget_ppm,
        percentile_ppm=slo.percentile_ppm,
        objective=objective,
        target_us=slo.latency_us if objective is Objective.COST else None,
        method=Method(spec.search.method),
        step_us=step_us,
        longest_us=-(-longest_us // step_us) * step_us,
        max_evaluations=spec.search.max_evaluations,
    )


def default_step_us(profile: DemandProfile, percentile_ppm: int) -> int:
    """A step of 1, 2 or 5 times a power of ten, fine for the quantile yet affordable."""
    rank = percentile_rank(percentile_ppm, profile.total_weight)
    quantile_us = demand_at_rank_ms(profile, rank) * 1e3
    longest_us = float(profile.demand_ms.max()) * 1e3
    own = len(profile.curves) > MOST_CLASSES
    most = MOST_SCHEDULES_OWN_CURVES if own else MOST_SCHEDULES_SHARED_CURVES
    step_us = _round_up(quantile_us / POINTS_PER_QUANTILE)
    while math.comb(math.ceil(longest_us / step_us) + profile.degrees, profile.degrees - 1) > most:
        step_us = _round_up(step_us + 1)
    return step_us


def demand_at_rank_ms(profile: DemandProfile, rank: int) -> float:
    """The `rank`-th smallest demand, weights counted [ms]."""
    order = np.argsort(profile.demand_ms, kind="stable")
    reached = int(np.searchsorted(np.cumsum(profile.weight[order]), rank))
    return float(profile.demand_ms[order][reached])


def _round_up(step_us: float) -> int:
    """The least of 1, 2, 5, 10, 20, 50, ... that is no smaller."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= step_us:
                return digit * power
        power *= 10

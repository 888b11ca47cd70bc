"""Solve a problem of climb ages (thresholds), and check the solution.

Ages are rounded to whole microseconds and evaluated exactly; ages that miss the target stop the
compile.
"""

from __future__ import annotations

import math

import numpy as np
from tailc_solvers.sample import WeightedSample
from tailc_solvers.thresholds.evaluate import ThresholdFigures, evaluate_thresholds
from tailc_solvers.thresholds.exact import ExactSample

from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.order_statistics import rank_limits
from tailc.percentiles import PPM
from tailc.pipeline.figures import US_PER_MS, whole_us
from tailc.pipeline.threshold_methods import Ages, ProposedAges, solve_ages
from tailc.problems.schedule import Schedule
from tailc.problems.thresholds import ThresholdObjective, ThresholdProblem, ThresholdSolution
from tailc.progress import Progress

# Evidence has energy in millionths of the unit of power times us; solvers use the unit times ms.
ENERGY_STEPS = PPM * US_PER_MS
# The row applies at any load; its figures are those of a request that never waits for a core.
LOAD = 1


def solve_for_ages(
    problem: ThresholdProblem, _threads: int, progress: Progress
) -> ThresholdSolution:
    """Solve for the climb ages, evaluated in whole microseconds.

    Raises TailcError for a target below the fastest rung's tail (INFEASIBLE), a method that cannot
    solve the problem (METHOD_UNFIT), and a solver that has no answer within its limits
    (BUDGET_ENDED), is not installed (MISSING_PART), crashes, or gives a wrong answer
    (SOLVER_FAILED).
    """
    progress("solving for thresholds", 0.0)
    sample = sample_of(problem)
    answer = (
        solve_ages(problem, sample)
        if problem.objective is ThresholdObjective.ENERGY
        else _extreme_ages(problem)
    )
    evidence = _evidence(problem, sample, answer)
    assert problem.target_us is None or evidence.tail_us <= problem.target_us
    return ThresholdSolution(
        schedule=_schedule(answer.age_us),
        evidence=evidence,
        gap_before=None if answer.gap_before is None else round(answer.gap_before * ENERGY_STEPS),
        proof=answer.proof,
        solver=answer.solver,
        evaluations=answer.evaluations,
    )


def sample_of(problem: ThresholdProblem) -> WeightedSample:
    """The design trace with its speeds by rung, in whole millionths."""
    profile = problem.profile
    return WeightedSample(
        profile.demand_ms.copy(),
        profile.weight.copy(),
        problem.speed_ppm / PPM,
        profile.curve_of.astype(np.int64),
    )


def _extreme_ages(problem: ThresholdProblem) -> ProposedAges:
    """The extreme ages, which need no solver: climb at once, or never."""
    age_us = 0 if problem.objective is ThresholdObjective.TAIL else None
    ages = (age_us,) * (len(problem.power_ppm) - 1)
    return ProposedAges(ages, None, None, "by-definition", "none")


def _evidence(
    problem: ThresholdProblem, sample: WeightedSample, answer: ProposedAges
) -> RowEvidence:
    """Energy and tail, exact and rounded up once; mean and limits of the tail in floating point."""
    exact = ExactSample(sample, problem.speed_ppm, problem.power_ppm, problem.rank)
    energy, tail = exact.figures(answer.age_us)
    tail_us = math.ceil(tail)
    mean_us = whole_us(_figures(problem, sample, answer, problem.rank).mean_ms)
    limits = rank_limits(problem.percentile_ppm, problem.profile.total_weight)
    low_us = whole_us(_figures(problem, sample, answer, max(limits.low, 1)).tail_ms)
    high = limits.high and whole_us(_figures(problem, sample, answer, limits.high).tail_ms)
    bound = answer.bound
    return RowEvidence(
        load=LOAD,
        objective_us=math.ceil(energy * ENERGY_STEPS),
        bound_us=None if bound is None else max(math.floor(bound * ENERGY_STEPS), 0),
        tail_us=tail_us,
        tail_low_us=min(low_us, tail_us),
        tail_high_us=high and max(high, tail_us),
        mean_us=mean_us,
        cost_time_us=round(energy * US_PER_MS),
        total_cost_ppm=round(energy * ENERGY_STEPS / mean_us) if mean_us else 0,
    )


def _figures(
    problem: ThresholdProblem, sample: WeightedSample, answer: ProposedAges, rank: int
) -> ThresholdFigures:
    ages_ms = np.array([math.inf if a is None else a / US_PER_MS for a in answer.age_us])
    return evaluate_thresholds(sample, np.array(problem.power_ppm) / PPM, ages_ms, rank)


def _schedule(age_us: Ages) -> Schedule:
    stays: list[int | None] = []
    begin: int | None = 0
    for age in age_us:
        if begin is None:
            stays.append(0)
        else:
            stays.append(None if age is None else age - begin)
        begin = age if begin is not None else None
    return Schedule(0, tuple(stays))

"""Thresholds as linear programs for a general solver, if all requests have the same speeds.

With G(x) = E[min(X, x)] concave and piecewise linear, e_i = p_i / s_i and tau_i = 1 / s_i, and all
longer requests on the last type k + 1:

    minimise    e_(k+1) E[X] - sum_i (e_(i+1) - e_i) g_i
    subject to  sum_i (tau_i - tau_(i+1)) W_i <= target - w tau_(k+1),    W_1 <= .. <= W_k <= w
                g_i <= G(x_j) + F'(x_j) (W_i - x_j)    for each distinct demand x_j <= w
    variables   W_i, the work at which type i is left, and g_i, i = 1..k

One program for each last type; the e_i ascend, so every g_i is as large as its tangents allow. With
some of the tangents only, the program is a relaxation: its bound holds all the same, and the energy
of its thresholds is computed again.

Source: Haque et al., MICRO 2017, section 4.2, which names an equivalent convex problem and does not
show it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import (
    AnswerFault,
    AnswerTrust,
    AnswerVerdict,
    KnownFacts,
    verdict,
)
from tailc_solvers.backends.linear import BackendLimits, LinearProgram, SolverAnswer, SolverOutcome
from tailc_solvers.ladder.kernels import DemandSteps
from tailc_solvers.ladder.rows import sorted_steps, sorted_weights
from tailc_solvers.sample import WeightedSample
from tailc_solvers.thresholds.dual import ROUNDING, ages_of, checked_types
from tailc_solvers.thresholds.evaluate import evaluate_thresholds

AGREEMENT = 1e-6
"""Relative: an optimum that is above a known energy by less may still be one."""

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class ThresholdProposal:
    """Thresholds that a general solver proposes, with the result of the checks.

    Attributes:
        outcome: OPTIMAL; FEASIBLE if a program has a point that is not claimed optimal; INFEASIBLE;
            or the first failure of a program.
        trust: PROVED if the optimum of every program is; `gap` is the cost of the omitted tangents.
            REFUTED if an answer was shown wrong.
        work_ms, age_ms: as in ThresholdSolution; empty without thresholds.
        energy: mean energy of a request with these thresholds, recomputed; inf without thresholds.
        bound: proved lower bound on the mean energy with any thresholds; -inf if a program has
            none.
        message: a sentence on a failure.
    """

    outcome: SolverOutcome
    trust: AnswerTrust
    work_ms: Vector
    age_ms: Vector
    energy: float
    bound: float
    message: str = ""

    @property
    def gap(self) -> float:
        """Energy of the proposed thresholds minus the proved bound.

        inf without thresholds or without a bound.
        """
        return self.energy - self.bound if math.isfinite(self.energy) else math.inf


@dataclass(frozen=True)
class ConvexThresholds:
    """The linear programs of a threshold problem, one for each last type of core.

    Attributes:
        sample: demands and weights.
        speed, power: of the core types [N].
        steps: the distribution of the demands.
        rank: 1-based rank of the tail's request, weights counted.
        target_ms: largest tail.
        most_tangents: largest number of tangents of each g_i; None for all. Fewer are spread evenly
            over the requests.
    """

    sample: WeightedSample
    speed: Vector
    power: Vector
    steps: DemandSteps
    rank: int
    target_ms: float
    most_tangents: int | None

    @classmethod
    def build(
        cls,
        sample: WeightedSample,
        speed: ArrayLike,
        power: ArrayLike,
        *,
        rank: int,
        target_ms: float,
        most_tangents: int | None = None,
    ) -> ConvexThresholds:
        """Build the linear programs of the problem that `solve_thresholds` solves.

        sample: demands and weights. speed, power: of the types of core [N]. rank: 1-based rank of
        the tail. target_ms: largest tail. most_tangents: number of tangents of each convex
        function; None: all.
        """
        speeds, powers = checked_types(speed, power)
        sample.check_rank(rank)
        steps = sorted_steps(*sorted_weights(sample), rank)
        return cls(sample, speeds, powers, steps, rank, target_ms, most_tangents)

    @property
    def tail_demand_ms(self) -> float:
        """Demand of the request at the tail's rank, counted from the shortest request [ms]."""
        return float(self.steps.work[self.steps.rank])

    def alone_meets(self, last: int) -> bool:
        """Whether the tail meets the target if requests run only on core type `last`."""
        return self.tail_demand_ms / self.speed[last] <= self.target_ms * (1 + ROUNDING)

    def program(self, last: int) -> LinearProgram:
        """Build the linear program whose last type of core is `last` >= 1.

        Variables: W_1..W_k, then g_1..g_k.
        """
        k = last
        time, cost = 1.0 / self.speed, self.power / self.speed
        w = self.tail_demand_ms
        at = self._tangents()
        slope, height = self.steps.running[at], self.steps.sum[at]
        level = height - slope * self.steps.work[at]
        i = np.repeat(np.arange(k), at.size)
        tangent = np.arange(i.size)
        order = i.size + np.arange(k - 1)
        latency = i.size + k - 1
        ones = np.ones(k - 1)
        return LinearProgram(
            cost=np.concatenate([np.zeros(k), -np.diff(cost[: k + 1])]),
            lower=np.zeros(2 * k),
            upper=np.repeat([w, height[-1]], k),
            integer=np.zeros(2 * k, dtype=np.bool_),
            row=np.concatenate([tangent, tangent, order, order, np.full(k, latency)]),
            column=np.concatenate([i, k + i, np.arange(k - 1), np.arange(1, k), np.arange(k)]),
            value=np.concatenate(
                [-np.tile(slope, k), np.ones(i.size), ones, -ones, -np.diff(time[: k + 1])]
            ),
            row_lower=np.full(latency + 1, -np.inf),
            row_upper=np.concatenate(
                [np.tile(level, k), np.zeros(k - 1), [max(self.target_ms - w * time[k], 0.0)]]
            ),
            offset=float(cost[k] * self.steps.sum[-1]),
        )

    def _tangents(self) -> NDArray[np.int64]:
        """Entries of distinct demands up to w; of equal ones the first, which has a segment."""
        entries = 1 + np.flatnonzero(np.diff(self.steps.work[: self.steps.rank + 1]) > 0)
        if self.most_tangents is None or entries.size <= self.most_tangents:
            return entries
        chosen = np.linspace(0, entries.size - 1, self.most_tangents).round().astype(np.int64)
        return entries[chosen]


def propose_thresholds(
    problem: ConvexThresholds,
    solver: Solver,
    limits: BackendLimits | None = None,
    *,
    known_energy: float = math.inf,
) -> ThresholdProposal:
    """Solve the program of each last type with `solver`; return the best checked thresholds.

    `known_energy` is that of any thresholds that meet the target, such as the exact ones: a solver
    whose optimum is above it is refuted even without multipliers.
    """
    least = _slowest_alone(problem)
    if least is None and not problem.alone_meets(problem.speed.size - 1):
        return _none(SolverOutcome.INFEASIBLE, AnswerTrust.PROVED)
    best, bound = least, math.inf if least is None else least.energy
    claimed = bound
    outcome, trust = SolverOutcome.OPTIMAL, AnswerTrust.PROVED
    for last in range(1, problem.speed.size):
        if not problem.alone_meets(last):
            continue
        program = problem.program(last)
        answer = solver.answer(program, limits)
        judged = verdict(program, answer, KnownFacts(points=[np.zeros(program.n_variables)]))
        if answer.point is None or judged.trust is AnswerTrust.REFUTED:
            return _failure(answer, judged)
        outcome = outcome if answer.outcome is SolverOutcome.OPTIMAL else answer.outcome
        assert judged.objective is not None
        claimed, bound = min(claimed, judged.objective), min(bound, judged.bound)
        trust = judged.trust if judged.trust is AnswerTrust.CLAIMED else trust
        found = _thresholds(problem, answer.point.x, last)
        best = found if best is None or found.energy < best.energy else best
    assert best is not None
    if outcome is SolverOutcome.OPTIMAL and claimed > known_energy * (1 + AGREEMENT):
        return _none(outcome, AnswerTrust.REFUTED, AnswerFault.NOT_OPTIMAL.value)
    return ThresholdProposal(
        outcome, trust, best.work_ms, best.age_ms, best.energy, min(bound, best.energy)
    )


@dataclass(frozen=True)
class _Thresholds:
    work_ms: Vector
    age_ms: Vector
    energy: float


def _slowest_alone(problem: ConvexThresholds) -> _Thresholds | None:
    if not problem.alone_meets(0):
        return None
    never = np.full(problem.speed.size - 1, np.inf)
    return _with_energy(problem, never)


def _thresholds(problem: ConvexThresholds, x: Vector | None, last: int) -> _Thresholds:
    assert x is not None, "an answer that is not refuted has a point"
    never = np.full(problem.speed.size - 1 - last, np.inf)
    inside = np.clip(x[:last], 0.0, problem.tail_demand_ms)
    return _with_energy(problem, np.append(np.maximum.accumulate(inside), never))


def _with_energy(problem: ConvexThresholds, work_ms: Vector) -> _Thresholds:
    ages = ages_of(work_ms, problem.speed)
    common = WeightedSample.common(problem.sample.demand_ms, problem.speed, problem.sample.weight)
    figures = evaluate_thresholds(common, problem.power, ages, problem.rank)
    return _Thresholds(work_ms, ages, figures.energy)


def _failure(answer: SolverAnswer, judged: AnswerVerdict) -> ThresholdProposal:
    if judged.trust is AnswerTrust.REFUTED:
        return _none(answer.outcome, AnswerTrust.REFUTED, "; ".join(judged.faults))
    return _none(answer.outcome, AnswerTrust.CLAIMED, answer.message)


def _none(outcome: SolverOutcome, trust: AnswerTrust, message: str = "") -> ThresholdProposal:
    return ThresholdProposal(outcome, trust, np.empty(0), np.empty(0), math.inf, -math.inf, message)

"""General solvers on the convex problem agree with the exact dual, and cannot mislead it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import AnswerTrust
from tailc_solvers.backends.linear import BackendLimits, SolverAnswer, SolverOutcome, SolverPoint
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.convex import ConvexThresholds, propose_thresholds
from tailc_solvers.thresholds.dual import solve_thresholds

from tests.tailc_solvers.threshold_instances import ThresholdInstance, random_thresholds

AGREEMENT = 1e-7
"""Relative, of energies: the solvers' own tolerances are 1e-9 on rows and gaps."""

CONVEX = (Backend.CLARABEL, Backend.HIGHS, Backend.GUROBI)


@pytest.fixture(scope="module")
def solvers():
    found = {backend: Solver(backend) for backend in CONVEX}
    yield found
    for solver in found.values():
        solver.__exit__(None, None, None)


def problem(instance: ThresholdInstance, most_tangents=None) -> ConvexThresholds:
    return ConvexThresholds.build(
        instance.sample,
        instance.speed,
        instance.power,
        rank=instance.rank,
        target_ms=instance.target_ms,
        most_tangents=most_tangents,
    )


def agree(solver: Solver, seed: int) -> Status:
    """Compare one instance; return its status."""
    instance = random_thresholds(seed)
    exact = solve_thresholds(
        instance.sample,
        instance.speed,
        instance.power,
        rank=instance.rank,
        target_ms=instance.target_ms,
    )
    found = propose_thresholds(problem(instance), solver, known_energy=exact.energy)
    where = f"{solver.backend}, seed {seed}: {found}"
    assert found.trust is AnswerTrust.PROVED, where
    if exact.status is Status.INFEASIBLE:
        assert found.outcome is SolverOutcome.INFEASIBLE, where
        return exact.status
    assert found.outcome is SolverOutcome.OPTIMAL, where
    assert found.energy == pytest.approx(exact.energy, rel=AGREEMENT), where
    assert found.bound <= exact.energy * (1 + 1e-12), where
    assert found.bound == pytest.approx(exact.energy, rel=10 * AGREEMENT), where
    return exact.status


def test_clarabel_agrees_with_the_dual_on_a_thousand_instances(solvers):
    statuses = [agree(solvers[Backend.CLARABEL], seed) for seed in range(1_000)]
    assert statuses.count(Status.INFEASIBLE) > 50


@pytest.mark.parametrize("backend", [Backend.HIGHS, Backend.GUROBI])
def test_the_simplex_agrees_with_the_dual(solvers, backend):
    statuses = [agree(solvers[backend], seed) for seed in range(100)]
    assert set(statuses) == {Status.OPTIMAL, Status.INFEASIBLE}


@pytest.mark.fuzz
@pytest.mark.parametrize("backend", CONVEX)
def test_every_solver_agrees_with_the_dual_on_more(solvers, backend):
    statuses = [agree(solvers[backend], seed) for seed in range(1_000, 4_000)]
    assert set(statuses) == {Status.OPTIMAL, Status.INFEASIBLE}


def lucene_like(requests: int) -> ThresholdInstance:
    demand = np.round(np.random.default_rng(1).gamma(1.6, 60, requests), 6)
    speed = (1.0, 1.2, 1.5, 1.8, 2.0)
    power = tuple(s**3 for s in speed)
    rank = math.ceil(0.99 * requests)
    return ThresholdInstance(WeightedSample.common(demand, [1]), speed, power, rank, 200.0)


@pytest.mark.parametrize("tangents", [10, 50, 490])
def test_with_some_tangents_the_bound_holds_and_the_energy_is_true(solvers, tangents):
    instance = lucene_like(2_000)
    exact = solve_thresholds(
        instance.sample, instance.speed, instance.power, rank=instance.rank, target_ms=200
    )
    found = propose_thresholds(problem(instance, tangents), solvers[Backend.CLARABEL])
    assert found.bound <= exact.energy <= found.energy * (1 + 1e-9)
    # The error falls with the square of the distance of tangents.
    assert found.gap <= exact.energy * 2 / tangents**1.5


def test_the_free_licence_is_large_enough_for_some_tangents_only(solvers):
    instance = lucene_like(2_000)
    assert propose_thresholds(problem(instance, 480), solvers[Backend.GUROBI]).gap < 1e-3
    whole = propose_thresholds(problem(instance), solvers[Backend.GUROBI])
    assert whole.outcome in (SolverOutcome.TOO_LARGE, SolverOutcome.OPTIMAL)
    if whole.outcome is SolverOutcome.TOO_LARGE:
        assert whole.energy == math.inf
        assert whole.message


class Liar:
    """A solver that changes what another says."""

    def __init__(self, solver: Solver, lie) -> None:
        self._solver = solver
        self._lie = lie

    def answer(self, program, limits=None) -> SolverAnswer:
        return self._lie(self._solver.answer(program, limits), program)


def perturbed(answer, program):
    return replace(answer, point=replace(answer.point, x=answer.point.x * 1.01))


def cheaper(answer, program):
    return replace(
        answer,
        point=replace(answer.point, objective=answer.point.objective * 0.9),
        bound=answer.bound * 0.9,
    )


def infeasible(answer, program):
    return SolverAnswer(SolverOutcome.INFEASIBLE)


def swapped(answer, program):
    return replace(answer, point=replace(answer.point, x=answer.point.x[::-1]))


@pytest.mark.parametrize("lie", [perturbed, cheaper, infeasible, swapped])
def test_a_lie_is_no_proposal(solvers, lie):
    liar = Liar(solvers[Backend.CLARABEL], lie)
    found = propose_thresholds(problem(lucene_like(100)), liar)  # pyright: ignore
    assert found.trust is AnswerTrust.REFUTED
    assert found.energy == math.inf
    assert found.message


def test_the_fastest_schedule_called_the_best_is_not_believed(solvers):
    # It is feasible and consistent; only the multipliers would show that it is not the best.
    def fastest(answer, program):
        told = program.offset
        return SolverAnswer(
            SolverOutcome.OPTIMAL, SolverPoint(np.zeros(program.n_variables), told), told
        )

    instance = lucene_like(100)
    liar = Liar(solvers[Backend.CLARABEL], fastest)
    found = propose_thresholds(problem(instance), liar)  # pyright: ignore
    exact = solve_thresholds(
        instance.sample, instance.speed, instance.power, rank=instance.rank, target_ms=200
    )
    assert found.trust is AnswerTrust.CLAIMED
    assert found.bound == -math.inf
    assert found.energy > exact.energy
    # With the energy of the exact thresholds it is refuted.
    again = propose_thresholds(problem(instance), liar, known_energy=exact.energy)  # pyright: ignore
    assert again.trust is AnswerTrust.REFUTED
    assert again.message == "a better point is known, or the claimed bound is not reached"


def test_a_failing_child_is_a_typed_proposal(solvers):
    found = propose_thresholds(
        problem(lucene_like(8_000)), solvers[Backend.HIGHS], BackendLimits(wall_s=0.001)
    )
    assert found.outcome is SolverOutcome.TIMED_OUT
    assert found.trust is AnswerTrust.CLAIMED
    assert found.message == "no answer within 0.001 s"

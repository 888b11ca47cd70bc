"""Mixed-integer programs for individual speeds: four solvers, one another and the plain search."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import AnswerTrust, KnownFacts, verdict
from tailc_solvers.backends.linear import BackendLimits, SolverOutcome
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.dual import solve_thresholds
from tailc_solvers.thresholds.evaluate import evaluate_thresholds
from tailc_solvers.thresholds.mip import MipThresholds, mip_thresholds
from tailc_solvers.thresholds.search import search_thresholds

from tests.reference import thresholds_plain
from tests.tailc_solvers.backends.answers import point_of
from tests.tailc_solvers.threshold_instances import random_thresholds

EXACT = (Backend.HIGHS, Backend.SCIP, Backend.GUROBI)
AGREEMENT = 1e-6
"""Relative, of energies: feasibility to 1e-9 times bounds of some hundred, and whole variables that
are whole to 1e-9 under constants as large."""

GRID_MS = 0.001
"""CP-SAT counts times in steps of this: each time of a request may be one step longer."""

BUDGET = BackendLimits(nodes=5_000)
"""Ends CP-SAT after half a unit of its time."""

MILLION = 1_000_000


@pytest.fixture(scope="module")
def solvers():
    found = {backend: Solver(backend) for backend in (*EXACT, Backend.CP_SAT)}
    yield found
    for solver in found.values():
        solver.__exit__(None, None, None)


class Instance:
    """Individual speeds in whole millionths, up to five requests and three types."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        R, n = int(rng.integers(1, 6)), int(rng.integers(2, 4))
        gains = rng.integers(100_000, 1_200_000, (R, n))
        if rng.random() < 0.2:
            gains[:] = gains[0]
        self.speed_ppm = np.cumsum(gains, axis=1)
        demand = np.round(rng.gamma(1.5, 20, R) + 1, 3)
        if rng.random() < 0.1:
            demand[:] = demand[0]
        weight = rng.integers(1, 4, R) if rng.random() < 0.5 else None
        self.sample = WeightedSample.individual(demand, self.speed_ppm / MILLION, weight)
        dearest = self.speed_ppm.max(axis=0) * np.cumsum(rng.uniform(0.5, 2, n))
        self.power_ppm = np.sort(dearest.astype(np.int64)).tolist()
        total = self.sample.total_weight
        self.rank = max(1, math.ceil(rng.choice([0.3, 0.5, 0.75, 1.0]) * total))
        alone = 1e6 * demand[:, None] / self.speed_ppm
        least = np.sort(np.repeat(alone[:, -1], self.sample.weight))[self.rank - 1]
        most = alone[:, 0].max()
        self.target_ms = float(
            rng.choice([rng.uniform(least, most), 0.9 * least, most], p=[0.7, 0.2, 0.1])
        )

    def program(self, tighter_ms: float = 0.0) -> MipThresholds:
        return mip_thresholds(
            self.sample, self.power, rank=self.rank, target_ms=self.target_ms - tighter_ms
        )

    @property
    def power(self) -> np.ndarray:
        return np.array(self.power_ppm) / MILLION

    def figures(self, age_ms):
        return evaluate_thresholds(self.sample, self.power, age_ms, self.rank)

    def grid(self, step_us: int):
        return search_thresholds(
            self.sample,
            self.speed_ppm,
            self.power_ppm,
            rank=self.rank,
            target_us=math.floor(1000 * self.target_ms),
            step_us=step_us,
            longest_us=math.ceil(1e9 * float((self.sample.demand_ms / self.speed_ppm[:, 0]).max())),
        )


def exact_ones_agree(solvers, seed: int) -> SolverOutcome:
    """The three solvers of real variables on one instance; the outcome."""
    instance = Instance(seed)
    mip = instance.program()
    answers = [solvers[backend].answer(mip.program) for backend in EXACT]
    outcome = answers[0].outcome
    assert [answer.outcome for answer in answers] == [outcome] * 3, (seed, answers)
    grid = instance.grid(500)
    if outcome is SolverOutcome.INFEASIBLE:
        assert grid.status is Status.INFEASIBLE, seed
        return outcome
    assert outcome is SolverOutcome.OPTIMAL, (seed, answers)
    points = [point_of(answer).x for answer in answers]
    for answer in answers:
        judged = verdict(mip.program, answer, KnownFacts(points=points))
        assert judged.faults == (), (seed, answer)
        assert judged.trust is AnswerTrust.CLAIMED, (seed, answer)
    energies = [point_of(answer).objective for answer in answers]
    assert max(energies) <= min(energies) * (1 + AGREEMENT), (seed, energies)
    ages = mip.age_ms(points[0])
    _is_that_of_its_ages(instance, ages, min(energies), seed)
    _grid_is_between(instance, ages, min(energies), grid, seed)
    return outcome


def _is_that_of_its_ages(instance, age_ms, energy, seed) -> None:
    # A microsecond earlier, against rounding at the target.
    got = instance.figures(np.maximum(age_ms - 1e-6, 0.0))
    assert got.energy == pytest.approx(energy, rel=1e-5, abs=1e-5), seed
    assert got.tail_ms <= instance.target_ms * (1 + AGREEMENT), seed


def _grid_is_between(instance, age_ms, energy, grid, seed) -> None:
    """The optimum is no dearer than the grid, and rounded to the grid no cheaper."""
    assert grid.energy >= energy * (1 - AGREEMENT), seed
    rounded = np.floor(np.maximum(age_ms - 1e-6, 0.0) / 0.5) * 0.5
    got = instance.figures(rounded)
    if got.tail_ms <= math.floor(1000 * instance.target_ms) / 1000:
        assert grid.energy <= got.energy * (1 + 1e-9), seed


def cp_sat_agrees(solvers, seed: int) -> SolverOutcome:
    """CP-SAT is between the optimum and that of a target tighter by a few steps; its outcome."""
    instance = Instance(seed)
    best = solvers[Backend.HIGHS].answer(instance.program().program)
    found = solvers[Backend.CP_SAT].answer(instance.program().program, BUDGET)
    if best.outcome is SolverOutcome.INFEASIBLE:
        assert found.outcome is SolverOutcome.LIMIT, seed
        return found.outcome
    few = 4 * GRID_MS
    tighter = solvers[Backend.HIGHS].answer(instance.program(few).program)
    if found.outcome is SolverOutcome.LIMIT:
        return found.outcome
    assert found.outcome in (SolverOutcome.GRID_OPTIMAL, SolverOutcome.FEASIBLE), (seed, found)
    assert verdict(instance.program().program, found).faults == (), (seed, found)
    assert point_of(found).objective >= point_of(best).objective * (1 - AGREEMENT), (seed, found)
    if found.outcome is SolverOutcome.GRID_OPTIMAL and tighter.outcome is SolverOutcome.OPTIMAL:
        most = point_of(tighter).objective + few * sum(instance.power)
        assert point_of(found).objective <= most, (seed, found)
    return found.outcome


def test_three_solvers_agree_on_individual_speeds(solvers):
    outcomes = [exact_ones_agree(solvers, seed) for seed in range(40)]
    assert outcomes.count(SolverOutcome.INFEASIBLE) >= 1
    assert outcomes.count(SolverOutcome.OPTIMAL) >= 20


def test_the_fourth_agrees_to_the_steps_it_counts_in(solvers):
    found = [cp_sat_agrees(solvers, seed) for seed in range(12)]
    assert found.count(SolverOutcome.GRID_OPTIMAL) >= 6


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(10))
def test_four_solvers_agree_on_a_thousand_individual_instances(solvers, block):
    seeds = range(100 * block, 100 * (block + 1))
    outcomes = [exact_ones_agree(solvers, seed) for seed in seeds]
    found = [cp_sat_agrees(solvers, seed) for seed in seeds]
    assert outcomes.count(SolverOutcome.OPTIMAL) >= 20
    assert found.count(SolverOutcome.GRID_OPTIMAL) >= 20


def equals_the_dual(solver: Solver, seed: int) -> Status:
    """With common speeds the program has the optimum of the dual."""
    case = random_thresholds(seed, requests=1 + seed % 6)
    exact = solve_thresholds(
        case.sample, case.speed, case.power, rank=case.rank, target_ms=case.target_ms
    )
    common = WeightedSample.common(case.sample.demand_ms, case.speed, case.sample.weight)
    mip = mip_thresholds(common, case.power, rank=case.rank, target_ms=case.target_ms)
    answer = solver.answer(mip.program)
    if exact.status is Status.INFEASIBLE:
        assert answer.outcome is SolverOutcome.INFEASIBLE, seed
        return exact.status
    assert point_of(answer).objective == pytest.approx(exact.energy, rel=AGREEMENT), (seed, answer)
    judged = verdict(mip.program, answer, KnownFacts(bound=exact.bound))
    assert judged.trust is AnswerTrust.PROVED, seed
    return exact.status


@pytest.mark.parametrize("backend", EXACT)
def test_with_common_speeds_the_program_has_the_optimum_of_the_dual(solvers, backend):
    statuses = [equals_the_dual(solvers[backend], seed) for seed in range(60)]
    assert {Status.OPTIMAL, Status.INFEASIBLE} <= set(statuses)


@pytest.mark.fuzz
@pytest.mark.parametrize("backend", EXACT)
def test_with_common_speeds_a_thousand_programs_have_the_optimum_of_the_dual(solvers, backend):
    statuses = [equals_the_dual(solvers[backend], seed) for seed in range(1_000)]
    assert {Status.OPTIMAL, Status.INFEASIBLE} <= set(statuses)


def test_a_fine_plain_search_finds_no_better_ages(solvers):
    # Two requests, two types: 0.02 ms steps over 40 ms, one age.
    speed = [[1.0, 1.6], [1.0, 2.4]]
    sample = WeightedSample.individual([24.0, 36.0], speed)
    mip = mip_thresholds(sample, [1.0, 4.0], rank=2, target_ms=22.0)
    answer = solvers[Backend.HIGHS].answer(mip.program)
    grid = [Fraction(t, 50) for t in range(2_001)]
    best = thresholds_plain.best_on_grid(
        [Fraction(24), Fraction(36)],
        [[Fraction(str(s)) for s in row] for row in speed],
        [Fraction(1), Fraction(4)],
        grid,
        2,
        Fraction(22),
    )
    # By hand: request 1 needs t + (24 - t) / 1.6 <= 22, t <= 56 / 3; request 2 needs
    # t + (36 - t) / 2.4 <= 22, t <= 12. So t = 12: (12 + 4 * 7.5 + 12 + 4 * 10) / 2 = 47.
    assert float(best) == 47
    assert point_of(answer).objective == pytest.approx(47, rel=AGREEMENT)
    assert mip.age_ms(point_of(answer).x) == pytest.approx([12], abs=1e-5)


def test_the_request_of_the_tail_is_chosen_where_curves_cross(solvers):
    # At rank 1 of 2 only one must meet 15 ms. The second, longer one gains more from the fast
    # type: alone it would allow t = (15 - 30 / 4) / (1 - 1 / 4) = 10, the first t = 15 - ... less.
    sample = WeightedSample.individual([24.0, 30.0], [[1.0, 1.8], [1.0, 4.0]])
    mip = mip_thresholds(sample, [1.0, 8.0], rank=1, target_ms=15.0)
    answer = solvers[Backend.SCIP].answer(mip.program)
    assert mip.age_ms(point_of(answer).x) == pytest.approx([10.0], abs=1e-5)


def test_constants_are_the_least_that_the_data_allow():
    sample = WeightedSample.individual([24.0, 36.0], [[1.0, 1.6], [1.0, 2.4]])
    program = mip_thresholds(sample, [1.0, 4.0], rank=2, target_ms=22.0).program
    # v_1; u by request; b; y: the second is met by its fast type alone, as is the first.
    assert program.upper.tolist() == pytest.approx([36, 24, 15, 36, 15, 1, 1, 1, 1])
    assert program.lower.tolist() == [0.0] * 9
    assert program.integer.tolist() == [False] * 5 + [True] * 4
    tight = mip_thresholds(sample, [1.0, 4.0], rank=1, target_ms=24.0).program
    assert tight.lower[-2:].tolist() == [1.0, 0.0]
    hopeless = mip_thresholds(sample, [1.0, 4.0], rank=1, target_ms=14.9).program
    assert hopeless.upper[-2:].tolist() == [0.0, 0.0]

"""Methods that compute climb ages: an exact dual, a grid search, and general solvers.

A general solver runs in its own process. Its proposal is checked without the solver's code, and a
failure is reported with its own exit code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import AnswerFault, AnswerTrust, KnownFacts, Tolerances, verdict
from tailc_solvers.backends.linear import BackendLimits, SolverOutcome
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.convex import ConvexThresholds, propose_thresholds
from tailc_solvers.thresholds.dual import ContinuousThresholds as Continuous
from tailc_solvers.thresholds.dual import solve_thresholds
from tailc_solvers.thresholds.evaluate import evaluate_thresholds
from tailc_solvers.thresholds.exact import ExactSample
from tailc_solvers.thresholds.mip import mip_thresholds
from tailc_solvers.thresholds.search import search_thresholds
from tailc_solvers.thresholds.snap import snap_thresholds

from tailc.errors import Code, Finding, TailcError
from tailc.percentiles import PPM
from tailc.pipeline.figures import US_PER_MS
from tailc.pipeline.refusals import dropped_text
from tailc.problems.interval_grid import rounded_step_us
from tailc.problems.thresholds import ThresholdMethod, ThresholdProblem
from tailc.specs.slo import promise
from tailc.units import format_us

Ages = tuple[int | None, ...]

BYTES_PER_MB = 1_000_000
DUAL_BOUND, GRID_EXHAUSTED = "dual-bound", "grid-exhausted"
# Number of default grid steps in the target ...
STEPS_PER_TARGET = 400
# ... unless passes over all requests and rungs would exceed this number without pruning by bounds;
# with pruning this takes some seconds.
MOST_VISITS = 5e10
# Limit for a step that the user gives, a hundred times that of the default: some minutes.
MOST_VISITS_ASKED = 5e12


@dataclass(frozen=True)
class ProposedAges:
    """Climb ages that a method proposes, with a bound on the energy, and their origin.

    bound: lower bound on the energy, in power units times ms; None if there is none. gap_before:
    gap of the solver before its ages were rounded. proof: how the bound was proved. evaluations:
    number of ages that were tried.
    """

    age_us: Ages
    bound: float | None
    gap_before: float | None
    proof: str
    solver: str
    evaluations: int = 1


def solve_ages(problem: ThresholdProblem, sample: WeightedSample) -> ProposedAges:
    """Solve by the problem's method; TailcError if no ages meet the target, or the method fails."""
    methods: dict[ThresholdMethod, Callable[[ThresholdProblem, WeightedSample], ProposedAges]] = {
        ThresholdMethod.DUAL: _by_dual,
        ThresholdMethod.CONVEX: _by_convex,
        ThresholdMethod.MIP: _by_mip,
        ThresholdMethod.GRID: _by_grid,
    }
    answer = methods[problem.method](problem, sample)
    if answer.bound is None and problem.profile.has_common_curve:
        # Any ages are a schedule of the continuous problem, so its bound holds for them.
        bound = _continuous(problem, sample).bound
        return replace(answer, bound=bound, proof=_proof(answer))
    return answer


def _proof(answer: ProposedAges) -> str:
    """A completed grid search keeps its proof; the dual's bound replaces a solver's claim."""
    return answer.proof if answer.proof == GRID_EXHAUSTED else DUAL_BOUND


def nearest_us(problem: ThresholdProblem, sample: WeightedSample) -> int:
    """The percentile of latency if all work is done on the fastest rung, rounded up [us]."""
    exact = ExactSample(sample, problem.speed_ppm, problem.power_ppm, problem.rank)
    return math.ceil(exact.figures([0] * (len(problem.power_ppm) - 1)).tail_us)


def _target_us(problem: ThresholdProblem) -> int:
    assert problem.target_us is not None
    return problem.target_us


def _by_dual(problem: ThresholdProblem, sample: WeightedSample) -> ProposedAges:
    _check_common(problem)
    result = _continuous(problem, sample)
    snapped = _snap(problem, sample, result)
    return ProposedAges(
        snapped, result.bound, result.gap, DUAL_BOUND, "tailc_solvers.thresholds.dual"
    )


def _continuous(problem: ThresholdProblem, sample: WeightedSample) -> Continuous:
    result = solve_thresholds(
        sample,
        problem.speed_ppm[0] / PPM,
        np.array(problem.power_ppm) / PPM,
        rank=problem.rank,
        target_ms=_target_us(problem) / US_PER_MS,
    )
    if result.status is Status.INFEASIBLE:
        raise _below_the_fastest(problem, sample)
    return result


def _snap(problem: ThresholdProblem, sample: WeightedSample, result: Continuous) -> Ages:
    snapped = snap_thresholds(
        result,
        sample,
        problem.speed_ppm[0].tolist(),
        problem.power_ppm,
        rank=problem.rank,
        target_us=_target_us(problem),
    )
    if not snapped.meets_target:
        raise _below_the_fastest(problem, sample)
    return snapped.age_us


def _backend(problem: ThresholdProblem) -> Backend:
    return Backend(problem.solver or Backend.HIGHS)


def _by_convex(problem: ThresholdProblem, sample: WeightedSample) -> ProposedAges:
    """Solve one linear program per last rung, with tangents of convex functions at every demand."""
    _check_common(problem)
    convex = ConvexThresholds.build(
        sample,
        problem.speed_ppm[0] / PPM,
        np.array(problem.power_ppm) / PPM,
        rank=problem.rank,
        target_ms=_target_us(problem) / US_PER_MS,
    )
    with Solver(Backend.CLARABEL) as solver:
        energy = _least_known(problem, sample)
        result = propose_thresholds(convex, solver, _limits(problem), known_energy=energy)
    if result.outcome is SolverOutcome.INFEASIBLE and result.trust is AnswerTrust.PROVED:
        raise _below_the_fastest(problem, sample)
    if result.trust is AnswerTrust.REFUTED or result.outcome is not SolverOutcome.OPTIMAL:
        raise _solver_error(Backend.CLARABEL, result.outcome, result.trust, result.message)
    if result.trust is not AnswerTrust.PROVED:
        raise _solver_error(
            Backend.CLARABEL, result.outcome, AnswerTrust.REFUTED, AnswerFault.UNPROVED.value
        )
    ages = rounded_ages(problem, sample, result.age_ms)
    bound = result.bound if math.isfinite(result.bound) else None
    gap = result.gap if math.isfinite(result.gap) else None
    return ProposedAges(ages, bound, gap, DUAL_BOUND, Backend.CLARABEL.value)


def _by_mip(problem: ThresholdProblem, sample: WeightedSample) -> ProposedAges:
    """Solve one mixed-integer program. Its ages are checked.

    Its optimality is the solver's claim.
    """
    _check_faster(problem)
    if nearest_us(problem, sample) > _target_us(problem):
        raise _below_the_fastest(problem, sample)
    backend = _backend(problem)
    power = np.array(problem.power_ppm) / PPM
    program = mip_thresholds(
        sample, power, rank=problem.rank, target_ms=_target_us(problem) / US_PER_MS
    )
    with Solver(backend) as solver:
        answer = solver.answer(program.program, _limits(problem))
    check = verdict(program.program, answer, KnownFacts())
    if not answer.outcome.claims_best or check.trust is AnswerTrust.REFUTED:
        message = "; ".join(check.faults) if check.faults else answer.message
        raise _solver_error(backend, answer.outcome, check.trust, message)
    assert answer.point is not None
    assert check.objective is not None
    if Tolerances().above(check.objective, _most_energy(problem, sample, answer.outcome)):
        raise _solver_error(
            backend, answer.outcome, AnswerTrust.REFUTED, AnswerFault.NOT_OPTIMAL.value
        )
    ages = rounded_ages(problem, sample, program.age_ms(answer.point.x))
    proof = "solver-claim" if answer.outcome is SolverOutcome.OPTIMAL else "none"
    return ProposedAges(ages, None, None, proof, answer.solver or backend.value)


def _most_energy(
    problem: ThresholdProblem, sample: WeightedSample, outcome: SolverOutcome
) -> float:
    """Upper limit of the mean energy of a correct optimum, exact or on a grid of time.

    On a grid, each time on each type is rounded up, so a request takes up to one step longer on
    each type. The best point on the grid therefore needs no more energy than the exact optimum for
    a target that is shorter by that many steps; two more steps allow for rounded coefficients.
    """
    if outcome is SolverOutcome.OPTIMAL:
        return _least_known(problem, sample)
    power = np.array(problem.power_ppm) / PPM
    slack_us = len(power) + 2
    tighter_us = _target_us(problem) - slack_us
    if nearest_us(problem, sample) > tighter_us:
        return math.inf
    least = _least_known(replace(problem, target_us=tighter_us), sample)
    return least + slack_us / US_PER_MS * float(power.sum())


def _least_known(problem: ThresholdProblem, sample: WeightedSample) -> float:
    """Least mean energy known without a general solver: of the dual, or of a grid."""
    if problem.profile.has_common_curve:
        return _continuous(problem, sample).energy
    ages = [
        math.inf if age_us is None else age_us / US_PER_MS
        for age_us in _by_grid(problem, sample).age_us
    ]
    power = np.array(problem.power_ppm) / PPM
    return evaluate_thresholds(sample, power, np.array(ages), problem.rank).energy


def _by_grid(problem: ThresholdProblem, sample: WeightedSample) -> ProposedAges:
    _check_faster(problem)
    target_us = _target_us(problem)
    step_us = _step_us(problem)
    result = search_thresholds(
        sample,
        problem.speed_ppm,
        problem.power_ppm,
        rank=problem.rank,
        target_us=target_us,
        step_us=step_us,
        # A climb after the target costs energy and does not shorten the tail.
        longest_us=target_us // step_us * step_us,
    )
    if result.status is Status.INFEASIBLE:
        raise _below_the_fastest(problem, sample)
    name = "tailc_solvers.thresholds.search"
    return ProposedAges(result.age_us, None, None, GRID_EXHAUSTED, name, result.evaluations)


def _step_us(problem: ThresholdProblem) -> int:
    """The grid's step, given or default; TailcError for one whose search would not end."""
    given_us = problem.limits.step_us
    if given_us is None:
        return default_step_us(problem)
    visits = _visits(problem, given_us)
    if visits > MOST_VISITS_ASKED:
        message = (
            f"a step of {given_us:,} us makes a grid whose search visits requests up to "
            f"{visits:.1e} times; the limit is {MOST_VISITS_ASKED:.0e}"
        )
        hint = f"write `step: {default_step_us(problem)}us`, leave `step` out, or use another "
        hint += "method"
        about = ("search", "step")
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint, about=about))
    return given_us


def default_step_us(problem: ThresholdProblem) -> int:
    """Step of a grid of climb ages [us]: a 1, 2 or 5 times a power of ten.

    It is as fine as some seconds of search allow.
    """
    target_us = _target_us(problem)
    step_us = rounded_step_us(max(target_us / STEPS_PER_TARGET, 1))
    while step_us < target_us and _visits(problem, step_us) > MOST_VISITS:
        step_us = rounded_step_us(step_us + 1)
    return min(step_us, target_us)


def _visits(problem: ThresholdProblem, step_us: int) -> float:
    """Number of visits of a request on a rung in a search without pruning."""
    rungs, requests = len(problem.power_ppm), len(problem.profile.demand_ms)
    steps, free = _target_us(problem) // step_us, max(rungs - 2, 0)
    passes = math.comb(steps + free, free) * max(math.log2(steps + 1), 1)
    return passes * requests * rungs


def rounded_ages(problem: ThresholdProblem, sample: WeightedSample, age_ms: np.ndarray) -> Ages:
    """Round proposed ages to whole microseconds that meet the target exactly.

    They are rounded down, which delays no request; if they still miss the target by the solver's
    tolerance, they are made 1, 2, 4, ... us earlier. An age longer than every request becomes
    never.
    """
    exact = ExactSample(sample, problem.speed_ppm, problem.power_ppm, problem.rank)
    longest_us = float((sample.demand_ms / sample.speeds[sample.curve, 0]).max()) * US_PER_MS
    floors = [
        None if age * US_PER_MS > longest_us else math.floor(age * US_PER_MS) for age in age_ms
    ]
    earlier = 0
    while True:
        ages = tuple(None if age is None else max(age - earlier, 0) for age in floors)
        if exact.figures(ages).tail_us <= _target_us(problem):
            return ages
        if not any(ages):
            raise _below_the_fastest(problem, sample)
        earlier = max(2 * earlier, 1)


def _limits(problem: ThresholdProblem) -> BackendLimits:
    limits = problem.limits
    return BackendLimits(wall_s=limits.time_s, memory_bytes=limits.memory_mb * BYTES_PER_MB)


def _check_common(problem: ThresholdProblem) -> None:
    if problem.profile.has_common_curve:
        return
    message = f"the method `{problem.method.value}` needs one speed on each type for all requests"
    hint = "use `method: grid` or `method: mip`, or leave out `speedup`"
    raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))


def _check_faster(problem: ThresholdProblem) -> None:
    """Raise TailcError unless an earlier climb delays no request."""
    used = problem.speed_ppm[np.unique(problem.profile.curve_of)]
    slower = (np.diff(used, axis=1) <= 0).any(axis=1)
    if not slower.any():
        return
    speeds = ", ".join(f"{speed / PPM:g}" for speed in used[np.flatnonzero(slower)[0]].tolist())
    count = int(slower.sum())
    message = (
        f"{count} of {len(used)} sets of speeds {'is' if count == 1 else 'are'} not faster on a "
        f"faster type of core; the first is {speeds}"
    )
    hint = "remove those requests, or merge the types of core"
    raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))


def _below_the_fastest(problem: ThresholdProblem, sample: WeightedSample) -> TailcError:
    nearest = format_us(nearest_us(problem, sample))
    target = promise(problem.percentile_ppm, _target_us(problem))
    message = (
        f"`{target}` cannot be met even on only the fastest cores; the shortest possible latency "
        f"without waiting is {nearest}{dropped_text(problem.dropped)}"
    )
    hint = f"relax the latency to at least {nearest}, or add faster cores"
    return TailcError(Finding(Code.INFEASIBLE, message, help=hint))


_OUT_OF = (
    SolverOutcome.TIMED_OUT,
    SolverOutcome.OUT_OF_MEMORY,
    SolverOutcome.LIMIT,
    SolverOutcome.FEASIBLE,
)
_UNFIT = (SolverOutcome.TOO_LARGE, SolverOutcome.REFUSED)


def _solver_error(
    backend: Backend, outcome: SolverOutcome, trust: AnswerTrust, message: str
) -> TailcError:
    """The error for a failed solver, with a hint for the user."""
    if trust is AnswerTrust.REFUTED:
        text = f"`{backend.value}` gave a wrong answer: {message}"
        return _error(Code.SOLVER_FAILED, text, "use another solver, or another method")
    if outcome is SolverOutcome.NOT_INSTALLED:
        return _error(Code.MISSING_PART, f"`{backend.value}` cannot be used: {message}", None)
    if outcome in _OUT_OF:
        text = f"`{backend.value}` ended without the best thresholds: {message or outcome.value}"
        hint = "raise `search.time_limit` or `search.memory_limit_mb`, or use another method"
        return _error(Code.BUDGET_ENDED, text, hint)
    if outcome in _UNFIT:
        text = f"`{backend.value}` cannot solve this problem: {message or outcome.value}"
        return _error(Code.METHOD_UNFIT, text, "use another solver, or another method")
    text = f"`{backend.value}` failed: {message or outcome.value}"
    return _error(Code.SOLVER_FAILED, text, "use another solver, or another method")


def _error(code: Code, message: str, hint: str | None) -> TailcError:
    return TailcError(Finding(code, message, help=hint))

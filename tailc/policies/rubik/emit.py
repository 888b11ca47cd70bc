"""Convert the solution of a tail problem to a tail table."""

from __future__ import annotations

from tailc.forms.tail_table import Batch, Sleep, TailTable
from tailc.policies.rubik.spec import RubikSpec
from tailc.problems.tail_table import TailProblem, TailSolution

NS_PER_US = 1_000


def emit(spec: RubikSpec, problem: TailProblem, solution: TailSolution) -> TailTable:
    """Build the tail table: the solved rows with the server's levels, cores and sleep."""
    sleep = spec.server.sleep
    return TailTable(
        percentile_ppm=problem.percentile_ppm,
        bound_us=problem.bound_us,
        levels=problem.levels,
        cycles=solution.cycles,
        memory_ns=solution.memory_ns,
        sleep=Sleep(sleep.power_mw, sleep.wake_us * NS_PER_US),
        cores=spec.server.cores,
        batch=_batch(problem, solution),
        transition=problem.transition,
    )


def _batch(problem: TailProblem, solution: TailSolution) -> Batch | None:
    if problem.batch is None or solution.pair is None:
        return None
    least, own = (problem.levels[at] for at in (solution.pair.least_level, solution.pair.level))
    power_mw = problem.batch.power_mw[solution.pair.level]
    return Batch(least.frequency_khz, own.frequency_khz, power_mw)

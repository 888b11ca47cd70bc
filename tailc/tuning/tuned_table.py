"""Tune a table by simulation, on the requests of its compile.

The search begins from the formula's table, which is computed without simulation. Some requests are
held out of the search and validate its tables, with other random numbers. A tuned table is used
only if it is better than the formula's beyond chance, and at no rate worse.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeAlias

from tailc.experiment.sizes import VALIDATION
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.forms.ladder.lanes import batch_left_ppm
from tailc.forms.ladder.table import Ladder
from tailc.forms.tail_table import TailTable
from tailc.models.diurnal import DayCurve
from tailc.models.streams import NS_PER_S_IN_MRPS
from tailc.models.workload import Workload
from tailc.problems.convergence import ConvergencePoint
from tailc.progress import Progress
from tailc.tuning.highest_rate import RateComparison
from tailc.tuning.loop import TuningResult
from tailc.tuning.rate_loop import RateLoop
from tailc.tuning.sample_split import SampleSplit, split_sample
from tailc.tuning.samples import requests_each
from tailc.tuning.search import least_budget
from tailc.tuning.tail_loop import TailLoop, TailResult
from tailc.tuning.tuning_problem import TuningProblem, tuning_error
from tailc.tuning.tuning_sample import Form, TuningSample
from tailc.tuning.validation import RateGain, ValidatedTable, energy_in_artifact_units
from tailc.units import format_mrps

# At a higher utilisation a replay is too short to estimate the tail of a queue.
_MOST_BUSY = 0.9


@dataclass(frozen=True)
class BatchLeft:
    """Batch work per core with two tables at one rate, and an upper bound on it.

    formula_ppm, tuned_ppm: with the table computed without simulation, and with the tuned one; None
    for a table that is overloaded. most_ppm: the bound. All in 1e-6 of the batch work on a free
    core.
    """

    formula_ppm: int | None
    tuned_ppm: int | None
    most_ppm: int


@dataclass(frozen=True)
class TunedTable(Generic[Form]):
    """A tuned table with its objective, its validation, and the effort of the search.

    Attributes:
        aim: the objective.
        validated: comparison with the table that was computed without simulation.
        evaluations, requests: number of tables that were replayed, and of simulated requests.
        has_settled: whether the search ended because it no longer improved, before its budget
            ended.
        judged_on: number of records that validated the table.
        is_held_out: whether these were not used by the search; too few records are used for both.
        batch: batch work at each rate if that is the objective, else empty.
        raised: the highest rates if these are the objective.
        uses_optional_rules: whether the table has those of `aim`; None if `aim` has none.
        foreseen_energy: by rate, energy of a schedule that knows all requests in advance, in the
            unit of `EnergyPair`; empty if none is known.
        course: convergence trace by simulated requests; empty if the search ran twice.
    """

    aim: TuningObjective
    validated: ValidatedTable[Form]
    evaluations: int
    requests: int
    has_settled: bool
    judged_on: int
    is_held_out: bool
    batch: tuple[BatchLeft, ...] = ()
    raised: RateComparison | None = None
    uses_optional_rules: bool | None = None
    foreseen_energy: tuple[int, ...] = ()
    course: tuple[ConvergencePoint, ...] = ()

    @property
    def table(self) -> Form | None:
        """The tuned table; None if no table is better than the one computed without simulation."""
        return self.validated.table if self.validated.is_better else None

    @property
    def replays(self) -> tuple[int, int]:
        """Numbers of replays at each rate that validate the table, and of requests in each."""
        return VALIDATION.repeats, requests_each(self.aim.percentile_ppm)


AnyTunedTable: TypeAlias = TunedTable[Ladder] | TunedTable[TailTable]


def tune_table(
    aim: TuningObjective,
    problem_for: Callable[[TuningObjective], TuningProblem[Form]],
    threads: int,
    progress: Progress,
) -> TunedTable[Form]:
    """Search tables by simulation; return the best one that is found within the budget.

    problem_for: the tuning problem of an objective. Raises TailcError if there is nothing to tune,
    if a rate is too high, or if the budget is too small.
    """
    problem = problem_for(aim)
    _check(aim, problem)
    split = split_sample(problem.load)
    with ThreadPoolExecutor(threads) as workers:
        if aim.criterion is Criterion.RATE:
            rate, has_rules = RateLoop(problem_for, split, workers).run(aim, progress)
            return replace(
                _with_result(aim, rate, split), raised=rate.raised, uses_optional_rules=has_rules
            )
        tail, has_rules = TailLoop(problem_for, split, workers).run(aim, progress)
        return replace(
            _with_result(aim, tail, split),
            batch=_batch(problem, tail, aim, workers),
            uses_optional_rules=has_rules,
            foreseen_energy=_foreseen_energy(problem, tail.last),
            course=tail.searched.course,
        )


def _with_result(
    aim: TuningObjective, result: TuningResult[Form], split: SampleSplit
) -> TunedTable[Form]:
    return TunedTable(
        aim,
        result.validated,
        result.searched.evaluations,
        result.searched.requests,
        result.searched.has_settled,
        len(split.judging.work_ns),
        split.is_held_out,
    )


def _batch(
    problem: TuningProblem[Form],
    found: TailResult[Form],
    aim: TuningObjective,
    workers: Executor,
) -> tuple[BatchLeft, ...]:
    if problem.batch is None or aim.criterion is not Criterion.BATCH:
        return ()
    cores = problem.batch.cores
    least = [problem.batch.least(one.replications, workers) for one in found.last.experiments]
    return tuple(map(partial(_batch_left, cores), found.validated.gains, least))


def _batch_left(cores: int, gain: RateGain, least: int) -> BatchLeft:
    assert gain.energy is not None
    formula, tuned = (
        None if each is None else batch_left_ppm(cores, each, gain.rate_mrps)
        for each in (gain.energy.formula, gain.energy.tuned)
    )
    return BatchLeft(formula, tuned, batch_left_ppm(cores, least, gain.rate_mrps))


def _foreseen_energy(problem: TuningProblem[Form], last: TuningSample[Form]) -> tuple[int, ...]:
    """On the replays that judge."""
    if problem.foreseen is None:
        return ()
    seen = last.measure_subjects([problem.foreseen])
    assert seen.energy is not None
    return tuple(energy_in_artifact_units(each) for each in seen.energy[0].mean(axis=1).tolist())


def _check(aim: TuningObjective, problem: TuningProblem[Form]) -> None:
    """Refuse rates close to the capacity, and a budget below that of the shortest search."""
    check_rates(aim, problem.load, problem)
    least = least_budget(aim, problem.starts)
    if aim.most_requests < least:
        message = (
            f"a search for this percentile and these rates simulates at least {least:,} requests"
        )
        message += f", more than `search.requests`, {aim.most_requests:,}"
        hint = f"set `search.requests` to {least} or more{aim.or_fewer_rates}"
        raise tuning_error(message, hint, "search", "requests")


def check_rates(
    aim: TuningObjective, load: Workload, problem: TuningProblem[Form], case: str = ""
) -> None:
    """Raise TailcError if a rate is so close to the capacity that no table can be tuned.

    case: name of the case of demand in the message.
    """
    capacity = problem.capacity_of(load)
    peak = aim.pattern.peak if isinstance(aim.pattern, DayCurve) else 1.0
    for rate_mrps in aim.rates_mrps:
        busy = rate_mrps * peak * load.mean_work_ns / (NS_PER_S_IN_MRPS * capacity)
        if busy > _MOST_BUSY:
            message = f"requests at {format_mrps(rate_mrps)} keep {busy:.0%} of the cores busy"
            message += " at the day's peak" * (peak > 1) + f", {problem.capacity_condition}"
            message += case and f", with {case}"
            hint = f"lower the rates until at most {_MOST_BUSY:.0%} of the cores are busy"
            raise tuning_error(message, hint, "rates")

"""A formula's table, tuned as a whole on the replay of what it was compiled from.

A part of the requests is held out from the search, and judges what it finds; so do other random
numbers. A table that is worse than the formula's at some rate, or not better beyond chance, is not
taken.
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
from tailc.problems.convergence import Milestone
from tailc.progress import Progress
from tailc.tuning.highest_rate import RateComparison, TunedRate, tune_for_rate
from tailc.tuning.optional_rules import freely_found
from tailc.tuning.optional_rules_rate import freely_raised
from tailc.tuning.plain import TuningResult, requests_each, tune_plain
from tailc.tuning.sample_split import SampleSplit, split_sample
from tailc.tuning.search import least_budget
from tailc.tuning.tuning_problem import TuningProblem, tuning_error
from tailc.tuning.tuning_sample import Form, TuningSample
from tailc.tuning.validation import RateGain, ValidatedTable, energy_in_artifact_units
from tailc.units import format_mrps

# Beyond that a queue has no tail that a replay could tell.
_MOST_BUSY = 0.9


@dataclass(frozen=True)
class BatchLeft:
    """Batch work by core under both tables, and the most that there can be.

    In millionths of that beside a free core; None under a table that is overloaded.
    """

    formula_ppm: int | None
    tuned_ppm: int | None
    most_ppm: int


@dataclass(frozen=True)
class TunedTable(Generic[Form]):
    """The table that is taken, what for, how it was judged, and what the search took.

    has_settled: whether the search ended as it became no better, and not with its budget.
    judged_on: records that judged; all of them where they were too few to keep some out, which
    `kept_out` tells. batch: at each rate, where what a request costs is batch work; else empty.
    raised: the highest rates, where those are looked for. freedoms_pay: whether the table makes use
    of those of the aim; None where none were asked for. foreseen_energy: by rate, what a schedule
    that knows all requests has, as `Energies` has it; empty where none is known. course: how far
    the search was after so many requests; empty of two searches.
    """

    aim: TuningObjective
    judged: ValidatedTable[Form]
    evaluations: int
    requests: int
    has_settled: bool
    judged_on: int
    kept_out: bool
    batch: tuple[BatchLeft, ...] = ()
    raised: RateComparison | None = None
    freedoms_pay: bool | None = None
    foreseen_energy: tuple[int, ...] = ()
    course: tuple[Milestone, ...] = ()

    @property
    def table(self) -> Form | None:
        """None where none is better than the formula's."""
        return self.judged.table if self.judged.is_better else None

    @property
    def replays(self) -> tuple[int, int]:
        """How many at each rate judged, and of how many requests each."""
        return VALIDATION.repeats, requests_each(self.aim.percentile_ppm)


AnyTunedTable: TypeAlias = TunedTable[Ladder] | TunedTable[TailTable]


def tune_table(
    aim: TuningObjective,
    towards: Callable[[TuningObjective], TuningProblem[Form]],
    threads: int,
    progress: Progress,
) -> TunedTable[Form]:
    """The best table that the budget finds.

    towards: how tables of the form are tuned for an aim. Raises TailcError where there is nothing
    to tune, a rate is too high, or the budget too small.
    """
    approach = towards(aim)
    _check(aim, approach)
    parts = split_sample(approach.load)
    with ThreadPoolExecutor(threads) as workers:
        if aim.criterion is Criterion.RATE and aim.optional_rules:
            rate, pay = freely_raised(towards, parts, aim, workers, progress)
            return replace(_of_rate(rate, aim, parts), freedoms_pay=pay)
        if aim.criterion is Criterion.RATE:
            return _of_rate(tune_for_rate(approach, parts, aim, workers, progress), aim, parts)
        if aim.optional_rules:
            found = freely_found(towards, parts, aim, workers, progress)
        else:
            found = tune_plain(approach, parts, aim, workers, progress)
        batch = _batch(approach, found, aim, workers)
        foreseen = _foreseen_energy(approach, found.last)
    return TunedTable(
        aim,
        found.judged,
        found.searched.evaluations,
        found.searched.requests,
        found.searched.has_settled,
        len(parts.judging.work_ns),
        parts.kept_out,
        batch,
        freedoms_pay=found.freedoms_pay,
        foreseen_energy=foreseen,
        course=found.searched.course,
    )


def _batch(
    approach: TuningProblem[Form],
    found: TuningResult[Form],
    aim: TuningObjective,
    workers: Executor,
) -> tuple[BatchLeft, ...]:
    if approach.batch is None or aim.criterion is not Criterion.BATCH:
        return ()
    cores = approach.batch.cores
    least = [approach.batch.least(one.replications, workers) for one in found.last.experiments]
    return tuple(map(partial(_left, cores), found.judged.gains, least))


def _left(cores: int, gain: RateGain, least: int) -> BatchLeft:
    assert gain.energy is not None
    formula, tuned = (
        None if each is None else batch_left_ppm(cores, each, gain.rate_mrps)
        for each in (gain.energy.formula, gain.energy.tuned)
    )
    return BatchLeft(formula, tuned, batch_left_ppm(cores, least, gain.rate_mrps))


def _foreseen_energy(approach: TuningProblem[Form], last: TuningSample[Form]) -> tuple[int, ...]:
    """On the replays that judge."""
    if approach.foreseen is None:
        return ()
    seen = last.measure_subjects([approach.foreseen])
    assert seen.energy is not None
    return tuple(energy_in_artifact_units(each) for each in seen.energy[0].mean(axis=1).tolist())


def _of_rate(found: TunedRate[Form], aim: TuningObjective, parts: SampleSplit) -> TunedTable[Form]:
    return TunedTable(
        aim,
        found.judged,
        found.searched.evaluations,
        found.searched.requests,
        found.searched.has_settled,
        len(parts.judging.work_ns),
        parts.kept_out,
        raised=found.raised,
    )


def _check(aim: TuningObjective, approach: TuningProblem[Form]) -> None:
    """Refuse rates that leave the cores no rest, and a budget that no search fits into."""
    check_rates(aim, approach.load, approach)
    least = least_budget(aim, approach.starts)
    if aim.most_requests < least:
        message = f"a search for this percentile and these rates simulates {least:,} requests"
        message += f" at least, more than `{aim.most_requests:,}`"
        hint = f"set `search.requests` to {least} or more{aim.or_fewer_rates}"
        raise tuning_error(message, hint, "search", "requests")


def check_rates(
    aim: TuningObjective, load: Workload, approach: TuningProblem[Form], case: str = ""
) -> None:
    """Refuse rates that leave the cores no rest; `case` says in which case, for a message."""
    capacity = approach.capacity_of(load)
    peak = aim.pattern.peak if isinstance(aim.pattern, DayCurve) else 1.0
    for rate_mrps in aim.rates_mrps:
        busy = rate_mrps * peak * load.mean_work_ns / (NS_PER_S_IN_MRPS * capacity)
        if busy > _MOST_BUSY:
            message = f"requests at {format_mrps(rate_mrps)} keep {busy:.0%} of the cores busy"
            message += " at the day's peak" * (peak > 1) + f", {approach.as_told}"
            message += case and f", with {case}"
            hint = f"tune for rates that keep {_MOST_BUSY:.0%} busy or less"
            raise tuning_error(message, hint, "rates")

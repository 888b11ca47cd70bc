"""The highest rate up to which tables keep a percentile, judged beside the formula's.

Each replay has a highest rate for each table, on the same requests; the intervals, Student's at
95 %, are of the mean rate, and of the mean change from one table to the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.sizes import RATE_RANKING_REPEATS, RATE_SEARCH, VALIDATION, Seed
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.models.workload import Workload
from tailc.percentiles import PPM
from tailc.progress import Progress
from tailc.specs.slo import promise
from tailc.tuning.operating_point import operating_points
from tailc.tuning.plain import requests_each
from tailc.tuning.rate_sample import RateSample, rate_sample
from tailc.tuning.sample_split import SampleSplit
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.search import SearchResult, fewest_requests, search_for_rate
from tailc.tuning.tuning_problem import TuningProblem, tuning_error
from tailc.tuning.tuning_sample import Form, tuning_sample
from tailc.tuning.validation import ValidatedTable, mean_interval, validate_table
from tailc.units import format_mrps, format_us

# Repeats and seed. For the order of tables that are judged later, fewer do.
JUDGING = (VALIDATION.repeats, Seed.VALIDATION)
RANKING = (RATE_RANKING_REPEATS, Seed.RANKING)
# A search goes on at a rate that is found on fewer requests: so many, and such a part of its budget
# for each replay.
_FOLLOWED_PART = 3_000
# A promised rate is rounded down to so many digits.
_DIGITS = 3


@dataclass(frozen=True)
class HighestRate:
    """A table's highest rate in the mean of replays, with its interval [thousandths of 1/s].

    is_open: whether some replay keeps the percentile at the highest rate of the range, so that the
    mean might be higher.
    """

    rate_mrps: int
    low_mrps: int
    high_mrps: int
    is_open: bool

    @property
    def promised_mrps(self) -> int:
        """The lower end of the interval, rounded down to three digits."""
        step = 10 ** max(len(str(self.low_mrps)) - _DIGITS, 0)
        return self.low_mrps // step * step


@dataclass(frozen=True)
class RateChange:
    """From one table's highest rate to another's, replay by replay: the mean, and its interval."""

    ppm: int
    low_ppm: int
    high_ppm: int


@dataclass(frozen=True)
class RateComparison:
    """The highest rates of the formula's table and of the tuned one; None: not even the lowest.

    change: from one to the other; there is none where one has no rate.
    """

    formula: HighestRate | None
    tuned: HighestRate | None
    change: RateChange | None

    def __post_init__(self) -> None:
        assert (self.change is None) == (self.formula is None or self.tuned is None)

    @property
    def is_better(self) -> bool:
        """Whether the tuned table's is higher beyond chance."""
        if self.change is None:
            return self.tuned is not None and self.formula is None
        return self.change.low_ppm > 0

    @property
    def is_worse(self) -> bool:
        """Whether the tuned table's is lower beyond chance."""
        if self.change is None:
            return self.formula is not None and self.tuned is None
        return self.change.high_ppm < 0


@dataclass(frozen=True)
class TunedRate(Generic[Form]):
    """How the table with the highest rate was judged, and what the search for it took.

    kept_us: of the formula's table and the tuned one, the least latency that one of them keeps at
    the lowest rate in every replay; None where neither keeps up.
    """

    judged: ValidatedTable[Form]
    raised: RateComparison
    searched: SearchResult[Form]
    kept_us: int | None


def tune_for_rate(
    approach: TuningProblem[Form],
    parts: SampleSplit,
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> TunedRate[Form]:
    """The table of the highest rate that the budget finds.

    Raises TailcError where the formula's table keeps the percentile at all rates of the range, and
    where none of the two does at the lowest.
    """
    check_formula(approach, parts, aim, workers)
    return require_a_rate(tune_rate(approach, parts, aim, workers, progress), aim)


def check_formula(
    approach: TuningProblem[Form], parts: SampleSplit, aim: TuningObjective, workers: Executor
) -> None:
    """Raise TailcError where its table keeps the percentile at all rates of the range."""
    ranking = rate_sample_of(approach, parts.tuning, aim, RANKING, workers)
    if (ranking.kept([approach.base]).rates_mrps == aim.rates_mrps[-1]).all():
        raise _too_low(aim)


def require_a_rate(found: TunedRate[Form], aim: TuningObjective) -> TunedRate[Form]:
    """The same; TailcError where neither table keeps the percentile at the lowest rate."""
    if found.raised.formula is None and found.raised.tuned is None:
        raise _too_high(aim, found.kept_us)
    return found


def tune_rate(
    approach: TuningProblem[Form],
    parts: SampleSplit,
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> TunedRate[Form]:
    """The table of the highest rate, or the last that was tried where none has a higher one."""
    order, found = ranked_by_rate(approach, parts, aim, workers, progress)
    last = rate_sample_of(approach, parts.judging, aim.judging, JUDGING, workers)
    table, told = first_better(order, approach.base, last, aim)
    both = [last.kept_us(one) for one in (approach.base, table)]
    kept_us = min((us for us in both if us is not None), default=None)
    verdict = validate_at_highest_rates(approach, table, told, parts.judging, aim, workers)
    return TunedRate(verdict, told, found, kept_us)


def ranked_by_rate(
    approach: TuningProblem[Form],
    parts: SampleSplit,
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> tuple[list[Form], SearchResult[Form]]:
    """The tables of a search, that of the highest rate first."""
    following = _following(approach, parts.tuning, aim, workers)
    found = search_for_rate(approach, parts.tuning, following, aim, workers, progress)
    progress("judging the tables", 1.0)
    ranking = rate_sample_of(approach, parts.tuning, aim, RANKING, workers)
    rates_mrps = ranking.kept(found.tables).rates_mrps.mean(axis=1)
    return [found.tables[at] for at in np.argsort(-rates_mrps, kind="stable")], found


def rate_sample_of(
    approach: TuningProblem[Form],
    load: Workload,
    aim: TuningObjective,
    repeats_and_seed: tuple[int, int],
    workers: Executor,
) -> RateSample[Form]:
    """Replays that rank or judge tables by their highest rates."""
    assert aim.limit_us is not None
    repeats, seed = repeats_and_seed
    return rate_sample(
        load,
        aim,
        aim.limit_us,
        approach,
        requests=requests_each(aim.percentile_ppm),
        repeats=repeats,
        seed=seed,
        workers=workers,
    )


def _following(
    approach: TuningProblem[Form], load: Workload, aim: TuningObjective, workers: Executor
) -> RateSample[Form]:
    assert aim.target_us is not None
    requests = min(RATE_SEARCH.requests, aim.most_requests // _FOLLOWED_PART)
    return rate_sample(
        load,
        aim,
        aim.target_us,
        approach,
        requests=max(requests, fewest_requests(aim.percentile_ppm)),
        repeats=RATE_SEARCH.repeats,
        seed=Seed.RATE_SEARCH,
        workers=workers,
    )


def first_better(
    tables: Sequence[Form], formula: Form, trials: RateSample[Form], aim: TuningObjective
) -> tuple[Form, RateComparison]:
    """The first whose rate is higher than the formula's, or the last."""
    (theirs,) = trials.kept([formula]).rates_mrps
    table, told = tables[0], None
    for table in tables:
        (ours,) = trials.kept([table]).rates_mrps
        told = compare_rates(theirs, ours, aim)
        if told.is_better:
            break
    assert told is not None
    return table, told


def compare_rates(
    theirs: NDArray[np.int64], ours: NDArray[np.int64], aim: TuningObjective
) -> RateComparison:
    """What the rates of the same replays, int64 (repeats,), say of the formula's table and ours."""
    formula, tuned = highest_rate(theirs, aim), highest_rate(ours, aim)
    if formula is None or tuned is None:
        return RateComparison(formula, tuned, None)
    changes = ours / theirs - 1.0
    low, high = mean_interval(changes)
    ppm = round(PPM * float(changes.mean()))
    change = RateChange(ppm, math.floor(PPM * low), math.ceil(PPM * high))
    return RateComparison(formula, tuned, change)


def highest_rate(rates_mrps: NDArray[np.int64], aim: TuningObjective) -> HighestRate | None:
    """Of the replays of a table, int64 (repeats,); None where one misses at the lowest rate."""
    if not rates_mrps.all():
        return None
    lowest_mrps, highest_mrps = aim.rates_mrps
    low, high = mean_interval(rates_mrps.astype(np.float64))
    return HighestRate(
        round(float(rates_mrps.mean())),
        max(math.floor(low), lowest_mrps),
        min(math.ceil(high), highest_mrps),
        bool((rates_mrps == highest_mrps).any()),
    )


def validate_at_highest_rates(
    approach: TuningProblem[Form],
    table: Form,
    told: RateComparison,
    judging: Workload,
    aim: TuningObjective,
    workers: Executor,
) -> ValidatedTable[Form]:
    """Both tables at the highest rate of either; where one has none, at the lowest of the range."""
    ends = [
        aim.rates_mrps[0] if one is None else one.rate_mrps for one in (told.formula, told.tuned)
    ]
    rates_mrps = tuple(sorted(set(ends)))
    tails = replace(
        aim.judging,
        criterion=Criterion.TAIL,
        target_us=None,
        limit_us=None,
        rates_mrps=rates_mrps,
        weights=(1,) * len(rates_mrps),
    )
    trials = tuning_sample(
        operating_points(judging, tails),
        aim.percentile_ppm,
        approach.cores,
        requests=requests_each(aim.percentile_ppm),
        repeats=JUDGING[0],
        seed=JUDGING[1],
        workers=workers,
        subject_of=approach.subject_of,
    )
    server = approach.server
    reached = None if server is None else trials.clairvoyant_us(server).tolist()
    verdict = validate_table(ScaledTable(table), ScaledTable(approach.base), trials, reached, tails)
    return replace(verdict, is_better=told.is_better)


def _too_low(aim: TuningObjective) -> TailcError:
    kept = _promise(aim)
    message = f"the formula's table has {kept} up to {format_mrps(aim.rates_mrps[-1])}, the highest"
    message += " of `rates`: there is no higher one to find"
    return tuning_error(message, "give a higher rate too, or another objective", "rates")


def _too_high(aim: TuningObjective, kept_us: int | None) -> TailcError:
    lowest = format_mrps(aim.rates_mrps[0])
    message = f"no table was found that has {_promise(aim)} at {lowest}, the lowest of `rates`,"
    message += f" in each of {JUDGING[0]} replays"
    hint = "give a lower rate too"
    if kept_us is not None:
        message += f": the shortest tail that one keeps in all of them is {format_us(kept_us)}"
        hint += f", or a latency of {format_us(kept_us)} or more"
    return TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=("rates",)))


def _promise(aim: TuningObjective) -> str:
    assert aim.limit_us is not None
    return promise(aim.percentile_ppm, aim.limit_us)

"""The best table of a search: ranked on what it was searched on, judged on what it was not.

Where a tail is to be kept, tables are cut back on the requests that judge, but on other replays of
them: what the judge sees of a tail is no more than chance would have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Generic

from tailc.experiment.sizes import VALIDATION, Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.progress import Progress
from tailc.tuning.operating_point import OperatingPoint, operating_points
from tailc.tuning.sample_split import SampleSplit
from tailc.tuning.scaled_table import ScaledTable, relax_to_limit, scale_to_limit_surely
from tailc.tuning.search import SearchResult, fewest_requests, search_tables
from tailc.tuning.table_server import TableServer
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form, TuningSample, tuning_sample
from tailc.tuning.validation import ValidatedTable, rank_tables, validate_table


@dataclass(frozen=True)
class TuningResult(Generic[Form]):
    """How the best table was judged, what the search for it took, and on what it was judged.

    freedoms_pay: whether the table has those that were asked for; None where none were.
    """

    judged: ValidatedTable[Form]
    searched: SearchResult[Form]
    last: TuningSample[Form]
    freedoms_pay: bool | None = None


def requests_each(percentile_ppm: int) -> int:
    """Requests in each replay that ranks or judges tables."""
    return max(VALIDATION.requests, fewest_requests(percentile_ppm))


def tune_plain(
    approach: TuningProblem[Form],
    parts: SampleSplit,
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> TuningResult[Form]:
    """The table that is better than the formula's, or else the most promising one."""
    ranking = validation_sample(
        approach, operating_points(parts.tuning, aim), aim, Seed.RANKING, workers
    )
    reference = relax_to_limit(approach, approach.base, ranking, aim)
    if approach.eased is not None:
        approach = approach.eased(reference.table)
    formula = approach.base
    found = search_tables(approach, operating_points(parts.tuning, aim), aim, workers, progress)
    progress("judging the tables", 1.0)
    searched_tables = found.tables if aim.limit_us is None else (*found.tables, formula)
    kept_once = [relax_to_limit(approach, table, ranking, aim) for table in searched_tables]
    order = rank_tables([one.table for one in kept_once], formula, ranking, aim)
    scenes = operating_points(parts.judging, aim.judging)
    last = validation_sample(approach, scenes, aim.judging, Seed.VALIDATION, workers)
    server = approach.server
    clairvoyant_us = None if server is None else last.clairvoyant_us(server).tolist()
    if aim.limit_us is None:
        as_found = [ScaledTable(table) for table in order]
        return TuningResult(
            first_better_table(as_found, reference, last, clairvoyant_us, aim), found, last
        )
    keeping = validation_sample(approach, scenes, aim.judging, Seed.SCALING, workers)
    # What it is compared with went through the same.
    reference = reference.then(scale_to_limit_surely(approach, reference.table, keeping, aim))
    cut_back = (scale_to_limit_surely(approach, table, keeping, aim) for table in order)
    return TuningResult(
        first_better_table(cut_back, reference, last, clairvoyant_us, aim), found, last
    )


def first_better_table(
    tables: Iterable[ScaledTable[Form]],
    formula: ScaledTable[Form],
    trials: TuningSample[Form],
    clairvoyant_us: Sequence[int] | None,
    aim: TuningObjective,
) -> ValidatedTable[Form]:
    """The first that is better; or else the first that keeps its tail, or the first of all."""
    others = []
    for table in tables:
        told = validate_table(table, formula, trials, clairvoyant_us, aim)
        if told.is_better:
            return told
        others.append(told)
    return next((told for told in others if told.keeps_tail), others[0])


def screening_sample(
    machine: TableServer[Form],
    scenes: Sequence[OperatingPoint],
    aim: TuningObjective,
    repeats: int,
    seed: int,
    workers: Executor,
) -> TuningSample[Form]:
    """Few replays, which choose the tables that a search or a comparison is worth."""
    return tuning_sample(
        scenes,
        aim.percentile_ppm,
        machine.cores,
        requests=2 * fewest_requests(aim.percentile_ppm),
        repeats=repeats,
        seed=seed,
        workers=workers,
        subject_of=machine.subject_of,
    )


def validation_sample(
    approach: TableServer[Form],
    scenes: Sequence[OperatingPoint],
    aim: TuningObjective,
    seed: int,
    workers: Executor,
    repeats: int = VALIDATION.repeats,
) -> TuningSample[Form]:
    """Replays that rank or judge tables: many, with random numbers of their own."""
    return tuning_sample(
        scenes,
        aim.percentile_ppm,
        approach.cores,
        requests=requests_each(aim.percentile_ppm),
        repeats=repeats,
        seed=seed,
        workers=workers,
        subject_of=approach.subject_of,
    )

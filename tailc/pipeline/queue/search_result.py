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
from tailc.pipeline.progress import Progress
from tailc.pipeline.queue.approach import Approach
from tailc.pipeline.queue.judge import Judged, judged, ranked
from tailc.pipeline.queue.machine import Machine
from tailc.pipeline.queue.parts import Parts
from tailc.pipeline.queue.scaled_table import Kept, eased, surely_kept
from tailc.pipeline.queue.scene import Scene, scenes_of
from tailc.pipeline.queue.search import Searched, least_each, searched
from tailc.pipeline.queue.tuning_sample import Form, TuningSample, tuning_sample


@dataclass(frozen=True)
class Found(Generic[Form]):
    """How the best table was judged, what the search for it took, and on what it was judged.

    freedoms_pay: whether the table has those that were asked for; None where none were.
    """

    judged: Judged[Form]
    searched: Searched[Form]
    last: TuningSample[Form]
    freedoms_pay: bool | None = None


def requests_each(percentile_ppm: int) -> int:
    """Requests in each replay that ranks or judges tables."""
    return max(VALIDATION.requests, least_each(percentile_ppm))


def best_found(
    approach: Approach[Form],
    parts: Parts,
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> Found[Form]:
    """The table that is better than the formula's, or else the most promising one."""
    ranking = validation_sample(approach, scenes_of(parts.tuning, aim), aim, Seed.RANKING, workers)
    reference = eased(approach, approach.base, ranking, aim)
    if approach.eased is not None:
        approach = approach.eased(reference.table)
    formula = approach.base
    found = searched(approach, scenes_of(parts.tuning, aim), aim, workers, progress)
    progress("judging the tables", 1.0)
    searched_tables = found.tables if aim.limit_us is None else (*found.tables, formula)
    kept_once = [eased(approach, table, ranking, aim) for table in searched_tables]
    order = ranked([one.table for one in kept_once], formula, ranking, aim)
    scenes = scenes_of(parts.judging, aim.judging)
    last = validation_sample(approach, scenes, aim.judging, Seed.VALIDATION, workers)
    server = approach.server
    clairvoyant_us = None if server is None else last.clairvoyant_us(server).tolist()
    if aim.limit_us is None:
        as_found = [Kept(table) for table in order]
        return Found(first_better(as_found, reference, last, clairvoyant_us, aim), found, last)
    keeping = validation_sample(approach, scenes, aim.judging, Seed.SCALING, workers)
    # What it is compared with went through the same.
    reference = reference.then(surely_kept(approach, reference.table, keeping, aim))
    cut_back = (surely_kept(approach, table, keeping, aim) for table in order)
    return Found(first_better(cut_back, reference, last, clairvoyant_us, aim), found, last)


def first_better(
    tables: Iterable[Kept[Form]],
    formula: Kept[Form],
    trials: TuningSample[Form],
    clairvoyant_us: Sequence[int] | None,
    aim: TuningObjective,
) -> Judged[Form]:
    """The first that is better; or else the first that keeps its tail, or the first of all."""
    others = []
    for table in tables:
        told = judged(table, formula, trials, clairvoyant_us, aim)
        if told.is_better:
            return told
        others.append(told)
    return next((told for told in others if told.keeps_tail), others[0])


def screening_sample(
    machine: Machine[Form],
    scenes: Sequence[Scene],
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
        requests=2 * least_each(aim.percentile_ppm),
        repeats=repeats,
        seed=seed,
        workers=workers,
        subject_of=machine.subject_of,
    )


def validation_sample(
    approach: Machine[Form],
    scenes: Sequence[Scene],
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

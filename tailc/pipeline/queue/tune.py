"""A formula's table, tuned as a whole on the replay of what it was compiled from.

A part of the requests is kept out of the search, and judges what it finds; so do other random
numbers. A table that is worse than the formula's at some rate, or not better beyond chance, is not
taken.
"""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.pipeline.progress import Progress
from tailc.pipeline.queue.judge import Judged, judged, ranked
from tailc.pipeline.queue.search import searched
from tailc.pipeline.queue.trials import Trials
from tailc.replay.queue_aim import QueueAim
from tailc.replay.workload import Workload, workload
from tailc.traces.profile import DemandProfile

# One record in so many is kept out of the search, where there are enough of them.
_JUDGING_PART = 3
_FEWEST_RECORDS = 600
_REPEATS, _REQUESTS = 10, 20_000
_RANKING_SEED, _JUDGING_SEED = 101, 102


@dataclass(frozen=True)
class TunedTable:
    """The table that is taken, what for, how it was judged, and what the search took.

    judged_on: records that judged; all of them where they were too few to keep some out.
    """

    aim: QueueAim
    judged: Judged
    evaluations: int
    requests: int
    judged_on: int

    @property
    def table(self) -> Ladder | None:
        """None where none is better than the formula's."""
        return self.judged.table if self.judged.is_better else None


def tuned_for_queue(
    aim: QueueAim, formula: Ladder, design: DemandProfile, threads: int, progress: Progress
) -> TunedTable:
    """The best table that the budget finds.

    Raises TailcError where the first rung alone is there, or the server has no limit.
    """
    cores = _cores(formula)
    load = workload(design, formula)
    tuning, judging = _parts(load)
    rates, weights = aim.rates_mrps, aim.weights
    with ThreadPoolExecutor(threads) as workers:
        found = searched(formula, tuning, aim, cores, workers, progress)
        progress("judging the tables", 1.0)
        ranking, last = (
            _judging(judging, aim, cores, seed, workers) for seed in (_RANKING_SEED, _JUDGING_SEED)
        )
        order = ranked(found.tables, formula, ranking, weights)
        verdicts = [judged(table, formula, last, rates, weights) for table in order]
    best = next((one for one in verdicts if one.is_better), verdicts[0])
    return TunedTable(aim, best, found.evaluations, found.requests, len(judging.work_ns))


def _cores(formula: Ladder) -> int:
    unit = formula.cost_units[0]
    if len(formula.rungs) == 1 or unit.capacity_ppm is None:
        message = "a table is tuned where requests share cores and can climb"
        hint = "give `max_degree` above 1, or another objective"
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))
    return max(unit.capacity_ppm // PPM, 1)


def _parts(load: Workload) -> tuple[Workload, Workload]:
    """What is tuned on, and what judges: everything, where there is little of it."""
    records = len(load.work_ns)
    if records < _FEWEST_RECORDS:
        return load, load
    judges = np.arange(records) % _JUDGING_PART == _JUDGING_PART - 1
    return _some(load, ~judges), _some(load, judges)


def _some(load: Workload, chosen) -> Workload:
    return replace(
        load,
        work_ns=load.work_ns[chosen],
        weight=load.weight[chosen],
        curve_of=load.curve_of[chosen],
    )


def _judging(load: Workload, aim: QueueAim, cores: int, seed: int, workers: Executor) -> Trials:
    return Trials(
        load,
        aim.percentile_ppm,
        aim.arrivals,
        cores,
        requests=_REQUESTS,
        repeats=_REPEATS,
        seed=seed,
        workers=workers,
    )

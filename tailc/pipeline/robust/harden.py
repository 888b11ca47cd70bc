"""A table that is tuned for the worst of several cases, beside a plain one.

The plain one is tuned for what was measured, with half of the budget. It is where the search for
the robust one begins, with the other half. Of the cases only those are searched on that are worst,
or nearly, for the formula's table or the plain one at some rate, besides what was measured: the
others bind nowhere (cutting sets: Mutapcic and Boyd, Optimization Methods and Software 2009). All
of them rank and judge what is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import ON_EXIT, Ladder
from tailc.percentiles import PPM
from tailc.pipeline.progress import Progress
from tailc.pipeline.queue.approach import Approach, approach_to, unfit
from tailc.pipeline.queue.family import Family
from tailc.pipeline.queue.judge import ranked
from tailc.pipeline.queue.knots import formula_ages
from tailc.pipeline.queue.scene import Scene, scenes_of
from tailc.pipeline.queue.search import least_budget, least_each, searched_near
from tailc.pipeline.queue.trials import Trials
from tailc.pipeline.queue.tune import (
    TunedTable,
    check_rates,
    judging_records,
    parts_of,
    tuned_for_queue,
)
from tailc.pipeline.robust.compare import Compared, compared
from tailc.pipeline.robust.doubts import MEASURED, Doubt, doubts
from tailc.replay.queue_aim import Goal, QueueAim
from tailc.replay.workload import Workload
from tailc.specs.robust import Ambiguity
from tailc.traces.day_of import Days
from tailc.traces.profile import DemandProfile

# A tail within this of the longest may be the longest of another table.
_NEARLY = 0.98
# What was measured, and two more.
_MOST_SEARCHED = 3
_REQUESTS = 20_000
_LOOKS, _REPEATS = 4, 10
_LOOKING_SEED, _JUDGING_SEED = 105, 106


@dataclass(frozen=True)
class Hardened:
    """The robust table, and what stands behind it.

    cases: the names of all, what was measured first; searched: how many of them were searched on.
    evaluations, requests: of both searches.
    """

    table: Ladder
    cases: tuple[str, ...]
    searched: int
    compared: Compared
    evaluations: int
    requests: int


@dataclass(frozen=True, eq=False)
class _Parts:
    tuning: list[Doubt]
    judging: list[Doubt]


def hardened(
    aim: QueueAim,
    told: Ambiguity,
    days: Days | None,
    formula: Ladder,
    design: DemandProfile,
    threads: int,
    progress: Progress,
) -> tuple[TunedTable, Hardened]:
    """The plain tuned table, and the robust one.

    days: of the records of the design. Raises TailcError as `tuned_for_queue` does, and where that
    is so in any case.
    """
    approach = approach_to(formula, design, aim)
    parts = _parts(approach.load, told, days)
    _check(aim, approach, parts.tuning)
    half = replace(aim, most_requests=aim.most_requests // 2)
    plain = tuned_for_queue(half, formula, design, threads, progress)
    with ThreadPoolExecutor(threads) as workers:
        return plain, _hardened(half, approach, parts, plain, workers, progress)


def _hardened(
    aim: QueueAim,
    approach: Approach[Ladder],
    parts: _Parts,
    plain: TunedTable,
    workers: Executor,
    progress: Progress,
) -> Hardened:
    looks = _trials(parts.tuning, aim, approach, _LOOKS, _LOOKING_SEED, workers)
    formula, tuned = approach.base, plain.judged.table
    tails_us = looks.tails_us([formula, tuned]).mean(axis=2).reshape(2, -1, len(aim.rates_mrps))
    chosen = _binding(tails_us)
    scenes = _scenes([parts.tuning[case] for case in chosen], aim)
    space, start = _begun(approach, tuned, round(float(tails_us[0, 0].max())))
    found = searched_near(space, start, approach, scenes, aim, workers, progress)
    progress("judging the tables", 1.0)
    best = ranked((*found.tables, tuned), formula, looks, aim)[0]
    last = _trials(parts.judging, aim.judging, approach, _REPEATS, _JUDGING_SEED, workers)
    return Hardened(
        best,
        tuple(doubt.name for doubt in parts.judging),
        len(chosen),
        compared(formula, tuned, best, last, aim),
        plain.evaluations + found.evaluations,
        plain.requests + found.requests,
    )


def _parts(load: Workload, told: Ambiguity, days: Days | None) -> _Parts:
    """The cases of what is tuned on and of what judges, each made of its own records."""
    judges = judging_records(load)
    tuning, judging = parts_of(load)
    if judges is None:
        both = doubts(load, told, days)
        return _Parts(both, both)
    return _Parts(
        doubts(tuning, told, days and days.select(~judges)),
        doubts(judging, told, days and days.select(judges)),
    )


def _check(aim: QueueAim, approach: Approach[Ladder], cases: Sequence[Doubt]) -> None:
    """Refuse what cannot be tuned for, before anything is."""
    if aim.goal is not Goal.TAIL:
        message = "what is made small in the worst case is a tail, not something else under it"
        raise unfit(message, "leave out `robust`, or tune for a tail", "search", "robust")
    if len(cases) == 1:
        message = "there is nothing in doubt, and so no worst case"
        hint = "give `search.robust` an error above 0 %, or a resample"
        raise unfit(message, hint, "search", "robust")
    for case in cases:
        name = "" if case.name == MEASURED else case.name
        check_rates(aim, case.load, approach, name)
    least = 2 * least_budget(aim, approach.starts)
    if aim.most_requests < least:
        message = f"a search for the worst case, beside a plain one, simulates {least:,} requests"
        message += f" at least, more than `{aim.most_requests:,}`"
        hint = f"set `search.requests` to {least} or more, or give fewer rates"
        raise unfit(message, hint, "search", "requests")


def _binding(tails_us: NDArray[np.float64]) -> list[int]:
    """What was measured, and the cases whose tail is longest, or nearly, somewhere: in order.

    tails_us: (tables, cases, rates).
    """
    nearness = (tails_us / tails_us.max(axis=1, keepdims=True)).max(axis=(0, 2))
    order = [int(case) for case in np.argsort(-nearness, kind="stable") if case > 0]
    near = [case for case in order[: _MOST_SEARCHED - 1] if nearness[case] >= _NEARLY]
    return [0, *sorted(near)]


def _begun(
    approach: Approach[Ladder], table: Ladder, tail_us: int
) -> tuple[Family, NDArray[np.float64]]:
    """A family of many pieces, and the table's point in it, as near as there is one."""
    space = approach.space_of(tail_us).finer()
    assert isinstance(space, Family)
    ages = formula_ages(table, space.knots, space.tail_us)
    waits = (row.first_load - 1 for row in table.rows if row.admission == ON_EXIT)
    admission = next(waits, space.last_load) / approach.cores
    boost = 0.0 if table.boost is None else table.boost.below_ppm / PPM / approach.cores
    return space, space.point(ages, admission, boost)


def _scenes(cases: Sequence[Doubt], aim: QueueAim) -> list[Scene]:
    return [scene for case in cases for scene in scenes_of(case.load, aim)]


def _trials(
    cases: Sequence[Doubt],
    aim: QueueAim,
    approach: Approach[Ladder],
    repeats: int,
    seed: int,
    workers: Executor,
) -> Trials[Ladder]:
    return Trials(
        _scenes(cases, aim),
        aim.percentile_ppm,
        approach.cores,
        requests=max(_REQUESTS, least_each(aim.percentile_ppm)),
        repeats=repeats,
        seed=seed,
        workers=workers,
        subject_of=approach.subject_of,
    )

"""Tune a table for the worst of several cases, and one for the measured case.

Half of the budget tunes the table for the measured case. The search for the robust table continues
from it with the other half. This search uses the measured case, and only those other cases that are
worst, or nearly worst, for the formula's table or the first tuned table at some rate, because the
other cases do not bind (cutting sets: Mutapcic and Boyd, Optimization Methods and Software 2009).
All cases rank and validate the results. A limit on the tail applies in every case: tables are
scaled to it, including the formula's table that they are compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.sizes import UNCERTAINTY_LOOK_REPEATS, Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.progress import Progress
from tailc.specs.robust import Ambiguity
from tailc.traces.day_of import RowDays
from tailc.traces.profile import DemandProfile
from tailc.tuning.criteria import measure_of
from tailc.tuning.operating_point import OperatingPoint, operating_points
from tailc.tuning.robust.comparison import RobustComparison, compare_robust
from tailc.tuning.robust.uncertainty_cases import (
    MEASURED,
    UncertaintyCase,
    slowed_on,
    uncertainty_cases,
)
from tailc.tuning.sample_split import split_sample, validation_weight
from tailc.tuning.samples import validation_sample
from tailc.tuning.scaled_table import ScaledTable, scale_to_limit, scale_to_limit_surely
from tailc.tuning.search import least_budget, search_near
from tailc.tuning.tuned_table import (
    TunedTable,
    check_rates,
    tune_table,
)
from tailc.tuning.tuning_problem import TuningProblem, ladder_problem, tuning_error
from tailc.tuning.validation import rank_tables

# A case within this of the worst may be the worst of another table.
_NEARLY = 0.98
# What was measured, and two more.
_MOST_SEARCHED = 3


@dataclass(frozen=True)
class RobustTable:
    """A table that is tuned for the worst case of uncertain inputs, with its evidence.

    cases: names of all cases, the measured one first. searched: number of cases that the search
    used. compared: comparison with the other tables. evaluations, requests: effort of both
    searches. clairvoyant_us: by rate, the tail of a schedule that knows all demands, in the replays
    that validate the measured case; empty if none is known.
    """

    table: Ladder
    cases: tuple[str, ...]
    searched: int
    compared: RobustComparison
    evaluations: int
    requests: int
    clairvoyant_us: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class _Parts:
    tuning: list[UncertaintyCase]
    judging: list[UncertaintyCase]


def tune_robust_table(
    aim: TuningObjective,
    ambiguity: Ambiguity,
    days: RowDays | None,
    formula: Ladder,
    design: DemandProfile,
    threads: int,
    progress: Progress,
) -> tuple[TunedTable[Ladder], RobustTable]:
    """Tune one table for the measured case, and one for the worst case of the uncertainty set.

    days: of the records of the design trace. Raises TailcError like `tune_table`, for any case.
    """
    towards = partial(ladder_problem, formula, design)
    problem = towards(aim)
    parts = _parts(problem, ambiguity, days)
    _check(aim, problem, parts.tuning)
    half = replace(aim, most_requests=aim.most_requests // 2)
    plain = tune_table(half, towards, threads, progress)
    with ThreadPoolExecutor(threads) as workers:
        return plain, _tune_robust_table(half, problem, parts, plain, workers, progress)


def _tune_robust_table(
    aim: TuningObjective,
    problem: TuningProblem[Ladder],
    parts: _Parts,
    plain: TunedTable[Ladder],
    workers: Executor,
    progress: Progress,
) -> RobustTable:
    every = _scenes(parts.tuning, aim)
    looks = validation_sample(
        problem, every, aim, Seed.UNCERTAINTY_LOOKS, workers, UNCERTAINTY_LOOK_REPEATS
    )
    formula = problem.base
    # What there would be without the search for the worst case.
    tuned = plain.table or formula
    seen = looks.measure([formula, tuned])
    chosen = _binding([seen.tail_us, measure_of(aim).amounts(seen)], len(aim.rates_mrps))
    scenes = _scenes([parts.tuning[case] for case in chosen], aim)
    assert problem.near is not None
    measured_us = seen.tail_us[0, : len(aim.rates_mrps)].mean(axis=1)
    space, start = problem.near(tuned, round(float(measured_us.max())))
    found = search_near(space, start, problem, scenes, aim, workers, progress)
    progress("judging the tables", 1.0)
    tables = [scale_to_limit(problem, table, looks, aim).table for table in (*found.tables, tuned)]
    judging = _scenes(parts.judging, aim.judging)
    best = ScaledTable(rank_tables(tables, formula, looks, aim)[0])
    reference = scale_to_limit(problem, formula, looks, aim)
    if aim.limit_us is not None:
        keeping = validation_sample(problem, judging, aim.judging, Seed.SCALING, workers)
        best = scale_to_limit_surely(problem, best.table, keeping, aim)
        reference = reference.then(scale_to_limit_surely(problem, reference.table, keeping, aim))
    last = validation_sample(problem, judging, aim.judging, Seed.UNCERTAINTY_VALIDATION, workers)
    as_measured = judging[: len(aim.rates_mrps)]
    comparison = compare_robust(reference, tuned, best, last, aim)
    if not comparison.beats_plain:
        best = ScaledTable(tuned)
        comparison = compare_robust(reference, tuned, best, last, aim)
    sent = validation_sample(
        problem, as_measured, aim.judging, Seed.UNCERTAINTY_VALIDATION, workers
    )
    server = problem.server
    return RobustTable(
        best.table,
        tuple(doubt.name for doubt in parts.judging),
        len(chosen),
        comparison,
        plain.evaluations + found.evaluations,
        plain.requests + found.requests,
        () if server is None else tuple(sent.clairvoyant_us(server).tolist()),
    )


def _parts(problem: TuningProblem[Ladder], ambiguity: Ambiguity, days: RowDays | None) -> _Parts:
    """Uncertainty cases of the tuning sample and of the validation sample."""
    load, slowed = problem.load, slowed_on(problem.base)
    judges = validation_weight(load)
    if judges is None:
        both = uncertainty_cases(load, ambiguity, days, slowed)
        return _Parts(both, both)
    parts = split_sample(load)
    return _Parts(
        uncertainty_cases(
            parts.tuning, ambiguity, days and days.select(judges < load.weight), slowed
        ),
        uncertainty_cases(parts.judging, ambiguity, days and days.select(judges > 0), slowed),
    )


def _check(
    aim: TuningObjective, problem: TuningProblem[Ladder], cases: Sequence[UncertaintyCase]
) -> None:
    """Refuse what cannot be tuned for, before anything is."""
    if len(cases) == 1:
        message = "all errors of `search.robust` are 0, so there is no worst case"
        hint = "set an error of `search.robust` above 0 %, or `resamples` above 0"
        raise tuning_error(message, hint, "search", "robust")
    for case in cases:
        name = "" if case.name == MEASURED else case.name
        check_rates(aim, case.load, problem, name)
    least = 2 * least_budget(aim, problem.starts)
    if aim.most_requests < least:
        message = (
            "a search for the worst case, in addition to a plain one, simulates at least "
            f"{least:,} requests"
        )
        message += f", more than `search.requests`, {aim.most_requests:,}"
        hint = f"set `search.requests` to {least} or more{aim.or_fewer_rates}"
        raise tuning_error(message, hint, "search", "requests")


def _binding(amounts: Sequence[NDArray], rates: int) -> list[int]:
    """What was measured, and the cases where some amount is largest, or nearly: in order.

    amounts: each (tables, cases * rates, repeats), all rates of a case together.
    """
    means = np.stack([one.mean(axis=2).reshape(len(one), -1, rates) for one in amounts])
    nearness = (means / means.max(axis=2, keepdims=True)).max(axis=(0, 1, 3))
    order = [int(case) for case in np.argsort(-nearness, kind="stable") if case > 0]
    near = [case for case in order[: _MOST_SEARCHED - 1] if nearness[case] >= _NEARLY]
    return [0, *sorted(near)]


def _scenes(cases: Sequence[UncertaintyCase], aim: TuningObjective) -> list[OperatingPoint]:
    return [scene for case in cases for scene in operating_points(case.load, aim)]

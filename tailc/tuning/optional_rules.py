"""A table with freedoms beside one without, so that what a server can do besides never costs.

Over a wide range of rates a table with freedoms may be worse than one without: one number to start
by, and one age to give up at, serve all rates, and where the formula's tail is very long little is
left to count of any. So half of the budget goes to a table without. The other half looks for what
is better than that one: its tails are what counts then, and what a rate is worse than under it
counts many times over. The two are compared on random numbers of their own; and once more with
all demand as much longer as its mean in another sample may well be. A request that has given up
stays longer, so where demand is longer than in the sample these tables lose first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace

from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.perturbations import longer
from tailc.models.workload import Workload
from tailc.progress import Progress
from tailc.tuning.operating_point import operating_points
from tailc.tuning.plain import (
    TuningResult,
    first_better_table,
    tune_plain,
    validation_sample,
)
from tailc.tuning.sample_split import SampleSplit
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.search import SearchResult, search_tables
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form
from tailc.tuning.validation import rank_tables, validate_table

# The chance that a mean is further off is 2.5 %.
_STANDARD_ERRORS = 2.0


def freely_found(
    approach_to: Callable[[TuningObjective], TuningProblem[Form]],
    parts: SampleSplit,
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> TuningResult[Form]:
    """The table with the aim's freedoms if it is better than that without, and nowhere worse."""
    plain_aim, half = halves(aim)
    first, second = by_halves(progress)
    plain = tune_plain(approach_to(plain_aim), parts, plain_aim, workers, first)
    formula = approach_to(half)
    held = plain.judged.table if plain.judged.is_better else formula.base
    approach = replace(formula, base=held)
    found = search_tables(approach, operating_points(parts.tuning, half), half, workers, second)
    ranking = validation_sample(
        approach, operating_points(parts.tuning, half), half, Seed.RANKING, workers
    )
    order = rank_tables(found.tables, held, ranking, half)
    scenes = operating_points(parts.judging, half.judging)
    comparing = validation_sample(approach, scenes, half.judging, Seed.COMPARISON, workers)
    freely = [ScaledTable(table) for table in order]
    freest = first_better_table(freely, ScaledTable(held), comparing, None, half)
    took = together(plain.searched, found)
    hard = operating_points(longer(parts.judging, longer_by_chance(approach.load)), half.judging)
    doubting = validation_sample(approach, hard, half.judging, Seed.COMPARISON, workers)
    doubted = validate_table(ScaledTable(freest.table), ScaledTable(held), doubting, None, half)
    if freest.is_better and not any(gain.is_worse for gain in doubted.gains):
        reached = [gain.clairvoyant_us for gain in plain.judged.gains]
        known = [each for each in reached if each is not None] or None
        final = validate_table(
            ScaledTable(freest.table), ScaledTable(formula.base), plain.last, known, half
        )
        if final.is_better:
            return TuningResult(final, took, plain.last, freedoms_pay=True)
    return TuningResult(plain.judged, took, plain.last, freedoms_pay=False)


def longer_by_chance(load: Workload) -> float:
    """How many times as long the mean demand of another sample of as many requests may well be.

    Two standard errors of the mean are added to it.
    """
    share = load.weight / load.requests
    mean_ns = load.mean_work_ns
    variance = float(((load.work_ns - mean_ns) ** 2 * share).sum())
    return 1 + _STANDARD_ERRORS * math.sqrt(variance / load.requests) / mean_ns


def halves(aim: TuningObjective) -> tuple[TuningObjective, TuningObjective]:
    """What the first search is for, without freedoms, and the second, with them."""
    half = replace(aim, most_requests=aim.most_requests // 2)
    return replace(half, optional_rules=()), half


def by_halves(progress: Progress) -> tuple[Progress, Progress]:
    """How far each search is, as a part of both together."""
    return (
        lambda what, share: progress(what, share / 2),
        lambda what, share: progress(what, (1 + share) / 2),
    )


def together(first: SearchResult[Form], second: SearchResult[Form]) -> SearchResult[Form]:
    """The tables of both, and what both took; they have no course in common to tell."""
    return SearchResult(
        (*first.tables, *second.tables),
        first.evaluations + second.evaluations,
        first.requests + second.requests,
        first.has_settled and second.has_settled,
    )

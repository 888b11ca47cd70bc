"""The highest rate with freedoms, beside that without: what a server can do besides never costs.

As for tails (`freedoms`), half of the budget goes to a table without, and the other half looks for
one of a higher rate than that. The two are compared on random numbers of their own, and once more
with all demand as much longer as its mean in another sample may well be: there the rate must not
be shown to be lower. A highest rate is one up to which the percentile is kept at all rates that
are tried, so no lower rate is given away for it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace

from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.perturbations import longer
from tailc.models.workload import Workload
from tailc.progress import Progress
from tailc.tuning.highest_rate import (
    JUDGING,
    TunedRate,
    check_formula,
    compare_rates,
    first_better,
    ranked_by_rate,
    rate_sample_of,
    require_a_rate,
    tune_rate,
    validate_at_highest_rates,
)
from tailc.tuning.optional_rules import by_halves, halves, longer_by_chance, together
from tailc.tuning.sample_split import SampleSplit
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form

# Repeats and seed.
_COMPARING = (10, 105)


def freely_raised(
    approach_to: Callable[[TuningObjective], TuningProblem[Form]],
    parts: SampleSplit,
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> tuple[TunedRate[Form], bool]:
    """The table with the aim's freedoms if its rate is higher than without, and whether it is.

    Raises TailcError as `tuned_for_rate` does.
    """
    plain_aim, half = halves(aim)
    first, second = by_halves(progress)
    formula = approach_to(plain_aim)
    check_formula(formula, parts, plain_aim, workers)
    plain = tune_rate(formula, parts, plain_aim, workers, first)
    held = plain.judged.table if plain.judged.is_better else formula.base
    approach = replace(approach_to(half), base=held)
    order, found = ranked_by_rate(approach, parts, half, workers, second)
    took = together(plain.searched, found)
    table = _higher(order, approach, parts.judging, half, workers)
    if table is not None:
        last = rate_sample_of(formula, parts.judging, half.judging, JUDGING, workers)
        _, told = first_better([table], formula.base, last, half)
        if told.is_better:
            verdict = validate_at_highest_rates(formula, table, told, parts.judging, half, workers)
            return TunedRate(verdict, told, took, plain.kept_us), True
    return require_a_rate(replace(plain, searched=took), aim), False


def _higher(
    tables: list[Form],
    approach: TuningProblem[Form],
    judging: Workload,
    aim: TuningObjective,
    workers: Executor,
) -> Form | None:
    """The first of a higher rate than the approach's base, and of no lower one where demand is
    longer; None where none is.
    """
    held = approach.base
    comparing = rate_sample_of(approach, judging, aim.judging, _COMPARING, workers)
    table, told = first_better(tables, held, comparing, aim)
    if not told.is_better:
        return None
    hard = longer(judging, longer_by_chance(approach.load))
    doubting = rate_sample_of(approach, hard, aim.judging, _COMPARING, workers)
    theirs, ours = doubting.kept([held, table]).rates_mrps
    return None if compare_rates(theirs, ours, aim).is_worse else table

"""Stable tables: above some load every request starts at once on the most efficient rung."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.leanest import leanest_from, leanest_rung
from tailc.forms.ladder.table import AT_ONCE, Climb, Ladder
from tailc.pipeline.auto.rivals import distinct
from tailc.tuning.criteria import measure_of, penalized_amounts
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import TuningSample

# Loads from which on that holds, in requests that may run at once.
_FROM = (1.0, 1.2, 1.5, 2.0, 2.5)
_LEAST_BEYOND = 1
# What a variant may cost at a rate.
_SPARE = 0.003


def leanest_variants(table: Ladder, cores: int) -> Iterator[Ladder]:
    """Iterate over variants of a table that use only the most efficient rung from some load on.

    Each variant has fewer rows in which requests climb to other rungs.
    """
    rung = leanest_rung(table)
    if rung is None:
        return
    loads = (round(part * cores) + _LEAST_BEYOND for part in _FROM)
    for first_load in sorted({one for one in loads if one > table.rows[0].first_load}):
        yield leanest_from(table, rung, first_load)


def ending_lean(table: Ladder, cores: int) -> Ladder:
    """Add a last row to a table, so that it is stable at any rate that the server can serve.

    Requests of this row use the most efficient rung, the one with most work per core. The table is
    unchanged if it already has such a row, or if no rung is more efficient than all others.
    """
    last, rung = table.rows[-1], leanest_rung(table)
    if rung is None or (last.admission, last.climbs) == (AT_ONCE, (Climb(0, rung),)):
        return table
    *_, latest = leanest_variants(table, cores)
    return latest


def leanest(
    table: Ladder,
    problem: TuningProblem[Ladder],
    trials: TuningSample[Ladder],
    heavy: TuningSample[Ladder],
    objective: TuningObjective,
) -> Ladder:
    """Choose, of the cheap variants of a table, the one that serves heavy demand best.

    Variants use the most efficient rung in more rows. A variant is cheap if it costs almost nothing
    more than the table on `trials`. The cost is the median over replays, because the mean would
    depend on a queue that forms by chance in one of them. heavy: replays of longer demand.
    """
    tables = distinct([table, *leanest_variants(table, problem.cores)])
    if len(tables) == 1:
        return table
    amounts = measure_of(objective).amounts(trials.measure(tables))
    costs = np.median(amounts / amounts[0], axis=2).max(axis=1) - 1.0
    then = penalized_amounts(heavy.measure(tables), objective)
    gains = (then / then[0]).mean(axis=1)
    return tables[int(np.where(costs > _SPARE, np.inf, gains).argmin())]

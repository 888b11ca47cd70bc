"""Join two tables: the rows of one up to some load, and those of the other beyond."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Guard, Ladder, collapse
from tailc.tuning.criteria import penalized_amounts
from tailc.tuning.tuning_sample import TuningSample

# Loads at which tables are joined, in requests in the system per core.
_LOADS_PER_CORE = (0.15, 0.25, 0.4, 0.6, 0.8, 1.0, 1.25)


def join_tables(low: Ladder, high: Ladder, last_load: int) -> Ladder:
    """Join two ladders: the rows of `low` for loads up to `last_load`, those of `high` above.

    The load is the number of requests in the system.
    """
    kept = [row for row in low.rows if row.first_load <= last_load]
    kept[-1] = replace(kept[-1], last_load=last_load)
    beyond = [row for row in high.rows if row.last_load is None or row.last_load > last_load]
    beyond[0] = replace(beyond[0], first_load=last_load + 1)
    guard = Guard(low.guard.min_load, max(low.guard.max_load, beyond[-1].first_load))
    return replace(low, rows=collapse([*kept, *beyond]), guard=guard)


def joined_at_loads(low: Ladder, high: Ladder, cores: int) -> Iterator[Ladder]:
    """Join two tables at each of several loads around the number of cores."""
    loads = {max(round(part * cores), low.rows[0].first_load) for part in _LOADS_PER_CORE}
    return (join_tables(low, high, load) for load in sorted(loads))


def joined_by_rate(
    tables: Sequence[Ladder], sample: TuningSample[Ladder], objective: TuningObjective, cores: int
) -> Iterator[Ladder]:
    """Join the best table at each rate (low loads) with the best at each higher rate (high loads).

    sample: its first operating points are those of the objective's rates, in that order.
    """
    amounts = penalized_amounts(sample.measure(tables), objective)[:, : len(objective.rates_mrps)]
    by_rate = sorted(zip(objective.rates_mrps, amounts.argmin(axis=0).tolist(), strict=True))
    best = dict.fromkeys(table for _, table in by_rate)
    for low, high in combinations(best, 2):
        yield from joined_at_loads(tables[low], tables[high], cores)

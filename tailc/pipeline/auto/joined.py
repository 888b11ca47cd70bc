"""Tables that do at low loads as one table does, and at high loads as another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Guard, Ladder, collapse
from tailc.pipeline.queue.goals import limited_amounts
from tailc.pipeline.queue.tuning_sample import TuningSample

# Loads up to which the first is followed, in requests that may run at once.
_UP_TO = (0.15, 0.25, 0.4, 0.6, 0.8, 1.0, 1.25)


def joined(low: Ladder, high: Ladder, last_load: int) -> Ladder:
    """The rows of `low` up to a load, and those of `high` beyond; the rest is that of `low`."""
    kept = [row for row in low.rows if row.first_load <= last_load]
    kept[-1] = replace(kept[-1], last_load=last_load)
    beyond = [row for row in high.rows if row.last_load is None or row.last_load > last_load]
    beyond[0] = replace(beyond[0], first_load=last_load + 1)
    guard = Guard(low.guard.min_load, max(low.guard.max_load, beyond[-1].first_load))
    return replace(low, rows=collapse([*kept, *beyond]), guard=guard)


def joined_by_rate(
    tables: Sequence[Ladder], trials: TuningSample[Ladder], aim: TuningObjective, cores: int
) -> Iterator[Ladder]:
    """The table that is best at one of the rates, and beyond some load that of a higher one."""
    amounts = limited_amounts(trials.measure(tables), aim)[:, : len(aim.rates_mrps)]
    by_rate = sorted(zip(aim.rates_mrps, amounts.argmin(axis=0).tolist(), strict=True))
    best = dict.fromkeys(at for _, at in by_rate)
    for low, high in combinations(best, 2):
        yield from joined_at_loads(tables[low], tables[high], cores)


def joined_at_loads(low: Ladder, high: Ladder, cores: int) -> Iterator[Ladder]:
    """Both tables, joined at a fraction of the cores up to more than all of them."""
    loads = {max(round(part * cores), low.rows[0].first_load) for part in _UP_TO}
    return (joined(low, high, load) for load in sorted(loads))

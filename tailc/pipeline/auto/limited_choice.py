"""Choose the best table for energy or batch work under a latency limit.

Tables are scaled until they meet the limit on the requests of the search, and in nearly all
resamples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder, Rule
from tailc.pipeline.auto.best import SEARCHED, Choice, SearchedTables
from tailc.pipeline.auto.comparison import ComparedTable, least_regret
from tailc.pipeline.auto.joined_tables import joined_by_rate
from tailc.pipeline.auto.resamples import Resamples
from tailc.pipeline.auto.rivals import distinct, least_far
from tailc.pipeline.auto.within_limit import NOISE
from tailc.tuning.operating_point import OperatingPoint
from tailc.tuning.scaled_table import scale_to_limit
from tailc.tuning.tuning_problem import TuningProblem

# What costs less by no more than that part is no better.
_HARDLY = 0.002


class LimitedChoice(Choice):
    """The choice of `auto` if the objective is energy or batch work under a latency limit."""

    def scenes_of_search(self) -> tuple[list[OperatingPoint], TuningObjective]:
        """The operating points of the original requests, and the objective with half of its budget.

        There are two searches, which share the budget.
        """
        return self.now, self.with_budget(self.asked.objective)

    def search(self) -> SearchedTables:
        """Run both searches under a latency limit, and compare their tables with the others.

        The second search starts from the table with the least regret. Its limit at each rate is the
        tail of the best tables that were compared before.
        """
        rivals = [one.table for one in self.others]
        first, baselines = self.first_searched(), self.comparison.baselines()
        missing = [one.option.table for one in baselines if not all(one.keeps)]
        scaled = distinct(map(self._scale_to_limit, [*first.tables, *missing]))
        tables = [table for table in scaled if table not in rivals]
        found = self.compare(tables)
        aim = self._tighten([*found, *baselines])
        found += self.compare(self._best_joins([*tables, *rivals], aim))
        nearest = least_regret([*found, *baselines]).option.table
        second = self.searched_about(nearest, aim)
        later = [self._scale_to_limit(table) for table in second.tables]
        joined = self._best_joins([*later, *tables, *rivals], self._tighten([*found, *baselines]))
        known = {one.option.table for one in [*found, *baselines]}
        found += self.compare(
            [table for table in distinct([*later, *joined]) if table not in known]
        )
        return SearchedTables(found, (first, second))

    def worth_comparing(self, found: list[ComparedTable[Ladder]]) -> list[ComparedTable[Ladder]]:
        """Select the found tables whose cost is clearly below that of a safe baseline."""
        costs = [one.change for one in found if one.is_safe and one.option.name != SEARCHED]
        most = min(costs, default=math.inf) - _HARDLY
        return [one for one in found if one.option.name != SEARCHED or one.change < most]

    def _scale_to_limit(self, table: Ladder) -> Ladder:
        """The table with ages that meet the latency in the search and in most resamples."""
        table = scale_to_limit(self.problem, table, self.screening, self.asked.objective).table
        return reliable(table, self.problem, self.comparison.resamples, self.asked.risk)

    def _best_joins(self, tables: Sequence[Ladder], aim: TuningObjective) -> list[Ladder]:
        """The best of the tables that join two."""
        cores = self.problem.cores
        alike = [_rereading(table) for table in tables]
        joined = list(joined_by_rate(alike, self.screening, aim, cores))
        return [joined[least_far(joined, self.screening, aim)]] if joined else []

    def _tighten(self, compared: Sequence[ComparedTable[Ladder]]) -> TuningObjective:
        """The longest tail, at each rate, of a table that keeps the latency there.

        On the requests of the search; where no table keeps it, what is asked.
        """
        seen = self.screening.measure([one.option.table for one in compared])
        keeps = np.array([one.keeps for one in compared])
        tail_us = np.where(keeps, seen.tail_us.mean(axis=2), 0.0).max(axis=0)
        targets = zip(tail_us.tolist(), self.objective.targets_us, strict=True)
        by_rate = tuple(math.ceil(tail) if tail else asked for tail, asked in targets)
        return replace(self.objective, target_by_rate_us=by_rate)


def _rereading(table: Ladder) -> Ladder:
    """A table of one row, as one whose requests look their row up again; they act alike."""
    if len(table.rows) > 1:
        return table
    rules = {*table.rules, Rule.REREAD_ROW}
    return replace(table, rules=tuple(sorted(rules, key=lambda rule: rule.value)))


# Number of resamples, from the deciding one on, that are replayed for each part of the ages.
_DECIDING = 3


def reliable(
    table: Ladder, problem: TuningProblem[Ladder], resamples: Resamples[Ladder], risk: float
) -> Ladder:
    """Scale a table's ages so that it meets the first SLO in all but `risk` of the resamples.

    The ages are as late as possible. The table is unchanged if it meets the SLO, or if no factor is
    enough. Further SLOs count when tables are compared.
    """
    aim = resamples.aim
    assert aim.limit_us is not None
    tail_us = resamples.by_resample(resamples.trials.measure([table]).tail_us.mean(axis=2))
    worst = tail_us[0].max(axis=1) / aim.limit_us
    order = np.argsort(-worst, kind="stable")
    allowed = int(risk * len(order))
    if worst[order[allowed]] <= 1.0 + NOISE:
        return table
    few = resamples.only(order[allowed : allowed + _DECIDING].tolist())
    limit_us = round(aim.limit_us * (1.0 + NOISE))
    return scale_to_limit(problem, table, few, replace(aim, limit_us=limit_us, objectives=())).table

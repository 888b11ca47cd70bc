"""Choose the best table for the tail, relative to the best baseline at each rate.

A tail that is longer than that of the best baseline counts several times, both on the original
requests and on a sample with longer demand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.perturbations import with_more_work
from tailc.models.streams import NS_PER_S_IN_MRPS
from tailc.models.tail_resampling import bootstrap_with_fitted_tail
from tailc.models.workload import Workload
from tailc.pipeline.auto.best import Choice, SearchedTables
from tailc.pipeline.auto.joined_tables import joined_by_rate
from tailc.pipeline.auto.rivals import distinct
from tailc.pipeline.auto.stable import ending_lean, leanest, leanest_variants
from tailc.tuning.operating_point import OperatingPoint, operating_points
from tailc.tuning.samples import validation_sample
from tailc.tuning.tuning_problem import TuningProblem


class TailChoice(Choice):
    """How `method: auto` chooses a table if the objective is a small percentile of latency."""

    def scenes_of_search(self) -> tuple[list[OperatingPoint], TuningObjective]:
        """The operating points of the original and of the heavier sample, and the objective."""
        tuning, objective = self.asked.parts.tuning, self.asked.objective
        self._then = operating_points(heavier(tuning, self.problem, objective), objective)
        rates, weights = objective.rates_mrps * 2, objective.weights * 2
        both = replace(objective, rates_mrps=rates, weights=weights)
        return [*self.now, *self._then], self.with_budget(both)

    def final_table(self, table: Ladder) -> Ladder:
        """Add rows for high loads to the table, under which the server is stable at every rate.

        Tables from a search already have such rows.
        """
        return ending_lean(table, self.problem.cores)

    def search(self) -> SearchedTables:
        """Run both searches by simulation, and compare their tables with the other candidates.

        The second search starts from the table that is nowhere far from the best one: its largest
        relative distance at any rate is smallest. That table may have the rows of two others.
        """
        rivals = [one.table for one in self.others]
        first, cores = self.first_searched(), self.problem.cores
        tables = [*rivals, *first.tables]
        variants = (one for table in first.tables for one in leanest_variants(table, cores))
        joined = joined_by_rate(tables, self.screening, self.asked.objective, cores)
        nearest = self.nearest(distinct([*tables, *variants, *joined]))
        second = self.searched_about(nearest, self.objective)
        found = distinct(
            ending_lean(one, cores) for one in (*first.tables, nearest, *second.tables)
        )
        return SearchedTables(
            self.compare(distinct([*self._leaner(found), *found])), (first, second)
        )

    def _leaner(self, tables: Sequence[Ladder]) -> list[Ladder]:
        repeats = self.asked.budget.leanest
        now, then = (
            validation_sample(
                self.problem, each, self.objective, Seed.RANKING, self.workers, repeats
            )
            for each in (self.now, self._then)
        )
        return [leanest(one, self.problem, now, then, self.asked.objective) for one in tables]


# Number of resamples, and how many of them have a smaller mean than the chosen one.
_DRAWN, _BELOW = 40, 37
# Least mean demand of the chosen resample, relative to the sample.
_LEAST_TIMES = 1.2
# Largest utilisation at which a replay can estimate a tail.
_MOST_BUSY = 0.92


def heavier(load: Workload, problem: TuningProblem[Ladder], objective: TuningObjective) -> Workload:
    """Draw a resample with long demand: its mean is at the 93rd percentile of resamples.

    Demands are multiplied so that the mean is at least 1.2 times that of the sample, and no more
    than 92 % of the server is busy.
    """
    drawn = [bootstrap_with_fitted_tail(load, Seed.HEAVIER + number) for number in range(_DRAWN)]
    heavy = sorted(drawn, key=lambda one: one.mean_work_ns)[_BELOW]
    most_per_s = max(objective.rates_mrps) / NS_PER_S_IN_MRPS
    busy = most_per_s * heavy.mean_work_ns / problem.capacity_of(load)
    wanted = max(_LEAST_TIMES * load.mean_work_ns / heavy.mean_work_ns, 1.0)
    return with_more_work(heavy, min(wanted, _MOST_BUSY / busy))

"""Tune tables for the least tail, energy or lost batch work at given rates.

If a latency limit applies, tables are scaled down to it on the requests that validate them, but in
other replays. So in the validation a tail exceeds the limit only by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.perturbations import with_more_work
from tailc.models.workload import Workload
from tailc.progress import Progress
from tailc.tuning.loop import TuningLoop, TuningResult, longer_by_chance
from tailc.tuning.operating_point import operating_points
from tailc.tuning.samples import validation_sample
from tailc.tuning.scaled_table import ScaledTable, relax_to_limit, scale_to_limit_surely
from tailc.tuning.search import SearchResult, search_tables
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form, TuningSample
from tailc.tuning.validation import ValidatedTable, rank_tables, validate_table


@dataclass(frozen=True)
class TailResult(TuningResult[Form]):
    """A result of tuning for tail, energy or batch work.

    last: the sample of replays that validated the table.
    """

    last: TuningSample[Form]


class TailLoop(TuningLoop[Form, TailResult[Form]]):
    """The tuning loop whose criterion is the tail, energy or batch work."""

    def tune(
        self, problem: TuningProblem[Form], aim: TuningObjective, progress: Progress
    ) -> TailResult[Form]:
        ranking = self._ranking(problem, aim)
        reference = relax_to_limit(problem, problem.base, ranking, aim)
        if problem.relaxed is not None:
            problem = problem.relaxed(reference.table)
        formula = problem.base
        found = self._search(problem, aim, progress)
        progress("judging the tables", 1.0)
        tables = found.tables if aim.limit_us is None else (*found.tables, formula)
        scaled = [relax_to_limit(problem, table, ranking, aim) for table in tables]
        order = rank_tables([one.table for one in scaled], formula, ranking, aim)
        last = self._sample(problem, self._split.judging, aim, Seed.VALIDATION)
        clairvoyant_us = None
        if problem.server is not None:
            clairvoyant_us = last.clairvoyant_us(problem.server).tolist()
        if aim.limit_us is None:
            unscaled = [ScaledTable(table) for table in order]
            best = first_better_table(unscaled, reference, last, clairvoyant_us, aim)
            return TailResult(best, found, last)
        scaling = self._sample(problem, self._split.judging, aim, Seed.SCALING)
        # The table that others are compared with is scaled in the same way.
        reference = reference.then(scale_to_limit_surely(problem, reference.table, scaling, aim))
        scaled_down = (scale_to_limit_surely(problem, table, scaling, aim) for table in order)
        best = first_better_table(scaled_down, reference, last, clairvoyant_us, aim)
        return TailResult(best, found, last)

    def propose(
        self, problem: TuningProblem[Form], aim: TuningObjective, progress: Progress
    ) -> tuple[list[Form], SearchResult[Form]]:
        found = self._search(problem, aim, progress)
        return rank_tables(found.tables, problem.base, self._ranking(problem, aim), aim), found

    def confirm(
        self, problem: TuningProblem[Form], tables: Sequence[Form], aim: TuningObjective
    ) -> Form | None:
        reference = ScaledTable(problem.base)
        sample = self._sample(problem, self._split.judging, aim, Seed.COMPARISON)
        best = first_better_table(map(ScaledTable, tables), reference, sample, None, aim)
        if not best.is_better:
            return None
        demand = with_more_work(self._split.judging, longer_by_chance(problem.load))
        sample = self._sample(problem, demand, aim, Seed.COMPARISON)
        with_longer = validate_table(ScaledTable(best.table), reference, sample, None, aim)
        return None if any(gain.is_worse for gain in with_longer.gains) else best.table

    def validate(
        self,
        formula: TuningProblem[Form],
        plain: TailResult[Form],
        table: Form,
        aim: TuningObjective,
    ) -> TailResult[Form]:
        clairvoyant_us = [
            gain.clairvoyant_us for gain in plain.validated.gains if gain.clairvoyant_us is not None
        ]
        reference = ScaledTable(formula.base)
        validated = validate_table(
            ScaledTable(table), reference, plain.last, clairvoyant_us or None, aim
        )
        return TailResult(validated, plain.searched, plain.last)

    def _search(
        self, problem: TuningProblem[Form], aim: TuningObjective, progress: Progress
    ) -> SearchResult[Form]:
        points = operating_points(self._split.tuning, aim)
        return search_tables(problem, points, aim, self._workers, progress)

    def _ranking(self, problem: TuningProblem[Form], aim: TuningObjective) -> TuningSample[Form]:
        points = operating_points(self._split.tuning, aim)
        return validation_sample(problem, points, aim, Seed.RANKING, self._workers)

    def _sample(
        self, problem: TuningProblem[Form], load: Workload, aim: TuningObjective, seed: int
    ) -> TuningSample[Form]:
        """Replays that no search saw; see `TuningObjective.judging`."""
        points = operating_points(load, aim.judging)
        return validation_sample(problem, points, aim.judging, seed, self._workers)


def first_better_table(
    tables: Iterable[ScaledTable[Form]],
    reference: ScaledTable[Form],
    sample: TuningSample[Form],
    clairvoyant_us: Sequence[int] | None,
    aim: TuningObjective,
) -> ValidatedTable[Form]:
    """Validate tables in order, and return the first that is better than the reference table.

    If none is better, return the first that meets its limit; otherwise the first of all.
    clairvoyant_us: by rate, the tail of a schedule that knows all demands.
    """
    others = []
    for table in tables:
        validated = validate_table(table, reference, sample, clairvoyant_us, aim)
        if validated.is_better:
            return validated
        others.append(validated)
    return next((validated for validated in others if validated.keeps_tail), others[0])

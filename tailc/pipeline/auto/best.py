"""The best of the formula's tables, of what could be set by hand, and of what a search finds.

Two searches go on from the others: one through coarse shapes, one about the table that is never far
from the best. What counts is the tail over that of whichever of the others is best at that rate, of
these requests and of a heavier sample; what a rate is worse counts many times over. Then all tables
are compared over resamples of the records, and on replays of requests that no search saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder, Rule
from tailc.pipeline.auto.comparison import Comparison, best_compared, least_regret
from tailc.pipeline.auto.effort import Budget
from tailc.pipeline.auto.fallbacks import fallbacks
from tailc.pipeline.auto.heavier import heavier
from tailc.pipeline.auto.joined import joined_by_rate
from tailc.pipeline.auto.rivals import Option, distinct, least_far, promising
from tailc.pipeline.auto.stable import ending_lean, leanest, leanest_variants
from tailc.pipeline.progress import Progress
from tailc.pipeline.queue.approach import Approach
from tailc.pipeline.queue.freedoms import by_halves
from tailc.pipeline.queue.parts import Parts
from tailc.pipeline.queue.scene import scenes_of
from tailc.pipeline.queue.search import least_budget, least_each, searched, searched_near
from tailc.pipeline.queue.search_result import validation_sample
from tailc.pipeline.queue.tuning_sample import TuningSample, tuning_sample

SEARCHED = "search"


@dataclass(frozen=True)
class Best:
    """The table that is taken, and what the search for it took.

    others: the best of what is there without a search. loss_share: of resamples of the records, the
    part in which the table is worse than one of the others at some rate beyond noise; is_safe:
    whether that is as much as was allowed at most, and it is worse than none on the replays that
    judge.
    """

    option: Option
    others: tuple[Option, ...]
    loss_share: float
    is_safe: bool
    evaluations: int
    requests: int

    @property
    def is_searched(self) -> bool:
        """Whether the search found it."""
        return self.option.name == SEARCHED


@dataclass(frozen=True)
class Question:
    """What a best table is looked for on.

    objective: at each rate; towards: how tables of some rungs and rules are tuned for an objective.
    parts: requests to search on, and others to judge by. risk: the part of resamples in which a
    table may lose to another.
    """

    objective: TuningObjective
    towards: Callable[[Ladder, TuningObjective], Approach[Ladder]]
    parts: Parts
    budget: Budget
    risk: float


def best_table(
    formulas: Sequence[Option],
    by_hand: Sequence[Option],
    asked: Question,
    workers: Executor,
    progress: Progress,
) -> Best:
    """The table to write: of those that are safe the best, else the one with least to regret."""
    return _Choice(formulas, by_hand, asked, workers, progress).best()


class _Choice:
    def __init__(
        self,
        formulas: Sequence[Option],
        by_hand: Sequence[Option],
        asked: Question,
        workers: Executor,
        progress: Progress,
    ) -> None:
        self._asked = asked
        self._workers = workers
        self._progress = progress
        self._approach = asked.towards(formulas[0].table, asked.objective)
        tuning, objective = asked.parts.tuning, asked.objective
        self._now = scenes_of(tuning, objective)
        self._then = scenes_of(heavier(tuning, self._approach, objective), objective)
        self._both = self._with_budget(
            replace(
                objective,
                rates_mrps=objective.rates_mrps * 2,
                weights=objective.weights * 2,
            )
        )
        progress("replaying what could be set by hand", 0.0)
        self._screening = self._screened()
        variants = (
            replace(one, table=table)
            for one in formulas
            for table in leanest_variants(one.table, self._approach.cores)
        )
        options = [*formulas, *variants, *by_hand]
        self._others = tuple(promising(options, self._screening, self._both))

    def best(self) -> Best:
        evaluations, requests, tables = self._searched()
        self._progress("judging the tables", 1.0)
        cores, asked = self._approach.cores, self._asked
        tables = distinct(ending_lean(one, cores) for one in tables)
        comparison = Comparison(
            self._approach,
            self._others,
            asked.parts.judging,
            asked.objective,
            asked.budget,
            asked.risk,
            self._workers,
        )
        tables = distinct([*self._leaner(tables), *tables])
        found = comparison.compare(_searched_options(tables))
        found += comparison.baselines()
        if not any(one.is_safe for one in found):
            baselines = [one.table for one in self._others]
            table = least_regret(found).option.table
            more = distinct([*tables, *fallbacks(table, baselines, cores, self._nearest)])
            found += comparison.compare(_searched_options(more[len(tables) :]))
        best = best_compared(found)
        option = replace(best.option, table=ending_lean(best.option.table, cores))
        return Best(option, self._others, best.loss_share, best.is_safe, evaluations, requests)

    def _nearest(self, tables: Sequence[Ladder]) -> Ladder:
        """The table that is least far from the best at any rate."""
        return tables[least_far(tables, self._screening, self._both)]

    def _with_budget(self, objective: TuningObjective) -> TuningObjective:
        """Half of it for each search."""
        budget = self._asked.budget
        least = least_budget(objective, budget.starts)
        return replace(objective, most_requests=budget.times * least // 2)

    def _screened(self) -> TuningSample[Ladder]:
        return tuning_sample(
            [*self._now, *self._then],
            self._both.percentile_ppm,
            self._approach.cores,
            requests=2 * least_each(self._both.percentile_ppm),
            repeats=self._asked.budget.screening,
            seed=Seed.DESIGN,
            workers=self._workers,
            subject_of=self._approach.subject_of,
        )

    def _searched(self) -> tuple[int, int, list[Ladder]]:
        """Evaluations, simulated requests, and tables of both searches.

        The first search replays the requests as they are. The second starts from the table that is
        least far from the best at any rate, which may be a joined one. It also replays a heavier
        sample.
        """
        halves = by_halves(self._progress)
        rivals = [one.table for one in self._others]
        given = self._rival_to(rivals, self._approach.base)
        objective = self._with_budget(self._asked.objective)
        first = searched(given, self._now, objective, self._workers, halves[0])
        cores, tables = self._approach.cores, [*rivals, *first.tables]
        variants = (one for table in first.tables for one in leanest_variants(table, cores))
        joined = joined_by_rate(tables, self._screening, self._asked.objective, cores)
        nearest = self._nearest(distinct([*tables, *variants, *joined]))
        given = self._rival_to(rivals, _with_rows_of(self._approach.base, nearest))
        if given.near is None:
            return first.evaluations, first.requests, [*first.tables, nearest]
        tail_us = given.reference(self._screening, self._both).tail_us[0].mean(axis=1).max()
        space, start = given.near(nearest, max(round(float(tail_us)), 1))
        ground = [*self._now, *self._then]
        second = searched_near(space, start, given, ground, self._both, self._workers, halves[1])
        return (
            first.evaluations + second.evaluations,
            first.requests + second.requests,
            [*first.tables, nearest, *second.tables],
        )

    def _rival_to(self, tables: Sequence[Ladder], rules_of: Ladder) -> Approach[Ladder]:
        """Tables on the rules of one, which are measured against the best of some."""
        approach = self._asked.towards(rules_of, self._both)
        starts = min(self._asked.budget.starts, approach.starts)
        return replace(approach, base=tables[0], rivals=tuple(tables[1:]), starts=starts)

    def _leaner(self, tables: Sequence[Ladder]) -> list[Ladder]:
        repeats = self._asked.budget.repeats
        now, then = (
            validation_sample(
                self._approach, each, self._both, Seed.RANKING, self._workers, repeats
            )
            for each in (self._now, self._then)
        )
        return [leanest(one, self._approach, now, then, self._asked.objective) for one in tables]


def _searched_options(tables: Iterable[Ladder]) -> list[Option]:
    return [Option(SEARCHED, table) for table in tables]


def _with_rows_of(base: Ladder, table: Ladder) -> Ladder:
    """The base, whose requests keep the row that they start with where those of the table do."""
    if Rule.REREAD_ROW in table.rules:
        return base
    return replace(base, rules=tuple(rule for rule in base.rules if rule is not Rule.REREAD_ROW))

"""Choose the best of the formula's tables, settings by hand, and the tables of two searches.

One search is in a coarse search space; the other is near the best table that is known by then. Both
start from the formula's tables and the settings by hand. Then all tables are compared over
resamples of the records, and on replays of requests that no search used. `TailChoice` and
`LimitedChoice` are the choices for the two types of objective.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Generic

from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder, Rule
from tailc.pipeline.auto.comparison import (
    ComparedTable,
    Comparison,
    UnsafeTable,
    best_compared,
    forgone,
    least_regret,
)
from tailc.pipeline.auto.effort import Budget
from tailc.pipeline.auto.joined_tables import joined_at_loads, joined_by_rate
from tailc.pipeline.auto.rivals import Option, distinct, least_far, promising
from tailc.pipeline.auto.stable import ending_lean, leanest_variants
from tailc.progress import Progress
from tailc.tuning.criteria import penalized_amounts
from tailc.tuning.loop import by_halves
from tailc.tuning.operating_point import OperatingPoint, operating_points
from tailc.tuning.sample_split import SampleSplit
from tailc.tuning.samples import screening_sample
from tailc.tuning.search import (
    SearchResult,
    least_budget,
    search_near,
    search_tables,
)
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form, TuningSample

SEARCHED = "search"


@dataclass(frozen=True)
class Best(Generic[Form]):
    """The table that `auto` chose, how sure the choice is, and the effort of the searches.

    option: the table. others: candidates that need no search. loss_share: share of the resamples of
    the records in which the table is significantly worse than one of the others at some rate.
    is_safe: whether this share is within the allowed risk, and the table is not worse than any
    other on the replays of the comparison. forgone: a better table that was rejected as too risky.
    evaluations, requests: replayed tables and simulated requests of the searches.
    """

    option: Option[Form]
    others: tuple[Option[Form], ...]
    loss_share: float
    is_safe: bool
    forgone: UnsafeTable | None
    evaluations: int
    requests: int

    @property
    def is_searched(self) -> bool:
        """Whether the chosen table is from a search, and not a formula or a setting by hand."""
        return self.option.name == SEARCHED


@dataclass(frozen=True)
class Question:
    """What the method `auto` chooses a table for: objective, requests, budget and accepted risk.

    objective: what to minimise at each rate. towards: makes the tuning problem of an objective, for
    tables with the rungs and rules of a given one. parts: the requests of the search, and those of
    the comparison. risk: share of the resamples in which a table may be worse than another.
    """

    objective: TuningObjective
    towards: Callable[[Ladder, TuningObjective], TuningProblem[Ladder]]
    parts: SampleSplit
    budget: Budget
    risk: float


@dataclass(frozen=True)
class SearchedTables:
    """The tables that the searches found, compared with the other candidates; and their effort."""

    compared: list[ComparedTable[Ladder]]
    searches: tuple[SearchResult[Ladder], ...]


class Choice(ABC):
    """The choice of `auto` among the formula's tables, settings by hand, and searched tables.

    A subclass determines the searches for one type of objective.
    """

    def __init__(
        self,
        formulas: Sequence[Option[Ladder]],
        by_hand: Sequence[Option[Ladder]],
        asked: Question,
        workers: Executor,
        progress: Progress,
    ) -> None:
        self.asked = asked
        self.workers = workers
        self.progress = progress
        self.problem = asked.towards(formulas[0].table, asked.objective)
        self.now = operating_points(asked.parts.tuning, asked.objective)
        self.scenes, self.objective = self.scenes_of_search()
        progress("replaying what could be set by hand", 0.0)
        self.screening = self._screening_sample()
        variants = (
            replace(one, table=table)
            for one in formulas
            for table in leanest_variants(one.table, self.problem.cores)
        )
        options = [*formulas, *variants, *by_hand]
        self.others = tuple(promising(options, self.screening, self.objective))
        self.comparison = Comparison(
            self.problem,
            self.others,
            self.screening,
            asked.parts.judging,
            asked.objective,
            asked.budget,
            asked.risk,
            workers,
        )

    @abstractmethod
    def scenes_of_search(self) -> tuple[list[OperatingPoint], TuningObjective]:
        """Operating points and objective of the searches."""

    @abstractmethod
    def search(self) -> SearchedTables:
        """Run both searches by simulation, and compare their tables with the other candidates."""

    def worth_comparing(self, found: list[ComparedTable[Ladder]]) -> list[ComparedTable[Ladder]]:
        """Select those compared tables that are good enough to be chosen."""
        return found

    def best(self) -> Best[Ladder]:
        """Choose the table to write: the best safe one, or else the one with the least regret.

        A table is safe if it is not worse than another one, apart from an allowed risk. Its regret
        is its mean distance from the best table on bootstrap samples of the requests.
        """
        looked_for = self.search()
        found = [*looked_for.compared, *self.comparison.baselines()]
        for _ in range(self.asked.budget.rounds):
            if not _wants_fallbacks(found):
                break
            found += self.compare(self._fallbacks(found))
        best = best_compared(self.worth_comparing(found))
        option = replace(best.option, table=self.final_table(best.option.table))
        searches = looked_for.searches
        return Best(
            option,
            self.others,
            best.loss_share,
            best.is_safe,
            forgone(best, found),
            sum(one.evaluations for one in searches),
            sum(one.requests for one in searches),
        )

    def _fallbacks(self, found: Sequence[ComparedTable[Ladder]]) -> list[Ladder]:
        """Tables that join those found so far, without those."""
        known, cores = distinct(one.option.table for one in found), self.problem.cores
        baselines = [one.table for one in self.others]
        if not self.asked.budget.joins_all:
            baselines = self._best_by_rate(baselines)
        joined = list(joined_by_rate(known, self.screening, self.asked.objective, cores))
        best = [ending_lean(self.nearest(joined), cores)] if joined else []
        more = fallbacks(least_regret(found).option.table, baselines, cores, self.nearest)
        return distinct([*known, *best, *more])[len(known) :]

    def _best_by_rate(self, tables: Sequence[Ladder]) -> list[Ladder]:
        """The tables that are the best at some rate."""
        amounts = penalized_amounts(self.screening.measure(tables), self.objective)
        return [tables[at] for at in sorted(set(amounts.argmin(axis=0).tolist()))]

    def final_table(self, table: Ladder) -> Ladder:
        """The table that is written if `table` is chosen, for example with further rows."""
        return table

    def compare(self, tables: Iterable[Ladder]) -> list[ComparedTable[Ladder]]:
        """Compare tables from a search with the formula's tables and the settings by hand."""
        self.progress("judging the tables", 1.0)
        return self.comparison.compare([Option(SEARCHED, table) for table in tables])

    def nearest(self, tables: Sequence[Ladder]) -> Ladder:
        """Find the table that is nowhere far from the best one.

        That is the one whose largest relative excess over the best of the tables, at any rate, is
        smallest.
        """
        return tables[least_far(tables, self.screening, self.objective)]

    def with_budget(self, objective: TuningObjective) -> TuningObjective:
        """The objective with half of its budget of simulated requests, for each of two searches."""
        budget = self.asked.budget
        least = least_budget(objective, budget.starts)
        return replace(objective, most_requests=budget.times * least // 2)

    def first_searched(self) -> SearchResult[Ladder]:
        """Search for tables in a coarse space, on the original requests."""
        given = self._rival_to(self.problem.base)
        objective = self.with_budget(self.asked.objective)
        return search_tables(given, self.now, objective, self.workers, by_halves(self.progress)[0])

    def searched_about(self, table: Ladder, objective: TuningObjective) -> SearchResult[Ladder]:
        """Search near a table by simulation.

        The result is empty if the tuning problem of the table has no such search.
        """
        given = self._rival_to(_with_rows_of(self.problem.base, table))
        if given.near is None:
            return SearchResult((), 0, 0, has_settled=True)
        reference = given.reference(self.screening, self.objective)
        tail_us = reference.tail_us[0].mean(axis=1).max()
        space, start = given.near(table, max(round(float(tail_us)), 1))
        progress = by_halves(self.progress)[1]
        return search_near(space, start, given, self.scenes, objective, self.workers, progress)

    def _screening_sample(self) -> TuningSample[Ladder]:
        repeats = self.asked.budget.screening
        return screening_sample(
            self.problem, self.scenes, self.objective, repeats, Seed.DESIGN, self.workers
        )

    def _rival_to(self, rules_of: Ladder) -> TuningProblem[Ladder]:
        """Tables on the rules of one, which are measured against the best of the others."""
        problem = self.asked.towards(rules_of, self.objective)
        starts = min(self.asked.budget.starts, problem.starts)
        first, *rivals = (one.table for one in self.others)
        return replace(problem, base=first, rivals=tuple(rivals), starts=starts)


def _wants_fallbacks(found: Sequence[ComparedTable[Ladder]]) -> bool:
    """Whether no table is safe, or only ones without a search, and an unsafe table is better."""
    best = best_compared(found)
    is_searched = best.option.name == SEARCHED
    return not best.is_safe or (not is_searched and forgone(best, found) is not None)


def _with_rows_of(base: Ladder, table: Ladder) -> Ladder:
    """The base, whose requests keep the row that they start with where those of the table do."""
    if Rule.REREAD_ROW in table.rules:
        return base
    return replace(base, rules=tuple(rule for rule in base.rules if rule is not Rule.REREAD_ROW))


def fallbacks(
    table: Ladder,
    baselines: Sequence[Ladder],
    cores: int,
    nearest: Callable[[Sequence[Ladder]], Ladder],
) -> Iterator[Ladder]:
    """Make simpler variants of a table: fewer rows that climb, or a baseline at high or low loads.

    A climb moves a running request to a higher rung. nearest: selects the table that is nowhere far
    from the best one; it chooses the load at which two tables are joined.
    """
    yield from leanest_variants(table, cores)
    for baseline in baselines:
        for low, high in ((table, baseline), (baseline, table)):
            yield ending_lean(nearest(list(joined_at_loads(low, high, cores))), cores)

"""One loop for every criterion: propose tables by a search, rank them, validate the best.

With optional rules the loop runs twice. Over a wide range of rates a table with optional rules can
be worse than one without: one threshold of `start-below` and one age of `give-up` apply to all
rates. So half of the budget is for a table without them, and the other half for one that is better
than that. Both tables are compared with other random numbers, and again with demand that is longer
by two standard errors of its mean: a request that gave up takes longer, so tables with optional
rules suffer most if demand is longer than in the sample.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.workload import Workload
from tailc.progress import Progress
from tailc.tuning.sample_split import SampleSplit
from tailc.tuning.search import SearchResult
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form
from tailc.tuning.validation import ValidatedTable

# The mean of another sample is larger by more than this with a probability of 2.5 %.
_STANDARD_ERRORS = 2.0


@dataclass(frozen=True)
class TuningResult(Generic[Form]):
    """The best tuned table, its validation on held-out requests, and the effort of its searches."""

    validated: ValidatedTable[Form]
    searched: SearchResult[Form]


Result = TypeVar("Result", bound=TuningResult[Any])


class TuningLoop(ABC, Generic[Form, Result]):
    """The loop that tunes tables: search tables, rank them and validate the best, by one criterion.

    problem_for: the tuning problem of an objective. split: the requests of the search and those of
    the validation.
    """

    def __init__(
        self,
        problem_for: Callable[[TuningObjective], TuningProblem[Form]],
        split: SampleSplit,
        workers: Executor,
    ) -> None:
        self._problem_for = problem_for
        self._split = split
        self._workers = workers

    def run(self, aim: TuningObjective, progress: Progress) -> tuple[Result, bool | None]:
        """Tune a table by simulation.

        Returns the result, and whether the table uses the optional rules of `aim` (None if `aim`
        has none).
        """
        if aim.optional_rules:
            return self._run_with_optional_rules(aim, progress)
        return self.tune(self._problem_for(aim), aim, progress), None

    @abstractmethod
    def tune(
        self, problem: TuningProblem[Form], aim: TuningObjective, progress: Progress
    ) -> Result:
        """Search tables; return the first one that is validated as better than the formula's table.

        The formula's table is computed without simulation. If no table is better, return one whose
        `validated.is_better` is False.
        """

    @abstractmethod
    def propose(
        self, problem: TuningProblem[Form], aim: TuningObjective, progress: Progress
    ) -> tuple[list[Form], SearchResult[Form]]:
        """Search for tables; return them ranked, the best first, and the result of the search."""

    @abstractmethod
    def confirm(
        self, problem: TuningProblem[Form], tables: Sequence[Form], aim: TuningObjective
    ) -> Form | None:
        """Return the first of some tables that is better than the problem's base table.

        It must also not be worse if demand is longer; see `longer_by_chance`. None if none is.
        """

    @abstractmethod
    def validate(
        self, formula: TuningProblem[Form], plain: Result, table: Form, aim: TuningObjective
    ) -> Result:
        """Compare a confirmed table with the formula's table, on the requests of the validation.

        formula: problem of the table that is computed without simulation. plain: result without
        optional rules.
        """

    def _run_with_optional_rules(
        self, aim: TuningObjective, progress: Progress
    ) -> tuple[Result, bool]:
        half = replace(aim, most_requests=aim.most_requests // 2)
        plain_aim = replace(half, optional_rules=())
        first, second = by_halves(progress)
        formula = self._problem_for(plain_aim)
        plain = self.tune(formula, plain_aim, first)
        reference = plain.validated.table if plain.validated.is_better else formula.base
        problem = replace(self._problem_for(half), base=reference)
        tables, found = self.propose(problem, half, second)
        searched = _both(plain.searched, found)
        table = self.confirm(problem, tables, half)
        if table is not None:
            result = self.validate(formula, plain, table, half)
            if result.validated.is_better:
                return replace(result, searched=searched), True
        return replace(plain, searched=searched), False


def longer_by_chance(load: Workload) -> float:
    """Factor by which mean demand may be longer by chance: 1 + two standard errors / mean."""
    share = load.weight / load.requests
    mean_ns = load.mean_work_ns
    variance = float(((load.work_ns - mean_ns) ** 2 * share).sum())
    return 1 + _STANDARD_ERRORS * math.sqrt(variance / load.requests) / mean_ns


def by_halves(progress: Progress) -> tuple[Progress, Progress]:
    """Split a progress display into two halves, one for each of two searches."""
    return (
        lambda what, share: progress(what, share / 2),
        lambda what, share: progress(what, (1 + share) / 2),
    )


def _both(first: SearchResult[Form], second: SearchResult[Form]) -> SearchResult[Form]:
    """The tables and the effort of two searches; their courses cannot be joined."""
    return SearchResult(
        (*first.tables, *second.tables),
        first.evaluations + second.evaluations,
        first.requests + second.requests,
        first.has_settled and second.has_settled,
    )

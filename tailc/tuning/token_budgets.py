"""Tune budget tables on replays of recorded requests.

The logarithm of a budget is a smooth function of the decoding sequences and of the waiting prompt
tokens, first with few parameters, then with one more for each row and column. Where many prompt
tokens wait for each decoding sequence, the largest budget applies: such an iteration makes few gaps
between tokens long, and computes many prompts. All tables are replayed on the same requests at the
same times, and compared with the best static budget of each rate, by hindsight: a rate at which a
table is worse counts more than one at which it is better. The search does not use the last part of
the requests: a table is used only if it is better than the best static budget on that part too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.evolution import minimise_by_evolution

from tailc.experiment.token_replays import (
    TokenExperiment,
    excess,
    experiments,
    goodput,
    largest_tail_us,
    tail_us,
)
from tailc.forms.budget_table import BatchEngine, BudgetRow, BudgetTable, static_budget
from tailc.forms.step_times import LARGEST_AMOUNT
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.models.token_batches.outcome import TokenOutcome
from tailc.models.token_batches.rule import static_budgets
from tailc.problems.token_budgets import BudgetObjective, TokenEffort
from tailc.progress import Progress
from tailc.specs.slo import Slo
from tailc.traces.tokens import TokenTrace

Floats = NDArray[np.float64]

SEED = 1
# Share of the requests, the latest, that the search does not see.
UNSEEN = 0.3
# Tokens of a replay, above which the search uses the latest of its requests only.
MOST_OUTPUT_TOKENS = 1_000_000
_FEWEST_SEARCHED = 10
# Factors of the budgets of the tables between which unseen requests choose, and of the waiting
# tokens for which the largest budget applies.
_SCALES, _CAUTIONS = (1.0, 0.93, 0.86, 0.8), (1.0, 1.4, 2.0)
# Waiting prompt tokens of each decoding sequence with which the largest budget applies, as parts of
# a prompt; and so many that it applies nowhere.
_GAP_PARTS, _NEVER = (1 / 2, 1 / 4, 1 / 8, 1 / 16), 2.0**30
# Weight of a rate at which a table is worse than the best static budget of that rate.
_WORSE = 3.0
# Rates of a search for the highest one, as parts of the highest rate of the static budgets;
# halvings of the interval that has that rate; and the highest one, as times of the recorded rate.
_RATE_PARTS, _HALVINGS, _MOST_TIMES = (1.0, 1.05, 1.1, 1.2), 5, 1_024
# Parts of the requests, in each of which the further SLOs must be met.
_PARTS = 3
_POPULATION = 10
# Number of the best bases whose tables unseen requests may choose.
_BASES = 3
_GENERATIONS = {
    TokenEffort.QUICK: (5, 5),
    TokenEffort.NORMAL: (12, 20),
    TokenEffort.THOROUGH: (30, 60),
}
_SPREAD_LEVEL, _SPREAD_SLOPE, _SPREAD_GAP, _SPREAD_CELL = 0.15, 0.3, 0.3, 0.1
_LEAST_BUDGET, _FEWEST_TOKENS = 16, 256
# Number of the parameters of a point without those of rows and columns; place of the last of them.
_SHARED, _GAP = 6, 5
# Rows, as parts of the largest batch, and columns, as multiples of a prompt.
_ROWS = (1 / 64, 1 / 32, 1 / 16, 3 / 32, 1 / 8, 3 / 16, 1 / 4, 3 / 8, 1 / 2, 3 / 4)
_COLUMNS = (1, 2, 4, 8, 16, 32)


class _Limits(NamedTuple):
    """Part of the limit of a further SLO, and weight of the logarithm by which it is exceeded."""

    part: float
    penalty: float


# The search aims below the limits, so that its table meets them on other requests.
_SEARCH, _CHOICE = _Limits(0.95, 10.0), _Limits(1.0, 100.0)


@dataclass(frozen=True)
class BudgetGrid:
    """The rows and columns of the token-budget tables of a search, and the possible budgets.

    first_decoding: by row, the least number of decoding sequences. first_waiting: by column, the
    least number of waiting prompt tokens. largest_budget: tokens of one iteration. step: budgets
    are multiples of it. is_monotone: no budget rises with decoding sequences, or falls with
    waiting tokens; those that would are lowered to a budget with fewer decoding sequences, after
    they are raised to one with fewer waiting tokens.
    """

    engine: BatchEngine
    first_decoding: tuple[int, ...]
    first_waiting: tuple[int, ...]
    largest_budget: int
    step: int = 1
    is_monotone: bool = False

    def table(self, budgets: NDArray[np.int64], new_sequences: int) -> BudgetTable:
        """Make a token-budget table of these budgets, int64 (rows, columns), rounded down."""
        multiples = budgets // self.step * self.step
        if self.is_monotone:
            multiples = np.minimum.accumulate(np.maximum.accumulate(multiples, axis=1), axis=0)
        rows = tuple(
            BudgetRow(first, new_sequences, tuple(row))
            for first, row in zip(self.first_decoding, multiples.tolist(), strict=True)
        )
        return BudgetTable(self.first_waiting, rows, self.engine)


def budget_grid(engine: BatchEngine, trace: TokenTrace, largest_budget: int) -> BudgetGrid:
    """Choose the rows and columns of a token-budget table for an engine and a trace.

    Rows are at parts of the largest batch, columns at multiples of the mean prompt.
    """
    rows = {0, 1, *(round(part * engine.max_sequences) for part in _ROWS)}
    prompt = 1 << round(math.log2(max(float(trace.prompt.mean()), 1.0)))
    multiples = (times * prompt for times in _COLUMNS)
    columns = (0, *(tokens for tokens in multiples if tokens <= LARGEST_AMOUNT))
    return BudgetGrid(engine, tuple(sorted(rows)), columns, largest_budget)


@dataclass(frozen=True)
class TunedBudgets:
    """Result of tuning token budgets: the table to use, the best static budget, and the effort."""

    table: BudgetTable
    static: BudgetTable
    is_tuned: bool
    evaluations: int


@dataclass(frozen=True)
class BudgetSearch:
    """A search for the token-budget table with the best objective value over the rates."""

    grid: BudgetGrid
    slos: tuple[Slo, ...]
    objective: BudgetObjective
    effort: TokenEffort
    workers: Executor
    progress: Progress

    def run(
        self, trace: TokenTrace, rates_mrps: Sequence[int], starts: Sequence[BudgetTable]
    ) -> TunedBudgets:
        """Search for a token-budget table on the first requests of a trace; choose on the last."""
        budgets = static_budgets(self.grid.largest_budget, self.grid.step)
        tables = [static_budget(self.grid.engine, one) for one in budgets]
        rates = tuple(rates_mrps) or (trace.rate_mrps,)
        if self.objective is BudgetObjective.RATE:
            highest_mrps = self._highest_mrps(search_part(trace), tables)
            rates = tuple(math.ceil(part * highest_mrps) for part in _RATE_PARTS)
        searched = experiments(search_part(trace), rates)
        judged = experiments(unseen_part(trace), rates)
        by_rate = self._values(searched, _SEARCH, tables)
        reference = by_rate.min(axis=0)
        static_at = int(np.argmin(_relative(by_rate, reference)))
        best, tried = self._best_bases(searched, starts, reference)
        found, evolved = self._evolve(searched, best[0], reference)
        candidates = [
            family.table(_cautious(point, part, times))
            for part in _SCALES
            for times in _CAUTIONS
            for family, point in (*found, *((one, one.origin) for one in best))
        ]
        static = tables[static_at]
        unseen_by_rate = self._values(judged, _CHOICE, tables)
        scores = _relative(self._values(judged, _CHOICE, candidates), unseen_by_rate.min(axis=0))
        at = int(np.argmin(scores))
        static_score = _relative(unseen_by_rate, unseen_by_rate.min(axis=0))[static_at]
        is_tuned = bool(scores[at] < static_score)
        evaluations = 2 * len(tables) + tried + evolved + len(candidates)
        chosen = candidates[at] if is_tuned else static
        return TunedBudgets(chosen, static, is_tuned, evaluations)

    def _highest_mrps(self, trace: TokenTrace, tables: Sequence[BudgetTable]) -> float:
        """The highest rate at which one of the tables meets all SLOs, to about 3 %."""

        def holds(rate_mrps: float) -> bool:
            (at,) = experiments(trace, (math.ceil(rate_mrps),))
            found = self.workers.map(lambda table: _replayed(table, at), tables)
            return any(_missed(outcome, self.slos, _CHOICE) == 0 for outcome in found)

        low = high = float(trace.rate_mrps)
        while low > 1 and not holds(low):
            low, high = low / 2, low
        while high < _MOST_TIMES * trace.rate_mrps and holds(high):
            low, high = high, 2 * high
        for _ in range(_HALVINGS):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    def _best_bases(
        self, searched: Sequence[TokenExperiment], starts: Sequence[BudgetTable], reference: Floats
    ) -> tuple[list[BudgetFamily], int]:
        """The best families by their bases, best first, and the number of evaluations."""
        plain = [
            BudgetFamily(self.grid, one) for one in (*map(self._level, self._levels()), *starts)
        ]
        best = self._best(searched, plain, reference)
        gaps = [part * self.grid.first_waiting[1] for part in _GAP_PARTS]
        more = [BudgetFamily(self.grid, one.base, gap) for one in best for gap in gaps]
        return self._best(searched, [*best, *more], reference), len(plain) + len(best) + len(more)

    def _best(
        self,
        searched: Sequence[TokenExperiment],
        families: Sequence[BudgetFamily],
        reference: Floats,
    ) -> list[BudgetFamily]:
        tables = [one.table(one.origin) for one in families]
        values = _relative(self._values(searched, _SEARCH, tables), reference)
        return [families[at] for at in np.argsort(values, kind="stable")[:_BASES]]

    def _evolve(
        self, searched: Sequence[TokenExperiment], family: BudgetFamily, reference: Floats
    ) -> tuple[list[tuple[BudgetFamily, Floats]], int]:
        """Points with few parameters and then with more, and the number of evaluations."""
        coarse, tried = self._minimise(searched, family, family.origin, reference, fine=False)
        cells = np.zeros(len(self.grid.first_decoding) + len(self.grid.first_waiting))
        start = np.concatenate([coarse, cells])
        fine, more = self._minimise(searched, family, start, reference, fine=True)
        return [(family, fine), (family, coarse)], tried + more

    def _minimise(
        self,
        searched: Sequence[TokenExperiment],
        family: BudgetFamily,
        start: Floats,
        reference: Floats,
        *,
        fine: bool,
    ) -> tuple[Floats, int]:
        slopes = [_SPREAD_SLOPE, _SPREAD_SLOPE, _SPREAD_SLOPE]
        spread = np.array([_SPREAD_LEVEL, *slopes, 1.0, _SPREAD_GAP])
        if fine:
            spread = np.append(spread / 4, np.full(len(start) - len(spread), _SPREAD_CELL))
        generations = _GENERATIONS[self.effort][fine]
        finished = 0

        def values_of(points: Sequence[Floats]) -> list[float]:
            nonlocal finished
            finished += len(points)
            share = min(finished / (2 + generations * _POPULATION), 1.0)
            self.progress("tuning the table", (share + fine) / 2)
            tables = map(family.table, points)
            return _relative(self._values(searched, _SEARCH, tables), reference).tolist()

        found = minimise_by_evolution(
            values_of, start, spread, generations=generations, population=_POPULATION, seed=SEED
        )
        return found.point, found.evaluations

    def _values(
        self,
        at: Sequence[TokenExperiment],
        limits: _Limits,
        tables: Iterable[BudgetTable],
    ) -> Floats:
        """The value of each table at each rate, float64 (tables, rates); smaller is better."""
        value = partial(self._value, limits)
        jobs = [(table, one) for table in tables for one in at]
        found = list(self.workers.map(lambda job: value(_replayed(*job)), jobs))
        return np.array(found).reshape(-1, len(at))

    def _value(self, limits: _Limits, outcome: TokenOutcome) -> float:
        if self.objective is BudgetObjective.GOODPUT:
            return -goodput(outcome, self.slos)
        first, *others = self.slos
        missed = _missed(outcome, others, limits)
        tail = math.log(max(tail_us(outcome, first), 1) / first.latency_us)
        return tail + limits.penalty * missed

    def _levels(self) -> list[float]:
        """Budgets for all states from which a search may start, by factors of a root of 2."""
        fewest, most = max(_FEWEST_TOKENS, self.grid.step), self.grid.largest_budget
        number = 2 * round(math.log2(max(most / fewest, 1.0))) + 1
        return np.geomspace(fewest, most, number).tolist()

    def _level(self, budget: float) -> BudgetTable:
        shape = len(self.grid.first_decoding), len(self.grid.first_waiting)
        return self.grid.table(
            np.full(shape, round(budget), np.int64), self.grid.engine.max_sequences
        )


@dataclass(frozen=True)
class BudgetFamily:
    """Token-budget tables around a base table: each point of the search is a table.

    A point has, as logarithms: a factor of all budgets; its growth with decoding sequences, with
    waiting tokens and with both; the number of sequences that may start; the number of waiting
    tokens for each decoding sequence from which on the largest budget applies; and a factor for
    each row and column. gap_tokens: that number of waiting tokens in the base table.
    """

    grid: BudgetGrid
    base: BudgetTable
    gap_tokens: float = _NEVER

    @property
    def origin(self) -> Floats:
        """The point whose table is the base table; it has no factors of rows and columns."""
        return np.array([0.0, 0.0, 0.0, 0.0, self._most_starts, math.log2(self.gap_tokens)])

    @property
    def _most_starts(self) -> float:
        return math.log2(self.grid.engine.max_sequences)

    @property
    def _axes(self) -> tuple[Floats, Floats]:
        """Position of each cell from 0 to 1, (rows, columns) each."""
        firsts = np.log2(1.0 + np.array(self.grid.first_decoding))
        x = firsts / math.log2(1.0 + self.grid.engine.max_sequences)
        y = np.linspace(0.0, 1.0, len(self.grid.first_waiting))
        return np.meshgrid(x, y, indexing="ij")

    def _waits(self, tokens: float) -> NDArray[np.bool_]:
        """Whether a cell has at least this number of waiting tokens for each decoding sequence."""
        firsts = np.array([*self.grid.first_decoding, self.grid.engine.max_sequences + 1])
        most = firsts[1:] - 1
        return np.array(self.grid.first_waiting) >= tokens * np.maximum(most, 1)[:, None]

    def table(self, point: Floats) -> BudgetTable:
        """The token-budget table of a point."""
        x, y = self._axes
        level, by_decoding, by_waiting, by_both, starts, gap = point[:_SHARED]
        budgets = np.array([row.budgets for row in self.base.rows], np.float64)
        logs = np.log2(np.maximum(budgets, _LEAST_BUDGET))
        logs += level + by_decoding * x + by_waiting * y + by_both * x * y
        if len(point) > _SHARED:
            rows = _SHARED + len(self.grid.first_decoding)
            logs += point[_SHARED:rows, None] + point[rows:]
        most = math.log2(self.grid.largest_budget)
        logs[self._waits(2.0**gap)] = most
        least = min(math.log2(max(_LEAST_BUDGET, self.grid.step)), most)
        found = np.rint(np.exp2(np.clip(logs, least, most))).astype(np.int64)
        cap = round(2.0 ** float(np.clip(starts, 0.0, self._most_starts)))
        return self.grid.table(found, cap)


def _missed(outcome: TokenOutcome, slos: Iterable[Slo], limits: _Limits) -> float:
    """Logarithm of the factors by which SLOs are missed in the worst part of the requests."""
    return sum(
        excess(largest_tail_us(outcome, slo, _PARTS), limits.part * slo.latency_us) for slo in slos
    )


def _cautious(point: Floats, part: float, times: float) -> Floats:
    """The point with budgets multiplied by `part`, and their limit of waiting tokens by `times`."""
    changes = np.zeros(len(point))
    changes[0], changes[_GAP] = math.log2(part), math.log2(times)
    return point + changes


def _relative(values: Floats, reference: Floats) -> Floats:
    """The mean over the rates of values relative to those of a reference, float64 (tables,)."""
    change = values - reference
    return (change + (_WORSE - 1) * np.maximum(change, 0.0)).mean(axis=1)


def _replayed(table: BudgetTable, experiment: TokenExperiment) -> TokenOutcome:
    return experiment.outcome(TokenScheduler("candidate", "", table))


def search_part(trace: TokenTrace) -> TokenTrace:
    """The requests that the search for token budgets replays.

    They are the latest before those held out, with at most MOST_OUTPUT_TOKENS, but a few at least.
    """
    first = _first_unseen(trace)
    tokens = np.cumsum(trace.output[first - 1 :: -1])
    most = int(np.searchsorted(tokens, MOST_OUTPUT_TOKENS, side="right"))
    return trace.part(slice(max(first - max(most, _FEWEST_SEARCHED), 0), first))


def unseen_part(trace: TokenTrace) -> TokenTrace:
    """The requests of a design trace that are held out from the search for token budgets."""
    return trace.part(slice(_first_unseen(trace), None))


def _first_unseen(trace: TokenTrace) -> int:
    return round(trace.requests * (1 - UNSEEN))

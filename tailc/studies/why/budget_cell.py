"""Explain a cell of a token-budget table: the iteration it allows, its limit, and its effect."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tailc.artifact.envelope import Policy
from tailc.experiment.block_means import MeanError, to_ppm
from tailc.experiment.token_replays import TokenExperiment, tail_sample
from tailc.forms.budget_table import BatchEngine, BudgetTable
from tailc.forms.step_times import StepPart, StepTimes, step_ns
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.specs.slo import Metric, Slo
from tailc.traces.tokens import TokenTrace

_NS_PER_US = 1_000
# Factors of a change of the cell, of the step times and of the rate.
_LESS, _MORE = 0.8, 1.25
_SLIGHTLY = 1.1


@dataclass(frozen=True)
class BudgetCell:
    """A cell of a token-budget table, and the state of the server for which it was looked up.

    decoding: sequences that generate tokens. waiting: prompt tokens that wait. row, column: indices
    of the cell.
    """

    table: BudgetTable
    decoding: int
    waiting: int
    row: int
    column: int

    @property
    def budget(self) -> int:
        """The number of tokens that the cell allows in an iteration."""
        return self.table.rows[self.row].budgets[self.column]

    @property
    def new_sequences(self) -> int:
        """Number of sequences that may start in the iteration."""
        return self.table.rows[self.row].new_sequences

    @property
    def prompt_tokens(self) -> int:
        """Number of prompt tokens that an iteration in this state computes."""
        return min(max(self.budget - self.decoding, 0), self.waiting)

    @property
    def decoding_range(self) -> tuple[int, int | None]:
        """First and last number of decoding sequences for which the row of the cell holds."""
        return _range(tuple(row.first_decoding for row in self.table.rows), self.row)

    @property
    def waiting_range(self) -> tuple[int, int | None]:
        """First and last number of waiting prompt tokens for which the column of the cell holds."""
        return _range(self.table.first_waiting, self.column)

    def iteration_ns(self, context: int) -> int:
        """Time of the iteration that the cell allows [ns].

        context: number of tokens in the cache of the iteration's sequences.
        """
        return step_ns(self.table.engine.step, self.prompt_tokens, self.decoding, context)

    def largest_budget(self, limit_ns: int, context: int) -> int:
        """The largest token budget whose full iteration takes at most a limit [ns]; 0 if none.

        Each decoding sequence computes one token in the iteration, whatever the budget.
        """
        step, decoding = self.table.engine.step, self.decoding
        low, high = -1, self.table.engine.cache_tokens + 1
        while high - low > 1:
            middle = (low + high) // 2
            fits = step_ns(step, middle, decoding, context) <= limit_ns
            low, high = (middle, high) if fits else (low, middle)
        return decoding + low if low >= 0 else 0


@dataclass(frozen=True)
class CellChange:
    """A small change of a token-budget table or its input, and its effect on each SLO's percentile.

    The percentiles under the change are in us, with their differences from the policy's.
    """

    name: str
    tails_us: tuple[int, ...]
    changes: tuple[MeanError, ...]


@dataclass(frozen=True)
class RateEffect:
    """Effect of changes of a token-budget table at one rate of arrivals.

    share_ppm: share of the time of iterations that uses the explained cell. tails_us: the policy's
    percentiles, in the order of its SLOs. changes: the percentiles after each change.
    """

    rate_mrps: int
    share_ppm: int
    tails_us: tuple[int, ...]
    changes: tuple[CellChange, ...]


def budget_cell(table: BudgetTable, decoding: int, waiting: int) -> BudgetCell:
    """Look up the cell of a token-budget table for a state of the server."""
    firsts = [row.first_decoding for row in table.rows]
    row, column = bisect_right(firsts, decoding) - 1, bisect_right(table.first_waiting, waiting) - 1
    return BudgetCell(table, decoding, waiting, row, column)


def gap_limit(slos: tuple[Slo, ...]) -> Slo | None:
    """The SLO with the smallest limit on times between tokens; None if no SLO limits them."""
    gaps = [slo for slo in slos if slo.metric in (Metric.ITL, Metric.TPOT)]
    return min(gaps, key=lambda slo: slo.latency_us, default=None)


def limit_ns(slo: Slo) -> int:
    """The limit of an SLO [ns]."""
    return slo.latency_us * _NS_PER_US


def cell_effects(
    policy: Policy, cell: BudgetCell, trace: TokenTrace, seed: int, replicates: int
) -> tuple[RateEffect, ...]:
    """Replay a token-budget policy and changed ones, to measure the effects of the changes.

    The changes are of the cell, its row, the times of the engine and the rate.
    """
    rates = policy.rates_mrps or (trace.rate_mrps,)
    return tuple(
        _effect(policy.slos, cell, TokenExperiment(trace, rate), seed, replicates) for rate in rates
    )


def _effect(
    slos: tuple[Slo, ...],
    cell: BudgetCell,
    experiment: TokenExperiment,
    seed: int,
    replicates: int,
) -> RateEffect:
    outcome = experiment.outcome(TokenScheduler("policy", "", cell.table))
    samples = [tail_sample(outcome, slo, seed, replicates) for slo in slos]

    def change(name: str, table: BudgetTable, at: TokenExperiment) -> CellChange:
        found = at.outcome(TokenScheduler(name, "", table))
        others = [tail_sample(found, slo, seed, replicates) for slo in slos]
        pairs = zip(others, samples, strict=True)
        return CellChange(
            name,
            tuple(one.estimate.us for one in others),
            tuple(other.change_from(own) for other, own in pairs),
        )

    return RateEffect(
        experiment.rate_mrps,
        to_ppm(float(outcome.cell_shares[cell.row, cell.column])),
        tuple(sample.estimate.us for sample in samples),
        tuple(change(*one) for one in _changes(cell, experiment)),
    )


def _changes(
    cell: BudgetCell, experiment: TokenExperiment
) -> Iterator[tuple[str, BudgetTable, TokenExperiment]]:
    for factor in (_LESS, _MORE):
        yield f"this budget x {factor:g}", _scaled(cell, factor, whole_row=False), experiment
    for factor in (_LESS, _MORE):
        yield f"budgets of the row x {factor:g}", _scaled(cell, factor, whole_row=True), experiment
    slower = replace(cell.table, engine=_slower(cell.table.engine))
    yield f"iterations x {_SLIGHTLY:g}", slower, experiment
    more = TokenExperiment(experiment.trace, round(_SLIGHTLY * experiment.rate_mrps))
    yield f"rate x {_SLIGHTLY:g}", cell.table, more


def _scaled(cell: BudgetCell, factor: float, *, whole_row: bool) -> BudgetTable:
    row, least = cell.table.rows[cell.row], 1 if cell.row == 0 else 0
    budgets = tuple(
        max(round(factor * budget), least) if whole_row or at == cell.column else budget
        for at, budget in enumerate(row.budgets)
    )
    rows = list(cell.table.rows)
    rows[cell.row] = replace(row, budgets=budgets)
    return replace(cell.table, rows=tuple(rows))


def _slower(engine: BatchEngine) -> BatchEngine:
    step = engine.step
    parts = (step.tokens, step.prompt, step.decoding, step.context)
    scaled = [StepPart(part.knots, tuple(round(_SLIGHTLY * one) for one in part.time_ns))
              for part in parts]  # fmt: skip
    return replace(engine, step=StepTimes(round(_SLIGHTLY * step.fixed_ns), *scaled))


def _range(firsts: tuple[int, ...], at: int) -> tuple[int, int | None]:
    return firsts[at], firsts[at + 1] - 1 if at + 1 < len(firsts) else None

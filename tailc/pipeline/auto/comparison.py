"""Compare tables with the best baseline: on resamples, and on held-out requests."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.workload import Workload
from tailc.pipeline.auto import within_limit
from tailc.pipeline.auto.effort import Budget
from tailc.pipeline.auto.resamples import losses, regrets, resamples_of
from tailc.pipeline.auto.rivals import Option
from tailc.pipeline.auto.within_limit import (
    careful_choice,
    changes_in_cost,
    excess_and_cost,
    is_worse,
)
from tailc.tuning.criteria import best_by_point, measure_of
from tailc.tuning.operating_point import operating_points
from tailc.tuning.samples import validation_sample
from tailc.tuning.table_server import TableServer
from tailc.tuning.tuning_sample import Form, Measurements, TuningSample
from tailc.tuning.validation import mean_interval


@dataclass(frozen=True)
class ComparedTable(Generic[Form]):
    """A table, compared with the best of the baselines at each rate.

    loss_share: share of the resamples in which the table is significantly worse at some rate.
    regret: mean relative loss over resamples and rates. change: mean relative change of the
    minimised amount, on the held-out requests. is_safe: whether loss_share is within the risk, and
    the table is at no rate significantly worse on the held-out requests. keeps: whether the table
    meets the latency limit, if there is one, at each rate.
    """

    option: Option[Form]
    loss_share: float
    regret: float
    change: float
    is_safe: bool
    keeps: tuple[bool, ...]


def best_compared(tables: Sequence[ComparedTable[Form]]) -> ComparedTable[Form]:
    """Choose the safe table with the largest improvement, or else the one with the least regret.

    A safe table is not significantly worse than any baseline. Regret is the mean loss relative to
    the best baseline.
    """
    safe = [table for table in tables if table.is_safe]
    return min(safe, key=lambda table: table.change) if safe else least_regret(tables)


def least_regret(tables: Sequence[ComparedTable[Form]]) -> ComparedTable[Form]:
    """The table with the least mean relative loss (regret) over resamples of the requests."""
    return min(tables, key=lambda table: table.regret)


@dataclass(frozen=True)
class UnsafeTable:
    """A table that is the best on the requests of the comparison, but loses in too many resamples.

    gain: the part of the minimised amount that it would save there, relative to the chosen table.
    loss_share: as in `ComparedTable`.
    """

    gain: float
    loss_share: float


def forgone(
    chosen: ComparedTable[Form], tables: Sequence[ComparedTable[Form]]
) -> UnsafeTable | None:
    """The best table that was rejected as too risky although it is better on average than `chosen`.

    Returns its gain over `chosen` and its share of resamples with a loss; None if there is none.
    """
    riskier = [
        one
        for one in tables
        if not one.is_safe and all(one.keeps) and one.loss_share > chosen.loss_share
    ]
    best = min(riskier, key=lambda table: table.change, default=chosen)
    if not chosen.is_safe or best.change >= chosen.change:
        return None
    return UnsafeTable(1.0 - (1.0 + best.change) / (1.0 + chosen.change), best.loss_share)


class _TableMeasurements(NamedTuple):
    """Results of tables on resamples, on the requests of the search, and on held-out ones."""

    over_resamples: Measurements
    as_they_are: Measurements
    validation: Measurements


class _Scores(NamedTuple):
    """Of each table, float64 (tables,); is_worse: bool, on the held-out requests.

    keeps: bool (tables, rates).
    """

    shares: NDArray[np.float64]
    regrets: NDArray[np.float64]
    changes: NDArray[np.float64]
    is_worse: NDArray[np.bool_]
    keeps: NDArray[np.bool_]


class Comparison(Generic[Form]):
    """Replays that compare tables with baselines; each baseline is replayed once."""

    def __init__(
        self,
        machine: TableServer[Form],
        baselines: Sequence[Option[Form]],
        searched_on: TuningSample[Form],
        validation: Workload,
        objective: TuningObjective,
        budget: Budget,
        risk: float,
        workers: Executor,
    ) -> None:
        """baselines: tables that need no search. risk: accepted part of resamples with a loss.

        searched_on: replays of the requests of the search, at each rate.
        """
        self._baselines, self._risk = baselines, risk
        self.resamples = resamples_of(machine, objective, budget.resamples, workers)
        self._objective, self._searched_on = objective.judging, searched_on
        scenes = operating_points(validation, self._objective, machine.settling)
        self._trials = validation_sample(
            machine, scenes, self._objective, Seed.VALIDATION, workers, budget.repeats
        )
        self._of_baselines = self._measure(baselines)

    def baselines(self) -> list[ComparedTable[Form]]:
        """Compare each baseline with the best baseline at each rate."""
        return self._compare(self._baselines, self._of_baselines)

    def compare(self, options: Sequence[Option[Form]]) -> list[ComparedTable[Form]]:
        """Compare each table with the best baseline."""
        return self._compare(options, self._measure(options)) if options else []

    def _measure(self, options: Sequence[Option[Form]]) -> _TableMeasurements:
        tables = [option.table for option in options]
        samples = self.resamples.trials, self._searched_on, self._trials
        return _TableMeasurements(*(sample.measure(tables) for sample in samples))

    def _compare(
        self, options: Sequence[Option[Form]], measured: _TableMeasurements
    ) -> list[ComparedTable[Form]]:
        is_limited = measure_of(self._objective).is_limited
        scores = self._within_limit(measured) if is_limited else self._by_tail(measured)
        is_safe = ~scores.is_worse & (scores.shares <= self._risk)
        keeps = map(tuple, scores.keeps.tolist())
        columns = (each.tolist() for each in (*scores[:3], is_safe))
        return [ComparedTable(*row) for row in zip(options, *columns, keeps, strict=True)]

    def _by_tail(self, measured: _TableMeasurements) -> _Scores:
        over_resamples, baselines = (
            self.resamples.amounts(one.over_resamples) for one in (measured, self._of_baselines)
        )
        best = best_by_point(self._of_baselines.validation, self._objective)
        amounts, least = map(measure_of(self._objective).amounts, (measured.validation, best))
        changes = amounts / np.maximum(least, 1) - 1.0
        worst = np.array([max(mean_interval(rate)[0] for rate in table) for table in changes])
        each = losses(over_resamples, baselines), regrets(over_resamples, baselines)
        keeps = np.ones(changes.shape[:2], np.bool_)
        return _Scores(*each, changes.mean(axis=(1, 2)), worst > 0, keeps)

    def _within_limit(self, measured: _TableMeasurements) -> _Scores:
        own, baselines = (
            excess_and_cost(one.over_resamples, one.as_they_are, self.resamples)
            for one in (measured, self._of_baselines)
        )
        picked = careful_choice(baselines, self._risk)
        best, keeps = baselines.at_rates(picked), own.keeps(self._risk)
        misses = (best.keeps(self._risk) & ~keeps).any(axis=1)
        validation = measured.validation, self._of_baselines.validation.of_one(picked)
        return _Scores(
            within_limit.losses(own, best),
            within_limit.regrets(own, best),
            changes_in_cost(*validation, self._objective).mean(axis=(1, 2)),
            misses | is_worse(*validation, self._objective),
            keeps,
        )

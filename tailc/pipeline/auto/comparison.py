"""Compare tables with those that need no search: on resamples, and on requests kept back."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.workload import Workload
from tailc.pipeline.auto.effort import Budget
from tailc.pipeline.auto.resamples import losses, regrets, resamples_of
from tailc.pipeline.auto.rivals import Option
from tailc.pipeline.queue.approach import Approach
from tailc.pipeline.queue.goals import aspect_of, best_by_scene
from tailc.pipeline.queue.judge import interval
from tailc.pipeline.queue.scene import scenes_of
from tailc.pipeline.queue.search_result import validation_sample
from tailc.pipeline.queue.tuning_sample import Measurements


@dataclass(frozen=True)
class ComparedTable:
    """A table, compared with the best of the baselines at each rate.

    loss_share: part of the resamples in which it is worse at some rate, beyond noise. regret: mean
    relative loss over resamples and rates. change: mean relative change of the tail on the requests
    kept back. is_safe: whether loss_share is within the risk and no rate of those requests is worse
    beyond noise.
    """

    option: Option
    loss_share: float
    regret: float
    change: float
    is_safe: bool


def best_compared(tables: Sequence[ComparedTable]) -> ComparedTable:
    """The safe table with the shortest tails; without a safe one, the table with least regret."""
    safe = [table for table in tables if table.is_safe]
    return min(safe, key=lambda table: table.change) if safe else least_regret(tables)


def least_regret(tables: Sequence[ComparedTable]) -> ComparedTable:
    """The table with the least mean loss over resamples."""
    return min(tables, key=lambda table: table.regret)


class _Measured(NamedTuple):
    """over_resamples: float64 (tables, resamples, rates). kept_back: on the requests kept back."""

    over_resamples: NDArray[np.float64]
    kept_back: Measurements


class Comparison:
    """Replays that compare tables with baselines; each baseline is replayed once."""

    def __init__(
        self,
        approach: Approach[Ladder],
        baselines: Sequence[Option],
        kept_back: Workload,
        objective: TuningObjective,
        budget: Budget,
        risk: float,
        workers: Executor,
    ) -> None:
        """baselines: tables that need no search. risk: accepted part of resamples with a loss."""
        self._baselines, self._risk = baselines, risk
        self._resamples = resamples_of(
            approach, approach.load, objective, budget.resamples, workers
        )
        self._objective = objective.judging
        scenes = scenes_of(kept_back, self._objective)
        self._trials = validation_sample(
            approach, scenes, self._objective, Seed.VALIDATION, workers, budget.repeats
        )
        self._of_baselines = self._measured(baselines)

    def baselines(self) -> list[ComparedTable]:
        """Each baseline, compared with the best of them."""
        return self._compared(self._baselines, self._of_baselines)

    def compare(self, options: Sequence[Option]) -> list[ComparedTable]:
        """Each table, compared with the best baseline."""
        return self._compared(options, self._measured(options))

    def _measured(self, options: Sequence[Option]) -> _Measured:
        tables = [option.table for option in options]
        return _Measured(self._resamples.amounts(tables), self._trials.measure(tables))

    def _compared(self, options: Sequence[Option], measured: _Measured) -> list[ComparedTable]:
        over_resamples, baselines = measured.over_resamples, self._of_baselines.over_resamples
        shares, regret = losses(over_resamples, baselines), regrets(over_resamples, baselines)
        best = best_by_scene(self._of_baselines.kept_back, self._objective)
        amounts, least = map(aspect_of(self._objective).amounts, (measured.kept_back, best))
        changes = amounts / np.maximum(least, 1) - 1.0
        worst = np.array([max(interval(rate)[0] for rate in table) for table in changes])
        is_safe = (worst <= 0) & (shares <= self._risk)
        columns = (each.tolist() for each in (shares, regret, changes.mean(axis=(1, 2)), is_safe))
        return [ComparedTable(*row) for row in zip(options, *columns, strict=True)]

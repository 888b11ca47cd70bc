"""Replays of tables on the same requests at the same times, whatever table or server is tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.setting import Draw, Setting, draw
from tailc.forms.ladder.lanes import AT_ONCE_AWAKE, Waking, is_on_lanes, lanes_of
from tailc.forms.ladder.table import Ladder
from tailc.models.core_types.arrays import CoreTable
from tailc.models.outcome import Outcome, nearest_us
from tailc.models.run import replay
from tailc.models.shared_cores.arrays import Lowered
from tailc.models.subject import Subject, table_of
from tailc.models.workload import Workload
from tailc.percentiles import PPM

_Told = TypeVar("_Told")

REPLAYS = 20


@dataclass(frozen=True, eq=False)
class Case:
    """A table on a server: `load` None is what was measured, `gaps` stretch times of arrival."""

    table: Ladder
    load: Workload | None = None
    gaps: float = 1.0


@dataclass(frozen=True, eq=False)
class Measured:
    """By replay the percentile of latency, and what was in use in the mean, as `used_unit` counts.

    is_overloaded: whether requests piled up until a replay was given up.
    """

    tail_us: NDArray[np.int64]
    used_ppm: NDArray[np.int64]
    is_overloaded: bool


class Bench:
    """One setting, drawn once; `waking` is of batch work beside lanes."""

    def __init__(
        self,
        setting: Setting,
        percentile_ppm: int,
        workers: Executor,
        waking: Waking = AT_ONCE_AWAKE,
    ) -> None:
        self.setting = setting
        self._percentile_ppm = percentile_ppm
        self._workers = workers
        self._waking = waking

    @cached_property
    def draws(self) -> tuple[Draw, ...]:
        """When requests arrive, and which."""
        return draw(self.setting, REPLAYS, 0, self._workers).repeats

    def lowered(self, table: Ladder) -> Lowered | CoreTable:
        """The table as its engine reads it."""
        setting, subject = self.setting, Subject("table", (table,), waking=self._waking)
        lowered = table_of(subject, setting.arrivals.rate_mrps, setting.most_in_system)
        assert isinstance(lowered, Lowered | CoreTable)
        return lowered

    def of_each(self, table: Ladder, told: Callable[[Outcome], _Told]) -> list[_Told]:
        """What is told of each replay of the table."""
        return list(
            self._workers.map(lambda one: told(self._outcome(Case(table), one)), self.draws)
        )

    def measured(self, cases: Sequence[Case]) -> list[Measured]:
        """Each case on all draws."""
        asked = [(case, one) for case in cases for one in self.draws]
        found = list(self._workers.map(self._one, asked))
        count = len(self.draws)
        return [_measured(found[at : at + count]) for at in range(0, len(found), count)]

    def _one(self, asked: tuple[Case, Draw]) -> tuple[int, int, bool]:
        case, one = asked
        outcome = self._outcome(case, one)
        tail_us = nearest_us(outcome.tail_ns(self._percentile_ppm))
        return tail_us, round(_used(outcome, case.table) * PPM), outcome.was_cut_off

    def _outcome(self, case: Case, one: Draw) -> Outcome:
        setting = self.setting
        arrival_ns = one.arrival_ns
        if case.gaps != 1.0:
            arrival_ns = np.rint(arrival_ns * case.gaps).astype(np.int64)
        return replay(
            case.load or setting.load,
            one.order,
            arrival_ns,
            self.lowered(case.table),
            setting.most_in_system,
            setting.warm_up(len(one.order)),
        )


def _used(outcome: Outcome, table: Ladder) -> float:
    """Threads, or what cores draw, free ones too; batch work that wakes up is given up."""
    if outcome.energy is None:
        return outcome.mean_threads
    drawn = outcome.mean_power + outcome.mean_idle_power
    if is_on_lanes(table):
        drawn += lanes_of(table).lost_waking(*outcome.mean_waking)
    return drawn


def _measured(found: list[tuple[int, int, bool]]) -> Measured:
    tail_us, used_ppm, cut_off = zip(*found, strict=True)
    return Measured(np.array(tail_us), np.array(used_ppm), any(cut_off))

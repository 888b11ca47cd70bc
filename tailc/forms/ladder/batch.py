"""Batch look-ups on arrays, with the same answers as `lookup`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.lookup import Start
from tailc.forms.ladder.table import AdmissionKind, Ladder, Outside, Rule

# The codes in `BatchAnswers.start`, in order.
STARTS = (Start.NOW, Start.WAIT, Start.ON_EXIT)
_ON_EXIT = STARTS.index(Start.ON_EXIT)

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BatchAnswers:
    """The answers to many look-ups in a ladder as arrays, one entry per query.

    start: whether the request may start, as an index into STARTS. wait_us: remaining wait. rung:
    number of the rung, from 0.
    """

    start: NDArray[np.int8]
    wait_us: Whole
    rung: Whole


@dataclass(frozen=True, eq=False)
class BatchLookup:
    """A ladder converted to arrays, to answer many look-ups at once."""

    ladder: Ladder

    def __call__(self, load: Whole, waited_us: Whole, executed_us: Whole) -> BatchAnswers:
        """Answers to queries of equal length; ValueError for a negative argument."""
        if min(load.min(initial=0), waited_us.min(initial=0), executed_us.min(initial=0)) < 0:
            raise ValueError("the load and the times waited and executed must not be negative")
        row = np.maximum(np.searchsorted(self._first_load, load, side="right") - 1, 0)
        age_us = executed_us + waited_us if self._ages_from_arrival else executed_us
        rung = self._rung[row, self._last_climb(row, age_us)]
        on_exit = self._on_exit[row]
        wait_us = np.where(on_exit, 0, np.maximum(self._delay_us[row] - waited_us, 0))
        start = np.where(on_exit, _ON_EXIT, wait_us > 0).astype(np.int8)
        return self._apply_guard(load, BatchAnswers(start, wait_us, rung))

    def _last_climb(self, row: NDArray[np.intp], age_us: Whole) -> NDArray[np.intp]:
        """Index of the last climb at or before the age (a loop over the few climbs of a row)."""
        reached = np.zeros(len(row), dtype=np.intp)
        for column in self._age_us.T[1:]:
            reached += column[row] <= age_us
        return reached

    def _apply_guard(self, load: Whole, answers: BatchAnswers) -> BatchAnswers:
        guard = self.ladder.guard
        if guard.outside is Outside.CLAMP:
            return answers
        outside = (load < guard.min_load) | (load > guard.max_load)
        for part in (answers.start, answers.wait_us, answers.rung):
            part[outside] = 0
        return answers

    @property
    def _ages_from_arrival(self) -> bool:
        return Rule.AGE_FROM_ARRIVAL in self.ladder.rules

    @cached_property
    def _first_load(self) -> Whole:
        return np.array([row.first_load for row in self.ladder.rows], dtype=np.int64)

    @cached_property
    def _delay_us(self) -> Whole:
        return np.array([row.admission.delay_us for row in self.ladder.rows], dtype=np.int64)

    @cached_property
    def _on_exit(self) -> NDArray[np.bool_]:
        kinds = [row.admission.kind for row in self.ladder.rows]
        return np.array([kind is AdmissionKind.ON_EXIT for kind in kinds])

    @cached_property
    def _age_us(self) -> Whole:
        """Ages of climbs (rows, climbs), padded with the largest number."""
        never = np.iinfo(np.int64).max
        return self._table(
            [[climb.age_us for climb in row.climbs] for row in self.ladder.rows], never
        )

    @cached_property
    def _rung(self) -> Whole:
        return self._table([[climb.rung for climb in row.climbs] for row in self.ladder.rows], 0)

    @staticmethod
    def _table(rows: list[list[int]], padding: int) -> Whole:
        width = max(len(row) for row in rows)
        return np.array([row + [padding] * (width - len(row)) for row in rows], dtype=np.int64)

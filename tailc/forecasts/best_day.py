"""Ideal production of solar panels, taken from the best day of the past month.

B(t) of an hour is the energy in the same hour of the day with the most energy in the previous month
(Haque, Rutgers 2016, section A.4.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.forecasts.forecasts import Floats, Ints
from tailc.traces.series.series import SECONDS_PER_DAY, TimeSeries
from tailc.traces.zones import utc_text
from tailc.units import plural

DAYS_OF_MONTH = 30


@dataclass(frozen=True, eq=False)
class PastDays:
    """Production of solar panels by day, and how many earlier days a forecast may use.

    actual: measured power. midnight_s: UTC time of midnight, in seconds after 0:00, such as 25,200
    for a clock at -07:00. history_days: number of days before the day of the forecast.
    """

    actual: TimeSeries
    midnight_s: int = 0
    history_days: int = DAYS_OF_MONTH

    def __post_init__(self) -> None:
        if SECONDS_PER_DAY % self.actual.step_s or self._to_midnight_s % self.actual.step_s:
            raise ValueError(
                "a day must begin at the start of a step, and be a whole number of steps long"
            )
        if self.history_days < 1:
            raise ValueError("a history needs at least one day")

    @property
    def per_day(self) -> int:
        """Number of steps in a day."""
        return SECONDS_PER_DAY // self.actual.step_s

    @property
    def _to_midnight_s(self) -> int:
        return (self.midnight_s - self.actual.start_unix_s) % SECONDS_PER_DAY

    @property
    def first(self) -> int:
        """First step of the first whole day, as an index into the series."""
        return self._to_midnight_s // self.actual.step_s

    def day_of(self, step: Ints) -> Ints:
        """Day of a step; -1 before the first whole day."""
        return (step - self.first) // self.per_day

    @cached_property
    def energy(self) -> Floats:
        """Sum of the production in the steps of each whole day [W steps].

        -1 if a step is unknown.
        """
        days = (self.actual.steps - self.first) // self.per_day
        shape = max(days, 0), self.per_day
        within = slice(self.first, self.first + shape[0] * shape[1])
        value, known = (
            each[within].reshape(shape) for each in (self.actual.value, self.actual.known)
        )
        return np.where(known.all(axis=1), value.sum(axis=1), -1.0)

    def history(self, day: int) -> slice:
        """The days before `day` whose production is used: at most `history_days` of them."""
        return slice(max(day - self.history_days, 0), max(day, 0))

    def none_known(self, day: int) -> TailcError:
        """Make the error for a day for which no earlier day has a known production."""
        at = utc_text(
            self.actual.start_unix_s + (self.first + day * self.per_day) * self.actual.step_s
        )
        days = plural(self.history_days, "day")
        message = f"no day of the {days} before `{at}` is complete, and a forecast needs one"
        help_ = "begin forecasts later, or give a longer series or one with shorter gaps"
        return TailcError(Finding(Code.SHORT_HISTORY, message, Place(self.actual.source), help_))


@dataclass(frozen=True, eq=False)
class BestDay:
    """Ideal production of solar panels by that of the best past day.

    The latest of equally good days.
    """

    past: PastDays

    def production_at(self, issue: Ints, target: Ints) -> Floats:
        """Ideal production in the steps `target`, as known at the start of the steps `issue` [W].

        Both are int64 arrays of steps that broadcast. Only days that end before `issue` are used.
        Raises TailcError (SHORT_HISTORY) if production is unknown in some step of each of them.
        """
        past = self.past
        day = past.day_of(issue)
        days, inverse = np.unique(day, return_inverse=True)
        best = np.array([self._best(int(each)) for each in days], dtype=np.int64)
        of_day = np.mod(target - past.first, past.per_day)
        step = past.first + best[inverse].reshape(day.shape) * past.per_day + of_day
        return past.actual.value[step]

    def _best(self, day: int) -> int:
        history = self.past.history(day)
        energy = self.past.energy[history]
        if not len(energy) or energy.max() < 0:
            raise self.past.none_known(day)
        latest_first = energy[::-1]
        return history.start + len(energy) - 1 - int(np.argmax(latest_first))

"""Scenarios of green power on a day, from the errors of forecasts on past days.

A scenario is a forecast plus the errors of a forecast that was made at the same hour of a past day.
So the correlation of errors in successive hours is preserved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.forecasts.forecasts import Floats, Forecasts, Ints, Mask
from tailc.traces.series.series import SECONDS_PER_DAY, TimeSeries
from tailc.traces.split_keys import hash_key
from tailc.units import plural

# Older errors are of another season.
HISTORY_DAYS = 60


def scenarios(
    actual: TimeSeries,
    forecasts: Forecasts,
    index: int,
    count: int,
    seed: int,
    history_days: int = HISTORY_DAYS,
) -> Floats:
    """Draw scenarios of the production that is forecast at `index`; float64 (count, steps) [W].

    A scenario adds to the forecast the errors of a candidate, an earlier forecast. Candidates were
    made whole days earlier, within `history_days`, ended before the issue of the forecast, and have
    a known production. They are drawn without replacement, by a hash of the seed and of their time.
    A scenario is at least 0, and 0 in hours in which neither the candidates nor the forecast have
    production, so it has no sun at night. Raises TailcError (SHORT_HISTORY) for too few candidates.
    """
    past = _past(actual, forecasts, index, history_days)
    if len(past) < count:
        days = plural(len(past), "past day")
        message = (
            f"only {days} have a forecast and a known production, but {count} scenarios are needed"
        )
        help_ = "lower `supply.scenarios`, or give forecasts of earlier days"
        raise TailcError(Finding(Code.SHORT_HISTORY, message, Place(actual.source), help_))
    came, _known = outcomes(forecasts, actual)
    is_day = (came[past] > 0).any(axis=0) | (forecasts.value[index] > 0)
    keys = [hash_key(f"scenario {seed} {int(forecasts.issue[each])}") for each in past]
    drawn = past[np.argsort(np.array(keys, dtype=np.uint64), kind="stable")[:count]]
    errors = came[drawn] - forecasts.value[drawn]
    return np.where(is_day, np.maximum(forecasts.value[index] + errors, 0.0), 0.0)


def _past(actual: TimeSeries, forecasts: Forecasts, index: int, history_days: int) -> Ints:
    """Forecasts made whole days earlier whose production is completely known."""
    per_day = SECONDS_PER_DAY // forecasts.step_s
    ahead = forecasts.issue[index] - forecasts.issue
    _came, known = outcomes(forecasts, actual)
    counts = (ahead >= forecasts.steps) & (ahead <= history_days * per_day)
    return np.flatnonzero(counts & (ahead % per_day == 0) & known.all(axis=1))


@dataclass(frozen=True, eq=False)
class Accuracy:
    """Errors of forecasts by number of steps ahead, relative to the production of these steps.

    counted: int64 (steps,), number of forecasts with a known outcome. absolute_share: float64
    (steps,), mean absolute error. bias_share: float64 (steps,), mean error, positive if forecasts
    are too high.
    """

    counted: Ints
    absolute_share: Floats
    bias_share: Floats


def accuracy(forecasts: Forecasts, actual: TimeSeries) -> Accuracy:
    """Measure the errors of forecasts, compared with the known production.

    Raises TailcError (SHORT_HISTORY) if there was no known production for some number of steps
    ahead.
    """
    came, known = outcomes(forecasts, actual)
    produced = came.sum(axis=0)
    if (produced <= 0).any():
        message = (
            "for some number of steps ahead, production is 0 or unknown in all forecasts, so "
            "there is no relative error"
        )
        help_ = "forecast more days, or give a series with production above 0"
        raise TailcError(Finding(Code.SHORT_HISTORY, message, Place(actual.source), help_))
    missed = np.where(known, forecasts.value - came, 0.0)
    return Accuracy(
        known.sum(axis=0).astype(np.int64),
        np.abs(missed).sum(axis=0) / produced,
        missed.sum(axis=0) / produced,
    )


def outcomes(forecasts: Forecasts, actual: TimeSeries) -> tuple[Floats, Mask]:
    """Actual production in each step of each forecast (0 if unknown), and whether it is known."""
    target = forecasts.target
    within = target < actual.steps
    step = np.where(within, target, 0)
    known = within & actual.known[step]
    return np.where(known, actual.value[step], 0.0), known

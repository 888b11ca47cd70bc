"""Ways a day may turn out, from how far forecasts of past days were off.

A scenario is a forecast plus the errors of the forecast made at the same hour of a past day, all
along its horizon: so errors of hours that follow one another hang together as they really did.
"""

from __future__ import annotations

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.forecasts.accuracy import outcomes
from tailc.forecasts.forecasts import Floats, Forecasts, Ints
from tailc.traces.series.series import SECONDS_PER_DAY, TimeSeries
from tailc.traces.split_keys import hash_key
from tailc.units import counted


def scenarios(
    actual: TimeSeries, forecasts: Forecasts, index: int, count: int, seed: int
) -> Floats:
    """Productions that may come instead of the forecast at `index`; float64 (count, steps) [W].

    Of the forecasts made whole days before, those count whose last step had ended by then and is
    known with all before it. `count` of them are drawn, none twice, by a hash of the seed and of
    their time. A scenario is at least 0, and in each step at most what the same hours of those days
    brought or the forecast says, so none has sun at night. Raises TailcError (SHORT_HISTORY) where
    there are fewer such days.
    """
    past = _past(actual, forecasts, index)
    if len(past) < count:
        days = counted(len(past), "past day")
        message = f"{days} with forecasts and known production; {count} scenarios are asked for"
        help_ = "ask for fewer, or give forecasts of earlier days"
        raise TailcError(Finding(Code.SHORT_HISTORY, message, Place(actual.source), help_))
    came, _known = outcomes(forecasts, actual)
    most = np.maximum(came[past].max(axis=0), forecasts.value[index])
    keys = [hash_key(f"scenario {seed} {int(forecasts.issue[each])}") for each in past]
    drawn = past[np.argsort(np.array(keys, dtype=np.uint64), kind="stable")[:count]]
    errors = came[drawn] - forecasts.value[drawn]
    return np.clip(forecasts.value[index] + errors, 0.0, most)


def _past(actual: TimeSeries, forecasts: Forecasts, index: int) -> Ints:
    """The forecasts made whole days before and wholly come true or false since."""
    per_day = SECONDS_PER_DAY // forecasts.step_s
    ahead = forecasts.issue[index] - forecasts.issue
    _came, known = outcomes(forecasts, actual)
    has_ended = ahead >= forecasts.steps
    return np.flatnonzero(has_ended & (ahead % per_day == 0) & known.all(axis=1))

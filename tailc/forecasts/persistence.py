"""The persistence forecast: production repeats that of an earlier time."""

from __future__ import annotations

import numpy as np

from tailc.forecasts.forecasts import Forecasts, Ints, targets
from tailc.traces.series.gaps import gaps_of
from tailc.traces.series.series import TimeSeries


def persistent_forecasts(actual: TimeSeries, issue: Ints, steps: int, period_s: int) -> Forecasts:
    """Forecast each step of a power series by the same time of an earlier period.

    The period is the last one whose step was known when the forecast was made. A period of one day
    repeats yesterday; a period of one step repeats the last step. A step without such an earlier
    step is forecast as 0.
    """
    period, rest = divmod(period_s, actual.step_s)
    if rest or period < 1:
        raise ValueError("a period must be a whole number of steps long")
    last = _last_known(actual, period)
    target = targets(issue, steps)
    back = (target - issue[:, np.newaxis]) // period + 1
    origin = target - back * period
    found = np.where(origin >= 0, last[origin.clip(0)], -1)
    value = np.where(found >= 0, actual.value[found.clip(0)], 0.0)
    return Forecasts(issue, value, actual.start_unix_s, actual.step_s, actual.source)


def _last_known(actual: TimeSeries, period: int) -> Ints:
    """For each step, itself or the latest known step whole periods earlier; -1 if there is none."""
    last = np.where(actual.known, np.arange(actual.steps), -1)
    for first, length in zip(*_unknown_steps(actual), strict=True):
        for step in range(first, first + length):
            last[step] = last[step - period] if step >= period else -1
    return last


def _unknown_steps(actual: TimeSeries) -> tuple[list[int], list[int]]:
    gaps = gaps_of(actual.known)
    return gaps.first.tolist(), gaps.length.tolist()

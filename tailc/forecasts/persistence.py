"""The forecast to beat: it will be as it was."""

from __future__ import annotations

import numpy as np

from tailc.forecasts.forecasts import Forecasts, Ints, targets
from tailc.traces.series.gaps import gaps_of
from tailc.traces.series.series import TimeSeries


def persistent_forecasts(actual: TimeSeries, issue: Ints, steps: int, period_s: int) -> Forecasts:
    """Each step as the last one before the issue that is whole periods earlier and known.

    A period of a day repeats yesterday, one of a step the last hour. A step that has no such one
    is forecast to bring nothing.
    """
    period, rest = divmod(period_s, actual.step_s)
    if rest or period < 1:
        raise ValueError("a period is of whole steps")
    last = _last_known(actual, period)
    target = targets(issue, steps)
    back = (target - issue[:, np.newaxis]) // period + 1
    origin = target - back * period
    found = np.where(origin >= 0, last[origin.clip(0)], -1)
    value = np.where(found >= 0, actual.value[found.clip(0)], 0.0)
    return Forecasts(issue, value, actual.start_unix_s, actual.step_s, actual.source)


def _last_known(actual: TimeSeries, period: int) -> Ints:
    """For each step itself, or the nearest whole periods before it that is known; -1: none."""
    last = np.where(actual.known, np.arange(actual.steps), -1)
    for first, length in zip(*_unknown(actual), strict=True):
        for step in range(first, first + length):
            last[step] = last[step - period] if step >= period else -1
    return last


def _unknown(actual: TimeSeries) -> tuple[list[int], list[int]]:
    gaps = gaps_of(actual.known)
    return gaps.first.tolist(), gaps.length.tolist()

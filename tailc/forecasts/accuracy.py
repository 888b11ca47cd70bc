"""Errors of forecasts by the number of steps ahead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.forecasts.forecasts import Floats, Forecasts, Ints, Mask
from tailc.traces.series.series import TimeSeries


@dataclass(frozen=True, eq=False)
class Accuracy:
    """Errors by number of steps ahead, from 1, relative to the production of the counted steps.

    counted: int64 (steps,), number of forecasts with a known outcome. absolute_share: float64
    (steps,), mean absolute error. bias_share: float64 (steps,), mean error, positive if forecasts
    are too high.
    """

    counted: Ints
    absolute_share: Floats
    bias_share: Floats


def accuracy(forecasts: Forecasts, actual: TimeSeries) -> Accuracy:
    """Errors of forecasts, compared with the known production.

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
    """Production in each forecast step, 0 where unknown; and where it is known."""
    target = forecasts.target
    within = target < actual.steps
    step = np.where(within, target, 0)
    known = within & actual.known[step]
    return np.where(known, actual.value[step], 0.0), known

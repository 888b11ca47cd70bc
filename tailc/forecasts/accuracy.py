"""How wrong forecasts were, by how far they looked ahead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.forecasts.forecasts import Floats, Forecasts, Ints, Mask
from tailc.traces.series.series import TimeSeries


@dataclass(frozen=True, eq=False)
class Accuracy:
    """Errors by steps ahead, from 1; a share is of what was produced in the steps counted.

    counted: int64 (steps,), how many forecasts of that reach were of a step that is known.
    absolute_share: float64 (steps,), mean absolute error. bias_share: float64 (steps,), mean error,
    positive where more was forecast than came. Nights add nothing to either sum.
    """

    counted: Ints
    absolute_share: Floats
    bias_share: Floats


def accuracy(forecasts: Forecasts, actual: TimeSeries) -> Accuracy:
    """The errors of forecasts against what came, where that is known.

    Raises TailcError (SHORT_HISTORY) where for some reach nothing that is known was produced.
    """
    came, known = outcomes(forecasts, actual)
    produced = came.sum(axis=0)
    if (produced <= 0).any():
        message = "nothing was produced in the steps that the forecasts are of"
        help_ = "forecast more days, or give a series with some production"
        raise TailcError(Finding(Code.SHORT_HISTORY, message, Place(actual.source), help_))
    missed = np.where(known, forecasts.value - came, 0.0)
    return Accuracy(
        known.sum(axis=0).astype(np.int64),
        np.abs(missed).sum(axis=0) / produced,
        missed.sum(axis=0) / produced,
    )


def outcomes(forecasts: Forecasts, actual: TimeSeries) -> tuple[Floats, Mask]:
    """What came of each step forecast, 0 where it is not known, and whether it is."""
    target = forecasts.target
    within = target < actual.steps
    step = np.where(within, target, 0)
    known = within & actual.known[step]
    return np.where(known, actual.value[step], 0.0), known

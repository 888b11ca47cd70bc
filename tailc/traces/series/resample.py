"""Cut, resample, scale and add time series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.series.series import Mask, TimeSeries
from tailc.traces.zones import utc_text


def cut_series(series: TimeSeries, start_unix_s: int, length_s: int) -> TimeSeries:
    """Cut a series to a length of time from a start.

    Raises TailcError if the series does not cover it, and ValueError if it does not consist of
    whole steps.
    """
    first, off = divmod(start_unix_s - series.start_unix_s, series.step_s)
    count, rest = divmod(length_s, series.step_s)
    if off or rest or count < 1:
        raise ValueError("a part must be one or more whole steps long")
    if first < 0 or first + count > series.steps:
        wanted = f"`{utc_text(start_unix_s)}` to `{utc_text(start_unix_s + length_s)}`"
        there = f"`{utc_text(series.start_unix_s)}` to `{utc_text(series.end_unix_s)}`"
        message = f"the series covers {there}, but {wanted} is needed"
        help_ = "choose a time within the series, or give a longer one"
        raise TailcError(Finding(Code.SHORT_HISTORY, message, Place(series.source), help_))
    return series.part(slice(first, first + count))


def on_epochs(series: TimeSeries, epoch_s: int) -> TimeSeries:
    """Average a time series over epochs from its start on; an incomplete last epoch is dropped.

    If epochs are shorter than steps, each epoch has the value of its step. If neither length
    divides the other, steps are weighted by the time that they share with the epoch, so that the
    energy of whole epochs is preserved. An epoch is known if all steps that it touches are known.
    """
    # Both divide a tick, in which every step and every epoch is a whole number of parts.
    part_s = math.gcd(series.step_s, epoch_s)
    per_step, per_epoch = series.step_s // part_s, epoch_s // part_s
    epochs = series.steps * per_step // per_epoch
    if not epochs:
        message = f"the series is shorter than one epoch of {epoch_s} s"
        help_ = "choose shorter epochs, or give a longer series"
        raise TailcError(Finding(Code.SHORT_HISTORY, message, Place(series.source), help_))
    first = np.arange(epochs + 1, dtype=np.int64) * per_epoch
    known = _means(series.known.astype(np.float64), first, per_step) > 1 - 0.5 / per_epoch
    value = np.where(known, _means(series.value, first, per_step), 0.0)
    # The last bits of a sum may leave the range that its terms keep to.
    value = np.clip(value, series.quantity.least, series.quantity.most)
    return replace(series, step_s=epoch_s, value=value, known=known)


def _means(value: np.ndarray, edge: np.ndarray, per_step: int) -> np.ndarray:
    """Means between edges, in parts of which each step has `per_step`; float64 (edges - 1,)."""
    whole, part = np.divmod(edge, per_step)
    before = np.concatenate([[0.0], np.cumsum(value)]) * per_step
    at_edge = before[whole] + part * np.append(value, 0.0)[whole]
    return np.diff(at_edge) / np.diff(edge)


def scale_series(series: TimeSeries, factor: float) -> TimeSeries:
    """Multiply every value of a series by a factor."""
    return replace(series, value=series.value * factor)


def scaled_to_peak(series: TimeSeries, peak: float) -> TimeSeries:
    """Scale a series so that its largest value is `peak`; TailcError if all values are 0."""
    largest = float(series.value.max())
    if largest <= 0:
        message = "the series has no value above 0, so it cannot be scaled to a peak"
        help_ = "give a series with values above 0, or do not scale it to a peak"
        raise TailcError(Finding(Code.OUT_OF_RANGE, message, Place(series.source), help_))
    return scale_series(series, peak / largest)


def sum_series(parts: Sequence[TimeSeries]) -> TimeSeries:
    """Add time series of one quantity with the same times; the sum is known where all are known."""
    first = parts[0]
    if any(_grid(each) != _grid(first) for each in parts):
        raise ValueError("only series with the same times can be added")
    known: Mask = np.logical_and.reduce([each.known for each in parts])
    value = np.where(known, np.sum([each.value for each in parts], axis=0), 0.0)
    source = " + ".join(dict.fromkeys(each.source for each in parts))
    warnings = tuple(warning for each in parts for warning in each.warnings)
    return replace(first, value=value, known=known, source=source, warnings=warnings)


def _grid(series: TimeSeries) -> tuple:
    return series.quantity, series.start_unix_s, series.step_s, series.steps

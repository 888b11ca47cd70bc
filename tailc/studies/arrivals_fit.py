"""Bursty arrivals fitted to the times that a trace has recorded."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import Code, Finding, Place, TailcError
from tailc.models.dispersion import (
    FEWEST_LENGTHS,
    FEWEST_WINDOWS,
    WINDOWS_US,
    BurstyFit,
    fit_bursty,
    window_lengths_us,
)
from tailc.models.diurnal import Diurnal, fitted_day
from tailc.models.outcome import NS_PER_US
from tailc.traces.arrivals import NS_PER_S, ArrivalColumn, Times, times_in
from tailc.traces.source import Format, open_source

_US_PER_S = 1e6


@dataclass(frozen=True)
class ArrivalsFit:
    """What was recorded, arrivals like it, and what is odd about the recording.

    day: the rate by the hour, with a mean; None of less than a day.
    """

    source: str
    column: str
    arrivals: int
    span_us: int
    fit: BurstyFit
    day: Diurnal | None
    warnings: tuple[Finding, ...]


def fit_arrivals(
    path: str,
    column: ArrivalColumn,
    *,
    format: Format = "auto",  # noqa: A002
) -> ArrivalsFit:
    """The fit to this column of the trace at `path` (`-` is standard input).

    Raises TailcError as `arrivals_in` does, and for a recording too short to tell bursts by.
    """
    with open_source(path) as source:
        found = times_in(source, column, format=format)
        name = source.name
    if len(window_lengths_us(found.times_ns)) < FEWEST_LENGTHS:
        raise TailcError(_too_short(found.times_ns, Place(name, field=column.name)))
    span_us = int(found.times_ns[-1]) // NS_PER_US
    fit = fit_bursty(found.times_ns)
    curve = fitted_day(found.times_ns)
    day = curve and curve.with_rate(fit.process.rate_mrps)
    return ArrivalsFit(name, column.name, len(found.times_ns), span_us, fit, day, found.warnings)


def _too_short(times_ns: Times, place: Place) -> Finding:
    """That there are too few arrivals, or that they came within too short a time."""
    count, span_s = len(times_ns), int(times_ns[-1]) / NS_PER_S
    message = f"{count} arrivals are too few to tell how they come in bursts"
    hint = "give a recording of some hundreds"
    if span_s / (count - 1) < WINDOWS_US[0] / _US_PER_S:
        least_s = WINDOWS_US[FEWEST_LENGTHS - 1] / _US_PER_S * FEWEST_WINDOWS
        message = f"a recording of {span_s:.3g} s is too short to tell how arrivals come in bursts"
        hint = f"give one of {least_s:g} s or longer, which has {FEWEST_WINDOWS} windows to compare"
    return Finding(Code.FEW_ARRIVALS, message, place, hint)

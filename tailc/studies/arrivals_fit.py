"""Fit bursty arrivals to the recorded times of a trace."""

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
    """Result of fitting a bursty arrival process to recorded arrivals, with warnings.

    day: the mean rate of each hour of the day; None for a recording of less than a day.
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
    """Fit bursty arrivals to a column of the trace at `path` (`-` is standard input).

    Raises TailcError as `arrivals_in` does, and for a recording too short to identify bursts.
    """
    with open_source(path) as source:
        recorded = times_in(source, column, format=format)
        name = source.name
    if len(window_lengths_us(recorded.times_ns)) < FEWEST_LENGTHS:
        raise TailcError(_too_short(recorded.times_ns, Place(name, field=column.name)))
    span_us = int(recorded.times_ns[-1]) // NS_PER_US
    fit = fit_bursty(recorded.times_ns)
    curve = fitted_day(recorded.times_ns)
    day = curve and curve.with_rate(fit.process.rate_mrps)
    return ArrivalsFit(
        name, column.name, len(recorded.times_ns), span_us, fit, day, recorded.warnings
    )


def _too_short(times_ns: Times, place: Place) -> Finding:
    """The finding of too few arrivals, or of too short a recording."""
    count, span_s = len(times_ns), int(times_ns[-1]) / NS_PER_S
    message = f"{count} arrivals are too few to measure burstiness"
    hint = "give a recording with several hundred arrivals"
    if span_s / (count - 1) < WINDOWS_US[0] / _US_PER_S:
        least_s = WINDOWS_US[FEWEST_LENGTHS - 1] / _US_PER_S * FEWEST_WINDOWS
        message = f"a recording of {span_s:.3g} s is too short to measure burstiness"
        hint = (
            f"give a recording of at least {least_s:g} s, which has {FEWEST_WINDOWS} windows to "
            "compare"
        )
    return Finding(Code.FEW_ARRIVALS, message, place, hint)

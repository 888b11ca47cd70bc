"""A column of a series, read as a spec would have it read, for the checks."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import numpy as np

from tailc.lint.roles import SeriesColumn
from tailc.lint.views import Steps
from tailc.traces.series.reading import SeriesReading
from tailc.traces.series.series import SECONDS_PER_DAY, SECONDS_PER_HOUR, TimeSeries
from tailc.traces.series.table_series import read_series
from tailc.traces.source import Format, Source
from tailc.traces.table import Wanted
from tailc.traces.trace import kept_cells
from tailc.traces.zones import zone_of

# A name of a column of times that tells its zone.
_UTC = re.compile(r"(^|[^a-z])(utc|gmt)($|[^a-z])", re.IGNORECASE)


def steps_of(
    source: Source, time: str, column: SeriesColumn, zone: str | None, format_: Format
) -> Steps:
    """The series in a column; times that state no zone are taken for those of `zone`, else for UTC.

    TailcError for what no spec can have read.
    """
    reading = SeriesReading(
        time,
        column.name,
        column.quantity,
        column.unit,
        zone or "UTC",
        skip_longer_gaps=True,
    )
    series = read_series(source.name, reading, format_)
    ahead_s = _ahead_s(source, time, series, zone)
    hours = _hours(series, ahead_s or 0.0)
    is_local = zone is not None or (ahead_s != 0 and _UTC.search(time) is None)
    return Steps(series, column, hours, is_local, int(series.known.sum()))


def _hours(series: TimeSeries, ahead_s: float) -> np.ndarray:
    """The hour of the day at the middle of each step, so far ahead of UTC."""
    at_s = series.start_unix_s + ahead_s + series.step_s * (np.arange(series.steps) + 0.5)
    return at_s % SECONDS_PER_DAY / SECONDS_PER_HOUR


def _ahead_s(source: Source, time: str, series: TimeSeries, zone: str | None) -> float | None:
    """How far the clock is ahead of UTC, of the zone or as the first time says; else None."""
    if zone is not None:
        offset = datetime.fromtimestamp(series.start_unix_s, zone_of(zone)).utcoffset()
    else:
        first = kept_cells(source, Wanted((), (time,), ())).columns[time][0].as_py()
        offset = _stated(str(first))
    return None if offset is None else offset.total_seconds()


def _stated(text: str) -> timedelta | None:
    try:
        return datetime.fromisoformat(text).utcoffset()
    except ValueError:
        return None

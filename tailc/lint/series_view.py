"""Make the view of a time series in a column, as a compile of a spec would read it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from tailc.lint.roles import SeriesColumn, TraceOptions
from tailc.lint.views import SeriesSteps
from tailc.traces.series.reading import SeriesReading
from tailc.traces.series.series import (
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
    SeriesQuantity,
    TimeSeries,
)
from tailc.traces.series.table_series import SeriesRows
from tailc.traces.source import Format, Source
from tailc.traces.zones import zone_of

# A name of a column of times that contains its zone.
_UTC = re.compile(r"(^|[^a-z])(utc|gmt)($|[^a-z])", re.IGNORECASE)


def series_in(
    source: Source,
    time: str,
    columns: Sequence[SeriesColumn],
    options: TraceOptions,
    format_: Format,
) -> SeriesRows:
    """Read several columns of time series together.

    Times without a zone are in that of the options, else in UTC.
    """
    values = tuple(column.name for column in columns)
    return SeriesRows(source, values, _reading(time, columns[0], options), format_)


def steps_of(
    rows: SeriesRows, time: str, column: SeriesColumn, options: TraceOptions
) -> SeriesSteps:
    """Make the view of a time series in a column; TailcError if no spec could read it."""
    series, zone = rows.series(_reading(time, column, options)), options.zone
    ahead_s = _ahead_s(rows, series, zone)
    hours = _hours(series, ahead_s or 0.0)
    is_local = zone is not None or (ahead_s != 0 and _UTC.search(time) is None)
    return SeriesSteps(series, column, hours, is_local, int(series.known.sum()))


def steps_of_weather(series: TimeSeries, ahead_h: float) -> SeriesSteps:
    """Make the view of the irradiance in a weather file, whose clock is this far ahead of UTC."""
    column = SeriesColumn("GHI", SeriesQuantity.IRRADIANCE, "W/m2")
    hours = _hours(series, ahead_h * SECONDS_PER_HOUR)
    return SeriesSteps(series, column, hours, True, int(series.known.sum()))


def _reading(time: str, column: SeriesColumn, options: TraceOptions) -> SeriesReading:
    of = (column.name, column.quantity, column.unit)
    pattern = options.time_pattern
    return SeriesReading(
        time, *of, options.zone or "UTC", time_pattern=pattern, skip_longer_gaps=True
    )


def _hours(series: TimeSeries, ahead_s: float) -> np.ndarray:
    """Hour of the day at the middle of each step, for a clock this far ahead of UTC."""
    at_s = series.start_unix_s + ahead_s + series.step_s * (np.arange(series.steps) + 0.5)
    return at_s % SECONDS_PER_DAY / SECONDS_PER_HOUR


def _ahead_s(rows: SeriesRows, series: TimeSeries, zone: str | None) -> float | None:
    """Offset of the clock from UTC [s], from the time zone or the first time; else None."""
    if zone is not None:
        offset = datetime.fromtimestamp(series.start_unix_s, zone_of(zone)).utcoffset()
    else:
        offset = _stated_offset(rows.first_time)
    return None if offset is None else offset.total_seconds()


def _stated_offset(text: str) -> timedelta | None:
    try:
        return datetime.fromisoformat(text).utcoffset()
    except ValueError:
        return None

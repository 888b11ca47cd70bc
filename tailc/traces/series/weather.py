"""Read raw weather files of one site, TMY3 and NSRDB PSM, with pvlib.

pvlib knows the layouts and the meaning of their times; lines and cells are checked first, so that
errors have a line. TMY3 (Wilcox and Marion, NREL/TP-581-43156, 2008) has a line for each hour with
the time of its end, from months of different years. NSRDB files have a line for each step with the
time of its start or middle; hourly files use the half hour.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tailc.errors import Code, Finding, Place, Severity, TailcError, did_you_mean
from tailc.traces.series.series import (
    SECONDS_PER_HOUR,
    Floats,
    SeriesQuantity,
    TimeSeries,
    of_values,
)
from tailc.traces.source import Source, open_source
from tailc.units import plural, shorten

if TYPE_CHECKING:
    import pandas as pd

TMY3_HEADER_LINE, NSRDB_HEADER_LINE = 2, 3
TMY3_COLUMNS = ("GHI (W/m^2)", "DNI (W/m^2)", "DHI (W/m^2)", "TotCld (tenths)")
NSRDB_COLUMNS = ("GHI", "DNI", "DHI", "Clearsky GHI")
NSRDB_SITE_LINE = 2
_NSRDB_BEGIN = b"Source,Location ID,City,State,Country,Latitude,Longitude,"
HOURS_OF_TYPICAL_YEAR = 8_760
_HALF_HOUR, _MIDDLE = 30, 0.5
_YEARS_NAMED = 3
_TENTH = 0.1
# What both formats write where nothing was measured.
_MISSING_BELOW = -900.0
# Below, the sun is so low that the ratio of two small irradiances says nothing about clouds.
LEAST_CLEAR_W_M2 = 50.0
_MEND = "correct the cell, or download the original file again"
_AGAIN = "copy the file again"
# What the second line of an NSRDB file has, and how to mend it.
_NSRDB_SITE = {
    "Time Zone": "write the time zone of the rows there, in hours from UTC, such as -7; it can "
    "differ from `Local Time Zone`",
    "Latitude": _MEND,
    "Longitude": _MEND,
    "Elevation": _MEND,
}
_LONGEST_LINE = 1 << 16
_MOST_LINES = 1 << 22


@dataclass(frozen=True)
class Weather:
    """The weather of a site; all series have the same times.

    latitude_deg is positive north, longitude_deg positive east. ghi, dni, dhi: global horizontal,
    direct normal and diffuse horizontal irradiance. cloud_cover: for TMY3 the total sky cover; for
    NSRDB 1 - GHI / clear-sky GHI, unknown where the latter is below 50 W/m2.
    """

    latitude_deg: float
    longitude_deg: float
    altitude_m: float
    ghi: TimeSeries
    dni: TimeSeries
    dhi: TimeSeries
    cloud_cover: TimeSeries


def read_tmy3(source: str, year: int) -> Weather:
    """Read the typical year of a raw TMY3 file, with the dates of `year` (365 days).

    Raises TailcError, by line, for malformed lines and cells, and if pvlib is not installed.
    """
    with open_source(source) as opened:
        text = _checked_text(opened, TMY3_HEADER_LINE, TMY3_COLUMNS)
        pvlib = _pvlib()
        try:
            table, site = pvlib.read_tmy3(io.StringIO(text), coerce_year=year, map_variables=False)
        except (ValueError, KeyError, IndexError) as error:
            raise _not_read(opened, "TMY3", error) from None
        if len(table) != HOURS_OF_TYPICAL_YEAR:
            message = (
                f"`{source}` has {len(table)} hours, but a typical year has {HOURS_OF_TYPICAL_YEAR}"
            )
            raise opened.fault(Code.TRUNCATED, message, advice=_AGAIN)
    ghi, dni, dhi, tenths = (table[name].to_numpy(np.float64) for name in TMY3_COLUMNS)
    made = _SeriesMaker(opened, table.index, TMY3_HEADER_LINE, stamped_at=1.0)
    return Weather(
        float(site["latitude"]),
        float(site["longitude"]),
        float(site["altitude"]),
        made.irradiance(ghi),
        made.irradiance(dni),
        made.irradiance(dhi),
        made.series(SeriesQuantity.CLOUD_COVER, np.where(tenths >= 0, tenths * _TENTH, np.nan)),
    )


def read_nsrdb(source: str) -> Weather:
    """Read the weather of a raw file of NSRDB's physical solar model (PSM 3 or 4).

    Raises TailcError, by line, for malformed lines and cells, and if pvlib is not installed.
    """
    with open_source(source) as opened:
        table, site = _nsrdb_table(opened, NSRDB_COLUMNS)
    made = _SeriesMaker(opened, table.index, NSRDB_HEADER_LINE, stamped_at=_stamped_at(table.index))
    ghi, dni, dhi, clear = (table[name].to_numpy(np.float64) for name in NSRDB_COLUMNS)
    return Weather(
        float(site["Latitude"]),
        float(site["Longitude"]),
        float(site["Elevation"]),
        made.irradiance(ghi),
        made.irradiance(dni),
        made.irradiance(dhi),
        made.series(SeriesQuantity.CLOUD_COVER, cloud_index(ghi, clear)),
    )


def is_nsrdb(head: bytes) -> bool:
    """Whether a file begins as those of NSRDB."""
    return head.removeprefix(b"\xef\xbb\xbf").startswith(_NSRDB_BEGIN)


def irradiance_of_nsrdb(source: Source) -> tuple[TimeSeries, float]:
    """The global irradiance in an open file of NSRDB, and the time zone of its rows [h from UTC].

    Raises TailcError as `read_nsrdb`, which also needs the other columns.
    """
    table, site = _nsrdb_table(source, NSRDB_COLUMNS[:1])
    made = _SeriesMaker(source, table.index, NSRDB_HEADER_LINE, stamped_at=_stamped_at(table.index))
    return made.irradiance(table[NSRDB_COLUMNS[0]].to_numpy(np.float64)), float(site["Time Zone"])


def _nsrdb_table(source: Source, columns: tuple[str, ...]) -> tuple[Any, dict[str, Any]]:
    """The rows of a file of NSRDB, whose columns are checked, and its site."""
    text = _checked_text(source, NSRDB_HEADER_LINE, columns)
    _check_site(source, text)
    pvlib = _pvlib()
    try:
        table, site = pvlib.read_nsrdb_psm4(io.StringIO(text), map_variables=False)
    except (ValueError, KeyError, IndexError) as error:
        raise _not_read(source, "NSRDB", error) from None
    _refuse_typical(source, table.index)
    return table, site


def cloud_index(ghi_w_m2: Floats, clear_w_m2: Floats) -> Floats:
    """Cloud index by step: 1 minus measured over clear-sky irradiance, limited to 0 to 1.

    NaN if the sun is low.
    """
    is_day = clear_w_m2 >= LEAST_CLEAR_W_M2
    ratio = np.divide(ghi_w_m2, clear_w_m2, out=np.full_like(ghi_w_m2, np.nan), where=is_day)
    return np.clip(1.0 - ratio, 0.0, 1.0)


@dataclass(frozen=True)
class _SeriesMaker:
    """Builds all series of a weather file on its grid of times.

    stamped_at: position of a time in its step, from 0 (start) to 1 (end).
    """

    source: Source
    index: pd.DatetimeIndex
    header_line: int
    stamped_at: float

    def irradiance(self, value: Floats) -> TimeSeries:
        return self.series(
            SeriesQuantity.IRRADIANCE, np.where(value > _MISSING_BELOW, value, np.nan)
        )

    def series(self, quantity: SeriesQuantity, value: Floats) -> TimeSeries:
        start_unix_s, step_s = self._grid()
        bad = (value < quantity.least) | (value > quantity.most)
        if bad.any():
            at = int(np.argmax(bad))
            message = f"`{value[at]:g}` is outside the range of {quantity.noun}"
            raise TailcError(Finding(Code.OUT_OF_RANGE, message, self._place(at), _MEND))
        series = of_values(quantity, start_unix_s, step_s, value, self.source.name)
        lacking = int((~series.known).sum())
        if not lacking or quantity is SeriesQuantity.CLOUD_COVER:
            return series
        message = f"{plural(lacking, 'value')} of {quantity.noun} missing"
        place = self._place(int(np.argmin(series.known)))
        warning = Finding(Code.SERIES_GAPS, message, place, severity=Severity.WARNING)
        return replace(series, warnings=(warning,))

    def _grid(self) -> tuple[int, int]:
        unix_s = self.index.as_unit("s").asi8
        steps_s = np.diff(unix_s)
        step_s = int(np.median(steps_s)) if len(steps_s) else SECONDS_PER_HOUR
        if step_s < 1:
            message = "the time of this line is not later than that of the line above"
            place = self._place(int(np.argmax(steps_s < 1)) + 1)
            help_ = "sort the lines by time, and leave out repeated ones"
            raise TailcError(Finding(Code.UNEVEN_TIMES, message, place, help_))
        uneven = steps_s != step_s
        if uneven.any():
            message = (
                f"the step before this line is {steps_s[uneven][0]} s long, but the others are "
                f"{step_s} s long"
            )
            at = int(np.argmax(uneven)) + 1
            help_ = "lines must be in order of time; a year of 365 days has no 29 February"
            raise TailcError(Finding(Code.UNEVEN_TIMES, message, self._place(at), help_))
        return int(unix_s[0]) - round(step_s * self.stamped_at), step_s

    def _place(self, at: int) -> Place:
        return Place(self.source.name, line=self.header_line + 1 + at)


def _check_site(source: Source, text: str) -> None:
    """Raise TailcError unless the first two lines, names and values, have the location and time
    zone."""
    names, values = islice(csv.reader(io.StringIO(text)), NSRDB_SITE_LINE)
    site = dict(zip(names, values, strict=False))
    for name, advice in _NSRDB_SITE.items():
        value = site.get(name, "")
        try:
            float(value)
        except ValueError:
            is_no_number = f"`{name}` is `{shorten(value)}`, which is not a number"
            message = is_no_number if value else f"lines 1 and 2 state no `{name}` of the site"
            place = Place(source.name, NSRDB_SITE_LINE, field=name)
            raise TailcError(Finding(Code.NOT_A_NUMBER, message, place, advice)) from None


def _stamped_at(index: pd.DatetimeIndex) -> float:
    """Position of NSRDB times in their step: the middle for hourly files, else the start."""
    minute = np.asarray(index.minute)
    is_middle = len(minute) > 1 and (minute == minute[0]).all() and minute[0] == _HALF_HOUR
    return _MIDDLE if is_middle else 0.0


def _refuse_typical(source: Source, index: pd.DatetimeIndex) -> None:
    """Raise TailcError if the months are from several years: the year changes within a year."""
    year, month = np.asarray(index.year), np.asarray(index.month)
    changes = np.flatnonzero(np.diff(year, prepend=year[:1]) * (month != 1))
    if not len(changes):
        return
    years = ", ".join(map(str, sorted(set(year.tolist()))[:_YEARS_NAMED]))
    message = f"this file is a typical year, whose months are from different years ({years}, ...)"
    place = Place(source.name, line=NSRDB_HEADER_LINE + 1 + int(changes[0]))
    help_ = "give the file of one real year, so that weather and prices are from the same days"
    raise TailcError(Finding(Code.UNEVEN_TIMES, message, place, help_))


def _pvlib() -> Any:
    try:
        from pvlib import iotools
    except ImportError as error:
        message = f"weather files need `pvlib`, which cannot be imported: {error}"
        help_ = "pip install tailc[green]"
        raise TailcError(Finding(Code.MISSING_PART, message, help=help_)) from None
    return iotools


def _checked_text(source: Source, header_line: int, columns: tuple[str, ...]) -> str:
    """Text of the file; raises TailcError, by line, for missing cells and cells that are not
    numbers."""
    source.check_whole()
    lines = [line.decode("utf-8-sig", "replace") for line in source.lines(_LONGEST_LINE)]
    if len(lines) > _MOST_LINES:
        message = f"`{source.name}` has more than {_MOST_LINES:,} lines"
        raise source.fault(Code.TRACE_TOO_LARGE, message, advice="give one year in each file")
    if not any(map(str.strip, lines[header_line:])):
        message = f"`{source.name}` has no data after its header"
        raise source.fault(Code.TRUNCATED, message, advice=_AGAIN)
    names = next(csv.reader([lines[header_line - 1]]))
    for name in columns:
        if name not in names:
            message = f"there is no column `{name}` in line {header_line}"
            advice = f"{did_you_mean(name, names)}; download the file with this column"
            raise source.fault(Code.MISSING_COLUMN, message, field=name, advice=advice)
    at = [names.index(name) for name in columns]
    for number, line in enumerate(lines[header_line:], header_line + 1):
        cells = next(csv.reader([line]), [])
        if cells:
            _check_line(source, number, cells, names, at, is_whole=line.endswith("\n"))
    return "".join(lines)


def _check_line(
    source: Source, number: int, cells: list[str], names: list[str], at: list[int], is_whole: bool
) -> None:
    if len(cells) < len(names) and not is_whole:
        message = f"the file ends in the middle of a line, after {len(cells)} cells"
        raise TailcError(Finding(Code.TRUNCATED, message, Place(source.name, number), _AGAIN))
    # Some files end each line with a comma.
    if len(cells) < len(names) or any(cells[len(names) :]):
        message = f"the line has {len(cells)} cells, but the header has {len(names)}"
        raise TailcError(Finding(Code.RAGGED_ROW, message, Place(source.name, number), _AGAIN))
    for index in at:
        try:
            float(cells[index])
        except ValueError:
            place = Place(source.name, number, field=names[index])
            message = f"`{shorten(cells[index])}` is not a number"
            raise TailcError(Finding(Code.NOT_A_NUMBER, message, place, _MEND)) from None


def _not_read(source: Source, what: str, error: Exception) -> TailcError:
    message = f"`{source.name}` cannot be read as {what} ({shorten(str(error), 100)})"
    advice = "download the original file again"
    return source.fault(Code.BROKEN_FORMAT, message, advice=advice)

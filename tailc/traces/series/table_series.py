"""Read time series from a Parquet, CSV or NDJSON file with a column of times."""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.arrow import mask, text_array, truths_of
from tailc.traces.cells import Cells, as_text, numbers, texts
from tailc.traces.series.grid import StampedRows, on_grid
from tailc.traces.series.reading import SeriesReading, Stamp
from tailc.traces.series.series import Floats, Mask, TimeSeries
from tailc.traces.source import Format, Source, open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells
from tailc.traces.zones import ADVICE, ClockTimes, TimeError, instants
from tailc.units import shorten

# As a power exchange writes it: `01.10.2024 00:00 - 01.10.2024 01:00`.
_SPAN = re.compile(r"\s*(?P<start>\S.{6,}?\S)\s+-\s+(?P<end>\S.{6,}\S)\s*", re.DOTALL)
# What the power exchange adds to the hour that the clock repeats; the order of rows says the same.
_CLOCK = re.compile(r"(?<!\s)\s*\((?:CES?T|EES?T|WES?T|GMT|BST)\)$")
_DAY_FIRST = re.compile(r"\s*(\d{1,2})([./])(\d{1,2})[./]\d{4}( \d{1,2}:\d{2}(:\d{2})?)?")
_MONTHS = 12
_WRITE = "write times like 2012-10-01T06:30:00"


def read_series(
    source: str,
    reading: SeriesReading,
    format: Format = "auto",  # noqa: A002
) -> TimeSeries:
    """Read a series from a file (CSV and NDJSON also compressed), or `-` for standard input.

    An empty cell or a missing row is a step without a value. Warnings report gaps, slightly
    negative values at night, and changes of the clock. Raises TailcError, by row and column, for
    cells that are not numbers, times without a time zone, and whatever `on_grid` refuses.
    """
    with open_source(source) as opened:
        return SeriesRows(opened, (reading.value,), reading, format).series(reading)


class SeriesRows:
    """Time series of one file with several columns of values, read once.

    like: reading of one of the columns; all others differ from it only in the column of values.
    """

    def __init__(
        self,
        source: Source,
        values: tuple[str, ...],
        like: SeriesReading,
        format: Format,  # noqa: A002
    ) -> None:
        filters = tuple(dict.fromkeys(name for name, _text in like.where))
        wanted = ColumnsToRead(values, (like.time,), filters)
        self._cells = kept_cells(source, wanted, like.where, format)
        self._like = like

    @property
    def first_time(self) -> str:
        """The time of the first row of the file, as text."""
        return str(self._cells.columns[self._like.time][0].as_py())

    def series(self, reading: SeriesReading) -> TimeSeries:
        """Make the series of one column; raises the same errors as `read_series`."""
        cells = replace(self._cells, findings=[])
        value, has_value = _values(cells, reading.value)
        texts(cells, reading.time)
        cells.stop_if_refused()
        if not has_value.any():
            message = f"column `{shorten(reading.value)}` has no value"
            place = Place(cells.source, field=reading.value)
            hint = "name another column, or leave this one out of the file"
            raise TailcError(Finding(Code.EMPTY_TRACE, message, place, hint))
        return on_grid(StampedRows(cells, self._instants, value, has_value), reading)

    @cached_property
    def _instants(self) -> ClockTimes:
        texts_of_times = as_text(self._cells.columns[self._like.time]).to_pylist()
        stamps = _stamps_of_spans(texts_of_times, self._like.stamp)
        try:
            stamps = [_CLOCK.sub("", stamp) for stamp in stamps]
            return instants(stamps, self._like.zone, self._like.time_pattern)
        except TimeError as error:
            raise TailcError(_no_time(error, self._cells, self._like)) from None


def _stamps_of_spans(stamps: list[str], stamp: Stamp) -> list[str]:
    """The starts, or the ends, of texts that are all spans of two times; else the texts."""
    spans = [_SPAN.fullmatch(text) for text in stamps]
    named = "start" if stamp is Stamp.START else "end"
    found = [span[named] for span in spans if span is not None]
    return found if len(found) == len(stamps) else stamps


def _values(cells: Cells, name: str) -> tuple[Floats, Mask]:
    """The column as numbers, 0 for empty cells; and which cells are not empty."""
    column = cells.columns[name]
    zero = text_array(["0"])[0]
    if pa.types.is_string(column.type):
        is_empty = pc.equal(pc.utf8_trim_whitespace(column), text_array([""])[0])
    else:
        is_empty = pc.is_nan(column) if pa.types.is_floating(column.type) else pc.is_null(column)
        zero = zero.cast(column.type)
    is_empty = pc.fill_null(is_empty, mask(np.ones(1, np.bool_))[0])
    made = {**cells.columns, name: pc.if_else(is_empty, zero, column)}
    # The same list of findings, so that bad cells are noted among the others.
    value = numbers(replace(cells, columns=made), name)
    return value, ~truths_of(is_empty)


def _likely_pattern(text: str) -> str:
    """The pattern of a text with a date, or an example of one."""
    found = _DAY_FIRST.match(text)
    if found is None:
        return "%m/%d/%Y %H:%M"
    mark = found[2]
    is_day_first = mark == "." or int(found[1]) > _MONTHS
    date = mark.join(("%d", "%m", "%Y") if is_day_first else ("%m", "%d", "%Y"))
    clock = "" if found[4] is None else " %H:%M:%S" if found[5] else " %H:%M"
    return date + clock


def _no_time(error: TimeError, cells: Cells, reading: SeriesReading) -> Finding:
    place = Place(cells.source, row=cells.row_of(error.index), field=reading.time)
    help_ = ADVICE if error.lacks_zone else _WRITE
    written = as_text(cells.columns[reading.time])[error.index].as_py()
    likely, stated = _likely_pattern(written), reading.time_pattern
    if stated is None and not error.lacks_zone:
        help_ += (
            f", or state their `time_pattern` (`--time-pattern` of `lint-trace`), such as "
            f"`{likely}`"
        )
    elif stated is not None and not error.lacks_zone:
        is_other = _DAY_FIRST.match(written) is not None and likely != stated
        instead = f", such as to `{likely}`" if is_other else ""
        help_ = f"correct the time, or the pattern `{shorten(stated)}`{instead}"
    if "skips" in str(error):
        help_ = "state the time zone of the logger, such as `-07:00`"
    code = Code.NO_ZONE if error.lacks_zone else Code.NOT_A_NUMBER
    return Finding(code, shorten(str(error), 120), place, help_)

"""Read columns of durations whose cells or type state the unit.

Such cells are Arrow's durations, texts with a unit, and clock texts. A clock text is `1-02:03:04`,
`02:03:04` or `03:04.500`, as sacct of Slurm writes it, or `1 days 02:03:04`, as pandas and
databases do, or `PT2H3M4.5S`, by ISO 8601. Its seconds may have a decimal comma, because no other
separator is possible there. `03:04` is no clock text, because it may be hours and minutes.
"""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from tailc.errors import Code
from tailc.traces.cells import Cells
from tailc.traces.reading import TimeUnit
from tailc.traces.written_units import (
    UNLIKE_OTHERS,
    have_units,
    in_numbers,
    unit_of,
    without_unit,
)

_CLOCK = (
    r"^\s*(?:(?:(?P<days>[0-9]{1,5})(?:-| days?,? ))?(?P<hours>[0-9]{1,5}):(?P<minutes>[0-5][0-9]):"
    r"(?P<seconds>[0-5][0-9](?:[.,][0-9]+)?)"
    r"|(?P<only_minutes>[0-5]?[0-9]):(?P<only_seconds>[0-5][0-9][.,][0-9]+)"
    r"|PT(?:(?P<iso_hours>[0-9]+)H)?(?:(?P<iso_minutes>[0-9]+)M)?"
    r"(?:(?P<iso_seconds>[0-9]+(?:[.,][0-9]+)?)S)?)\s*$"
)
_NUMBER = r"^\s*[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?\s*$"
_SECONDS = {
    "days": 86_400.0,
    "hours": 3_600.0,
    "minutes": 60.0,
    "seconds": 1.0,
    "only_minutes": 60.0,
    "only_seconds": 1.0,
    "iso_hours": 3_600.0,
    "iso_minutes": 60.0,
    "iso_seconds": 1.0,
}


def own_unit(column: pa.ChunkedArray) -> TimeUnit | None:
    """The unit that a column of times has by its type; None for plain numbers."""
    if pa.types.is_duration(column.type):
        return TimeUnit(column.type.unit)
    if have_units(column):
        return unit_of(column)
    if not _has_clocks(column) or pc.any(pc.match_substring_regex(column, _NUMBER)).as_py():
        return None
    return TimeUnit.S


def in_unit(cells: Cells, name: str, in_ms: float) -> Cells:
    """Convert the durations in a column to numbers in a unit of `in_ms` milliseconds.

    Plain numbers are already in that unit. Cells that are not durations stay unchanged. If only
    some cells have a unit, plain numbers are recorded as bad cells.
    """
    column = cells.columns[name]
    if pa.types.is_duration(column.type):
        count = column.cast(pa.int64()).cast(pa.float64(), safe=False)
        made = pc.multiply(count, TimeUnit(column.type.unit).in_ms / in_ms)
    elif have_units(column):
        made = in_numbers(column, in_ms)
    elif (plain := without_unit(column)).any():
        hint = "write each time with its unit, or all as numbers of one unit"
        cells.refuse(plain, name, Code.NOT_A_NUMBER, UNLIKE_OTHERS, hint)
        made = in_numbers(column, in_ms)
    elif _has_clocks(column):
        made = _without_clocks(column, TimeUnit.S.in_ms / in_ms)
    else:
        return cells
    return replace(cells, columns={**cells.columns, name: made})


def _has_clocks(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_string(column.type):
        return False
    return pc.any(pc.match_substring_regex(column, _CLOCK)).as_py() or False


def _without_clocks(column: pa.ChunkedArray, scale: float) -> pa.ChunkedArray:
    """The texts, with a number for each clock text."""
    parts = pc.extract_regex(column, _CLOCK)
    total = None
    for field, seconds in _SECONDS.items():
        text = pc.struct_field(parts, field)
        text = pc.replace_substring(pc.replace_substring_regex(text, "^$", "0"), ",", ".")
        number = text.cast(pa.float64())
        term = pc.multiply(number, seconds)
        total = term if total is None else pc.add(total, term)
    return pc.coalesce(pc.multiply(total, scale).cast(pa.string()), column)

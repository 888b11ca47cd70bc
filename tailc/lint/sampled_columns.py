"""The first rows of a table: its demands, and which values repeat in its other columns."""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.errors import TailcError
from tailc.traces.arrow import numpy_of
from tailc.traces.cells import Cells, numbers
from tailc.traces.lengths import in_unit
from tailc.traces.profile_file import is_profile
from tailc.traces.source import Format, Source, format_of
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import TABLES, Filters, in_parts

# Enough to see whether values repeat; a look at more would cost as much as the trace.
_MOST_ROWS = 200_000
_MOST_COLUMNS = 16
_LARGEST_SMALL = 64


@dataclass(frozen=True, eq=False)
class SampledColumns:
    """The demands and other columns of the first rows of a table.

    demand: float64 (n,), NaN in bad cells. codes: int64 (n,) for each column, equal for equal
    cells; in small columns the cells themselves. small: columns whose cells are whole numbers from
    1 to 64, with at least two different values.
    """

    column: str
    demand: NDArray[np.float64]
    codes: Mapping[str, NDArray[np.int64]]
    small: tuple[str, ...]


def sampled_columns(
    source: Source,
    demand: str,
    format: Format = "auto",  # noqa: A002
    where: Filters = (),
    without: tuple[str, ...] = (),
) -> SampledColumns | None:
    """Read the first rows that `where` selects, without the columns `without`.

    None if fewer than two other columns exist, or if they or the demands cannot be read.
    """
    if is_profile(source):
        return None
    filters = tuple(dict.fromkeys(name for name, _value in where))
    try:
        table = TABLES[format_of(source, format)](source)
        unused = {demand, *filters, *without}
        others = [name for name, times in Counter(table.names).items() if times == 1]
        others = [name for name in others if name not in unused][:_MOST_COLUMNS]
        if len(others) < 2 or not {demand, *filters} <= {*table.names}:
            return None
        wanted = ColumnsToRead((demand,), tuple(others), filters)
        cells = in_parts(lambda parts: _first_rows(parts, source.name), table, wanted, where)
    except TailcError:
        return None
    return _sampled(cells, demand, others)


def _first_rows(parts: Iterator[Cells], name: str) -> Cells:
    columns: dict[str, list[pa.Array]] = {}
    rows = 0
    for part in parts:
        for key, column in part.columns.items():
            columns.setdefault(key, []).extend(column.chunks)
        rows += part.count
        if rows >= _MOST_ROWS:
            break
    chunked = {key: pa.chunked_array(chunks) for key, chunks in columns.items()}
    return Cells(name, chunked, rows, None)


def _sampled(cells: Cells, demand: str, others: list[str]) -> SampledColumns:
    codes, small = {}, []
    for name in others:
        encoded = cells.columns[name].combine_chunks().dictionary_encode()
        if encoded.null_count:
            continue
        codes[name] = numpy_of(encoded.indices).astype(np.int64)
        if _are_small(encoded.dictionary):
            values = np.array([float(one) for one in encoded.dictionary.to_pylist()])
            codes[name] = values.astype(np.int64)[codes[name]]
            small.append(name)
    times = numbers(in_unit(cells, demand, 1.0), demand)
    return SampledColumns(demand, times, codes, tuple(small))


def _are_small(values: pa.Array) -> bool:
    """Whether distinct cells are whole numbers from 1 to 64, two at least."""
    if not 2 <= len(values) <= _LARGEST_SMALL:
        return False
    try:
        found = [float(value) for value in values.to_pylist()]
    except (TypeError, ValueError):
        return False
    return all(value.is_integer() and 1 <= value <= _LARGEST_SMALL for value in found)

"""A trace as columns of cells: the interface of the readers of all table formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

if TYPE_CHECKING:
    from tailc.traces.source import Source

BATCH_ROWS = 1 << 16
# A row must fit into a block; pyarrow reads up to 32 of them ahead.
BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class ColumnsToRead:
    """The columns to read from a table: those in `numbers` as numbers, the others as text.

    A column in both is read as text. Columns only in `filters` are dropped after rows are selected.
    """

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    filters: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns to read without duplicates, those of numbers first."""
        return tuple(dict.fromkeys(self.numbers + self.texts + self.filters))

    @property
    def after_filter(self) -> list[str]:
        """Names of the columns that remain after rows are selected."""
        return list(dict.fromkeys(self.numbers + self.texts))

    def is_number(self, name: str) -> bool:
        """Whether a column is read only as numbers."""
        return name not in self._texts

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(self.texts + self.filters)


NOTHING = ColumnsToRead((), (), ())


class Table(Protocol):
    """Protocol of a file of rows in any format.

    `batches` reads quickly; after an error `careful_batches` reads again to find the bad cell.
    """

    @property
    def source(self) -> Source:
        """The source (file) that the table is read from."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in file order, including repeated ones."""
        ...

    def batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        """Yield the wanted columns of all rows in batches; pyarrow's own errors are raised."""
        ...

    def careful_batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        """Yield batches as text if necessary, so that the converter can report a bad cell.

        Raises TailcError for errors of the file itself.
        """
        ...

"""A trace as columns of cells, whatever the format: what each format's reader offers."""

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
class Wanted:
    """The columns to read: those in `numbers` hold numbers, the others are compared as text.

    A column wanted as both is read as text. Those only in `filters` are not wanted after the
    rows are chosen.
    """

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    filters: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Every column once, numbers first."""
        return tuple(dict.fromkeys(self.numbers + self.texts + self.filters))

    @property
    def after_filter(self) -> list[str]:
        """The columns whose cells are used."""
        return list(dict.fromkeys(self.numbers + self.texts))

    def is_number(self, name: str) -> bool:
        """Whether the column is wanted as numbers only."""
        return name not in self._texts

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(self.texts + self.filters)


NOTHING = Wanted((), (), ())


class Table(Protocol):
    """A file of rows that can be read twice: quickly, and carefully when that failed."""

    @property
    def source(self) -> Source:
        """The file."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in file order, repetitions included."""
        ...

    def batches(self, wanted: Wanted) -> Iterator[pa.RecordBatch]:
        """The wanted columns of every row, numbers as numbers; pyarrow's errors come through."""
        ...

    def careful_batches(self, wanted: Wanted) -> Iterator[pa.RecordBatch]:
        """As `batches`, but numbers may be text, so that whoever converts them can point at one.

        Raises TailcError for what is wrong with the file itself.
        """
        ...

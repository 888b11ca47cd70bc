"""Read a column of CSV in independent blocks of whole lines.

Plain numbers are read by a kernel. Blocks with anything else (a sign, an exponent, more digits than
are certainly exact) are left to pyarrow, which gives the same floats. A quoted cell can contain a
line break, so such tables have no independent blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tailc.ingest.counting import Counts, Share
from tailc.ingest.kernels import POWERS_OF_TEN, QUOTED, read_decimals
from tailc.traces.arrow import numpy_of
from tailc.traces.csv_table import CsvTable
from tailc.traces.source import Source
from tailc.traces.table import BLOCK_BYTES, ColumnsToRead

# Enough that what is done once a block does not count.
_READ_BYTES = 4 * BLOCK_BYTES


class HasNoBlocksError(Exception):
    """Error: the table cannot be divided into independent blocks of lines."""


@dataclass(frozen=True)
class _Block:
    """Whole lines of a table, and the column that is counted."""

    table: CsvTable
    wanted: ColumnsToRead
    text: memoryview

    def count(self, counts: Counts) -> bool:
        """Count the times of the column; raises HasNoBlocksError for a quoted cell."""
        names = self.table.names
        # A row has a comma less than columns, a digit and an end.
        values = np.empty(len(self.text) // (len(names) + 1) + 1)
        text = np.frombuffer(self.text, np.uint8)
        column = names.index(self.wanted.numbers[0])
        rows = read_decimals(text, column, len(names), POWERS_OF_TEN, values)
        if rows >= 0:
            return counts.add(values[:rows])
        if rows == QUOTED or b'"' in bytes(self.text):
            raise HasNoBlocksError
        batches = self.table.batches_of(pa.BufferReader(self.text), self.wanted)
        return all(counts.add(numpy_of(batch.column(0))) for batch in batches)


def csv_shares(table: CsvTable, wanted: ColumnsToRead) -> Iterator[Share]:
    """Divide the lines after the header into blocks; HasNoBlocksError if that is impossible."""
    for text in _blocks(table.source):
        yield _Block(table, wanted, text).count


def _blocks(source: Source) -> Iterator[memoryview]:
    """Whole lines without the header, in blocks of about `_READ_BYTES` bytes."""
    rest = None
    with source.plain() as stream:
        while block := stream.read(_READ_BYTES):
            text = _after_header(block) if rest is None else rest + block
            end = text.rfind(b"\n") + 1
            rest = text[end:]
            if len(rest) > BLOCK_BYTES:
                raise HasNoBlocksError
            if end:
                yield memoryview(text)[:end]
    if rest:
        yield memoryview(rest + b"\n")


def _after_header(text: bytes) -> bytes:
    start = len(text) - len(text.lstrip(b"\r\n"))
    end = text.find(b"\n", start) + 1
    if not end or text.count(b'"', 0, end) % 2:
        raise HasNoBlocksError
    return text[end:]

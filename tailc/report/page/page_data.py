"""The numbers of all pictures of a page, as one Parquet file with a row for each cell."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator

from tailc.report.page.content import Page


def written_page_data(page: Page) -> bytes:
    """Encode the numbers of all pictures of a page as the bytes of a Parquet file.

    Columns: `table` (name of the numbers), `row`, `column`, `text`, `number` (if it is one).
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ("table", "row", "column", "text", "number")
    types = (pa.string(), pa.int64(), pa.string(), pa.string(), pa.float64())
    cells = list(zip(*_cells(page), strict=True)) or [()] * len(names)
    arrays = [pa.array(list(cell), kind) for cell, kind in zip(cells, types, strict=True)]
    sink = io.BytesIO()
    pq.write_table(pa.table(arrays, names=list(names)), sink)
    return sink.getvalue()


def _cells(page: Page) -> Iterator[tuple[str, int, str, str, float | None]]:
    for section in page.sections:
        for figure in section.figures:
            for numbers in figure.numbers:
                for number, row in enumerate(numbers.rows):
                    for column, text in zip(numbers.heads, row, strict=True):
                        yield numbers.name, number, column, text, _number(text)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None

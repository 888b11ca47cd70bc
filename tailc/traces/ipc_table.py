"""Read measured instructions per cycle of requests, alone and next to batch work."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.traces.cells import positive
from tailc.traces.source import open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import Filters, kept_cells

# Largest accepted number of instructions per cycle; no core retires as many.
LARGEST_IPC = 1_000.0


@dataclass(frozen=True)
class IpcRow:
    """Instructions per cycle in one row of a table; `row` counts from 1."""

    alone: float
    shared: float
    row: int


def read_ipc(source: str, alone: str, shared: str, where: Filters = ()) -> tuple[IpcRow, ...]:
    """Read the rows of the file that `where` selects; `alone` and `shared` are column names.

    Raises TailcError with all findings: unreadable files, missing columns, cells that are not
    positive numbers, and no selected row.
    """
    names = tuple(dict.fromkeys((alone, shared)))
    wanted = ColumnsToRead(names, (), tuple(dict.fromkeys(name for name, _ in where)))
    with open_source(source) as opened:
        cells = kept_cells(opened, wanted, where)
    of_alone, of_shared = (positive(cells, name, LARGEST_IPC) for name in (alone, shared))
    cells.stop_if_refused()
    return tuple(
        IpcRow(float(of_alone[at]), float(of_shared[at]), cells.row_of(at))
        for at in range(cells.count)
    )

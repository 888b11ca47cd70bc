"""Read measured speeds and powers of cores from a file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code
from tailc.traces.cells import MEND, Cells, positive
from tailc.traces.source import open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import Filters, kept_cells

LARGEST_SPEED = 1e12
LARGEST_POWER = 1e9


@dataclass(frozen=True)
class CoreColumns:
    """Names of the columns of a table of measured cores.

    cores: column of the number of cores whose speeds and powers a row adds up.
    """

    speed: str
    power: str
    idle_power: str | None = None
    cores: str | None = None


@dataclass(frozen=True)
class MeasuredCore:
    """Speed and powers of one core in a row of a table; powers in the file's unit.

    `row` counts from 1.
    """

    speed: float
    power: float
    idle_power: float | None
    row: int


def read_cores(source: str, columns: CoreColumns, where: Filters = ()) -> tuple[MeasuredCore, ...]:
    """Read the rows of the file that `where` selects, in file order.

    Raises TailcError with all findings: unreadable files, missing columns, cells that are not
    positive numbers, and no selected row.
    """
    names = (columns.speed, columns.power, columns.idle_power, columns.cores)
    wanted = ColumnsToRead(
        tuple(dict.fromkeys(filter(None, names))), (), tuple(dict.fromkeys(k for k, _ in where))
    )
    with open_source(source) as opened:
        cells = kept_cells(opened, wanted, where)
    return _measured_cores(cells, columns)


def _measured_cores(cells: Cells, columns: CoreColumns) -> tuple[MeasuredCore, ...]:
    of = np.ones(cells.count)
    if columns.cores is not None:
        of = positive(cells, columns.cores, LARGEST_POWER)
    speed = positive(cells, columns.speed, LARGEST_SPEED) / of
    power = positive(cells, columns.power, LARGEST_POWER) / of
    idle = _idle(cells, columns, of)
    if idle is not None:
        beyond = "is above the power of a busy core"
        assert columns.idle_power is not None
        cells.refuse(idle > power, columns.idle_power, Code.OUT_OF_RANGE, beyond, MEND)
    cells.stop_if_refused()
    return tuple(
        MeasuredCore(
            float(speed[at]),
            float(power[at]),
            None if idle is None else float(idle[at]),
            cells.row_of(at),
        )
        for at in range(cells.count)
    )


def _idle(cells: Cells, columns: CoreColumns, of: NDArray) -> NDArray | None:
    if columns.idle_power is None:
        return None
    return positive(cells, columns.idle_power, LARGEST_POWER) / of

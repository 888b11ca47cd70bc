"""Read a measured step response from a file with columns of time, output and optionally input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.cells import Cells, numbers
from tailc.traces.source import open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells

_EVEN = 1e-3
"""Tolerance of a row's time, as a fraction of the sample time."""


@dataclass(frozen=True)
class StepColumns:
    """Names of the columns of a step response; `input` is not read if the size is given."""

    time: str
    output: str
    input: str


@dataclass(frozen=True)
class StepData:
    """Change of the output over time after a step of `size` in the input."""

    source: str
    times: NDArray[np.float64]
    response: NDArray[np.float64]
    size: float


def read_step(
    source: str, columns: StepColumns, size: float | None, sample_time: float | None
) -> StepData:
    """Read the step response in a file.

    size: the step is at the first row, whose output is the level before it. Without a size, the
    input column shows the step: it must change in exactly one row, and the rows before give the
    level. Raises TailcError, placed by row, for cells that are not numbers, times that do not
    ascend or are not one sample apart, and inputs that change never or twice.
    """
    names = (columns.time, columns.output, *((columns.input,) if size is None else ()))
    with open_source(source) as opened:
        cells = kept_cells(opened, ColumnsToRead(names, (), ()))
    values = [numbers(cells, name) for name in names]
    cells.stop_if_refused()
    times, output = values[0], values[1]
    _check_times(cells, columns.time, times, sample_time)
    first = 0
    if size is None:
        first, size = _step_in(cells, columns.input, values[2])
    level = float(output[:first].mean()) if first else float(output[0])
    return StepData(cells.source, times[first:] - times[first], output[first:] - level, size)


def _check_times(
    cells: Cells, name: str, times: NDArray[np.float64], sample_time: float | None
) -> None:
    apart = np.diff(times)
    late = apart <= 0
    if sample_time is not None:
        late = np.abs(apart - sample_time) > _EVEN * sample_time
    rows = np.flatnonzero(late)
    if not rows.size:
        return
    row = int(rows[0]) + 1
    text = cells.text_of(name, row)
    message = f"time `{text}` is not after the one before"
    if sample_time is not None:
        message = f"time `{text}` is not one sample time after the one before"
    place = Place(cells.source, row=cells.row_of(row), field=name)
    raise TailcError(
        Finding(Code.OUT_OF_ORDER, message, place, "sort the rows, and add missing ones")
    )


def _step_in(cells: Cells, name: str, values: NDArray[np.float64]) -> tuple[int, float]:
    """Row of the step, and its size."""
    rows = np.flatnonzero(np.diff(values)) + 1
    if rows.size == 1:
        return int(rows[0]), float(values[rows[0]] - values[rows[0] - 1])
    message = "the input never changes, so there is no step response"
    place = Place(cells.source, field=name)
    if rows.size > 1:
        message = f"the input changes a second time, to `{cells.text_of(name, int(rows[1]))}`"
        place = Place(cells.source, row=cells.row_of(int(rows[1])), field=name)
    help_ = (
        "keep the rows of one step, or give its size with `--step` and only the rows from the "
        "step on"
    )
    raise TailcError(Finding(Code.BAD_STEP, message, place, help_))

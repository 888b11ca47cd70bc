"""Read measured times of a language model's iterations, by what their batches contained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.cells import MEND, Cells, not_negative, positive
from tailc.traces.reading import TimeUnit
from tailc.traces.source import open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells

Int64s = NDArray[np.int64]

FEWEST_ROWS = 5
MOST_AMOUNT = 2**26
NS_PER_MS = 1_000_000
# A longer iteration is not meant; its nanoseconds fit into an artifact.
LONGEST_MS = 60_000


@dataclass(frozen=True)
class StepRowColumns:
    """Names of the columns of a table of measured iterations of a language model's server.

    prompt, decoding: tokens of prompts, and decoding sequences in the batch. context: tokens in the
    cache; None if not measured.
    """

    prompt: str
    decoding: str
    context: str | None
    time: str


@dataclass(frozen=True, eq=False)
class StepRows:
    """Measured iterations of a language model's server: their batches and times [ns].

    int64 (rows,) each. prompt: tokens of prompts in the batch. decoding: sequences that generate a
    token. context: tokens in the cache of these sequences.
    """

    prompt: Int64s
    decoding: Int64s
    context: Int64s
    time_ns: Int64s
    source: str


def read_step_rows(source: str, columns: StepRowColumns, unit: TimeUnit) -> StepRows:
    """Read measured iterations of a language model's server from a file.

    Raises TailcError with all findings, placed by row.
    """
    names = (columns.prompt, columns.decoding, columns.context, columns.time)
    with open_source(source) as opened:
        cells = kept_cells(opened, ColumnsToRead(tuple(filter(None, names)), (), ()), ())
    prompt, decoding = _amount(cells, columns.prompt), _amount(cells, columns.decoding)
    context = np.zeros(cells.count, np.int64)
    if columns.context is not None:
        context = _amount(cells, columns.context)
    time_ms = positive(cells, columns.time, LONGEST_MS / unit.in_ms) * unit.in_ms
    empty = "is the time of an iteration without a prompt token and a decoding sequence"
    cells.refuse(prompt + decoding == 0, columns.time, Code.OUT_OF_RANGE, empty, "remove the row")
    cells.stop_if_refused()
    if cells.count < FEWEST_ROWS:
        message = f"the profile has {cells.count} rows, but needs at least {FEWEST_ROWS}"
        hint = "measure iterations of several sizes"
        raise TailcError(Finding(Code.EMPTY_TRACE, message, Place(cells.source), hint))
    time_ns = np.maximum(np.rint(time_ms * NS_PER_MS), 1).astype(np.int64)
    return StepRows(prompt, decoding, context, time_ns, cells.source)


def _amount(cells: Cells, name: str) -> Int64s:
    values = not_negative(cells, name, MOST_AMOUNT)
    parts = values != np.floor(values)
    cells.refuse(parts & ~np.isnan(values), name, Code.OUT_OF_RANGE, "is not a whole number", MEND)
    return np.nan_to_num(values).astype(np.int64)

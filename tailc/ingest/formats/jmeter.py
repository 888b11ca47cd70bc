"""Read the CSV output of JMeter (`.jtl`): one sample per row, in whole milliseconds.

The file does not state whether threads wait for answers or a timer sends at a rate, but the times
of a few threads reveal a closed loop. A transaction controller writes its own row, which lasts as
long as its samples together.
"""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailc.errors import Code, Finding, Place, Severity
from tailc.ingest.format import Format
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import loop_in
from tailc.ingest.options import InputOptions
from tailc.ingest.rows import in_half_ticks, of_successes
from tailc.traces.arrow import truths_of
from tailc.traces.cells import Cells, as_text, chosen_rows
from tailc.traces.counted_times import Grain
from tailc.traces.csv_table import CsvTable
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells

# With `timestamp_format=none` there is no time stamp.
_HEADER = re.compile(
    rb"(\xef\xbb\xbf)?(?:timeStamp[,;\t|]elapsed[,;\t|\r\n]|elapsed[,;\t|]label[,;\t|]responseCode)"
)
# As the documentation of JMeter has dates; year and month cannot be mistaken.
_SLASHED = r"^([0-9]{4})/([0-9]{2})/([0-9]{2}) "
_START, _TIME, _SUCCESS, _MESSAGE = "timeStamp", "elapsed", "success", "responseMessage"
_SUM = "Number of samples in transaction"
Findings = tuple[Finding, ...]


def read(source: Source, options: InputOptions) -> InputTimes:
    """Read the times of the samples that succeeded from a file of JMeter."""
    names = CsvTable(source).names
    texts = tuple(name for name in (_SUCCESS, _MESSAGE) if name in names)
    cells, warnings = _samples(kept_cells(source, ColumnsToRead((_TIME,), texts, ()), format="csv"))
    if _SUCCESS in names:
        judged = pc.utf8_lower(as_text(cells.columns[_SUCCESS]))
        succeeded = truths_of(pc.equal(judged, "true").fill_null(False))
    else:
        succeeded = np.ones(cells.count, np.bool_)
        warnings += _without_success(source)
    timed, ticks = in_half_ticks(cells, _TIME, succeeded)
    warnings += ticks
    histogram, added, failed = of_successes(
        timed, _TIME, TimeUnit.MS, succeeded, options.interval_ns
    )
    return InputTimes(
        "JMeter CSV",
        _TIME,
        TimeUnit.MS,
        Grain.REQUESTS,
        loop_of(source),
        histogram,
        left_out=failed,
        estimated=added,
        warnings=warnings,
    )


def loop_of(source: Source) -> Loop:
    """Determine whether the rows' requests were sent at a rate or in a closed loop."""
    names = CsvTable(source).names
    if _START not in names:
        return Loop.UNSTATED
    texts = tuple(name for name in (_MESSAGE,) if name in names)
    cells, _warnings = _samples(
        kept_cells(source, ColumnsToRead((_START, _TIME), texts, ()), format="csv")
    )
    started = cells.columns[_START]
    if pa.types.is_string(started.type):
        cells.columns[_START] = pc.replace_substring_regex(started, _SLASHED, r"\1-\2-\3 ")
    return loop_in(cells, _START, _TIME, TimeUnit.MS, Loop.UNSTATED)


def _samples(cells: Cells) -> tuple[Cells, Findings]:
    """Rows of samples; those of transactions only if there are no others."""
    if _MESSAGE not in cells.columns:
        return cells, ()
    is_sum = truths_of(pc.starts_with(as_text(cells.columns[_MESSAGE]), _SUM).fill_null(False))
    if not is_sum.any() or is_sum.all():
        return cells, ()
    message = (
        f"{int(is_sum.sum()):,} of {cells.count:,} rows of `{cells.source}` are left out: they "
        "are of transactions, whose requests have their own rows"
    )
    hint = "no change is needed; to count transactions, disable the samples of their requests"
    return chosen_rows(cells, ~is_sum), _warning(Code.SUMS_LEFT_OUT, cells.source, message, hint)


def _without_success(source: Source) -> Findings:
    message = f"`{source.name}` has no column `{_SUCCESS}`, so failed requests cannot be recognised"
    hint = "measure again with `jmeter.save.saveservice.successful=true`"
    return _warning(Code.FAILED_REQUESTS, source.name, message, hint)


def _warning(code: Code, name: str, message: str, hint: str) -> Findings:
    return (Finding(code, message, Place(name), hint, Severity.WARNING),)


FORMATS = (Format("JMeter CSV", lambda head: _HEADER.match(head) is not None, read, loop=loop_of),)

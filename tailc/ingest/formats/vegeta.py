"""Read the output of `vegeta encode`: JSON lines, or CSV without a header; times in ns.

vegeta attacks at a rate, with as many workers as that needs. With `-rate=0 -max-workers=N` it sends
when answers arrive; the file does not state this, but its times show it. Requests are numbered in
the order of sending, so a step of the clock can be detected.
"""

from __future__ import annotations

import re

import numpy as np

from tailc.errors import Code
from tailc.ingest.clock_steps import ClockSteps, clock_steps, step_warnings
from tailc.ingest.format import Format
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import loop_in
from tailc.ingest.options import InputOptions
from tailc.ingest.rows import is_success, of_successes
from tailc.ingest.texts import first_object
from tailc.traces.cells import Cells, chosen_rows, numbers
from tailc.traces.counted_times import Grain
from tailc.traces.csv_table import CsvTable
from tailc.traces.ndjson_table import NdjsonTable
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.table import ColumnsToRead, Table
from tailc.traces.trace import cells_of

_COLUMNS = (
    *("timestamp", "code", "latency", "bytes_out", "bytes_in", "error", "body"),
    *("attack", "seq", "method", "url", "headers"),
)
_ROW = re.compile(rb"[0-9]{16,19},[0-9]{1,3},[0-9]+,[0-9]+,[0-9]+,")
_KEYS = {"attack", "code", "timestamp", "latency"}
_START, _NUMBER = "timestamp", "seq"
# The results as vegeta keeps them: Go's own encoding.
_GOB_NAMES = (b"Timestamp", b"Latency", b"BytesOut")


def read_json(source: Source, options: InputOptions) -> InputTimes:
    """Read the latencies of successful requests from JSON lines of vegeta."""
    return _times("vegeta JSON", _cells_of_json(source), options)


def read_csv(source: Source, options: InputOptions) -> InputTimes:
    """Read the latencies of successful requests from CSV of vegeta."""
    return _times("vegeta CSV", _cells_of_csv(source), options)


def _cells_of_json(source: Source) -> Cells:
    return _cells_of(NdjsonTable(source))


def _cells_of_csv(source: Source) -> Cells:
    return _cells_of(CsvTable(source, _COLUMNS))


def _cells_of(table: Table) -> Cells:
    numbered = (_NUMBER,) if _NUMBER in table.names else ()
    return cells_of(table, ColumnsToRead(("latency", "code"), (_START, *numbered), ()))


def _times(name: str, cells: Cells, options: InputOptions) -> InputTimes:
    code = numbers(cells, "code")
    cells.stop_if_refused()
    # Code 0 is of a request without an answer.
    succeeded = is_success(np.asarray(code))
    histogram, added, failed = of_successes(
        cells, "latency", TimeUnit.NS, succeeded, options.interval_ns
    )
    return InputTimes(
        name,
        "latency",
        TimeUnit.NS,
        Grain.REQUESTS,
        _loop_in(cells),
        histogram,
        left_out=failed,
        estimated=added,
        warnings=step_warnings(_steps(cells), cells.source, _START),
    )


def _loop_in(cells: Cells) -> Loop:
    """The loop, from the longest part of the run in which the clock did not step."""
    steps = _steps(cells)
    steady = cells if steps is None else chosen_rows(cells, steps.is_steady)
    return loop_in(steady, _START, "latency", TimeUnit.NS, Loop.OPEN)


def _steps(cells: Cells) -> ClockSteps | None:
    return clock_steps(cells, _START, _NUMBER, TimeUnit.NS)


def _is_json(head: bytes) -> bool:
    first = first_object(head)
    return first.keys() >= _KEYS and isinstance(first["latency"], int)


def _is_binary(head: bytes) -> bool:
    return all(name in head[:400] for name in _GOB_NAMES) and b"\x00" in head[:400]


def _refuse(source: Source, _options: InputOptions) -> InputTimes:
    message = f"`{source.name}` is a binary result of vegeta"
    hint = f"write it as text: `vegeta encode --to json {source.name}`"
    raise source.fault(Code.UNKNOWN_INPUT, message, advice=hint)


FORMATS = (
    Format(
        "vegeta JSON", _is_json, read_json, loop=lambda source: _loop_in(_cells_of_json(source))
    ),
    Format(
        "vegeta CSV",
        lambda head: _ROW.match(head) is not None,
        read_csv,
        loop=lambda source: _loop_in(_cells_of_csv(source)),
    ),
    Format("vegeta results", _is_binary, _refuse),
)

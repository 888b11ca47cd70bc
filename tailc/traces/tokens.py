"""Read requests to a language model: one row per request, with arrival, prompt and output."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.percentiles import PPM
from tailc.traces.cells import MEND, Cells, not_negative, numbers, texts, whole
from tailc.traces.reading import SplitBy, TokensReading
from tailc.traces.source import Format, Source, open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells

Int64s = NDArray[np.int64]

US_PER_MS = 1_000
NS_PER_US = 1_000
US_PER_S = 1_000_000
MILLI = 1_000
FEWEST_REQUESTS = 20
# More tokens are no prompt or output of one request.
MOST_TOKENS = 2**24
MOST_PRIORITY = 2**31
# Times beyond a century are not what was meant, and their microseconds stay exact in float64.
LARGEST_US = 2.0**52


@dataclass(frozen=True, eq=False)
class TokenTrace:
    """Requests to a language model in order of arrival; int64 (requests,) each.

    arrival_us: since the first arrival. cached: tokens of the prompt in the cache of prefixes, at
    most one less than the prompt. row: number of its row in the file, from 1. request_class:
    names; priority: requests with a lower number wait at the front; None: all are equal.
    """

    arrival_us: Int64s
    prompt: Int64s
    output: Int64s
    cached: Int64s
    row: Int64s
    source: str
    reading: TokensReading
    warnings: tuple[Finding, ...] = ()
    request_class: NDArray[np.str_] | None = None
    priority: Int64s | None = None

    @property
    def requests(self) -> int:
        """Number of requests in the trace."""
        return len(self.arrival_us)

    @property
    def rate_mrps(self) -> int:
        """Mean arrival rate of the recording [thousandths per second], at least 1."""
        gaps, span_us = self.requests - 1, max(int(self.arrival_us[-1]), 1)
        return max(round(gaps * US_PER_S * MILLI / span_us), 1)

    def arrival_ns(self, rate_mrps: int) -> Int64s:
        """The arrival times [ns], stretched to the mean rate `rate_mrps`."""
        ratio = self.rate_mrps / rate_mrps
        return np.rint(self.arrival_us * (NS_PER_US * ratio)).astype(np.int64)

    def part(self, chosen: slice) -> TokenTrace:
        """Select successive requests; their arrival times count from the first of them."""
        arrival_us = self.arrival_us[chosen]
        return TokenTrace(
            arrival_us - arrival_us[0],
            self.prompt[chosen],
            self.output[chosen],
            self.cached[chosen],
            self.row[chosen],
            self.source,
            self.reading,
            request_class=None if self.request_class is None else self.request_class[chosen],
            priority=None if self.priority is None else self.priority[chosen],
        )

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256 of the requests in order of arrival."""
        found = hashlib.sha256(b"tailc tokens 1\n")
        for column in (self.arrival_us, self.prompt, self.output, self.cached):
            found.update(column.astype("<i8").tobytes())
        if self.request_class is not None:
            found.update("\n".join(("class", *self.request_class.tolist(), "")).encode())
        if self.priority is not None:
            found.update(b"priority\n" + self.priority.astype("<i8").tobytes())
        return found.hexdigest()


def read_tokens(
    source: str,
    reading: TokensReading,
    format: Format = "auto",  # noqa: A002
) -> TokenTrace:
    """Read a Parquet, CSV or NDJSON file (the last two also compressed), or `-` for standard input.

    Raises TailcError with all findings, placed by row: cells that are not numbers, prompts and
    outputs without a token, cached tokens above the prompt, and too few requests.
    """
    with open_source(source) as opened:
        return _tokens_in(opened, reading, format)


def split_tokens(trace: TokenTrace) -> tuple[TokenTrace, TokenTrace]:
    """Split requests to a language model: the latest requests are held out, the others are design.

    Raises TailcError (BAD_SPLIT) if a part has too few requests.
    """
    rule = trace.reading.rows.split
    assert rule is not None
    assert rule.by is SplitBy.TIME
    latest = -(-rule.fraction_ppm * trace.requests // PPM)
    first = trace.requests - latest
    if min(first, latest) < FEWEST_REQUESTS:
        message = f"leaves a part with fewer than {FEWEST_REQUESTS} of {trace.requests} requests"
        place = Place(trace.source)
        hint = "hold out a fraction nearer to 50 %, or record for longer"
        raise TailcError(Finding(Code.BAD_SPLIT, f"`held_out` {message}", place, hint))
    return trace.part(slice(0, first)), trace.part(slice(first, None))


def _tokens_in(source: Source, reading: TokensReading, format: Format) -> TokenTrace:  # noqa: A002
    columns = reading.columns
    filters = tuple(dict.fromkeys(name for name, _value in reading.rows.where))
    wanted = ColumnsToRead(columns.numbers, columns.texts, filters)
    cells = kept_cells(source, wanted, reading.rows.where, format)
    time_us = _times_us(cells, columns.time, reading.measured.unit.in_ms * US_PER_MS)
    prompt = whole(cells, columns.prompt, MOST_TOKENS)
    output = whole(cells, columns.output, MOST_TOKENS)
    cached = np.zeros(cells.count, np.int64)
    if columns.cached is not None:
        known = not_negative(cells, columns.cached, MOST_TOKENS)
        cells.refuse(known > prompt, columns.cached, Code.OUT_OF_RANGE, "exceeds the prompt", MEND)
        # The last token of a prompt is computed in any case.
        cached = np.minimum(np.nan_to_num(known).astype(np.int64), prompt - 1)
    request_class = None if columns.request_class is None else texts(cells, columns.request_class)
    priority = None if columns.priority is None else _priorities(cells, columns.priority)
    cells.stop_if_refused()
    rows = np.arange(1, cells.count + 1) if cells.row is None else cells.row
    _check_number(cells, time_us)
    order = np.argsort(time_us, kind="stable")
    return TokenTrace(
        time_us[order] - time_us.min(),
        prompt[order],
        output[order],
        cached[order],
        rows[order],
        cells.source,
        reading,
        request_class=None
        if request_class is None
        else np.array(request_class.to_pylist(), np.str_)[order],
        priority=None if priority is None else priority[order],
    )


def _priorities(cells: Cells, name: str) -> Int64s:
    values = numbers(cells, name)
    odd = (values != np.floor(values)) & np.isfinite(values)
    cells.refuse(odd, name, Code.OUT_OF_RANGE, "is not a whole number", MEND)
    beyond = f"is not from -{MOST_PRIORITY:,} to {MOST_PRIORITY:,}"
    cells.refuse(np.abs(values) > MOST_PRIORITY, name, Code.OUT_OF_RANGE, beyond, MEND)
    return np.where(np.abs(values) <= MOST_PRIORITY, values, 0).astype(np.int64)


def _times_us(cells: Cells, name: str, in_us: float) -> Int64s:
    times = numbers(cells, name) * in_us
    beyond = "is more than 100 years from the start of the trace"
    hint = "write times since the start of the trace, or correct their unit"
    cells.refuse(np.abs(times) > LARGEST_US, name, Code.OUT_OF_RANGE, beyond, hint)
    return np.rint(np.where(np.abs(times) <= LARGEST_US, times, 0)).astype(np.int64)


def _check_number(cells: Cells, time_us: Int64s) -> None:
    """Refuse a trace from which no rate or percentile follows."""
    if len(time_us) < FEWEST_REQUESTS:
        message = f"the trace has {len(time_us)} requests, but needs at least {FEWEST_REQUESTS}"
        hint = "record for longer"
        raise TailcError(Finding(Code.EMPTY_TRACE, message, Place(cells.source), hint))
    if time_us.max() == time_us.min():
        message = "all requests arrive at the same time, so the trace has no arrival rate"
        hint = "give the column of arrival times"
        raise TailcError(Finding(Code.EMPTY_TRACE, message, Place(cells.source), hint))

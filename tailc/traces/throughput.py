"""Read measured throughput of machines and their shares of the host: one row per machine and time.

In a row, `throughput` is the work per second of the machine, as a mean over a window that ends at
`time`, and `share` is its share of the host since its previous row. A column may have the number of
requests that wait for the machine at `time`. The rows of a machine are at even intervals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError, did_you_mean
from tailc.traces.cells import MEND, Cells, numbers, texts
from tailc.traces.reading import SplitBy, ThroughputColumns, ThroughputReading, TimeUnit
from tailc.traces.source import Format, Source, open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells
from tailc.units import plural, shorten

PPM = 1_000_000
US_PER_MS = 1_000
# A gap between rows that differs by more from the machine's median gap is no jitter.
MOST_JITTER = 0.5
FEWEST_ROWS = 3
# Times beyond a century are not what was meant, and their microseconds stay exact in float64.
LARGEST_US = 2.0**52
LARGEST_THROUGHPUT = 1e12
# Of a step: rows whose times jitter are still rows of that step.
MOST_DRIFT = 0.05


@dataclass(frozen=True, eq=False)
class Series:
    """Measured throughput of one machine in order of time.

    time_us: int64 (rows,), ascending. throughput: float64 (rows,), work per second, >= 0. share:
    float64 (rows,), of the host, 0 to 1. row: int64 (rows,), row number in the file, from 1.
    has_work: bool (rows,), whether requests waited; True if not recorded.
    """

    name: str
    time_us: NDArray[np.int64]
    throughput: NDArray[np.float64]
    share: NDArray[np.float64]
    row: NDArray[np.int64]
    has_work: NDArray[np.bool_]

    @property
    def interval_us(self) -> int:
        """Median time between two rows of the machine [us]."""
        return int(np.median(np.diff(self.time_us)))

    def part(self, chosen: NDArray[np.bool_] | slice) -> Series:
        """Select some of the rows of a machine's throughput."""
        return Series(
            self.name,
            self.time_us[chosen],
            self.throughput[chosen],
            self.share[chosen],
            self.row[chosen],
            self.has_work[chosen],
        )


@dataclass(frozen=True, eq=False)
class ThroughputTrace:
    """The measured throughput of all machines, in order of name.

    source: the file's name in messages.
    """

    series: tuple[Series, ...]
    source: str
    reading: ThroughputReading
    warnings: tuple[Finding, ...] = ()

    @property
    def rows(self) -> int:
        """Number of rows of all machines in the trace."""
        return sum(len(each.time_us) for each in self.series)

    def series_of(self, machine: str) -> Series | None:
        """The measured throughput of a machine; None if the trace does not have it."""
        return next((each for each in self.series if each.name == machine), None)

    def place(self, machine: str, field: str | None) -> Place:
        """The place of a machine's first row, for messages."""
        series = self.series_of(machine)
        row = None if series is None else int(series.row[0])
        return Place(self.source, row=row, field=field)

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256 of the rows, with times in whole microseconds and float64 values."""
        found = hashlib.sha256()
        for each in self.series:
            found.update(f"{each.name}\0{len(each.time_us)}\0".encode())
            found.update(each.time_us.astype("<i8").tobytes())
            found.update(each.throughput.astype("<f8").tobytes())
            found.update(each.share.astype("<f8").tobytes())
            if self.reading.columns.waiting is not None:
                found.update(each.has_work.tobytes())
        return found.hexdigest()


def read_throughput(
    source: str,
    reading: ThroughputReading,
    format: Format = "auto",  # noqa: A002
) -> ThroughputTrace:
    """Read throughput from a Parquet, CSV or NDJSON file, or from `-` for standard input.

    CSV and NDJSON may be compressed. Raises TailcError with all findings, placed by row: cells that
    are not numbers, throughput below 0, shares outside 0 to 1, times out of order or with gaps, and
    machines with too few rows.
    """
    with open_source(source) as opened:
        return throughput_in(opened, reading, format)


def throughput_in(
    source: Source,
    reading: ThroughputReading,
    format: Format = "auto",  # noqa: A002
) -> ThroughputTrace:
    """Read the trace of an open source; see `read_throughput`."""
    columns = reading.columns
    cells = kept_cells(source, _columns_to_read(reading), reading.rows.where, format)
    time_us = _times_us(cells, columns.time, reading.measured.unit)
    throughput = _throughput(cells, columns.throughput)
    share = _shares(cells, columns.share)
    has_work = _has_work(cells, columns.waiting)
    names = np.array(texts(cells, columns.machine).to_pylist(), dtype=object)
    cells.refuse(names == "", columns.machine, Code.NOT_A_NUMBER, "is empty", MEND)
    cells.stop_if_refused()
    rows = np.arange(1, cells.count + 1) if cells.row is None else cells.row
    series = []
    for name in sorted(set(names.tolist())):
        mine = names == name
        measured = throughput[mine], share[mine], rows[mine], has_work[mine]
        series.append(Series(name, time_us[mine], *measured))
    _check_times(series, cells, columns)
    cells.stop_if_refused()
    return ThroughputTrace(tuple(series), cells.source, reading)


def split_throughput(trace: ThroughputTrace) -> tuple[ThroughputTrace, ThroughputTrace]:
    """Split measured throughput into a design part and a held-out part.

    The held-out part has the last rows of each machine. Raises TailcError (BAD_SPLIT) if a part of
    a machine has too few rows.
    """
    rule = trace.reading.rows.split
    assert rule is not None
    assert rule.by is SplitBy.TIME
    design, held_out = [], []
    for each in trace.series:
        latest = -(-rule.fraction_ppm * len(each.time_us) // PPM)
        first = len(each.time_us) - latest
        if min(first, latest) < FEWEST_ROWS:
            raise _short_part(trace, each, rule.fraction_ppm)
        design.append(each.part(slice(None, first)))
        held_out.append(each.part(slice(first, None)))
    return (
        ThroughputTrace(tuple(design), trace.source, trace.reading),
        ThroughputTrace(tuple(held_out), trace.source, trace.reading),
    )


def _columns_to_read(reading: ThroughputReading) -> ColumnsToRead:
    columns = reading.columns
    filters = tuple(dict.fromkeys(name for name, _value in reading.rows.where))
    return ColumnsToRead(columns.numbers, (columns.machine,), filters)


def _times_us(cells: Cells, name: str, unit: TimeUnit) -> NDArray[np.int64]:
    times = numbers(cells, name) * (unit.in_ms * US_PER_MS)
    cells.refuse(times < 0, name, Code.OUT_OF_RANGE, "is before the start of the trace", MEND)
    beyond = "is more than 100 years after the start of the trace"
    hint = "write times since the start of the trace, or correct their unit"
    cells.refuse(times > LARGEST_US, name, Code.OUT_OF_RANGE, beyond, hint)
    usable = np.where((times >= 0) & (times <= LARGEST_US), times, 0)
    return np.rint(usable).astype(np.int64)


def _throughput(cells: Cells, name: str) -> NDArray[np.float64]:
    throughput = numbers(cells, name)
    cells.refuse(throughput < 0, name, Code.OUT_OF_RANGE, "is a negative throughput", MEND)
    beyond = f"is above the largest accepted throughput, {LARGEST_THROUGHPUT:g}"
    cells.refuse(throughput > LARGEST_THROUGHPUT, name, Code.OUT_OF_RANGE, beyond, MEND)
    return throughput


def _shares(cells: Cells, name: str) -> NDArray[np.float64]:
    share = numbers(cells, name)
    cells.refuse(share < 0, name, Code.OUT_OF_RANGE, "is a negative share", MEND)
    hint = "a share is a fraction of the host, 0 to 1: divide percentages by 100"
    cells.refuse(share > 1, name, Code.OUT_OF_RANGE, "is more than the whole host", hint)
    return share


def _has_work(cells: Cells, name: str | None) -> NDArray[np.bool_]:
    if name is None:
        return np.ones(cells.count, np.bool_)
    waiting = numbers(cells, name)
    cells.refuse(waiting < 0, name, Code.OUT_OF_RANGE, "is a negative number of requests", MEND)
    return waiting > 0


def _check_times(series: list[Series], cells: Cells, columns: ThroughputColumns) -> None:
    """Record machines with too few rows, times that do not ascend, and gaps."""
    for each in series:
        if len(each.time_us) < FEWEST_ROWS:
            rows = plural(len(each.time_us), "row")
            message = f"machine `{shorten(each.name)}` has {rows}, but needs at least {FEWEST_ROWS}"
            place = Place(cells.source, row=int(each.row[-1]), field=columns.machine)
            hint = "measure for longer, or remove the machine"
            cells.findings.append(Finding(Code.EMPTY_TRACE, message, place, hint))
            continue
        gaps_us = np.diff(each.time_us)
        if (gaps_us <= 0).any():
            at = int(np.flatnonzero(gaps_us <= 0)[0]) + 1
            message = (
                f"the time of machine `{shorten(each.name)}` is not after that of its previous row"
            )
            cells.findings.append(_at_time(Code.OUT_OF_ORDER, message, each, at, cells, columns))
            continue
        usual_us = each.interval_us
        odd = np.abs(gaps_us - usual_us) > MOST_JITTER * usual_us
        if odd.any():
            at = int(np.flatnonzero(odd)[0]) + 1
            message = (
                f"machine `{shorten(each.name)}` is measured {gaps_us[at - 1] / US_PER_MS:g} ms "
                f"after its previous row, but elsewhere every {usual_us / US_PER_MS:g} ms"
            )
            cells.findings.append(_at_time(Code.ARRIVAL_GAP, message, each, at, cells, columns))


def _at_time(
    code: Code, message: str, series: Series, at: int, cells: Cells, columns: ThroughputColumns
) -> Finding:
    hint = {
        Code.OUT_OF_ORDER: "sort the rows by time; a machine has one row at each time",
        Code.ARRIVAL_GAP: "add the missing rows, or give only the longer part",
    }[code]
    place = Place(cells.source, row=int(series.row[at]), field=columns.time)
    return Finding(code, message, place, hint)


def _short_part(trace: ThroughputTrace, series: Series, fraction_ppm: int) -> TailcError:
    percent = fraction_ppm * 100 / PPM
    message = (
        f"if `{percent:g} %` of the {len(series.time_us)} rows of `{shorten(series.name)}` are "
        f"held out, a part has fewer than {FEWEST_ROWS} rows"
    )
    help_ = "hold out a fraction nearer to 50 %, or measure for longer"
    place = Place(trace.source, field=trace.reading.columns.machine)
    return TailcError(Finding(Code.BAD_SPLIT, message, place, help_))


@dataclass(frozen=True, eq=False)
class Pairs:
    """Steps of a machine's throughput, to fit a one-step model to; float64 (steps,) each.

    before: throughput one step earlier. share: mean share since then. now: throughput now.
    has_work: bool (steps,), whether requests waited at every row of the step. The last step ends
    with the last row of the series.
    """

    before: NDArray[np.float64]
    share: NDArray[np.float64]
    now: NDArray[np.float64]
    has_work: NDArray[np.bool_]

    def part(self, chosen: NDArray[np.bool_] | slice) -> Pairs:
        """Select some of the steps of a machine's throughput."""
        return Pairs(
            self.before[chosen], self.share[chosen], self.now[chosen], self.has_work[chosen]
        )

    @property
    def with_work(self) -> Pairs:
        """Select the steps in which requests waited.

        Only in these the throughput depends on the share.
        """
        return self.part(self.has_work)


def pairs(series: Series, step_us: int) -> Pairs | None:
    """Pair each row with the row one step earlier, for the fit of a model.

    None if the distance of rows does not divide a step. With several rows per step, the share is
    the mean over the step.
    """
    lag = round(step_us / series.interval_us)
    if lag < 1 or abs(lag * series.interval_us - step_us) > MOST_DRIFT * step_us:
        return None
    mean = _sums(series.share, lag) / lag
    has_work = _sums(~series.has_work, lag) == 0
    return Pairs(series.throughput[:-lag], mean, series.throughput[lag:], has_work)


def _sums(values: NDArray, lag: int) -> NDArray[np.float64]:
    """The sum of each value but the first `lag`, and of as many before it less one."""
    summed = np.concatenate([[0.0], np.cumsum(values)])
    return summed[lag + 1 :] - summed[1:-lag]


def unknown_machines(trace: ThroughputTrace, known: Collection[str]) -> tuple[Finding, ...]:
    """Report each machine of the trace that is not in `known`, at its first row."""
    return tuple(
        Finding(
            Code.UNKNOWN_MACHINE,
            f"`{shorten(each.name)}` is not a machine of the policy",
            trace.place(each.name, trace.reading.columns.machine),
            did_you_mean(each.name, sorted(known)),
        )
        for each in trace.series
        if each.name not in known
    )

"""Log the demands of requests as a trace that tailc reads."""

from __future__ import annotations

import csv
import io
import itertools
import os
import threading
from typing import NamedTuple, Self

from tailc_runtime.opening import Path

_BUFFER_BYTES = 64 * 1024
_DEMANDS, _CLASS = "demand_us,weight", ",class"


class RequestTimes(NamedTuple):
    """When a request arrived and how it ran, in microseconds of the scheduler's clock.

    thread_us: time for which its threads worked, in all. granted_us: threads of its rungs times
    time. late_us: by how much its ticks were late, in all.
    """

    arrival_us: int
    wait_us: int
    run_us: int
    thread_us: int
    granted_us: int
    late_us: int


class DemandLog:
    """A CSV file with one of every N demands, and the number of requests that each represents.

    Several threads can record at once; most requests are only counted. An existing file is
    continued if it has the same columns; otherwise raises ValueError. A log with times also has
    the RequestTimes of each request, and its class, which may be empty.
    """

    def __init__(
        self, path: Path, one_in: int, has_classes: bool = False, has_times: bool = False
    ) -> None:
        if one_in < 1:
            raise ValueError("one demand in N is written, so N must be at least 1")
        self._one_in, self.has_times = one_in, has_times
        self.has_classes = has_classes or has_times
        self._requests = itertools.count(1)
        self._lock = threading.Lock()
        self._rows = bytearray()
        self._file = open(path, "a+b", buffering=0)  # noqa: PTH123, SIM115, closed by `close`
        try:
            header = _DEMANDS + _CLASS if self.has_classes else _DEMANDS
            self._begin(",".join([header, *RequestTimes._fields * has_times]).encode() + b"\n")
        except BaseException:
            self._file.close()
            raise

    def record(
        self,
        demand_us: int,
        request_class: str | None = None,
        times: RequestTimes | None = None,
    ) -> None:
        """Record a request that ended, with its execution time, and its class and times if the log
        has them.

        A demand below a microsecond counts as one, because a trace has no demand of 0.
        """
        if demand_us < 0 or (request_class is not None) != self.has_classes:
            raise ValueError(
                "a demand must not be negative, and must have a class if the log has classes"
            )
        if (times is not None) != self.has_times:
            raise ValueError("a request must have times if the log has times")
        if next(self._requests) % self._one_in:
            return
        row = f"{max(demand_us, 1)},{self._one_in}"
        if request_class is not None:
            row += "," + _quoted(request_class)
        row = ",".join([row, *map(str, times or ())])
        with self._lock:
            # Only where the file could not be written it is full; then this one is left out.
            if len(self._rows) >= _BUFFER_BYTES:
                self._write()
            self._rows += row.encode() + b"\n"
            if len(self._rows) >= _BUFFER_BYTES:
                self._write()

    def flush(self) -> None:
        """Write the recorded demands; those that cannot be written remain in memory."""
        with self._lock:
            self._write()

    def close(self) -> None:
        """Write the recorded demands, and close the file."""
        try:
            self.flush()
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, header: bytes) -> None:
        """Write the header of an empty file; check the header and last line of an existing one."""
        self._file.seek(0)
        found = self._file.read(len(header))
        if not found:
            self._rows += header
            self._write()
            return
        self._file.seek(-1, os.SEEK_END)
        if found != header or self._file.read(1) != b"\n":
            raise ValueError(
                f"{self._file.name}: the file exists, but has other columns or an incomplete line"
            )

    def _write(self) -> None:
        while self._rows:
            del self._rows[: self._file.write(self._rows)]


def _quoted(field: str) -> str:
    """A cell of CSV, quoted as in RFC 4180."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([field])
    return text.getvalue()

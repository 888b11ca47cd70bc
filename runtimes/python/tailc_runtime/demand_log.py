"""Log the demands of requests as a trace that tailc reads."""

from __future__ import annotations

import csv
import io
import itertools
import os
import threading
from typing import Self

from tailc_runtime.opening import Path

_BUFFER_BYTES = 64 * 1024


class DemandLog:
    """A CSV file with one of every N demands, and the number of requests that each represents.

    Several threads can record at once; most requests are only counted. An existing file is
    continued if it has the same columns; otherwise raises ValueError.
    """

    def __init__(self, path: Path, one_in: int, has_classes: bool = False) -> None:
        if one_in < 1:
            raise ValueError("one demand in N is written, so N must be at least 1")
        self._one_in, self.has_classes = one_in, has_classes
        self._requests = itertools.count(1)
        self._lock = threading.Lock()
        self._rows = bytearray()
        self._file = open(path, "a+b", buffering=0)  # noqa: PTH123, SIM115, closed by `close`
        try:
            self._begin(b"demand_us,weight,class\n" if has_classes else b"demand_us,weight\n")
        except BaseException:
            self._file.close()
            raise

    def record(self, demand_us: int, request_class: str | None = None) -> None:
        """Record a request that ended, with its execution time, and its class if the log has
        classes.

        A time below a microsecond counts as one, because a trace has no demand of 0.
        """
        if demand_us < 0 or (request_class is not None) != self.has_classes:
            raise ValueError(
                "a demand must not be negative, and must have a class if the log has classes"
            )
        if next(self._requests) % self._one_in:
            return
        row = f"{max(demand_us, 1)},{self._one_in}"
        if request_class is not None:
            row += "," + _quoted(request_class)
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

"""The serial beginning and end of each request, in whole nanoseconds.

The speed-up s of a request on d threads is that of the whole request. If it has the demand w and
its serial parts take z, its middle part takes w / s - z on d threads, and so has the speed-up (w -
z) / (w / s - z). This is at most d if z <= (d w / s - w) / (d - 1), which is Amdahl's law. If the
stated serial parts of a request are longer, both are shortened in proportion, to the longest that
its own speed-ups allow, and at most to the whole request.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.percentiles import PPM
from tailc.traces.serial import Serial

_NS_PER_US = 1_000


class SerialParts(NamedTuple):
    """Work at the beginning and at the end of each request that runs on a single thread.

    Both arrays are empty if requests have no such serial parts.
    """

    start_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]


NO_PARTS = SerialParts(np.empty(0, np.int64), np.empty(0, np.int64))


def serial_parts(
    serial: Serial,
    work_ns: NDArray[np.int64],
    speed: NDArray[np.float64],
    threads_ppm: NDArray[np.int64],
) -> SerialParts:
    """Compute the serial parts of each request; `speed` is by request and rung."""
    start_ns = serial.start_us * _NS_PER_US + work_ns * (serial.start_ppm / PPM)
    end_ns = serial.end_us * _NS_PER_US + work_ns * (serial.end_ppm / PPM)
    longest_ns = _longest_ns(work_ns, speed, threads_ppm)
    part = np.minimum(longest_ns / (start_ns + end_ns), 1.0)
    return SerialParts((part * start_ns).astype(np.int64), (part * end_ns).astype(np.int64))


def _longest_ns(
    work_ns: NDArray[np.int64], speed: NDArray[np.float64], threads_ppm: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The longest serial parts with which no middle part is faster than its threads."""
    longest_ns = work_ns.astype(np.float64)
    for rung, threads in enumerate(threads_ppm / PPM):
        alone_ns = work_ns / speed[:, rung]
        if threads > 1:
            alone_ns = (threads * alone_ns - work_ns) / (threads - 1)
        longest_ns = np.minimum(longest_ns, alone_ns)
    return np.maximum(longest_ns, 0)

"""Progress of requests per nanosecond at each level of a clock, in integers.

A request with K ns of compute at the reference clock f0 and M ns of memory time takes K f0 / f + M
at the clock f, and both parts progress in proportion (Bartolini, 2015, section 3.4.1). Progress is
counted in parts of 2^-62 of the request, so a change of the clock rounds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError

WHOLE_BITS = 62
WHOLE = 1 << WHOLE_BITS
# Nine minutes: keeps K f0 + M f below 2^62.
MOST_WORK_NS = 1 << 39
# A request up to this length is timed to 2^-17 of its time, and mostly to a nanosecond. A full
# system of them ends within 64 bits of nanoseconds.
LONGEST_BITS = 45
# A millionth of a cycle is kHz times ns.
_PARTS_PER_CYCLE = 1_000_000


class LevelProgress(NamedTuple):
    """Speed of each record at each frequency level, as integers for exact replays.

    rate: int64 (records, levels), parts of 2^-62 done in a nanosecond, rounded up, so that a
    request ends at the whole nanosecond at which it is done. cycles: int64 (records,), compute
    cycles, rounded down. memory_ns: int64 (records,), memory time.
    """

    rate: NDArray[np.int64]
    cycles: NDArray[np.int64]
    memory_ns: NDArray[np.int64]


def level_progress(
    work_ns: NDArray[np.int64],
    memory_ns: NDArray[np.int64] | None,
    frequencies_khz: Sequence[int],
    reference_khz: int,
) -> LevelProgress:
    """Compute the progress per nanosecond of each record at each frequency level.

    work_ns: work of each record at the reference clock. memory_ns: the part of it that is memory
    time; None: no part. Raises TailcError for a request of more than nine minutes of work, or of
    more than nine hours at the lowest frequency.
    """
    if int(work_ns.max()) > MOST_WORK_NS:
        raise _too_long(f"a request works longer than {MOST_WORK_NS // 10**9:,} s")
    if memory_ns is None:
        memory_ns = np.zeros_like(work_ns)
    assert bool(((memory_ns >= 0) & (memory_ns <= work_ns)).all())
    parts = (work_ns - memory_ns) * reference_khz
    rate = np.empty((len(work_ns), len(frequencies_khz)), np.int64)
    _rates(parts, memory_ns, np.array(frequencies_khz, np.int64), rate)
    if int(rate.min()) < 1 << (WHOLE_BITS - LONGEST_BITS):
        hours = (1 << LONGEST_BITS) // (3_600 * 10**9)
        raise _too_long(f"a request runs longer than {hours} h at {frequencies_khz[0]} kHz")
    return LevelProgress(rate, parts // _PARTS_PER_CYCLE, memory_ns)


def stretch(requests: LevelProgress, factor: NDArray[np.float64]) -> LevelProgress:
    """Multiply the work of each record, cycles and memory time, by `factor`, float64 (records,).

    Rates are rounded up, and stay high enough that every request can be timed.
    """
    rate = np.ceil(requests.rate / factor[:, None])
    return LevelProgress(
        np.clip(rate, 1 << (WHOLE_BITS - LONGEST_BITS), WHOLE).astype(np.int64),
        np.rint(requests.cycles * factor).astype(np.int64),
        np.rint(requests.memory_ns * factor).astype(np.int64),
    )


def _too_long(message: str) -> TailcError:
    hint = "remove the request from the trace, or correct its unit or clock"
    return TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))


@njit(cache=True, nogil=True)
def _rates(parts, memory_ns, frequency_khz, rate):  # pragma: no cover - compiled
    """Fill in 2^62 f / (K f0 + M f), rounded up, by long division."""
    for record in range(len(parts)):
        for level in range(len(frequency_khz)):
            rest = frequency_khz[level]
            divisor = parts[record] + memory_ns[record] * rest
            # Work of less than a nanosecond takes one nanosecond.
            quotient = np.int64(WHOLE)
            if rest < divisor:
                quotient = np.int64(0)
                for _ in range(WHOLE_BITS):
                    rest <<= 1
                    quotient <<= 1
                    if rest >= divisor:
                        rest -= divisor
                        quotient += 1
                quotient += rest > 0
            rate[record, level] = quotient

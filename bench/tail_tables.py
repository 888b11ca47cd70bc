"""Tail tables next to FFTs and direct convolutions, in one run.

    python -m bench.tail_tables [--quick]

10,000 requests in 128 buckets, 16 positions, 8 rows, p95. The others have one case a row, nothing
known but the row's beginning. So has `one case a row`, and all must agree on every entry before
they are timed. `tail_tables` is what is used: it takes the largest entry of each row, and adds 48
Gaussian positions. `from the sample` puts the requests in buckets besides. Times are the least of
several, from a histogram.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.fft
from numba import njit
from numpy.typing import NDArray
from tailc_solvers.tails.histogram import WorkHistogram, histogram
from tailc_solvers.tails.kernels import Cases
from tailc_solvers.tails.tables import (
    CLOSE,
    convolve,
    even_quantiles,
    law_of,
    list_all_cases,
    tables_of,
)

from bench.timing import least_seconds, show

REQUESTS, SEED = 10_000, 1
BUCKETS, POSITIONS, ROWS, QUANTILE = 128, 16, 8, 0.95
CALLS = 10
"""In a turn: the processor's caches are then those of the way that is timed."""

SOURCE = Path(__file__).parent / "cpp" / "tail_tables.cpp"
FLAGS = ("-std=c++17", "-O3", "-march=native", "-shared", "-fPIC")

Entries = NDArray[np.int64]


def laws() -> dict[str, NDArray[np.float64]]:
    """Service times of the shapes that servers have."""
    draw = np.random.default_rng(SEED)
    return {
        "gamma, shape 1.625": draw.gamma(1.625, 144, REQUESTS),
        "exponential": draw.exponential(100, REQUESTS),
        "lognormal": draw.lognormal(0, 1, REQUESTS),
        "bimodal": np.where(
            draw.random(REQUESTS) < 0.9, draw.normal(10, 1, REQUESTS), draw.normal(50, 5, REQUESTS)
        ),
        "gamma, shape 4": draw.gamma(4, 100, REQUESTS),
        "uniform": draw.random(REQUESTS),
    }


def first_cases(counted: WorkHistogram) -> Cases:
    """Of every row the case at its beginning alone."""
    begins = even_quantiles(counted, ROWS)
    cases = list_all_cases(counted, law_of(counted), begins, 1 - QUANTILE + CLOSE)
    alone = np.arange(begins.size)
    among, elapsed, allowed = cases.among, cases.elapsed, cases.allowed
    at = cases.first
    return Cases(among[at], elapsed[at], allowed[at], alone, alone + 1)


def conditional(counted: WorkHistogram, cases: Cases) -> NDArray[np.float64]:
    """Of every case the law of the running request, not divided by its sum [rows, buckets]."""
    return counted.share * (np.arange(counted.share.size) > above(counted, cases)[:, None])


def above(counted: WorkHistogram, cases: Cases) -> NDArray[np.int64]:
    """The bucket above which each case ends, -1 for none [rows]."""
    below = np.append(np.flatnonzero(counted.share)[::-1], -1)
    return below[cases.among]


def ours(counted: WorkHistogram, cases: Cases) -> Callable[[], Entries]:
    law = law_of(counted)
    expected = tables_of(counted, quantile=QUANTILE).left[:, POSITIONS]
    left = np.empty((cases.first.size, POSITIONS))

    def entries() -> Entries:
        convolve(law, cases, expected, left)
        least = law.least * np.arange(1, POSITIONS + 1)
        return np.rint((left + cases.elapsed[:, None] - least) / law.width).astype(np.int64)

    return entries


def by_fft(counted: WorkHistogram, cases: Cases, fft) -> Callable[[], Entries]:
    size = fft.next_fast_len(POSITIONS * counted.share.size, real=True)
    running = conditional(counted, cases)

    def entries() -> Entries:
        one = fft.rfft(counted.share, size)
        powers = one[None] ** np.arange(POSITIONS)[:, None]
        laws = fft.irfft(fft.rfft(running, size)[:, None] * powers, size)
        beyond = laws.sum(axis=2, keepdims=True) - laws.cumsum(axis=2)
        return (beyond <= cases.allowed[:, None, None]).argmax(axis=2)

    return entries


class _NumpyFft:
    rfft, irfft = staticmethod(np.fft.rfft), staticmethod(np.fft.irfft)
    next_fast_len = staticmethod(scipy.fft.next_fast_len)


def by_convolve(counted: WorkHistogram, cases: Cases) -> Callable[[], Entries]:
    running = conditional(counted, cases)

    def entries() -> Entries:
        found = np.empty((running.shape[0], POSITIONS), dtype=np.int64)
        queued = np.ones(1)
        for i in range(POSITIONS):
            for row, law in enumerate(running):
                total = np.convolve(law, queued)
                beyond = total.sum() - total.cumsum()
                found[row, i] = (beyond <= cases.allowed[row]).argmax()
            queued = np.convolve(queued, counted.share)
        return found

    return entries


@njit(cache=True)
def _direct(p, above, allowed, positions):
    buckets = p.shape[0]
    size = (buckets - 1) * positions + 1
    tail, after = np.zeros(buckets + size), np.zeros(buckets + size)
    tail[:buckets] = 1.0
    after[:buckets] = 1.0
    found = np.empty((above.shape[0], positions), np.int64)
    for i in range(positions):
        for row in range(above.shape[0]):
            low, high = -1, (buckets - 1) * (i + 1)
            while high - low > 1:
                n = (low + high) // 2
                total = 0.0
                for k in range(above[row] + 1, buckets):
                    total += p[k] * tail[buckets + n - k]
                if total > allowed[row]:
                    low = n
                else:
                    high = n
            found[row, i] = high
        longest = min(size, (buckets - 1) * (i + 1) + 1)
        after[buckets : buckets + longest] = 0.0
        for k in range(buckets):
            for m in range(longest):
                after[buckets + m] += p[k] * tail[buckets - k + m]
        tail, after = after, tail
    return found


def by_cpp(counted: WorkHistogram, cases: Cases) -> Callable[[], Entries] | None:
    if shutil.which("g++") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "tail_tables.so"
        subprocess.run(["g++", *FLAGS, str(SOURCE), "-o", str(built)], check=True)
        call = ctypes.CDLL(str(built)).tail_tables
    found = np.empty((cases.among.size, POSITIONS), dtype=np.int64)
    p, ends, allowed = counted.share.copy(), above(counted, cases), cases.allowed.copy()
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (p, ends, allowed, found)]
    sizes = [ctypes.c_int64(n) for n in (p.size, ends.size, POSITIONS)]

    def entries() -> Entries:
        call(pointers[0], sizes[0], pointers[1], pointers[2], sizes[1], sizes[2], pointers[3])
        # Keeps the arrays alive as long as their pointers are used.
        return found if p.size and ends.size and allowed.size else found[:0]

    return entries


def rivals(counted: WorkHistogram) -> dict[str, Callable[[], Entries]]:
    cases = first_cases(counted)
    ends = above(counted, cases)
    found: dict[str, Callable[[], Entries] | None] = {
        "one case a row": ours(counted, cases),
        "C++, direct": by_cpp(counted, cases),
        "numba, direct": lambda: _direct(counted.share, ends, cases.allowed, POSITIONS),
        "np.convolve": by_convolve(counted, cases),
        "numpy FFT": by_fft(counted, cases, _NumpyFft),
        "scipy FFT": by_fft(counted, cases, scipy.fft),
    }
    return {name: way for name, way in found.items() if way is not None}


def measured(work: NDArray[np.float64], turns: int) -> dict[str, float]:
    """Least times in ms; exits if any way has an entry of its own."""
    counted = histogram(work, buckets=BUCKETS)
    ways = rivals(counted)
    wanted = ways["one case a row"]()
    for name, way in ways.items():
        if not np.array_equal(way(), wanted):
            raise SystemExit(f"{name} has other entries")
    used = {
        "tail_tables": lambda: tables_of(counted, quantile=QUANTILE),
        "from the sample": lambda: tables_of(histogram(work, buckets=BUCKETS), quantile=QUANTILE),
    }
    taken = least_seconds({name: _calls(way) for name, way in (used | ways).items()}, turns)
    return {name: 1e3 / CALLS * seconds for name, seconds in taken.items()}


def _calls(way: Callable[[], object]) -> Callable[[], None]:
    def calls() -> None:
        for _ in range(CALLS):
            way()

    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    turns = 10 if parser.parse_args().quick else 100
    found = {name: measured(work, turns) for name, work in laws().items()}
    names = list(next(iter(found.values())))
    show(
        ["work", *(f"{name}, ms" for name in names)],
        [[law, *(f"{ms:.3f}" for ms in taken.values())] for law, taken in found.items()],
    )


if __name__ == "__main__":
    main()

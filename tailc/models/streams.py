"""Seeded random streams that are the same in every library version.

Each stream is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a counter and a mixing function, so
a stream can begin at any seed without warm-up.
"""

from __future__ import annotations

import enum

import numpy as np
from numba import njit
from numpy.typing import NDArray

_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB

_STEP = np.uint64(_GOLDEN)
_FACTOR_1 = np.uint64(_MIX_1)
_FACTOR_2 = np.uint64(_MIX_2)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11))
_UNIT = 2.0**-53

# One request a millisecond.
MRPS_PER_MS = 1_000_000
NS_PER_S_IN_MRPS = 1_000_000_000_000  # nanoseconds between arrivals at one thousandth a second


class Purpose(enum.IntEnum):
    """Uses of random number streams; streams of different uses are independent."""

    ARRIVALS = 1
    ORDER = 2
    RESAMPLE = 3
    PLACEMENT = 4
    TAIL = 5


def stream(*parts: int) -> NDArray[np.uint64]:
    """Make a random number stream that differs for each tuple of integers.

    parts: seed, purpose, rate and replication. The result is the state of the stream.
    """
    word = 0
    for part in parts:
        word = _mix((word + _GOLDEN + (part & _WORD)) & _WORD)
    return np.array([word], dtype=np.uint64)


def _mix(word: int) -> int:
    word = ((word ^ (word >> 30)) * _MIX_1) & _WORD
    word = ((word ^ (word >> 27)) * _MIX_2) & _WORD
    return word ^ (word >> 31)


@njit(cache=True, nogil=True)
def uniform(state):  # pragma: no cover - compiled
    """Draw a random number in [0, 1), a multiple of 2^-53."""
    state[0] += _STEP
    word = state[0]
    word = (word ^ (word >> _SHIFTS[0])) * _FACTOR_1
    word = (word ^ (word >> _SHIFTS[1])) * _FACTOR_2
    word ^= word >> _SHIFTS[2]
    return float(word >> _SHIFTS[3]) * _UNIT


@njit(cache=True, nogil=True)
def uniforms(state, out):  # pragma: no cover - compiled
    """Fill `out` with random numbers in [0, 1)."""
    for i in range(len(out)):
        out[i] = uniform(state)


@njit(cache=True, nogil=True)
def poisson_arrivals(state, rate_mrps, out):  # pragma: no cover - compiled
    """Fill `out` with arrival times [ns] of an open-loop Poisson process, gaps rounded to 1 ns."""
    mean_gap_ns = NS_PER_S_IN_MRPS / rate_mrps
    now_ns = 0
    for i in range(len(out)):
        # 1 - u lies in (0, 1], so the logarithm is finite
        now_ns += np.int64(np.rint(-np.log(1.0 - uniform(state)) * mean_gap_ns))
        out[i] = now_ns


@njit(cache=True, nogil=True)
def stepwise_arrivals(state, end_ns, rate_mrps, out):  # pragma: no cover - compiled
    """Fill `out` with arrival times [ns] of a Poisson process whose rate changes at `end_ns`.

    Step i has `rate_mrps[i]`, 0 for none, and ends at `end_ns[i]`. Returns the number of arrivals:
    all before the last step's end, or as many as `out` holds. A gap that outlives its step
    continues at the next rate with its remainder, which is exact because gaps are memoryless.
    """
    step, now_ns = 0, 0.0
    for i in range(len(out)):
        left = -np.log(1.0 - uniform(state))  # remainder of the gap, in mean gaps
        while True:
            if step == len(end_ns):
                return i
            to_end = (end_ns[step] - now_ns) * (rate_mrps[step] / NS_PER_S_IN_MRPS)
            if left < to_end:
                break
            left -= to_end
            now_ns = float(end_ns[step])
            step += 1
        now_ns += left * (NS_PER_S_IN_MRPS / rate_mrps[step])
        out[i] = np.int64(np.rint(now_ns))
    return len(out)


@njit(cache=True, nogil=True)
def modulated_arrivals(state, rate_mrps, lasting_ns, out):  # pragma: no cover - compiled
    """Fill `out` with arrival times [ns] of a Poisson process that switches between two rates.

    It stays at `rate_mrps[i]`, 0 for none, for an exponential time of mean `lasting_ns[i]`; at time
    0 it is in its stationary state. A gap that outlives its spell continues at the other rate.
    """
    level = np.int64(uniform(state) * (lasting_ns[0] + lasting_ns[1]) >= lasting_ns[0])
    now_ns = 0.0
    end_ns = -np.log(1.0 - uniform(state)) * lasting_ns[level]
    for i in range(len(out)):
        left = -np.log(1.0 - uniform(state))  # remainder of the gap, in mean gaps
        while True:
            to_end = (end_ns - now_ns) * (rate_mrps[level] / NS_PER_S_IN_MRPS)
            if left < to_end:
                break
            left -= to_end
            now_ns = end_ns
            level = 1 - level
            end_ns = now_ns - np.log(1.0 - uniform(state)) * lasting_ns[level]
        now_ns += left * (NS_PER_S_IN_MRPS / rate_mrps[level])
        out[i] = np.int64(np.rint(now_ns))


@njit(cache=True, nogil=True)
def sloping_arrivals(state, levels_mrps, step_ns, out):  # pragma: no cover - compiled
    """Fill `out` with arrival times [ns] of a Poisson process with a piecewise linear rate.

    The rate is `levels_mrps[i]` at the time i * `step_ns`, with straight lines between, and the
    first level follows the last. At least one level is above 0. The end of a gap within a step is
    the root of a quadratic equation, so there is no thinning and each gap takes one random number.
    """
    step, into_ns = 0, 0.0  # time into the step
    for i in range(len(out)):
        left = -np.log(1.0 - uniform(state))  # remainder of the gap, in mean gaps
        while True:
            here = levels_mrps[step % len(levels_mrps)] / NS_PER_S_IN_MRPS
            there = levels_mrps[(step + 1) % len(levels_mrps)] / NS_PER_S_IN_MRPS
            slope = (there - here) / step_ns
            rate = here + slope * into_ns
            to_end = (step_ns - into_ns) * (rate + there) / 2
            if left < to_end:
                break
            left -= to_end
            step += 1
            into_ns = 0.0
        if left > 0.0:
            # rate d + slope d^2 / 2 = left, without a difference of what is nearly equal
            into_ns += 2.0 * left / (rate + np.sqrt(max(rate * rate + 2.0 * slope * left, 0.0)))
        out[i] = np.int64(np.rint(step * step_ns + into_ns))


@njit(cache=True, nogil=True)
def shuffled_passes(state, pool, out):  # pragma: no cover - compiled
    """Fill `out` from `pool`: each pass takes every element once, in a new random order.

    Reorders `pool`.
    """
    size = len(pool)
    for i in range(len(out)):
        here = i % size
        there = here + np.int64(uniform(state) * (size - here))
        pool[here], pool[there] = pool[there], pool[here]
        out[i] = pool[here]


@njit(cache=True, nogil=True)
def fill_below(state, hands, out):  # pragma: no cover - compiled
    """Fill `out` with random integers from 0 to `hands` - 1, all equally likely."""
    for i in range(len(out)):
        out[i] = np.int64(uniform(state) * hands)


@njit(cache=True, nogil=True)
def draw_sorted(state, last_request_of, spacing, out):  # pragma: no cover - compiled
    """Fill `out` with record numbers drawn at random with replacement, in ascending order.

    Each request is equally likely; `last_request_of` is the running sum of the records' weights.
    Sums of exponential variables over their total are uniform variables in order, so no sorting is
    needed; `spacing` is working memory with room for one number more than are drawn.
    """
    total = 0.0
    for i in range(len(spacing)):
        total += -np.log(1.0 - uniform(state))
        spacing[i] = total
    scale = last_request_of[-1] / total
    record = 0
    for i in range(len(out)):
        request = min(np.int64(spacing[i] * scale), last_request_of[-1] - 1)
        while last_request_of[record] <= request:
            record += 1
        out[i] = record


@njit(cache=True, nogil=True)
def count_drawn(state, last_request_of, draws, counts):  # pragma: no cover - compiled
    """Add to `counts` how often `draw_sorted` draws each record, without storing the draws."""
    again, total = state.copy(), 0.0
    for _ in range(draws + 1):
        total += -np.log(1.0 - uniform(state))
    scale = last_request_of[-1] / total
    reached, record = 0.0, 0
    for _ in range(draws):
        reached += -np.log(1.0 - uniform(again))
        request = min(np.int64(reached * scale), last_request_of[-1] - 1)
        while last_request_of[record] <= request:
            record += 1
        counts[record] += 1

"""Upper bound on how much the requests of a queue can be stretched while few of them are late.

    requests    i = 1 .. n, in order: service S_i, arriving g_i after the one before; the first
                waits w
    variables   e_i in [0, E_i], by how much longer i is served
    latency     y_1 = w + S_1 + e_1,  y_i = max(y_(i-1) - g_i, 0) + S_i + e_i
    maximise    sum e_i
    s.t.        at most m of the y_i are above L

over several such queues together. The choice here knows all future requests, so no online rule
stretches more.

**Method.** For every price p >= 0 of a late request, sum e <= p m + max over e of
sum (e_i - p [y_i > L]) (weak duality). That maximum is a recursion from the last request to the
first over how long a request waits; the maximum over e_i is that of a sliding window. The price is
looked for on the first queue; any is valid.

**Grid.** Times are counted in cells of h. Services, stretches and arrivals are rounded down in
their running sums, so that a sum over consecutive requests is off by less than one cell each.
Stretches e of the problem become whole ones: ê_i = min(Ê_i, floor(r_(i-1) + e_i / h)), and what is
left over, r_i, stays below 2: it is below 1 where ê_i < Ê_i, and grows from there by
sum e_i / h - sum Ê_i < 1 only. A latency is the largest, over j <= i, of
sum_(j..i) (S + e) - sum_(j+1..i) g. On the grid it is therefore less than y_i / h + 1 + 2 + 1: with
L / h rounded up and 3 more cells as the limit no more requests are late than before, and the sum of
all ê is that of e / h less 2 at most. So the bound on the grid, with 2 cells more for each queue,
is one on the problem. Waits beyond the last cell count as that: less is never worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.queues.kernels import most_stretch

CELLS = 512
"""Of a limit; rounding makes it longer by 4 of them at most."""

_ROUNDED_LATER = 3
_LEFT_OVER = 2
# Waits are distinguished up to this many limits.
_LIMITS = 2
# If a request is stretched by more than this many limits, only the sum is a bound.
_MOST_LIMITS = 2_000
_GOLDEN = (5**0.5 - 1) / 2
# The price is found to this part of the limit.
_PRICE_PARTS = 64


@dataclass(frozen=True, eq=False)
class Queue:
    """A queue of requests in order: service, largest stretch, and time to the next arrival [ns].

    A stretch is how much longer a request may be served. wait_ns: wait of the first request.
    """

    service_ns: NDArray[np.int64]
    stretch_ns: NDArray[np.int64]
    gap_ns: NDArray[np.int64]
    wait_ns: int = 0

    def __post_init__(self) -> None:
        assert len(self.service_ns) == len(self.stretch_ns) == len(self.gap_ns) > 0


@dataclass(frozen=True, eq=False)
class _GriddedQueue:
    """A queue in cells."""

    service: NDArray[np.int64]
    stretch: NDArray[np.int64]
    gap: NDArray[np.int64]
    wait: int

    def value(self, limit: int, price: int) -> int:
        """The largest total stretch less the price of late requests."""
        ahead = np.empty(_LIMITS * limit + 1, np.int64)
        gain = np.empty(len(ahead) + int(self.stretch.max()), np.int64)
        window = np.empty(len(gain), np.int64)
        most_stretch(self.service, self.stretch, self.gap, limit, price, ahead, gain, window)
        return int(ahead[min(self.wait, len(ahead) - 1)])


def stretch_bound_ns(
    queues: Sequence[Queue], limit_ns: int, late: int, workers: Executor, cells: int = CELLS
) -> int:
    """Upper bound on the sum of all stretches if at most `late` latencies exceed the limit [ns].

    A stretch is how much longer a request is served, for example next to batch work. cells: number
    of cells into which the limit is divided.
    """
    assert limit_ns > 0
    whole_ns = sum(int(queue.stretch_ns.sum()) for queue in queues)
    if max(int(queue.stretch_ns.max()) for queue in queues) > _MOST_LIMITS * limit_ns:
        return whole_ns
    cell_ns = max(limit_ns // cells, 1)
    limit = -(-limit_ns // cell_ns) + _ROUNDED_LATER
    gridded = [_put_in_cells(queue, cell_ns) for queue in queues]
    price = _price(gridded[0], limit, late / len(queues))
    values = workers.map(lambda queue: queue.value(limit, price), gridded)
    bound = sum(values) + price * late + _LEFT_OVER * len(queues)
    return min(bound * cell_ns, whole_ns)


def _put_in_cells(queue: Queue, cell_ns: int) -> _GriddedQueue:
    parts = (queue.service_ns, queue.stretch_ns, queue.gap_ns)
    service, stretch, gap = (_cells(part, cell_ns) for part in parts)
    return _GriddedQueue(service, stretch, gap, queue.wait_ns // cell_ns)


def _cells(times_ns: NDArray[np.int64], cell_ns: int) -> NDArray[np.int64]:
    """Whole cells whose running sums are those of the times, rounded down."""
    return np.diff(np.cumsum(times_ns) // cell_ns, prepend=0)


def _price(queue: _GriddedQueue, limit: int, late: float) -> int:
    """The integer price at which the queue's bound is about least; the bound is convex in it."""

    def bound(price: int) -> float:
        return queue.value(limit, price) + price * late

    low, high = 0, _LIMITS * limit
    span = high - low
    left, right = high - round(_GOLDEN * span), low + round(_GOLDEN * span)
    at_left, at_right = bound(left), bound(right)
    while high - low > max(limit // _PRICE_PARTS, 3):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - round(_GOLDEN * (high - low))
            at_left = bound(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + round(_GOLDEN * (high - low))
            at_right = bound(right)
    return left if at_left <= at_right else right

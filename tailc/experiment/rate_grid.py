"""Choose constant rates that cover the range of a changing load."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.sizes import MOST_RATES
from tailc.models.outcome import NS_PER_US
from tailc.models.steering import LOOKUP_PERIOD_US, LOOKUP_REQUESTS
from tailc.models.streams import NS_PER_S_IN_MRPS

# Ratio of successive rates, unless there are too many.
_RATIO = 1.25


def rate_grid(arrivals_ns: Sequence[NDArray[np.int64]]) -> tuple[int, ...]:
    """Ascending rates with equal ratios, from the lowest to the highest that a look-up measures.

    Arrivals that are too few for a look-up have one rate, that of all of them.
    """
    rates = [rate for times_ns in arrivals_ns for rate in _measure_mrps(times_ns)]
    low, high = min(rates), max(rates)
    count = min(math.ceil(math.log(high / low, _RATIO)) + 1, MOST_RATES)
    return tuple(sorted({_round_up(rate) for rate in np.geomspace(low, high, count).tolist()}))


def _round_up(rate_mrps: float) -> int:
    """Round up to three digits."""
    digit = 10 ** max(math.floor(math.log10(rate_mrps)) - 2, 0)
    return math.ceil(rate_mrps / digit) * digit


def _measure_mrps(times_ns: NDArray[np.int64]) -> Iterator[float]:
    """Rates over each period that is long enough and has enough arrivals."""
    first, last = 0, len(times_ns) - 1
    while first < last:
        late = int(np.searchsorted(times_ns, times_ns[first] + LOOKUP_PERIOD_US * NS_PER_US))
        end = max(late, first + LOOKUP_REQUESTS)
        if end > last and first > 0:
            return
        end = min(end, last)
        span_ns = max(int(times_ns[end] - times_ns[first]), 1)
        yield (end - first) * NS_PER_S_IN_MRPS / span_ns
        first = end

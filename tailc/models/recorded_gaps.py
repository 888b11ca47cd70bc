"""An endless arrival process of recorded gaps, repeated from a random start.

Recorded arrivals allow one replay. This process allows any number of replays and preserves the
correlations of the gaps, but not which request arrived when.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models import streams
from tailc.models.arrivals import WARM_UP_PART
from tailc.units import format_mrps


@dataclass(frozen=True, eq=False)
class RecordedGaps:
    """The gaps between recorded arrivals at ascending times from 0.

    source: name of the data in reports, such as the column that they were read from.
    """

    times_ns: NDArray[np.int64]
    source: str

    def __post_init__(self) -> None:
        assert len(self.times_ns) > 1
        assert self.times_ns[0] == 0 < self.times_ns[-1]
        assert (np.diff(self.times_ns) >= 0).all()

    def __str__(self) -> str:
        return f"{len(self.times_ns):,} arrivals of `{self.source}`"

    @property
    def words(self) -> str:
        """Format the arrival pattern as the option `--arrivals` accepts it."""
        return f"recorded:{self.source}"

    def with_rate(self, rate_mrps: int) -> Rounds:
        """Make the arrival process with these gaps, scaled to a mean rate [1/1000 s]."""
        return Rounds(rate_mrps, self)


@dataclass(frozen=True, eq=False)
class Rounds:
    """Arrivals with recorded gaps in their order, scaled to a rate; the gaps repeat without end.

    `is_recorded` is false, because each draw starts at another gap.
    """

    rate_mrps: int
    gaps: RecordedGaps
    is_recorded = False
    has_constant_rate = True
    record_of = None
    stretches = ()

    def __post_init__(self) -> None:
        assert self.rate_mrps > 0

    @property
    def name(self) -> str:
        """Name in reports: source of the gaps between arrivals, and the rate."""
        return f"recorded `{self.gaps.source}` at {format_mrps(self.rate_mrps)}"

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:
        """Arrival times of `requests` requests, with recorded gaps from a random one on [ns].

        The first is 0. After the last recorded gap the first one follows. Gaps are scaled to the
        rate.
        """
        since_ns = self.gaps.times_ns.astype(np.float64)
        # The last gap is the first of the next round.
        count, round_ns = len(since_ns) - 1, since_ns[-1]
        first = int(streams.uniform(state) * count)
        number = first + np.arange(requests)
        times_ns = number // count * round_ns + since_ns[number % count]
        scale = count * streams.NS_PER_S_IN_MRPS / (self.rate_mrps * round_ns)
        return np.rint((times_ns - times_ns[0]) * scale).astype(np.int64)

    def warm_up(self, requests: int) -> int:
        """Number of warm-up requests of a replay, which are not measured: one twentieth of all."""
        return requests // WARM_UP_PART

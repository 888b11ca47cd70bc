"""When requests arrive: open-loop processes, each a source of ascending times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tailc.replay import streams
from tailc.units import format_mrps


class Arrivals(Protocol):
    """An arrival process.

    `is_recorded` says that the times are data, of which another day would bring others; what is
    generated follows a known law, and more replays make its noise as small as one likes.
    """

    @property
    def name(self) -> str:
        """How reports call it, such as `40/s`."""
        ...

    @property
    def rate_mrps(self) -> int:
        """Mean rate, in thousandths of a request per second."""
        ...

    @property
    def is_recorded(self) -> bool:
        """Whether the times are measured ones."""
        ...

    @property
    def record_of(self) -> NDArray[np.int32] | None:
        """The record that each arrival is of; None: records come in random order."""
        ...

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:
        """Ascending times. `requests` is how many are wanted; a process that has an end of its
        own gives its own number.
        """
        ...

    def warm_up(self, requests: int) -> int:
        """How many of the first `requests` arrivals only fill the server and are not measured."""
        ...


# One request in so many is warm-up, from an empty server, and is not counted.
WARM_UP_PART = 20


@dataclass(frozen=True)
class Poisson:
    """Independent arrivals at a constant rate, for as many requests as wanted."""

    rate_mrps: int
    is_recorded = False
    record_of = None

    def __post_init__(self) -> None:
        assert self.rate_mrps > 0

    @property
    def name(self) -> str:
        """The rate."""
        return format_mrps(self.rate_mrps)

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:
        """As many as wanted."""
        times_ns = np.empty(requests, np.int64)
        streams.poisson_arrivals(state, self.rate_mrps, times_ns)
        return times_ns

    def warm_up(self, requests: int) -> int:
        """A twentieth."""
        return requests // WARM_UP_PART

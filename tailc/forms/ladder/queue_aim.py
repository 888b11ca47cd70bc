"""What a whole table is tuned for on the replay, queues included."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class QueueAim:
    """The percentile of latency to make small, at which rates, and how much may be replayed.

    rates_mrps: in thousandths of a request per second. weights: how much each rate counts.
    most_requests: budget, in simulated requests.
    """

    percentile_ppm: int
    rates_mrps: tuple[int, ...]
    weights: tuple[int, ...]
    most_requests: int

    def __post_init__(self) -> None:
        assert len(self.rates_mrps) == len(self.weights) > 0
        assert all(weight > 0 for weight in self.weights)

"""What a whole table is tuned for on the replay, queues included."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailc.replay.arrivals import Arrivals, Poisson
from tailc.replay.modulated import Burstiness, Modulated


class Goal(enum.Enum):
    """What is made small: a percentile of latency, or the energy of a request under it."""

    TAIL = "tail"
    ENERGY = "energy"


@dataclass(frozen=True)
class QueueAim:
    """The percentile of latency to make small, at which rates, and how much may be replayed.

    rates_mrps: in thousandths of a request per second. weights: how much each rate counts.
    most_requests: budget, in simulated requests. bursts: how arrivals come in bursts; None:
    Poisson. may_wait: whether a request may wait for another to leave. goal: what is made small;
    target_us: latency that the percentile must then keep to, None where nothing is to be kept.
    """

    percentile_ppm: int
    rates_mrps: tuple[int, ...]
    weights: tuple[int, ...]
    most_requests: int
    bursts: Burstiness | None = None
    may_wait: bool = True
    goal: Goal = Goal.TAIL
    target_us: int | None = None

    def __post_init__(self) -> None:
        assert self.goal is Goal.TAIL or self.target_us is not None
        assert len(self.rates_mrps) == len(self.weights) > 0
        assert all(weight > 0 for weight in self.weights)

    @property
    def arrivals(self) -> tuple[Arrivals, ...]:
        """At each rate."""
        return tuple(self._arrivals_at(rate_mrps) for rate_mrps in self.rates_mrps)

    def _arrivals_at(self, rate_mrps: int) -> Arrivals:
        if self.bursts is None:
            return Poisson(rate_mrps)
        return Modulated(rate_mrps, self.bursts)

"""How thoroughly to verify, and on which random numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# Enough for a 99th percentile whose simulation noise is small beside that of a few thousand
# held-out requests, and few enough for three rates in seconds.
FEWEST_REQUESTS = 20_000
MOST_REQUESTS = 60_000
# One request in so many is warm-up, from an empty server, and is not counted.
WARM_UP_PART = 20
# The 2 % and 98 % quantiles of fewer values would lie beyond the smallest and largest.
FEWEST_REPLICATES = 49


@dataclass(frozen=True)
class VerifyOptions:
    """Rates None: those the policy was compiled for. Requests None: chosen from the trace.

    replicates: bootstrap samples of the held-out requests, each with its own arrivals.
    repeats: replays of the held-out requests themselves, each with other arrivals.
    threads: None for all cores; the result does not depend on it.
    progress: called with replays done and in all, from the calling thread.
    held_out_name: how messages call the held-out trace.
    """

    rates_mrps: tuple[int, ...] | None = None
    seed: int = 1
    requests_per_replay: int | None = None
    replicates: int = 200
    repeats: int = 40
    threads: int | None = None
    allow_compile_trace: bool = False
    progress: Callable[[int, int], None] | None = None
    held_out_name: str = "held-out trace"

    def __post_init__(self) -> None:
        if self.rates_mrps is not None and any(rate <= 0 for rate in self.rates_mrps):
            raise ValueError("an arrival rate must be positive")
        if self.requests_per_replay is not None and self.requests_per_replay < WARM_UP_PART:
            raise ValueError(f"a replay needs {WARM_UP_PART} requests")
        if self.replicates < FEWEST_REPLICATES:
            raise ValueError(f"a 95 % interval needs {FEWEST_REPLICATES} replicates")
        if self.repeats < 2:
            raise ValueError("simulation noise needs two repeats")
        if self.threads is not None and self.threads < 1:
            raise ValueError("a replay needs a thread")

    def requests_for(self, held_out_requests: int) -> int:
        """Requests in one replay: as many as were held out, between the limits above."""
        if self.requests_per_replay is not None:
            return self.requests_per_replay
        return min(max(held_out_requests, FEWEST_REQUESTS), MOST_REQUESTS)

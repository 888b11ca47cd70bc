"""How busy a replayed server was, whatever its execution model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RungUse:
    """How requests used the rungs, over the measured requests of all repeats.

    Mean cost rate of a request over its execution (threads, in thousandths): of all requests, of
    the longest and of the shortest twentieth by demand. `final_ppm`: share of requests that left
    on each rung.
    """

    mean_milli: int
    longest_milli: int
    shortest_milli: int
    final_ppm: tuple[int, ...]


@dataclass(frozen=True)
class Load:
    """How busy the replayed server was, as means over the measured arrivals.

    `utilization_ppm` is threads that ran over cores, None where the server has no stated capacity;
    `threads_milli` counts threads of started requests and `in_system_milli` requests in the system,
    both in thousandths. `thread_time_us`: threads times time that a request took, in the mean.
    `cut_ppm`: share of requests that were ended at the cut-off, rounded up: 0 only if none was.
    `is_overloaded`: no percentile exists, because the backlog grows.
    """

    mean_latency_us: int
    utilization_ppm: int | None
    threads_milli: int
    in_system_milli: int
    thread_time_us: int
    cut_ppm: int
    rung_use: RungUse
    is_overloaded: bool

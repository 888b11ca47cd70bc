"""How busy a replayed server was, for all execution models."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RungUse:
    """How the measured requests of all replications used the rungs.

    mean_milli, longest_milli, shortest_milli: mean number of threads over a request's execution, in
    thousandths; of all requests, and of the longest and of the shortest 5 % by demand. final_ppm:
    share of requests that left on each rung.
    """

    mean_milli: int
    longest_milli: int
    shortest_milli: int
    final_ppm: tuple[int, ...]


@dataclass(frozen=True)
class Load:
    """How busy the replayed server was, as means over the measured arrivals.

    `utilization_ppm`: running threads over cores, None if the server has no stated capacity.
    `threads_milli`: threads of started requests; `in_system_milli`: requests in the system; both in
    thousandths. `thread_time_us`: mean threads times time of a request. `cut_ppm`: share of
    requests that ended at the cut-off, rounded up, so 0 only if none did. `is_overloaded`: the
    backlog grows, so no percentile exists.
    """

    mean_latency_us: int
    utilization_ppm: int | None
    threads_milli: int
    in_system_milli: int
    thread_time_us: int
    cut_ppm: int
    rung_use: RungUse
    is_overloaded: bool

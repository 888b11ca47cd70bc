"""A service-level objective: a percentile of latency, queueing included, and its window."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.percentiles import PPM


@dataclass(frozen=True)
class Slo:
    """`percentile_ppm` of latencies (queueing + execution) is at most `latency_us`.

    The accounting window counts requests or microseconds; None means the whole trace.
    `request_class` None means every request.
    """

    percentile_ppm: int
    latency_us: int
    window_requests: int | None = None
    window_us: int | None = None
    request_class: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.percentile_ppm < PPM:
            raise ValueError("an SLO's percentile must lie between 0 % and 100 %")
        if self.latency_us <= 0:
            raise ValueError("an SLO's latency must be positive")
        if self.window_requests is not None and self.window_us is not None:
            raise ValueError("an SLO's window counts requests or time, not both")

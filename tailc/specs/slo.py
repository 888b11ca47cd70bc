"""A service-level objective: a percentile of a metric of requests, its limit and its window."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from tailc.percentiles import PPM
from tailc.units import format_percentile, format_us


class Metric(enum.Enum):
    """The metric of an SLO; LATENCY is the time from arrival to exit, with waiting.

    Of language models: TTFT is the time from arrival to the first token, ITL each time between two
    tokens, and TPOT the mean time between the tokens of a request.
    """

    LATENCY = "latency"
    TTFT = "ttft"
    ITL = "itl"
    TPOT = "tpot"


@dataclass(frozen=True)
class Slo:
    """An SLO: `percentile_ppm` of the values of `metric` are at most `latency_us`.

    The accounting window counts requests or microseconds; None means the whole trace.
    request_class: None means all requests. An artifact omits `metric` if it is LATENCY.
    """

    percentile_ppm: int
    latency_us: int
    window_requests: int | None = None
    window_us: int | None = None
    request_class: str | None = None
    metric: Metric = field(default=Metric.LATENCY, metadata={"since": 7, "absent": Metric.LATENCY})

    def __post_init__(self) -> None:
        if not 0 < self.percentile_ppm < PPM:
            raise ValueError("an SLO's percentile must lie between 0 % and 100 %")
        if self.latency_us <= 0:
            raise ValueError("an SLO's latency must be positive")
        if self.window_requests is not None and self.window_us is not None:
            raise ValueError("an SLO's window counts requests or time, not both")

    def __str__(self) -> str:
        """Text such as `p99 <= 500 ms for class gold over 1000 requests`; the metric latency is
        omitted."""
        text = promise(self.percentile_ppm, self.latency_us)
        if self.metric is not Metric.LATENCY:
            text = f"{self.metric.value} {text}"
        if self.request_class is not None:
            text += f" for class {self.request_class}"
        if self.window_requests is not None:
            text += f" over {self.window_requests} requests"
        if self.window_us is not None:
            text += f" over {format_us(self.window_us)}"
        return text


@dataclass(frozen=True)
class EndToEnd:
    """An SLO of requests that wait for the answers of all of `servers` parallel servers.

    Each server has an SLO at a higher percentile, so that `percentile_ppm` of the requests are in
    time.
    """

    percentile_ppm: int
    servers: int

    def __str__(self) -> str:
        """Text such as `p90 end to end of 10 servers`."""
        return f"{format_percentile(self.percentile_ppm)} end to end of {self.servers} servers"


def promise(percentile_ppm: int, latency_us: int) -> str:
    """Format an SLO, such as `p99 <= 500 ms`."""
    return f"{format_percentile(percentile_ppm)} <= {format_us(latency_us)}"

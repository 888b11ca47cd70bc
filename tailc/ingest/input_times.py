"""The times read from one input, before it is determined what they measure."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailc.errors import Finding
from tailc.traces.counted_times import Grain
from tailc.traces.histogram import Histogram
from tailc.traces.reading import TimeUnit


class Loop(enum.Enum):
    """Whether requests were sent at a rate or in a closed loop; the value is text for messages."""

    OPEN = "sent at a rate"
    CLOSED = "sent as answers came"
    UNSTATED = "the file does not say how requests were sent"


@dataclass(frozen=True)
class Bucket:
    """The bucket of a histogram that contains a percentile, by its bounds."""

    percentile_ppm: int
    lower_ns: float
    upper_ns: float

    @property
    def width(self) -> float:
        """Width of the bucket as a share of its upper bound, from 0 to 1."""
        return 1 - self.lower_ns / self.upper_ns


@dataclass(frozen=True)
class ScrapedBuckets:
    """What was read from a scrape of Prometheus.

    label_sets: number of histograms that were added. at_percentile: the bucket with the percentile.
    bounds_ns: lower and upper bound of each bucket with requests, ascending.
    """

    label_sets: int
    at_percentile: Bucket
    bounds_ns: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class InputTimes:
    """Histogram of the times of an input, with its properties.

    format: of the input, such as `wrk2 output`. selected: which of its times are counted. unit: of
    these times in the input. grain: resolution of the times. loop: how requests were sent; None if
    the times are not from a load generator. points: number of points or buckets; 0 for times of
    single requests. left_out: number of failed requests that are not counted. failed_among: number
    of failed requests that are counted, because they cannot be recognised. with_internal: number of
    server spans with internal child spans, whose time is subtracted. estimated: number of requests
    that an expected interval added to exact times; those for buckets and percentiles are added
    later. scraped: the buckets of a scrape, else None. warnings: of the reader.
    """

    format: str
    selected: str
    unit: TimeUnit
    grain: Grain
    loop: Loop | None
    histogram: Histogram
    points: int | None = None
    left_out: int = 0
    failed_among: int = 0
    with_internal: int = 0
    estimated: int = 0
    scraped: ScrapedBuckets | None = None
    warnings: tuple[Finding, ...] = ()

    @property
    def requests(self) -> int:
        """Number of requests in the input, without requests that were estimated."""
        return self.histogram.requests - self.estimated

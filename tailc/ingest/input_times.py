"""What a reader of a format found in an input, before it is said what the times stand for."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailc.errors import Finding
from tailc.traces.counted import Grain
from tailc.traces.histogram import Histogram
from tailc.traces.reading import TimeUnit


class Loop(enum.Enum):
    """Whether requests were sent at their times, or only as answers came; the value tells it."""

    OPEN = "sent at a rate"
    CLOSED = "sent as answers came"
    UNSTATED = "the file does not say how they were sent"


@dataclass(frozen=True)
class Bucket:
    """The times between which a percentile lies, where no more of it is known."""

    percentile_ppm: int
    lower_ns: float
    upper_ns: float

    @property
    def width(self) -> float:
        """Its width as a share of its upper end, from 0 to 1."""
        return 1 - self.lower_ns / self.upper_ns


@dataclass(frozen=True)
class ScrapedBuckets:
    """Of a scrape: how many histograms were added, and the bucket that the percentile is in."""

    label_sets: int
    at_percentile: Bucket


@dataclass(frozen=True, eq=False)
class InputTimes:
    """The times of an input, counted.

    Attributes:
        format: what the input is, such as `wrk2 output`.
        selected: which of its times.
        unit: of those times in the input.
        grain: how finely they are told.
        loop: how the requests were sent; None: the times are not those of a load generator.
        points: how many numbers the times come from, where they are not those of each request.
        left_out: requests that had failed, whose times were not taken.
        failed_among: requests that had failed, whose times could not be told from the others.
        with_internal: server spans that have spans of kind internal, which were taken off.
        estimated: requests that an expected interval added to exact times; those of
            buckets and percentiles are added later.
        scraped: the buckets of a scrape; None: the times are of something else.
        warnings: what the reader of the format found odd.
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
        """How many the input has, without those that were added."""
        return self.histogram.requests - self.estimated

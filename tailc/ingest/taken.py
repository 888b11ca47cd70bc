"""What a reader of a format found in an input, before it is said what the times stand for."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailc.traces.counted import Grain
from tailc.traces.histogram import Histogram
from tailc.traces.reading import TimeUnit

if TYPE_CHECKING:
    from tailc.specs.column_map import ColumnMap


class Loop(enum.Enum):
    """Whether requests were sent at their times, or only as answers came; the value tells it."""

    OPEN = "sent at a rate"
    CLOSED = "sent as answers came"
    UNSTATED = "the file does not tell how they were sent"


@dataclass(frozen=True)
class Asked:
    """What the user says about the inputs, where they do not say it themselves.

    column, weight: of a table. unit: of its times, or of those of a histogram. attribute: of spans
    with their times, `NAME` or `START..END` for the difference of two. with_internal: whether spans
    of kind internal count into the own time of their server. columns: what the columns of a table
    mean, instead. metric, labels: of a scrape, those of the histogram, by name and value. since: a
    scrape whose counts are taken off. percentile_ppm: at which the width of buckets is told; None:
    where that is usual.
    """

    column: str | None = None
    weight: str | None = None
    unit: TimeUnit | None = None
    attribute: str | None = None
    with_internal: bool = False
    columns: ColumnMap | None = None
    metric: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    since: str | None = None
    percentile_ppm: int | None = None

    @property
    def is_of_metrics(self) -> bool:
        """Whether something is asked for that scrapes of metrics alone can tell."""
        return self.metric is not None or bool(self.labels) or self.since is not None

    @property
    def is_of_spans(self) -> bool:
        """Whether something is asked for that spans alone can tell."""
        return self.attribute is not None or self.with_internal


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


@dataclass(frozen=True, eq=False)
class Taken:
    """The times of an input, counted.

    Attributes:
        format: what the input is, such as `wrk2 output`.
        taken: which of its times.
        unit: of those times in the input.
        grain: how finely they are told.
        loop: how the requests were sent; None: the times are not those of a load generator.
        points: how many numbers the times come from, where they are not those of each request.
        left_out: requests that had failed, whose times were not taken.
        with_internal: server spans that have spans of kind internal, which were taken off.
        label_sets: of a scrape, how many histograms were added.
        bucket: of a scrape, which one the percentile is in.
        failed_among: requests that had failed, whose times could not be told from the others.
    """

    format: str
    taken: str
    unit: TimeUnit
    grain: Grain
    loop: Loop | None
    histogram: Histogram
    points: int | None = None
    left_out: int = 0
    failed_among: int = 0
    with_internal: int = 0
    label_sets: int | None = None
    bucket: Bucket | None = None

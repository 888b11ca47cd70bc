"""What the user says about inputs that do not say it themselves, by what it concerns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailc.traces.reading import TimeUnit

if TYPE_CHECKING:
    from tailc.specs.column_map import ColumnMap


@dataclass(frozen=True)
class TimeColumn:
    """The column of a table that has the times; `weight`: for how many requests a row stands."""

    name: str
    weight: str | None = None

    def __post_init__(self) -> None:
        if self.name == self.weight:
            raise ValueError("a column cannot be that of times and of weights at once")


@dataclass(frozen=True)
class SpanOptions:
    """Which times of spans are meant; without any, the own time of a server.

    attribute: that has the times, `NAME` or `START..END` for the difference of two. with_internal:
    whether spans of kind internal count into the own time of their server.
    """

    attribute: str | None = None
    with_internal: bool = False


@dataclass(frozen=True)
class MetricOptions:
    """Which histogram of a scrape is meant.

    name, labels: its own. since: a scrape whose counts are taken off. percentile_ppm: at which the
    width of buckets is told; None: where that is usual.
    """

    name: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    since: str | None = None
    percentile_ppm: int | None = None

    @property
    def choose(self) -> bool:
        """Whether something is chosen that scrapes of metrics alone can have."""
        return self.name is not None or bool(self.labels) or self.since is not None


@dataclass(frozen=True)
class InputOptions:
    """The options of an ingest.

    unit: of the times, or of those of a histogram. table: the column of times, or what the columns
    mean; None: the input is read as the format that it looks like. tags: of an
    HdrHistogram log, those that are counted. interval_ns: at which a closed loop should have sent.
    """

    unit: TimeUnit | None = None
    table: TimeColumn | ColumnMap | None = None
    spans: SpanOptions = SpanOptions()
    metrics: MetricOptions = MetricOptions()
    tags: tuple[str, ...] = ()
    interval_ns: int | None = None

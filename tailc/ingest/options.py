"""Options of `tailc ingest`, grouped by subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailc.traces.reading import TimeUnit

if TYPE_CHECKING:
    from tailc.specs.column_map import ColumnMap


@dataclass(frozen=True)
class TimeColumn:
    """The column with the times in a table that `tailc ingest` reads.

    weight: column with the number of requests of a row.
    """

    name: str
    weight: str | None = None

    def __post_init__(self) -> None:
        if self.name == self.weight:
            raise ValueError("one column cannot have both times and weights")


@dataclass(frozen=True)
class SpanOptions:
    """Which times of the spans of distributed traces to count; by default a server's own time.

    services: names of the services whose spans count; empty if the input has only one. attribute:
    attribute with the time, `NAME`, or `START..END` for the difference of two. with_internal:
    whether internal child spans count as own time of the server.
    """

    attribute: str | None = None
    with_internal: bool = False
    services: tuple[str, ...] = ()


@dataclass(frozen=True)
class MetricOptions:
    """Which histograms of a scrape to count.

    name, labels: of the histograms. since: an earlier scrape, whose counts are subtracted.
    percentile_ppm: percentile at which the width of buckets is checked; None for the default.
    """

    name: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    since: str | None = None
    percentile_ppm: int | None = None

    @property
    def choose(self) -> bool:
        """Whether an option is given that applies only to scrapes."""
        return self.name is not None or bool(self.labels) or self.since is not None


@dataclass(frozen=True)
class InputOptions:
    """The options of `tailc ingest`.

    unit: of times in inputs that state none. table: the column of times, or a map of columns; None
    to read the input by its format. tags: of an HdrHistogram log, those to count. interval_ns:
    expected interval of a closed loop.
    """

    unit: TimeUnit | None = None
    table: TimeColumn | ColumnMap | None = None
    spans: SpanOptions = SpanOptions()
    metrics: MetricOptions = MetricOptions()
    tags: tuple[str, ...] = ()
    interval_ns: int | None = None

"""Read Prometheus histograms of any format: select, subtract an earlier scrape, spread requests.

Requests are spread within their buckets. How requests were sent is unknown, and the timed code is
usually a handler with its waits, so times are response times and not demands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tailc.errors import Code
from tailc.ingest.format import Format
from tailc.ingest.input_times import Bucket, InputTimes, Loop, ScrapedBuckets
from tailc.ingest.native import within_of
from tailc.ingest.options import InputOptions
from tailc.ingest.scraped_histograms import (
    Bounds,
    ScrapedHistogram,
    increase_of,
    select_histograms,
    series_text,
    sum_by_bounds,
    without_failed,
)
from tailc.ingest.spread import bounds_at, spread
from tailc.ingest.texts import stated_unit
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source, open_source
from tailc.traces.times import NS_PER_MS

Scrape = Callable[[Source], Iterator[ScrapedHistogram]]
"""All histograms in a source; TailcError where one is unsound."""

DEFAULT_PERCENTILE_PPM = 990_000
_UNITS = {
    "seconds": TimeUnit.S,
    "milliseconds": TimeUnit.MS,
    "ms": TimeUnit.MS,
    "us": TimeUnit.US,
    "ns": TimeUnit.NS,
    "microseconds": TimeUnit.US,
    "nanoseconds": TimeUnit.NS,
}


def format_of_scrapes(
    name: str, matches: Callable[[bytes], bool], scrape: Scrape, *, loose: bool = False
) -> Format:
    """Make an input format from a function `scrape` that reads Prometheus histograms.

    matches, loose: as in `Format`.
    """

    def read(source: Source, options: InputOptions) -> InputTimes:
        found = select_histograms(scrape(source), source, options.metrics)
        if options.metrics.since is not None:
            with open_source(options.metrics.since) as earlier:
                if not matches(earlier.head()):
                    message = f"`{earlier.name}` is not {name}, but `{source.name}` is"
                    hint = "give two scrapes in the same format"
                    raise earlier.fault(Code.UNKNOWN_INPUT, message, advice=hint)
                same = replace(options.metrics, name=found[0].metric)
                found = increase_of(
                    found, select_histograms(scrape(earlier), earlier, same), source
                )
        return _times(found, source, options, name)

    return Format(name, matches, read, loose=loose, has_metrics=True)


def _times(
    found: list[ScrapedHistogram], source: Source, options: InputOptions, name: str
) -> InputTimes:
    metric = found[0].metric
    unit = _unit(metric, source, options.unit)
    kept, failed = without_failed(found, source, options.metrics)
    count = sum_by_bounds(kept, source)
    what = series_text(metric, tuple(sorted(options.metrics.labels)))
    _check_counted(count, what, source)
    within = kept[0].within or within_of(count)
    ns_per_unit = unit.in_ms * NS_PER_MS
    try:
        histogram = spread(count, within, ns_per_unit)
    except ValueError as error:
        message = f"`{source.name}` has {error}"
        hint = "check the unit of its times"
        raise source.fault(Code.OUT_OF_RANGE, message, advice=hint) from None
    requested_ppm = options.metrics.percentile_ppm
    ppm = DEFAULT_PERCENTILE_PPM if requested_ppm is None else requested_ppm
    lower, upper = bounds_at(count, ppm)
    return InputTimes(
        name,
        what,
        unit,
        within,
        Loop.UNSTATED,
        histogram,
        points=sum(times > 0 for times in count.values()),
        left_out=failed,
        scraped=ScrapedBuckets(
            len(kept),
            Bucket(ppm, max(lower, 0.0) * ns_per_unit, upper * ns_per_unit),
            tuple(
                (max(low, 0.0) * ns_per_unit, high * ns_per_unit)
                for (low, high), times in sorted(count.items())
                if times
            ),
        ),
    )


def _unit(metric: str, source: Source, stated: TimeUnit | None) -> TimeUnit:
    """Unit at the end of the metric's name by convention, else the stated one."""
    return _UNITS.get(metric.rpartition("_")[2]) or stated_unit(source, stated)


def _check_counted(count: Mapping[Bounds, int], name: str, source: Source) -> None:
    """Raise TailcError unless there are requests, all in buckets that end above 0 and are
    finite."""
    total = sum(count.values())
    if not total:
        message = f"`{name}` has no request in `{source.name}`"
        hint = (
            "measure for longer; if there are several points in time, only the requests between "
            "them count"
        )
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)
    beyond = sum(times for (_, upper), times in count.items() if math.isinf(upper))
    if beyond:
        largest = max(lower for lower, upper in count if math.isinf(upper))
        message = (
            f"{beyond:,} of {total:,} requests of `{name}` are in the bucket `+Inf`: they took "
            f"longer than `{largest:g}`, and it is unknown how long"
        )
        hint = (
            "add buckets up to the timeout of requests, or use a native histogram, and measure "
            "again"
        )
        raise source.fault(Code.OPEN_BUCKET, message, advice=hint)
    if any(upper <= 0 and times for (_, upper), times in count.items()):
        message = f"`{name}` has requests that took 0 or less"
        raise source.fault(Code.OUT_OF_RANGE, message, advice="check that the metric is a time")

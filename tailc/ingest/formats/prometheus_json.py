"""Read answers of Prometheus to `/api/v1/query` and `/api/v1/query_range`: one JSON document.

`data.result` has a series an element: labels, and a pair of a time and a value (`value`), or
several (`values`). A bucket of a classic histogram is a series. A native histogram is one series
with `histogram` or `histograms`, which have `count` and `buckets` with bounds and numbers of
requests. With several points in time, the increase from the first to the last counts.

Source: Prometheus documentation, "HTTP API"; Thanos, Mimir and VictoriaMetrics answer the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

from tailc.errors import Code, Place
from tailc.ingest.cumulative import MAX_SAMPLES, Cumulative, is_counted, whole
from tailc.ingest.prometheus import format_of_scrapes
from tailc.ingest.scraped_histograms import (
    Bounds,
    Labels,
    ScrapedHistogram,
    increase_of,
    labels_of,
    restart_error,
    series_text,
)
from tailc.traces.json_items import items_of
from tailc.traces.source import Source, brief

_NAME = "__name__"
_ANSWER = r'\s*\{\s*"status"\s*:\s*"(?:success|error)"\s*,'
_HEAD = re.compile(_ANSWER.encode())
_BEGIN = re.compile(
    _ANSWER + r'[^\[\]]{0,1000}?"data"\s*:\s*\{\s*"resultType"\s*:\s*"(?:vector|matrix)"\s*,'
    r'\s*"result"\s*:\s*\['
)
_AGAIN = "give the unchanged answer to a query for a histogram"


def scrape(source: Source) -> Iterator[ScrapedHistogram]:
    """Read the classic and native histograms of an answer of the Prometheus API."""
    source.check_whole()
    _check_answer(source)
    classic = Cumulative(source)
    for row, item in enumerate(items_of(source, _BEGIN), 1):
        if row > MAX_SAMPLES:
            message = f"`{source.name}` has more than {MAX_SAMPLES:,} series"
            raise source.fault(Code.TRACE_TOO_LARGE, message, advice="query only the metric")
        try:
            yield from _of_series(item, source, row, classic)
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
            message = f"element {row} is not a series of a Prometheus answer ({brief(error)})"
            raise source.fault(Code.BROKEN_FORMAT, message, row=row, advice=_AGAIN) from None
    yield from classic.histograms()


def _check_answer(source: Source) -> None:
    """Raise TailcError unless the answer has series."""
    head = source.head()
    if _BEGIN.match(head.decode("utf-8", "replace")) is not None:
        return
    message = f"`{source.name}` is an answer of Prometheus without series"
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        message += f": {brief(ValueError(json.loads(head)['error']))}"
    raise source.fault(Code.BROKEN_FORMAT, message, advice=_AGAIN)


def _of_series(
    item: dict[str, Any], source: Source, row: int, classic: Cumulative
) -> Iterator[ScrapedHistogram]:
    """The native histogram of a series, or nothing; a classic bucket is added to `classic`.

    Other series, such as quantiles, need not have whole numbers, and are ignored.
    """
    labels = {str(name): str(value) for name, value in item["metric"].items()}
    name = labels.pop(_NAME, "")
    place = Place(source.name, row=row)
    if "histogram" in item or "histograms" in item:
        points = item.get("histograms") or [item["histogram"]]
        of_times = [_native(name, labels_of(labels), point, place) for _, point in points]
        yield _between(of_times, source)
    else:
        points = item.get("values") or [item["value"]]
        if not is_counted(name, labels):
            return
        counts = [whole(str(value), place) for _, value in points]
        if any(later < before for before, later in pairwise(counts)):
            raise restart_error(source, series_text(name, labels_of(labels)))
        is_range = "values" in item
        count = counts[-1] - counts[0] if is_range else counts[0]
        between = (float(points[0][0]), float(points[-1][0])) if is_range else None
        classic.add(name, labels, str(count), place, between)


def _between(of_times: Sequence[ScrapedHistogram], source: Source) -> ScrapedHistogram:
    """Increase from the first to the last point; the value itself for one point."""
    for before, later in pairwise(of_times):
        increase_of([later], [before], source)
    if len(of_times) == 1:
        return of_times[0]
    return increase_of([of_times[-1]], [of_times[0]], source)[0]


def _native(name: str, labels: Labels, point: dict[str, Any], place: Place) -> ScrapedHistogram:
    count: dict[Bounds, int] = {}
    if "schema" in point:
        raise ValueError(
            "its buckets have numbers, as with `histogram_format=native`: query without that"
        )
    for _ends, lower, upper, times in point.get("buckets", ()):
        count[float(lower), float(upper)] = whole(str(times), place)
    total = whole(str(point["count"]), place)
    if sum(count.values()) != total or any(not lower < upper for lower, upper in count):
        raise ValueError(f"{sum(count.values())} requests in buckets, but {total} in total")
    return ScrapedHistogram(name, labels, None, count)


def matches(head: bytes) -> bool:
    """Whether the input begins like an answer of the Prometheus API, successful or not."""
    return _HEAD.match(head) is not None


FORMATS = (format_of_scrapes("Prometheus JSON", matches, scrape),)

"""Select histograms of a Prometheus scrape by name and labels, and add or subtract them.

A scrape has counts since the start of the server, so with two scrapes the difference counts.
Histograms that are added or subtracted must have the same buckets; buckets of several label sets
must not overlap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tailc.errors import Code, TailcError
from tailc.ingest.failed_labels import is_failed, is_status_label
from tailc.ingest.options import MetricOptions
from tailc.traces.counted_times import Grain
from tailc.traces.source import Source

Bounds = tuple[float, float]
"""Below the first of these, and at most the second, in the unit of the metric."""
Labels = tuple[tuple[str, str], ...]
BUCKET, LE = "_bucket", "le"
# VictoriaMetrics: the bounds of a bucket, which does not include those below.
VMRANGE = "vmrange"
# Istio times a request at its client and at its server.
_REPORTER, _SIDES = "reporter", {"source", "destination"}
# The label of summaries, in text or JSON.
_QUANTILE = re.compile(rb'[{,]\s*"?quantile"?\s*[=:]\s*"')
_MOST_LISTED = 8
# The scrape of a large server has a quarter of that.
MAX_BUCKETS = 1 << 17


@dataclass(frozen=True, eq=False)
class ScrapedHistogram:
    """A histogram of a scrape: number of requests in each bucket.

    metric: without `_bucket`; empty for a query without a name. labels: sorted, as by `labels_of`.
    within: interpolation within buckets; None to derive it from all buckets that are added.
    """

    metric: str
    labels: Labels
    within: Grain | None
    count: Mapping[Bounds, int]

    @property
    def name(self) -> str:
        """Metric and labels in the notation of Prometheus."""
        return series_text(self.metric, self.labels)

    @property
    def is_failed(self) -> bool:
        """Whether a label of the histogram says that its requests failed."""
        return any(is_failed(name, value) for name, value in self.labels)


def labels_of(labels: Mapping[str, str]) -> Labels:
    """Sort the labels of a series, and remove those that state the bounds of a bucket."""
    return tuple(sorted(one for one in labels.items() if one[0] not in (LE, VMRANGE)))


def series_text(metric: str, labels: Labels) -> str:
    """Format a metric with its labels in braces, if it has any."""
    if not metric and not labels:
        return "series without a name"
    label_text = ",".join(f'{name}="{_escape(value)}"' for name, value in labels)
    return f"{metric}{{{label_text}}}" if label_text else metric


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def select_histograms(
    found: Iterable[ScrapedHistogram], source: Source, options: MetricOptions
) -> list[ScrapedHistogram]:
    """Select the histograms with the requested metric and labels; TailcError if there are none.

    Without a requested metric there must be only one.
    """
    every = list(_within_limit(found, source))
    if not every:
        raise _no_histogram(source)
    metrics = sorted({one.metric for one in every})
    wanted = metrics[0] if options.name is None else options.name.removesuffix(BUCKET)
    if wanted not in metrics or (options.name is None and len(metrics) > 1):
        raise _other_metric(source, options.name, metrics)
    of_metric = [one for one in every if one.metric == wanted]
    kept = [one for one in of_metric if set(options.labels) <= set(one.labels)]
    if not kept:
        raise _other_labels(source, options.labels, of_metric)
    if {value for one in kept for name, value in one.labels if name == _REPORTER} >= _SIDES:
        message = f"`{source.name}` has each request twice: timed by its client and by its server"
        hint = (
            f"choose the times of the server with `--label {_REPORTER}=destination`, or of the "
            "client with `source`"
        )
        raise source.fault(Code.NO_METRIC, message, advice=hint)
    return kept


def _no_histogram(source: Source) -> TailcError:
    message = f"`{source.name}` has no histogram"
    hint = "give series with a name that ends in `_bucket` and a label `le`, or native histograms"
    if _QUANTILE.search(source.head()):
        message += ", only quantiles: percentiles of all requests cannot be computed from them"
        hint = f"have the server export a histogram instead of a summary; {hint}"
    return source.fault(Code.EMPTY_TRACE, message, advice=hint)


def _within_limit(found: Iterable[ScrapedHistogram], source: Source) -> Iterator[ScrapedHistogram]:
    buckets = 0
    for one in found:
        buckets += len(one.count)
        if buckets > MAX_BUCKETS:
            message = f"`{source.name}` has more than {MAX_BUCKETS:,} buckets"
            hint = "give only the histograms of the metric, or query their sum"
            raise source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
        yield one


def _other_metric(source: Source, wanted: str | None, metrics: list[str]) -> TailcError:
    message = f"`{source.name}` has histograms of {len(metrics)} metrics, and none is chosen"
    if wanted is not None:
        message = f"`{source.name}` has no histogram `{wanted}`"
    hint = f"choose with `--metric`: {_list_names(metrics)}"
    return source.fault(Code.NO_METRIC, message, advice=hint)


def _other_labels(source: Source, wanted: Labels, there: list[ScrapedHistogram]) -> TailcError:
    message = f"`{source.name}` has no histogram `{series_text(there[0].metric, wanted)}`"
    hint = f"choose with `--label NAME=VALUE` one of: {_list_names([one.name for one in there])}"
    return source.fault(Code.NO_METRIC, message, advice=hint)


def _list_names(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"{shown} and {more:,} more" if more > 0 else shown


def without_failed(
    every: list[ScrapedHistogram], source: Source, options: MetricOptions
) -> tuple[list[ScrapedHistogram], int]:
    """Select the histograms of successful requests; also return the number of failed requests.

    If the user selects a label of the status, all are selected. Raises TailcError if all requests
    failed.
    """
    if any(is_status_label(name) for name, _ in options.labels):
        return every, 0
    kept = [one for one in every if not one.is_failed]
    if not kept:
        message = f"all requests of `{source.name}` had failed, according to their labels"
        hint = "measure again with a server that answers, or choose failed requests with `--label`"
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)
    return kept, sum(sum(one.count.values()) for one in every if one.is_failed)


def increase_of(
    now: list[ScrapedHistogram], before: list[ScrapedHistogram], source: Source
) -> list[ScrapedHistogram]:
    """Subtract the counts of an earlier scrape from those of a later one, by label set.

    A label set that is new starts at 0. Raises TailcError after a restart of the server, and if
    buckets have changed.
    """
    earlier = {one.labels: one for one in before}
    gone = earlier.keys() - {one.labels for one in now}
    if gone:
        raise restart_error(source, earlier[min(gone)].name, "is missing")
    return [
        _increase(one, earlier[one.labels], source) if one.labels in earlier else one for one in now
    ]


def _increase(now: ScrapedHistogram, before: ScrapedHistogram, source: Source) -> ScrapedHistogram:
    check_alike([now, before], source)
    count = Counter(now.count)
    count.subtract(before.count)
    if min(count.values(), default=0) < 0:
        raise restart_error(source, now.name)
    return replace(now, count=count)


def restart_error(
    source: Source, name: str, what: str = "has fewer requests than before"
) -> TailcError:
    """Make the error for a counter that has decreased between two scrapes."""
    message = f"`{name}` {what} in `{source.name}`: its server was restarted between the scrapes"
    hint = (
        "give two scrapes without a restart between them; or remove `--since` to count all "
        "requests since the restart"
    )
    return source.fault(Code.COUNTER_RESET, message, advice=hint)


def sum_by_bounds(every: Sequence[ScrapedHistogram], source: Source) -> dict[Bounds, int]:
    """Add the counts of several Prometheus histograms, bucket by bucket.

    Raises TailcError if their buckets differ.
    """
    check_alike(every, source)
    total = Counter[Bounds]()
    for one in every:
        total.update(one.count)
    return dict(total)


def check_alike(every: Sequence[ScrapedHistogram], source: Source) -> None:
    """Raise TailcError if the buckets of the histograms overlap or are interpolated differently."""
    bounds = sorted({bound for one in every for bound in one.count})
    overlapping = any(lower < below for (_, below), (lower, _) in pairwise(bounds))
    if overlapping or len({one.within for one in every}) > 1:
        message = f"histograms of `{every[0].metric}` have different buckets"
        hint = (
            "choose histograms with the same buckets with `--label`, and write a profile for each"
        )
        raise source.fault(Code.MIXED_BUCKETS, message, advice=hint)

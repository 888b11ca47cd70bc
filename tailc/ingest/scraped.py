"""Histograms of Prometheus: requests by the bounds of their bucket, chosen by name and by labels.

A scrape tells what was counted since the server began, so of two scrapes the difference is taken.
What is added or taken off has the same buckets: those of several label sets may not overlap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tailc.errors import Code, TailcError
from tailc.ingest.failed_labels import is_failed, is_status_label
from tailc.ingest.options import MetricOptions
from tailc.traces.counted import Grain
from tailc.traces.source import Source

Bounds = tuple[float, float]
"""Below the first of these, and at most the second, in the unit of the metric."""
Labels = tuple[tuple[str, str], ...]
BUCKET, LE = "_bucket", "le"
# Istio times a request at its client and at its server.
_REPORTER, _SIDES = "reporter", {"source", "destination"}
_MOST_LISTED = 8
# The scrape of a large server has a quarter of that.
MAX_BUCKETS = 1 << 17


@dataclass(frozen=True, eq=False)
class Scraped:
    """One histogram: how many requests were in each bucket.

    metric: without `_bucket`, and empty of a query without a name. labels: sorted, without `le`.
    within: how requests lie in their bucket; None: that is seen from all that are added.
    """

    metric: str
    labels: Labels
    within: Grain | None
    count: Mapping[Bounds, int]

    @property
    def name(self) -> str:
        """As Prometheus writes it."""
        return written(self.metric, self.labels)

    @property
    def is_failed(self) -> bool:
        """Whether a label tells that its requests were answered by an error."""
        return any(is_failed(name, value) for name, value in self.labels)


def labels_of(labels: Mapping[str, str]) -> Labels:
    """The labels of a series, without `le`."""
    return tuple(sorted((name, value) for name, value in labels.items() if name != LE))


def written(metric: str, labels: Labels) -> str:
    """A metric with its labels in braces, where it has some."""
    if not metric and not labels:
        return "series without a name"
    told = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{metric}{{{told}}}" if told else metric


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def chosen(found: Iterable[Scraped], source: Source, options: MetricOptions) -> list[Scraped]:
    """Those of the metric and with the labels that are asked for; TailcError where there are none.

    Without a metric asked for there must be one alone.
    """
    every = list(_within_limit(found, source))
    if not every:
        message = f"`{source.name}` has no histogram in it"
        hint = "give series that end in `_bucket` and have a label `le`, or native histograms"
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)
    metrics = sorted({one.metric for one in every})
    wanted = metrics[0] if options.name is None else options.name.removesuffix(BUCKET)
    if wanted not in metrics or (options.name is None and len(metrics) > 1):
        raise _other_metric(source, options.name, metrics)
    of_metric = [one for one in every if one.metric == wanted]
    kept = [one for one in of_metric if set(options.labels) <= set(one.labels)]
    if not kept:
        raise _other_labels(source, options.labels, of_metric)
    if {value for one in kept for name, value in one.labels if name == _REPORTER} >= _SIDES:
        message = f"`{source.name}` has each request twice: as its client and its server timed it"
        hint = f"choose the server's by `--label {_REPORTER}=destination`, or `source`"
        raise source.fault(Code.NO_METRIC, message, advice=hint)
    return kept


def _within_limit(found: Iterable[Scraped], source: Source) -> Iterator[Scraped]:
    buckets = 0
    for one in found:
        buckets += len(one.count)
        if buckets > MAX_BUCKETS:
            message = f"`{source.name}` has more than {MAX_BUCKETS:,} buckets"
            hint = "give the histograms of the metric alone, or query for a sum of them"
            raise source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
        yield one


def _other_metric(source: Source, wanted: str | None, metrics: list[str]) -> TailcError:
    message = f"`{source.name}` has histograms of {len(metrics)} metrics, and which is not said"
    if wanted is not None:
        message = f"`{source.name}` has no histogram `{wanted}`"
    hint = f"say by `--metric` which: {_listed(metrics)}"
    return source.fault(Code.NO_METRIC, message, advice=hint)


def _other_labels(source: Source, wanted: Labels, there: list[Scraped]) -> TailcError:
    message = f"no histogram of `{source.name}` is `{written(there[0].metric, wanted)}`"
    hint = f"say by `--label NAME=VALUE` what is there: {_listed([one.name for one in there])}"
    return source.fault(Code.NO_METRIC, message, advice=hint)


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"{shown} and {more:,} more" if more > 0 else shown


def without_failed(
    every: list[Scraped], source: Source, options: MetricOptions
) -> tuple[list[Scraped], int]:
    """Those whose requests succeeded, and how many requests had failed.

    Where a label of the status is asked for, that is what is wanted. TailcError where all failed.
    """
    if any(is_status_label(name) for name, _ in options.labels):
        return every, 0
    kept = [one for one in every if not one.is_failed]
    if not kept:
        message = f"all requests of `{source.name}` had failed, according to their labels"
        hint = "measure again, with a server that answers; or choose them by `--label`"
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)
    return kept, sum(sum(one.count.values()) for one in every if one.is_failed)


def increased(now: list[Scraped], before: list[Scraped], source: Source) -> list[Scraped]:
    """What was counted between two scrapes; a label set that was not there began at none.

    Raises TailcError where one was counted anew, or has other buckets than before.
    """
    earlier = {one.labels: one for one in before}
    gone = earlier.keys() - {one.labels for one in now}
    if gone:
        raise restarted(source, earlier[min(gone)].name, "is no longer there")
    return [
        _increased(one, earlier[one.labels], source) if one.labels in earlier else one
        for one in now
    ]


def _increased(now: Scraped, before: Scraped, source: Source) -> Scraped:
    check_alike([now, before], source)
    count = Counter(now.count)
    count.subtract(before.count)
    if min(count.values(), default=0) < 0:
        raise restarted(source, now.name)
    return replace(now, count=count)


def restarted(
    source: Source, name: str, what: str = "has fewer requests than before"
) -> TailcError:
    """What is wrong where a counter was lower later on."""
    message = f"`{name}` {what} in `{source.name}`: its server was started in between"
    hint = (
        "give the earlier of two scrapes to `--since`, between which it ran on; or leave out "
        "`--since`, for all since the last start"
    )
    return source.fault(Code.COUNTER_RESET, message, advice=hint)


def added(every: Sequence[Scraped], source: Source) -> dict[Bounds, int]:
    """All their requests; TailcError where buckets of different schemes cannot be added."""
    check_alike(every, source)
    total = Counter[Bounds]()
    for one in every:
        total.update(one.count)
    return dict(total)


def check_alike(every: Sequence[Scraped], source: Source) -> None:
    """Raise TailcError where histograms have buckets that cannot be those of one."""
    bounds = sorted({bound for one in every for bound in one.count})
    overlapping = any(lower < below for (_, below), (lower, _) in pairwise(bounds))
    if overlapping or len({one.within for one in every}) > 1:
        message = f"histograms of `{every[0].metric}` have other buckets than one another"
        hint = "choose those with the same ones by `--label`, and keep a profile for each"
        raise source.fault(Code.MIXED_BUCKETS, message, advice=hint)

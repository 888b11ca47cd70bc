"""Collect classic Prometheus histograms from samples: numbers of requests up to `le`, by labels.

Histograms of VictoriaMetrics have two bounds per bucket, `vmrange`, and no empty buckets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.scraped_histograms import (
    BUCKET,
    LE,
    VMRANGE,
    Bounds,
    Labels,
    ScrapedHistogram,
    labels_of,
    series_text,
)
from tailc.traces.counted_times import Grain
from tailc.traces.histogram import MAX_REQUESTS
from tailc.traces.source import Source

COUNT = "_count"
# The scrape of a large server has a quarter of both.
MAX_SAMPLES = 1 << 17
MAX_LABEL_CHARACTERS = 1 << 24
_ONE_SCRAPE = "give one unchanged answer of the server"


@dataclass(frozen=True)
class BucketSample:
    """A sample of a Prometheus histogram: the number of requests that took at most `le`.

    place: where the number is in the file. above: None if the number includes all smaller times;
    otherwise it counts only times above this bound. between: first and last time of an increase
    over a range; None for a plain count.
    """

    le: float
    count: int
    place: Place
    between: tuple[float, float] | None
    above: float | None = None


@dataclass
class _Histogram:
    """The samples with the same labels, and the total number as text, if stated."""

    samples: list[BucketSample] = field(default_factory=list)
    total: tuple[str, Place] | None = None


class Cumulative:
    """Collects classic histograms from a stream of samples, within limits."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._histograms: dict[tuple[str, Labels], _Histogram] = {}
        self._samples = 0
        self._characters = 0

    def add(
        self,
        name: str,
        labels: Mapping[str, str],
        count: str,
        place: Place,
        between: tuple[float, float] | None = None,
    ) -> None:
        """Add one sample: a bucket's or a total's count; samples of other metrics are ignored.

        Raises TailcError for invalid numbers, and for too many samples.
        """
        if _is_total(name, labels):
            # Numbers of other metrics may end in this, too, and need not be whole.
            self._histogram_of(name.removesuffix(COUNT), labels).total = count, place
        elif _is_bucket(name, labels):
            above, le = _bounds(labels, place)
            sample = BucketSample(le, whole(count, place), place, between, above)
            self._histogram_of(name.removesuffix(BUCKET), labels).samples.append(sample)

    def histograms(self) -> Iterator[ScrapedHistogram]:
        """Yield the collected histograms; TailcError if the buckets of one are inconsistent."""
        for (metric, labels), one in self._histograms.items():
            if one.samples:
                count = _counts(one, series_text(metric, labels))
                yield ScrapedHistogram(metric, labels, Grain.LINEAR, count)

    def _histogram_of(self, metric: str, labels: Mapping[str, str]) -> _Histogram:
        key = metric, labels_of(labels)
        self._samples += 1
        if key not in self._histograms:
            self._characters += sum(len(name) + len(value) for name, value in key[1])
            self._histograms[key] = _Histogram()
        if self._samples > MAX_SAMPLES or self._characters > MAX_LABEL_CHARACTERS:
            message = (
                f"`{self._source.name}` has more than {MAX_SAMPLES:,} samples of histograms, or "
                f"more than {MAX_LABEL_CHARACTERS:,} characters in their labels"
            )
            hint = "give only the series of one metric"
            raise self._source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
        return self._histograms[key]


def is_counted(name: str, labels: Mapping[str, str]) -> bool:
    """Whether a series is a bucket or the total of a histogram, by its name and labels."""
    return _is_total(name, labels) or _is_bucket(name, labels)


def _is_total(name: str, labels: Mapping[str, str]) -> bool:
    return name.endswith(COUNT) and not labels.keys() & {LE, VMRANGE}


def _is_bucket(name: str, labels: Mapping[str, str]) -> bool:
    return bool(labels.keys() & {LE, VMRANGE}) and (name.endswith(BUCKET) or not name)


def whole(text: str, place: Place) -> int:
    """Parse a number of requests; TailcError if the text is not one."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if value.is_integer() and 0 <= value <= MAX_REQUESTS:
        return int(value)
    message = (
        f"`{text}` is not a number of requests: it is not whole, is negative, or is above 2^53"
    )
    hint = (
        "give the counters and not their rate; for their increase, give an earlier scrape with "
        "`--since`"
    )
    raise TailcError(Finding(Code.OUT_OF_RANGE, message, place, hint))


def _bounds(labels: Mapping[str, str], place: Place) -> tuple[float | None, float]:
    """Lower bound, if it is stated, and upper bound of a bucket."""
    if LE in labels:
        return None, _read_bound(labels[LE], place)
    lower, _dots, upper = labels[VMRANGE].partition("...")
    return _read_bound(lower, place), _read_bound(upper, place)


def _read_bound(text: str, place: Place) -> float:
    try:
        bound = float(text)
    except ValueError:
        bound = math.nan
    if math.isnan(bound):
        message = f"`{text}` is not an upper bound of a bucket"
        raise TailcError(Finding(Code.BROKEN_FORMAT, message, place, _ONE_SCRAPE))
    return bound


def _counts(histogram: _Histogram, name: str) -> dict[Bounds, int]:
    """Number of requests in each bucket; the first begins at 0, or lower if it ends at or below
    0."""
    found: dict[Bounds, int] = {}
    samples = sorted(histogram.samples, key=lambda sample: sample.le)
    _check_times(samples, name)
    if samples[0].above is not None:
        return _ranges(samples, histogram.total, name)
    below = 0.0 if samples[0].le > 0 else -math.inf
    reached = 0
    for sample in samples:
        if sample.le == below:
            raise _inconsistent(
                f"`{name}` has two buckets with the upper bound `{below:g}`",
                sample.place,
                _ONE_SCRAPE,
            )
        if sample.count < reached:
            message = (
                f"`{name}` has {sample.count:,} requests up to `{sample.le:g}`, but {reached:,} "
                "in the buckets below"
            )
            raise _inconsistent(
                message,
                sample.place,
                "a bucket must include the counts of the buckets below: scrape again, since some "
                f"servers count while they answer; else {_ONE_SCRAPE}",
            )
        found[below, sample.le] = sample.count - reached
        below, reached = sample.le, sample.count
    if not math.isinf(below) and histogram.total is not None:
        # Some libraries write the number of all requests instead of the last bucket.
        every = whole(*histogram.total)
        found[below, math.inf] = max(every - reached, 0)
        reached = max(every, reached)
    elif not math.isinf(below):
        message = f"`{name}` has no bucket to `+Inf`, so times above `{below:g}` are unknown"
        raise _inconsistent(message, samples[-1].place, "give all of its buckets")
    if histogram.total is not None:
        _check_total(reached, *histogram.total, name)
    return found


def _ranges(
    samples: Sequence[BucketSample], total: tuple[str, Place] | None, name: str
) -> dict[Bounds, int]:
    """Number of requests in each bucket with two bounds."""
    found: dict[Bounds, int] = {}
    for sample in samples:
        if sample.above is None or not sample.above < sample.le:
            message = f"a bucket of `{name}` has no lower bound below `{sample.le:g}`"
            raise _inconsistent(message, sample.place, _ONE_SCRAPE)
        if (sample.above, sample.le) in found:
            message = f"`{name}` has two buckets with the upper bound `{sample.le:g}`"
            raise _inconsistent(message, sample.place, _ONE_SCRAPE)
        found[sample.above, sample.le] = sample.count
    if total is not None:
        _check_total(sum(found.values()), *total, name)
    return found


def _check_times(samples: Sequence[BucketSample], name: str) -> None:
    """Raise TailcError unless all counts increased over the same range of time."""
    first = samples[0]
    other = next((each for each in samples if each.between != first.between), None)
    if other is not None:
        spans = (f"`{one.le:g}` {_span(one)}" for one in (first, other))
        message = f"buckets of `{name}` were counted over different periods: {', '.join(spans)}"
        hint = "query a range that has every bucket from its start to its end"
        raise _inconsistent(message, other.place, hint)


def _span(sample: BucketSample) -> str:
    if sample.between is None:
        return "at one time"
    return f"from {sample.between[0]:.15g} to {sample.between[1]:.15g}"


def _check_total(reached: int, total: str, place: Place, name: str) -> None:
    """Raise TailcError unless the buckets have as many requests as the stated total."""
    if whole(total, place) != reached:
        message = f"`{name}` has {reached:,} requests in its buckets, but states {total}"
        raise _inconsistent(message, place, _ONE_SCRAPE)


def _inconsistent(message: str, place: Place, help_: str) -> TailcError:
    return TailcError(Finding(Code.BROKEN_FORMAT, message, place, help_))

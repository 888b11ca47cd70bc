"""Samples of classic histograms, each of how many took at most `le`, put together by label set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.scraped import BUCKET, LE, Bounds, Labels, Scraped, labels_of, written
from tailc.traces.counted import Grain
from tailc.traces.histogram import MAX_REQUESTS
from tailc.traces.source import Source

COUNT = "_count"
# The scrape of a large server has a quarter of both.
MAX_SAMPLES = 1 << 17
MAX_LABEL_CHARACTERS = 1 << 24
_ONE_SCRAPE = "give one scrape as it was answered"


@dataclass(frozen=True)
class Sample:
    """How many requests took at most `le`, and the place of the count.

    between: the first and the last time of a count that grew between them; None of another.
    """

    le: float
    count: int
    place: Place
    between: tuple[float, float] | None


@dataclass
class _Histogram:
    """The samples of one label set, and the number in all as text, where that is told."""

    samples: list[Sample] = field(default_factory=list)
    total: tuple[str, Place] | None = None


class Cumulative:
    """Classic histograms as their samples come, within limits."""

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
        """Take a sample of a bucket, or of all; others are passed over.

        Raises TailcError where its numbers are none, or there are too many samples.
        """
        if name.endswith(COUNT) and LE not in labels:
            # Numbers of other metrics may end in this, too, and need not be whole.
            self._of(name.removesuffix(COUNT), labels).total = count, place
        elif LE in labels and (name.endswith(BUCKET) or not name):
            sample = Sample(_bound(labels[LE], place), whole(count, place), place, between)
            self._of(name.removesuffix(BUCKET), labels).samples.append(sample)

    def scraped(self) -> Iterator[Scraped]:
        """Each histogram; TailcError where its buckets are not those of one."""
        for (metric, labels), one in self._histograms.items():
            if one.samples:
                count = _counts(one, written(metric, labels))
                yield Scraped(metric, labels, Grain.LINEAR, count)

    def _of(self, metric: str, labels: Mapping[str, str]) -> _Histogram:
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
            hint = "give those of the metric alone"
            raise self._source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
        return self._histograms[key]


def whole(text: str, place: Place) -> int:
    """A number of requests; TailcError where it is none."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if value.is_integer() and 0 <= value <= MAX_REQUESTS:
        return int(value)
    message = f"`{text}` is no number of requests: not whole, negative or beyond 2^53"
    hint = "take the counters themselves, not a rate of them, and by `--since` what they grew by"
    raise TailcError(Finding(Code.OUT_OF_RANGE, message, place, hint))


def _bound(text: str, place: Place) -> float:
    try:
        bound = float(text)
    except ValueError:
        bound = math.nan
    if math.isnan(bound):
        message = f"`{text}` is no upper bound of a bucket"
        raise TailcError(Finding(Code.BROKEN_FORMAT, message, place, _ONE_SCRAPE))
    return bound


def _counts(histogram: _Histogram, name: str) -> dict[Bounds, int]:
    """The requests in each bucket; the first one begins at 0, or below where it ends there."""
    found: dict[Bounds, int] = {}
    samples = sorted(histogram.samples, key=lambda sample: sample.le)
    _check_times(samples, name)
    below = 0.0 if samples[0].le > 0 else -math.inf
    reached = 0
    for sample in samples:
        if sample.le == below:
            raise _broken(f"`{name}` has two buckets to `{below:g}`", sample.place, _ONE_SCRAPE)
        if sample.count < reached:
            message = (
                f"`{name}` has {sample.count:,} requests to `{sample.le:g}`, but {reached:,} in "
                "the buckets below"
            )
            raise _broken(message, sample.place, "a bucket counts those below, too; " + _ONE_SCRAPE)
        found[below, sample.le] = sample.count - reached
        below, reached = sample.le, sample.count
    if not math.isinf(below):
        message = f"`{name}` has no bucket to `+Inf`, so times above `{below:g}` are unknown"
        raise _broken(message, samples[-1].place, "give all of its buckets")
    if histogram.total is not None:
        _check_total(reached, *histogram.total, name)
    return found


def _check_times(samples: Sequence[Sample], name: str) -> None:
    """Raise TailcError unless the counts grew between the same two times."""
    first = samples[0]
    other = next((each for each in samples if each.between != first.between), None)
    if other is not None:
        spans = (f"`{one.le:g}` {_span(one)}" for one in (first, other))
        message = f"buckets of `{name}` do not have the same times: {', '.join(spans)}"
        hint = "query a range in which each bucket is a series from its start to its end"
        raise _broken(message, other.place, hint)


def _span(sample: Sample) -> str:
    if sample.between is None:
        return "at one time"
    return f"from {sample.between[0]:.15g} to {sample.between[1]:.15g}"


def _check_total(reached: int, total: str, place: Place, name: str) -> None:
    """Raise TailcError unless as many are in buckets as are told to be there in all."""
    if whole(total, place) != reached:
        message = f"`{name}` has {reached:,} requests in buckets, and says it has {total}"
        raise _broken(message, place, _ONE_SCRAPE)


def _broken(message: str, place: Place, help_: str) -> TailcError:
    return TailcError(Finding(Code.BROKEN_FORMAT, message, place, help_))

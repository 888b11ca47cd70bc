"""Read histograms in the protobuf of Prometheus: classic, native, or both.

Buckets of a native histogram are in spans (number of skipped buckets, number of following ones),
with counts as differences to the bucket before. If a family has both, the native histogram is used.

Source: `io/prometheus/client/metrics.proto` of prometheus/client_model 0.6; Prometheus
documentation, "Native histograms".
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tailc.errors import Place
from tailc.ingest.cumulative import COUNT, Cumulative
from tailc.ingest.frames import TooLongError
from tailc.ingest.native import SCHEMAS, upper_bound
from tailc.ingest.scraped_histograms import (
    BUCKET,
    LE,
    MAX_BUCKETS,
    Bounds,
    Labels,
    ScrapedHistogram,
    labels_of,
)
from tailc.ingest.wire import EIGHT, SIZED, VARINT, WireError, parts, values, varint
from tailc.traces.counted_times import Grain

# Labels and buckets of one histogram, with an exemplar for each.
MAX_METRIC_BYTES = 1 << 20
_HISTOGRAMS = (4, 5)
# The fields of a family, of a metric, of a label, and of a histogram.
_NAME, _TYPE, _METRIC = 1, 3, 4
_LABEL, _HISTOGRAM = 1, 7
_TOTAL, _BUCKET, _FLOAT_TOTAL, _SCHEMA, _THRESHOLD, _ZERO = 1, 3, 4, 5, 6, 7
_NEGATIVE, _SPAN, _DELTA = 9, 12, 13
_OF_NATIVE = {_SCHEMA, _THRESHOLD, _ZERO, _NEGATIVE, _SPAN}
_DOUBLE = struct.Struct("<d")
_LEAST = sys.float_info.min


@dataclass
class _HistogramFields:
    """Fields of a histogram; `spans` are pairs of skipped and following buckets."""

    fields: set[int] = field(default_factory=set)
    total: int = 0
    cumulative: list[tuple[float, int]] = field(default_factory=list)
    schema: int = 0
    threshold: float = 0.0
    zero: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list)
    deltas: list[int] = field(default_factory=list)


def histograms_of(
    family: memoryview, classic: Cumulative, place: Place
) -> Iterator[ScrapedHistogram]:
    """Yield the native histograms of a metric family; add classic ones to `classic`.

    Raises ValueError for malformed bytes.
    """
    name, kind = "", 0
    for number, wire, value in values(family):
        if number == _NAME:
            name = _text(value)
        elif number == _TYPE and wire == VARINT:
            kind = varint(value, 0)[0]
    if kind not in _HISTOGRAMS:
        return
    for metric in parts(family, _METRIC):
        if len(metric) > MAX_METRIC_BYTES:
            raise TooLongError(f"has a histogram of more than {MAX_METRIC_BYTES:,} bytes")
        labels = dict(_label(pair) for pair in parts(metric, _LABEL))
        for histogram in parts(metric, _HISTOGRAM):
            histogram_fields = _fields_of_histogram(histogram)
            if histogram_fields.fields & _OF_NATIVE:
                yield _native(name, labels_of(labels), histogram_fields)
            else:
                _add_classic(classic, name, labels, histogram_fields, place)


def _text(value: memoryview) -> str:
    return bytes(value).decode("utf-8", "replace")


def _label(pair: memoryview) -> tuple[str, str]:
    found = {number: _text(value) for number, wire, value in values(pair) if wire == SIZED}
    return found.get(1, ""), found.get(2, "")


def _fields_of_histogram(histogram: memoryview) -> _HistogramFields:
    """The relevant fields of a histogram; raises WireError for a field of the wrong type."""
    histogram_fields = _HistogramFields()
    for number, wire, value in values(histogram):
        histogram_fields.fields.add(number)
        if number == _BUCKET:
            histogram_fields.cumulative.append(_bucket(value))
        elif number == _SPAN:
            histogram_fields.spans.append(_span(value))
        elif number == _DELTA:
            histogram_fields.deltas += map(_decode_zigzag, _varints(value, wire))
        else:
            _set_number(histogram_fields, number, wire, value)
        if (
            max(
                len(histogram_fields.deltas),
                len(histogram_fields.spans),
                len(histogram_fields.cumulative),
            )
            > MAX_BUCKETS
        ):
            raise TooLongError(f"has a histogram of more than {MAX_BUCKETS:,} buckets")
    return histogram_fields


def _set_number(
    histogram_fields: _HistogramFields, number: int, wire: int, value: memoryview
) -> None:
    """Set a field that is a single number."""
    if number == _TOTAL:
        histogram_fields.total = _whole(value, wire)
    elif number == _SCHEMA:
        histogram_fields.schema = _decode_zigzag(_whole(value, wire))
    elif number == _THRESHOLD:
        histogram_fields.threshold = _double(value, wire)
    elif number == _ZERO:
        histogram_fields.zero = _whole(value, wire)
    elif number == _FLOAT_TOTAL and _double(value, wire) > 0:
        raise WireError("a histogram whose counts are not whole numbers")


def _whole(value: memoryview, wire: int) -> int:
    if wire != VARINT:
        raise WireError("a field of the wrong type")
    return varint(value, 0)[0]


def _double(value: memoryview, wire: int) -> float:
    if wire != EIGHT:
        raise WireError("a field of the wrong type")
    return _DOUBLE.unpack(value)[0]


def _decode_zigzag(zigzag: int) -> int:
    return (zigzag >> 1) ^ -(zigzag & 1)


def _varints(value: memoryview, wire: int) -> Iterator[int]:
    """One number, or several packed ones."""
    at = 0
    while at < len(value):
        begin = at
        number, at = varint(value, begin)
        yield number
    if wire not in (VARINT, SIZED):
        raise WireError("a field of the wrong type")


def _bucket(bucket: memoryview) -> tuple[float, int]:
    """Upper bound of a bucket, and number of requests up to it."""
    upper, reached = 0.0, 0
    for number, wire, value in values(bucket):
        if number == 1:
            reached = _whole(value, wire)
        elif number == 2:
            upper = _double(value, wire)
    return upper, reached


def _span(span: memoryview) -> tuple[int, int]:
    found = {number: _whole(value, wire) for number, wire, value in values(span)}
    return _decode_zigzag(found.get(1, 0)), found.get(2, 0)


def _add_classic(
    classic: Cumulative,
    name: str,
    labels: dict[str, str],
    histogram_fields: _HistogramFields,
    place: Place,
) -> None:
    has_last = any(math.isinf(upper) for upper, _ in histogram_fields.cumulative)
    last = [] if has_last else [(math.inf, histogram_fields.total)]
    for upper, count in histogram_fields.cumulative + last:
        classic.add(name + BUCKET, labels | {LE: repr(upper)}, str(count), place)
    classic.add(name + COUNT, labels, str(histogram_fields.total), place)


def _native(name: str, labels: Labels, histogram_fields: _HistogramFields) -> ScrapedHistogram:
    """The histogram; raises ValueError if its numbers are inconsistent."""
    if histogram_fields.schema not in SCHEMAS:
        raise WireError(f"a histogram of the unknown schema {histogram_fields.schema}")
    if sum(length for _, length in histogram_fields.spans) != len(histogram_fields.deltas):
        raise WireError("bucket spans whose lengths do not add up to the number of buckets")
    count = dict(_positive(histogram_fields, histogram_fields.deltas))
    # A bucket of 0 alone gets an upper bound below the resolution of every time.
    count[-histogram_fields.threshold, histogram_fields.threshold or _LEAST] = histogram_fields.zero
    if not all(lower < upper for lower, upper in count):
        raise WireError("a bucket whose lower bound is not below its upper bound")
    counted = sum(count.values())
    below = histogram_fields.total - counted if _NEGATIVE in histogram_fields.fields else 0
    if min(count.values()) < 0 or below < 0 or counted + below != histogram_fields.total:
        raise WireError(f"{counted} requests in buckets, but {histogram_fields.total} in total")
    if below:
        count[-math.inf, -histogram_fields.threshold] = below
    return ScrapedHistogram(name, labels, Grain.EXPONENTIAL, count)


def _positive(
    histogram_fields: _HistogramFields, deltas: Sequence[int]
) -> Iterator[tuple[Bounds, int]]:
    """Buckets above 0 in order; the first begins at the end of the zero bucket at the earliest."""
    index = times = 0
    rest = iter(deltas)
    for left_out, length in histogram_fields.spans:
        index += left_out
        for _ in range(length):
            times += next(rest)
            lower, upper = (upper_bound(histogram_fields.schema, at) for at in (index - 1, index))
            yield (max(lower, histogram_fields.threshold), upper), times
            index += 1

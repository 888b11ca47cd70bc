"""Find in an OpenSLO indicator's query what it says about latency.

OpenSLO leaves the query language to the source of the metric. This module uses what is common:
units in names of metrics (`http_request_duration_seconds`), bounds of a Prometheus bucket
(`le="0.5"`), comparisons of times with a number, and percentiles computed by the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice

from tailc.specs.openslo.part import DocumentPart

_UNITS = {
    **dict.fromkeys(("nanoseconds", "ns"), Decimal("0.001")),
    **dict.fromkeys(("microseconds", "us"), Decimal(1)),
    **dict.fromkeys(("milliseconds", "millis", "msec", "ms"), Decimal(1_000)),
    **dict.fromkeys(("seconds", "sec", "secs", "s"), Decimal(1_000_000)),
}
"""Microseconds in each unit that metrics are named by."""
# A lone `s` is more often the second of `[30s]` or of a table's alias than a unit.
_NAMED = frozenset(_UNITS) - {"s"}
# A lone `us` is more often a part of the world.
_ALONE = _NAMED - {"us"}
_TIMES = frozenset({"duration", "latency", "time", "elapsed", "took", "wait", "delay"})
_LATENCIES = _TIMES | {"durations", "latencies", "times", "timer", "waiting", "rtt", "ttfb"}
_NO_LATENCIES = frozenset(
    {"bytes", "cpu", "fraction", "per", "percent", "percentage", "ratio", "saturation"}
    | {"throughput", "timestamp", "uptime", "usage", "utilisation", "utilization"}
)
# Unless the name also contains a time, as in `disk_latency`.
_RARELY_LATENCIES = frozenset(
    {"connections", "disk", "errors", "mem", "memory", "pressure", "queue", "requests", "size"}
)
_COUNTERS = re.compile(r"(?:_|^)(total|count|created|info)$", re.IGNORECASE)
# Labels and ranges of a query.
_SELECTION = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NUMBER = r"([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]{1,3})?)"
_BUCKET = re.compile(r"""\ble\s*(=~?)\s*(["'])\+?(.*?)\2""")
# A point of a pattern, and a part of one that may be one of several texts.
_POINT = re.compile(r"\[\.\]|\\+\.")
_CHOICE = re.compile(r"\((?:\?:)?([^()]*)\)(\??)|([0-9.])([?*])")
# Texts that a pattern of one bound has, as `0[.]50?`, and more than any of them.
_MOST_TEXTS = 64
_FRACTION = re.compile(rf"\bhistogram_fraction\s*\(\s*(?:-Inf|-?0*\.?0+)\s*,\s*{_NUMBER}\s*,")
# A query that is such a fraction, or one times a number.
_IS_FRACTION = re.compile(r"[0-9.eE\s*(]*histogram_fraction\s*\(")
_BELOW = re.compile(
    rf"([0-9)]\s*[*/]\s*)?([A-Za-z][A-Za-z0-9_.]*)[\"'`\])\s]*<=?\s*{_NUMBER}\s*(ns|us|ms|s)?(?![A-Za-z0-9.])"
)
_SHARE = r"([01]?\.[0-9]+|1)"
_SHARES = re.compile(
    rf"quantile(?:_over_time)?\s*\(\s*{_SHARE}\b|quantile\s*=\s*[\"']{_SHARE}[\"']"
    rf"|percentile_(?:cont|disc)\s*\(\s*{_SHARE}\b|approx_percentile\s*\([^,()]+,\s*{_SHARE}\b",
    re.IGNORECASE,
)
# `p99`, `p99.9` and `p999`; `.95percentile`; `percentile(duration, 99)`.
_PERCENTS = re.compile(
    r"(?:^|[._\s])p([0-9]{2})\.?([0-9]*)(?=$|[{:(\s])|\.([0-9]{2})\.?([0-9]*)percentile\b"
    r"|\bpercentile\s*\([^,()]+,\s*([0-9]{2})\.?([0-9]*)\s*\)",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\b(avg|average|mean|median|max|maximum|min|minimum|sum)"
    r"(?:_over_time|\s+by\b|\s+without\b)?\s*(?:[:(]|$)"
    r"|(_sum)\b.*/.*_count\b|(percentile|quantile)",
    re.IGNORECASE | re.DOTALL,
)
_RATE = re.compile(r"\b(i?rate|increase|i?delta|count)\s*\(", re.IGNORECASE)


def unit_us(metric: DocumentPart) -> Decimal | None:
    """Microseconds per unit of the metric, by its names; None for no unit or several."""
    units = {unit for text in metric.texts() for unit in _units_in(text)}
    return units.pop() if len(units) == 1 else None


def threshold(metric: DocumentPart) -> tuple[Decimal, Decimal | None] | None:
    """The latency limit in a query that counts good requests, and its unit if the query has one.

    None for no limit or several. Comparisons of other quantities than times, such as a status, are
    ignored.
    """
    bounds = {bound for text in metric.texts() for bound in _bounds_in(text)}
    if bounds:
        bound = bounds.pop()
        return None if bounds or bound is None else (bound, None)
    found = {bound for text in metric.texts() for bound in _times_below(text)}
    return found.pop() if len(found) == 1 else None


def fraction_below(metric: DocumentPart) -> Decimal | None:
    """The latency limit of a metric that is the share of requests below a limit; else None."""
    fractions = [text for text in metric.texts() if _IS_FRACTION.match(text)]
    bounds = [bound for text in fractions for bound in _FRACTION.findall(text)]
    return Decimal(bounds[0]) if len(bounds) == len(fractions) == 1 else None


def quantile(metric: DocumentPart) -> Decimal | None:
    """The percentile (0 to 1) that a metric's query computes; None for no percentile or several."""
    found = {share for text in metric.texts() for share in _shares_in(text)}
    return found.pop() if len(found) == 1 else None


def summary(metric: DocumentPart) -> str | None:
    """The word by which the metric summarises many requests, such as an average.

    None if it has a value for each request.
    """
    for pattern in (_SUMMARY, _RATE):
        for text in metric.texts():
            if match := pattern.search(text.strip()):
                return next(group for group in match.groups() if group)
    return None


def is_latency(metric: DocumentPart) -> bool:
    """Whether the metric is a latency.

    It is if its names contain a time, or if it is a percentile of an unnamed quantity.
    """
    names = [
        name
        for text in metric.texts()
        for name in _NAME.findall(_SELECTION.sub("", text))
        if not name.endswith("quantile")
    ]
    words = {word for name in names for word in _words(name)}
    if words & _NO_LATENCIES or any(_COUNTERS.search(name) for name in names):
        return False
    if words & _LATENCIES or unit_us(metric) is not None:
        return True
    return quantile(metric) is not None and not words & _RARELY_LATENCIES


def _bounds_in(text: str) -> Iterator[Decimal | None]:
    """Bounds of buckets, and of fractions of a histogram from 0 on; None if one is unclear."""
    yield from map(Decimal, _FRACTION.findall(text))
    for operator, _, bound in _BUCKET.findall(text):
        texts = [bound] if operator == "=" else _matching_texts(_POINT.sub(".", bound.strip("^$")))
        for each in islice(texts, _MOST_TEXTS + 1):
            is_number = re.fullmatch(_NUMBER, each.strip("()").removesuffix("."))
            yield Decimal(each.strip("()")) if is_number else None


def _matching_texts(pattern: str) -> Iterator[str]:
    """The texts that match a pattern with alternatives and optional parts, once each."""
    choice = _CHOICE.search(pattern)
    if choice is None:
        yield from pattern.split("|")
        return
    inner, is_optional, sign, _ = choice.groups()
    texts = [sign, ""] if sign else [*inner.split("|"), *([""] if is_optional else [])]
    for text in texts:
        yield from _matching_texts(pattern[: choice.start()] + text + pattern[choice.end() :])


def _times_below(text: str) -> Iterator[tuple[Decimal, Decimal | None] | None]:
    """Limits of times and their units; None for a time that is multiplied or divided."""
    for scaled, name, bound, unit in _BELOW.findall(text):
        if scaled:
            yield None
            continue
        units = set(_units_in(name))
        if unit:
            yield Decimal(bound), _UNITS[unit]
        elif units or _words(name) & _TIMES:
            yield Decimal(bound), units.pop() if len(units) == 1 else None


def _units_in(text: str) -> Iterator[Decimal]:
    for name in _NAME.findall(text):
        words = _words(name)
        for word in words & (_NAMED if len(words) > 1 else _ALONE):
            yield _UNITS[word]


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _shares_in(text: str) -> Iterator[Decimal]:
    for groups in _SHARES.findall(text):
        yield Decimal(next(share for share in groups if share))
    for groups in _PERCENTS.findall(text):
        whole, rest = next(pair for pair in zip(groups[::2], groups[1::2], strict=True) if pair[0])
        yield Decimal(f"{whole}.{rest or 0}") / 100

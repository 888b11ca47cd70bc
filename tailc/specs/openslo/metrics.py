"""What the query of an indicator tells of latency: a threshold, its unit, a percentile.

OpenSLO leaves queries to the source of the metric, so this goes by what is common to them: units in
names of metrics (`http_request_duration_seconds`), bounds of a Prometheus bucket (`le="0.5"`), and
percentiles that the source has computed already.
"""

from __future__ import annotations

import re
from decimal import Decimal

from tailc.specs.openslo.part import Part

_UNITS = {
    **dict.fromkeys(("nanoseconds", "ns"), Decimal("0.001")),
    **dict.fromkeys(("microseconds", "us"), Decimal(1)),
    **dict.fromkeys(("milliseconds", "millis", "msec", "ms"), Decimal(1_000)),
    **dict.fromkeys(("seconds", "sec", "secs", "s"), Decimal(1_000_000)),
}
"""Microseconds in each unit that metrics are named by."""
_WORD = re.compile(r"[A-Za-z]+")
# A lone `s` is more often the second of `[30s]` or of a table's alias than a unit.
_NAMED = frozenset(_UNITS) - {"s"}
_BUCKET = re.compile(r"""\ble\s*=~?\s*["']([0-9.eE+-]+)["']""")
_BELOW = re.compile(r"<=?\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|ms|s)?(?![A-Za-z0-9.])")
_QUANTILE = re.compile(
    r"histogram_quantile\s*\(\s*(0?\.[0-9]+)|quantile\s*=\s*[\"'](0?\.[0-9]+)[\"']"
    r"|\bp([0-9]{2}(?:\.[0-9]+)?)\s*:"
)


def unit_us(metric: Part) -> Decimal | None:
    """Microseconds in the only unit that the metric's names tell; None where none or several do."""
    words = {word.lower() for text in metric.texts() for word in _WORD.findall(text)}
    told = {_UNITS[word] for word in words & _NAMED}
    return told.pop() if len(told) == 1 else None


def threshold(metric: Part) -> tuple[Decimal, Decimal | None] | None:
    """The latency that a query of good requests counts up to, and its unit if it is written there.

    None where it has no such bound, or several.
    """
    found = {
        (Decimal(bound), None)
        for text in metric.texts()
        for bound in _BUCKET.findall(text)
        if _is_number(bound)
    } or {
        (Decimal(bound), _UNITS.get(unit))
        for text in metric.texts()
        for bound, unit in _BELOW.findall(text)
    }
    return found.pop() if len(found) == 1 else None


def quantile(metric: Part) -> Decimal | None:
    """The percentile, 0 to 1, that the metric is itself; None where it is a latency as measured."""
    for text in metric.texts():
        if match := _QUANTILE.search(text):
            share = match[1] or match[2]
            return Decimal(share) if share else Decimal(match[3]) / 100
    return None


def _is_number(bound: str) -> bool:
    return re.fullmatch(r"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?", bound) is not None

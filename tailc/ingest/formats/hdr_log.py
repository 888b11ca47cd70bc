"""HdrHistogram logs: an interval a line, its histogram encoded at the end; versions 0 to 2.

Comments begin with `#`, the names of the columns with a quote. A line is an optional `Tag=NAME,`,
start and length of the interval, its largest value, and the histogram. What the values are, and in
which unit, the log does not tell.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.format import Format
from tailc.ingest.hdr import HdrError, decoded
from tailc.ingest.taken import Asked, Taken
from tailc.ingest.texts import unit_asked
from tailc.traces.counted import Grain
from tailc.traces.histogram import MAX_NS, MAX_REQUESTS, histogram_of
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

# An interval of five digits, encoded, is far below this.
MAX_LINE_BYTES = 1 << 22
_NS_PER_MS = 1_000_000
_HALF = 2
_INTERVAL = re.compile(r"\s*(?:Tag=(?P<tag>[^,]*),)?(?:[0-9.eE+-]+,){3}(?P<encoded>\S+)\s*$")
_LEGEND = b'"StartTimestamp"'
_STARTS = (b"#[", b"Tag=")


def matches(head: bytes) -> bool:
    """Whether it is a log of intervals."""
    text = head.lstrip()
    first = next((line for line in text.splitlines() if not line.startswith(b"#")), b"")
    is_line = _INTERVAL.match(first[:200].decode(errors="replace")) is not None
    begins = text.startswith(_STARTS) or first.startswith(_LEGEND)
    return begins or (b"HIST" in first and is_line)


def read(source: Source, asked: Asked) -> Taken:
    """Every interval's values together, those of all tags."""
    unit = unit_asked(source, asked)
    counts: Counter[int] = Counter()
    tags: set[str] = set()
    last: Place | None = None
    for number, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        place = Place(source.name, line=number, column=1)
        _check_length(line, place)
        text = line.decode("utf-8", errors="replace").strip()
        if not text or text.startswith(("#", '"')):
            continue
        tags.add(_add_interval(text, place, counts))
        last = place
    if last is None or not counts:
        message = f"`{source.name}` has no interval with values"
        hint = "check that what writes it has ended, and that it is the right file"
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)
    return _taken(source, counts, tags - {""}, unit)


def _check_length(line: bytes, place: Place) -> None:
    """Raise TailcError where the line was cut, and no more lines follow, since it is too long."""
    if len(line) > MAX_LINE_BYTES:
        message = f"line is longer than {MAX_LINE_BYTES:,} bytes"
        raise TailcError(Finding(Code.TRACE_TOO_LARGE, message, place, "log shorter intervals"))


def _add_interval(text: str, place: Place, counts: Counter[int]) -> str:
    """Count the values of a line; returns its tag, or nothing."""
    found = _INTERVAL.match(text)
    if found is None:
        message = "line is no interval: start, length, largest value, histogram"
        hint = "copy the log again, or leave the line out if it is the last"
        raise TailcError(Finding(Code.BROKEN_FORMAT, message, place, hint))
    try:
        for value, count in decoded(found["encoded"]):
            counts[value] += count
    except HdrError as error:
        message = f"the histogram of the interval cannot be read: {error}"
        hint = "copy the log again, or leave the line out if it is the last"
        column = found.start("encoded") + 1
        at = Place(place.source, place.line, column)
        raise TailcError(Finding(Code.BROKEN_FORMAT, message, at, hint)) from None
    return found["tag"] or ""


def _taken(source: Source, counts: Counter[int], tags: set[str], unit: TimeUnit) -> Taken:
    ns_per_unit = round(unit.in_ms * _NS_PER_MS)
    # A value of 0 is of something that took less than a unit.
    values = [value * ns_per_unit or max(1, ns_per_unit // _HALF) for value in counts]
    if max(values) > MAX_NS or sum(counts.values()) > MAX_REQUESTS:
        message = f"`{source.name}` has a value beyond 104 days, or more values than can be counted"
        raise source.fault(Code.OUT_OF_RANGE, message, advice="check the unit of its values")
    histogram = histogram_of(np.array(values), np.array(list(counts.values())))
    tagged = f"values of tags {', '.join(sorted(tags))}" if tags else "values"
    return Taken(
        "an HdrHistogram log", tagged, unit, Grain.BUCKETS, None, histogram, points=len(counts)
    )


FORMATS = (Format("HdrHistogram log", matches, read),)

"""Read HdrHistogram logs, versions 0 to 2: one interval per line, with an encoded histogram.

Comments begin with `#`, the names of the columns with a quote. A line is an optional `Tag=NAME,`,
start and length of the interval, its largest value, and the histogram. The log does not state the
quantity, and its unit only in a comment of some programs.
"""

from __future__ import annotations

import re

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.format import Format
from tailc.ingest.hdr import HdrDoublesError, HdrError, Unsigned, Whole, decode_histogram
from tailc.ingest.input_times import InputTimes
from tailc.ingest.options import InputOptions
from tailc.ingest.texts import stated_unit
from tailc.traces.counted_times import Grain
from tailc.traces.histogram import MAX_NS, MAX_REQUESTS, histogram_of
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.units import shorten

# An interval of five digits, encoded, is far below this.
MAX_LINE_BYTES = 1 << 22
_NS_PER_MS = 1_000_000
_HALF = 2
# Values that wait to be put together with equal ones: a few tens of megabytes.
_MOST_WAITING = 1 << 20
# A locale may write decimal commas.
_INTERVAL = re.compile(
    r"\s*(?:Tag=(?P<tag>[^,]*),)?(?:[0-9.eE+-]+(?:,[0-9]+)?,){3}(?P<encoded>[^\s,]+)\s*$"
)
_LEGEND = b'"StartTimestamp"'
# As nosqlbench and tailc write it.
_UNIT = re.compile(
    rb"^#[^\n]*?(?:values in the histogram = |\[Times in )(nano|micro|milli)?seconds", re.MULTILINE
)
_UNITS = {
    b"nano": TimeUnit.NS,
    b"micro": TimeUnit.US,
    b"milli": TimeUnit.MS,
    None: TimeUnit.S,
}
_COPY = "copy the log again, or remove the line if it is the last"
_STARTS = (b"#[", b"Tag=")


def matches(head: bytes) -> bool:
    """Whether the input begins like an HdrHistogram log."""
    text = head.lstrip()
    first = next((line for line in text.splitlines() if not line.startswith(b"#")), b"")
    is_line = _INTERVAL.match(first[:200].decode(errors="replace")) is not None
    begins = text.startswith(_STARTS) or first.startswith(_LEGEND)
    return begins or (b"HIST" in first and is_line)


def read(source: Source, options: InputOptions) -> InputTimes:
    """Add the histograms of all intervals of an HdrHistogram log, or of those with given tags."""
    noted = _UNIT.search(source.head())
    unit = _UNITS[noted[1]] if noted else stated_unit(source, options.unit)
    counts = _Counts(source)
    tags: set[str] = set()
    for number, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        place = Place(source.name, line=number, column=1)
        _check_length(line, place)
        text = line.decode("utf-8", errors="replace").strip()
        if not text or text.startswith(("#", '"')):
            continue
        found = _interval(text, place)
        tags.add(found["tag"] or "")
        if not options.tags or (found["tag"] or "") in options.tags:
            _add(found, place, counts)
    _check_tags(source, tags, options.tags)
    counts.merge()
    if not len(counts.value):
        message = f"`{source.name}` has no interval with values"
        hint = "check that it is the right file, and that the program that writes it has ended"
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)
    return _times(source, counts, set(options.tags or tags) - {""}, unit)


def _check_tags(source: Source, tags: set[str], wanted: tuple[str, ...]) -> None:
    """Raise TailcError if there are several tags and none is chosen, or a chosen one is missing."""
    missing = set(wanted) - tags
    if not tags or ((wanted or len(tags) == 1) and not missing):
        return
    message = (
        f"`{source.name}` has intervals with {len(tags)} tags, which may be times of the same "
        "requests"
    )
    if missing:
        message = f"`{source.name}` has no interval with the tag `{shorten(min(missing))}`"
    listed = ", ".join(f"`{shorten(tag)}`" if tag else "`''` (no tag)" for tag in sorted(tags))
    advice = f"choose with `--tag`, which may be repeated: {listed}"
    raise source.fault(Code.NO_METRIC, message, advice=advice)


def _check_length(line: bytes, place: Place) -> None:
    """Raise TailcError for a line that is too long, after which reading stopped."""
    if len(line) > MAX_LINE_BYTES:
        message = f"line is longer than {MAX_LINE_BYTES:,} bytes"
        raise TailcError(Finding(Code.TRACE_TOO_LARGE, message, place, "log shorter intervals"))


class _Counts:
    """Number of occurrences of each value in all intervals so far."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.value, self.count = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        self._added: list[tuple[Unsigned, Whole]] = []
        self._waiting = 0
        self._total = 0.0

    def add(self, value: Unsigned, count: Whole) -> None:
        """Add the counts of an interval; raises TailcError if there are too many requests."""
        self._total += float(count.sum(dtype=np.float64))
        if self._total > MAX_REQUESTS:
            raise _out_of_range(self._source)
        self._added.append((value, count))
        self._waiting += len(value)
        if self._waiting > _MOST_WAITING:
            self.merge()

    def merge(self) -> None:
        """Merge equal values."""
        every = [(self.value, self.count), *self._added]
        value, count = (np.concatenate(parts) for parts in zip(*every, strict=True))
        order = np.argsort(value, kind="stable")
        self.value, first = np.unique(value[order], return_index=True)
        self.count = np.add.reduceat(count[order], first) if len(first) else count
        self._added, self._waiting = [], 0


def _interval(text: str, place: Place) -> re.Match[str]:
    """Match of a line with `tag` and the `encoded` histogram."""
    found = _INTERVAL.match(text)
    if found is None:
        message = "line is not an interval of a log: start, length, largest value, histogram"
        raise TailcError(Finding(Code.BROKEN_FORMAT, message, place, _COPY))
    return found


def _add(found: re.Match[str], place: Place, counts: _Counts) -> None:
    """Add the values of an interval."""
    try:
        counts.add(*decode_histogram(found["encoded"]))
    except HdrError as error:
        message = f"the histogram of the interval cannot be read: {error}"
        of_doubles = isinstance(error, HdrDoublesError)
        hint = "log integers, such as whole microseconds" if of_doubles else _COPY
        column = found.start("encoded") + 1
        at = Place(place.source, place.line, column)
        raise TailcError(Finding(Code.BROKEN_FORMAT, message, at, hint)) from None


def _out_of_range(source: Source) -> TailcError:
    message = f"`{source.name}` has a value beyond 104 days, or more values than can be counted"
    return source.fault(Code.OUT_OF_RANGE, message, advice="check the unit of its values")


def _times(source: Source, counts: _Counts, tags: set[str], unit: TimeUnit) -> InputTimes:
    ns_per_unit = round(unit.in_ms * _NS_PER_MS)
    if int(counts.value[-1]) * ns_per_unit > MAX_NS:
        raise _out_of_range(source)
    # A value of 0 is of something that took less than a unit.
    at_least = max(1, ns_per_unit // _HALF)
    demand_ns = np.maximum(counts.value.astype(np.int64) * ns_per_unit, at_least)
    histogram = histogram_of(demand_ns, counts.count)
    tagged = f"values of tags {', '.join(sorted(tags))}" if tags else "values"
    points = len(counts.value)
    return InputTimes(
        "an HdrHistogram log", tagged, unit, Grain.BUCKETS, None, histogram, points=points
    )


FORMATS = (Format("HdrHistogram log", matches, read, has_tags=True),)

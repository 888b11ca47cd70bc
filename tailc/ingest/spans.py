"""Spans of traces, whatever they come as: what servers took, less what they called.

The time taken of a span of kind server is its own: its length less the union of those of its
children, where they lie within it. It is wall time, so it has waiting for a processor or a lock in
it, and how requests were sent is not told: it is taken for a response, not for a demand. Where an
attribute of the spans is asked for, such as the processor time that a server has measured, that is
taken in place of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.estimate import histogram_with_missing
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.options import InputOptions, SpanOptions
from tailc.ingest.span_defects import CheckedSpans
from tailc.ingest.span_table import Span, own_ns, with_children, without_internal
from tailc.ingest.texts import stated_unit
from tailc.traces.counted import Grain
from tailc.traces.histogram import MAX_NS
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.times import NS_PER_MS

# 59 bytes each; a file that inflates to more of them is a bomb, or can be given in parts.
MAX_SPANS = 1 << 22
_BETWEEN = ".."
_OWN_TIME = "own time of server spans"
_WITH_INTERNAL = f"{_OWN_TIME}, internal ones included"


@dataclass(frozen=True)
class Attribute:
    """A number that spans carry: that named `end`, less that named `start` where there is one."""

    end: str
    start: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Those to look for."""
        return (self.end,) if self.start is None else (self.start, self.end)

    def of(self, values: Mapping[str, object]) -> float | None:
        """The number by a span's attributes; None where they have none."""
        end = _number(values.get(self.end))
        start = 0 if self.start is None else _number(values.get(self.start))
        return None if end is None or start is None else float(end - start)


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def stated_attribute(options: SpanOptions) -> Attribute | None:
    """The attribute that is asked for: `NAME`, or `START..END` for the difference of two."""
    if options.attribute is None:
        return None
    start, between, end = options.attribute.partition(_BETWEEN)
    return Attribute(end, start) if between else Attribute(options.attribute)


def times_of_spans(
    spans: Iterable[Span], source: Source, options: InputOptions, format_: str, unit: TimeUnit
) -> InputTimes:
    """The own times of server spans that ended without an error, or what was asked for of them.

    Raises TailcError where there are none, or too many spans, or what was asked for is no time.
    """
    checked = CheckedSpans(_within_limit(spans, source), source)
    attribute, with_internal = options.spans.attribute, options.spans.with_internal
    if attribute is None:
        checked.mend_parents()
    table = checked.rows
    server = table[table["is_server"] & ~table["is_failed"]]
    if not len(server):
        raise _no_server(source, checked)
    failed = int(table["is_server"].sum()) - len(server)
    if attribute is not None:
        unit = stated_unit(source, options.unit)
        times_ns = _measured_ns(server["reading"], source, attribute, unit)
        histogram, added = histogram_with_missing(times_ns, options.interval_ns)
        what = f"attribute {attribute} of server spans"
        return InputTimes(
            format_,
            what,
            unit,
            Grain.REQUESTS,
            None,
            histogram,
            left_out=failed,
            estimated=added,
            warnings=tuple(checked.warnings),
        )
    least_ns = _least_ns(unit)
    checked.warn_of_zero_lengths(server, least_ns)
    kept = without_internal(table) if with_internal else table
    checked.warn_of_skew(server, kept)
    histogram, added = histogram_with_missing(
        own_ns(server, kept).clip(least_ns), options.interval_ns
    )
    return InputTimes(
        format_,
        _WITH_INTERNAL if with_internal else _OWN_TIME,
        unit,
        Grain.REQUESTS,
        Loop.UNSTATED,
        histogram,
        left_out=failed,
        estimated=added,
        with_internal=with_children(server, kept[kept["is_internal"]]),
        warnings=tuple(checked.warnings),
    )


def _no_server(source: Source, checked: CheckedSpans) -> TailcError:
    message = f"`{source.name}` has no span of kind server that ended without an error"
    hint = (
        "export the spans of the service with their kind (`kind` of OTLP, tag `span.kind` of "
        "Jaeger); those of its clients are not enough"
    )
    empty = Finding(Code.EMPTY_TRACE, message, Place(source.name), hint)
    return TailcError((empty, *checked.warnings))


def _least_ns(unit: TimeUnit) -> int:
    """Half a unit: what a time of 0 counts as."""
    return max(1, round(unit.in_ms * NS_PER_MS) // 2)


def _within_limit(spans: Iterable[Span], source: Source) -> Iterator[Span]:
    for number, span in enumerate(spans):
        if number == MAX_SPANS:
            message = f"`{source.name}` has more than {MAX_SPANS:,} spans"
            hint = "ingest parts with whole traces in them, and then their profiles together"
            raise source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
        yield span


def _measured_ns(
    reading: NDArray[np.float64], source: Source, attribute: str, unit: TimeUnit
) -> NDArray[np.float64]:
    """Readings in whole nanoseconds; one of 0 is of something that took less than a unit."""
    missing = int(np.isnan(reading).sum())
    if missing:
        message = f"{missing:,} of {len(reading):,} server spans have no number `{attribute}`"
        raise _no_time(source, Code.MISSING_COLUMN, attribute, message)
    ns_per_unit = unit.in_ms * NS_PER_MS
    is_bad = (reading < 0) | (reading * ns_per_unit > MAX_NS)
    if is_bad.any():
        message = f"`{reading[is_bad][0]:.17g}` of a server span is negative, or beyond 104 days"
        raise _no_time(source, Code.OUT_OF_RANGE, attribute, message)
    return np.where(reading == 0, _least_ns(unit), np.rint(reading * ns_per_unit).clip(1))


def _no_time(source: Source, code: Code, attribute: str, message: str) -> TailcError:
    hint = "let every server span carry its time, and leave out those that cannot"
    return source.fault(code, message, field=attribute, advice=hint)

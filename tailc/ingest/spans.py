"""Compute the times of server spans in traces of any format, without the time of their calls.

The own time of a server span is its length without the union of its child spans. It is wall time
with waits for processors and locks, and how requests were sent is unknown, so it is a response time
and not a demand. An attribute of the spans, such as a measured processor time, can be used instead.
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
from tailc.ingest.sampling import independent_counts, share_weights
from tailc.ingest.span_defects import CheckedSpans
from tailc.ingest.span_services import servers_of
from tailc.ingest.span_table import (
    Rows,
    TraceSpan,
    own_ns,
    with_children,
    without_internal,
    without_shared_parents,
)
from tailc.ingest.texts import stated_unit
from tailc.traces.counted_times import Grain
from tailc.traces.histogram import MAX_NS
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.times import NS_PER_MS

# 59 bytes each; a file that inflates to more of them is a bomb, or can be given in parts.
MAX_SPANS = 1 << 22
_BETWEEN = ".."
_OWN_TIME = "own time of server spans"
_WITH_INTERNAL = ", internal ones included"
_WEIGHTED = ", weighted by their sampling"


@dataclass(frozen=True)
class Attribute:
    """An attribute of spans with a number: `end`, minus `start` if there is one."""

    end: str
    start: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes of spans to read."""
        return (self.end,) if self.start is None else (self.start, self.end)

    def value_of(self, values: Mapping[str, object]) -> float | None:
        """Read the number of the requested attribute from a span's attributes; None if missing."""
        end = _number(values.get(self.end))
        start = 0 if self.start is None else _number(values.get(self.start))
        return None if end is None or start is None else float(end - start)


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def stated_attribute(options: SpanOptions) -> Attribute | None:
    """Parse the option for an attribute: `NAME`, or `START..END` for the difference of two."""
    if options.attribute is None:
        return None
    start, between, end = options.attribute.partition(_BETWEEN)
    return Attribute(end, start) if between else Attribute(options.attribute)


def times_of_spans(
    spans: Iterable[TraceSpan], source: Source, options: InputOptions, format_: str, unit: TimeUnit
) -> InputTimes:
    """Count the own time, or the requested attribute, of each successful server span.

    Raises TailcError if there are none, for too many spans, and if the attribute is not a time.
    """
    checked = CheckedSpans(_within_limit(spans, source), source)
    attribute, with_internal = options.spans.attribute, options.spans.with_internal
    if attribute is None:
        checked.mend_parents()
    table = checked.rows
    share_weights(table)
    every_server = servers_of(table, checked.services, source, options.spans.services)
    server = every_server[~every_server["is_failed"]]
    if not len(server):
        raise _no_server(source, checked, len(every_server), options.spans)
    failed = len(every_server) - len(server)
    is_weighted = bool((server["weight"] > 1).any())
    if attribute is not None:
        unit = stated_unit(source, options.unit)
        times_ns = _measured_ns(server["reading"], source, attribute, unit)
        sampled_ns = _by_weight(times_ns, server)
        histogram, added = histogram_with_missing(sampled_ns, options.interval_ns)
        what = f"attribute {attribute} of server spans{_of_services(options.spans)}"
        what += _WEIGHTED if is_weighted else ""
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
    checked.warn_of_orphans(server, kept)
    kept = without_shared_parents(kept)
    checked.warn_of_skew(server, kept)
    sampled_ns = _by_weight(own_ns(server, kept).clip(least_ns), server)
    histogram, added = histogram_with_missing(sampled_ns, options.interval_ns)
    of_children = _WITH_INTERNAL if with_internal else ""
    weighted = _WEIGHTED if is_weighted else ""
    return InputTimes(
        format_,
        f"{_OWN_TIME}{_of_services(options.spans)}{of_children}{weighted}",
        unit,
        Grain.REQUESTS,
        Loop.UNSTATED,
        histogram,
        left_out=failed,
        estimated=added,
        with_internal=with_children(server, kept[kept["is_internal"]]),
        warnings=tuple(checked.warnings),
    )


def _by_weight(times_ns: NDArray[np.float64], server: Rows) -> NDArray[np.float64]:
    """Times of sampled spans, each as often as its weight justifies."""
    return np.repeat(times_ns, independent_counts(times_ns, server["weight"]))


def _of_services(options: SpanOptions) -> str:
    return f" of {' and '.join(options.services)}" if options.services else ""


def _no_server(
    source: Source, checked: CheckedSpans, failed: int, options: SpanOptions
) -> TailcError:
    message = f"`{source.name}` has no span of kind server"
    hint = (
        "export the server spans of the service with their kind (`kind` of OTLP, tag `span.kind` "
        "of Jaeger); client spans are not enough"
    )
    if failed:
        message += f"{_of_services(options)} that ended without an error: all {failed:,} failed"
        hint = "give traces with successful requests; the times of failed ones do not count"
    empty = Finding(Code.EMPTY_TRACE, message, Place(source.name), hint)
    return TailcError((empty, *checked.warnings))


def _least_ns(unit: TimeUnit) -> int:
    """Half a unit, which a time of 0 counts as [ns]."""
    return max(1, round(unit.in_ms * NS_PER_MS) // 2)


def _within_limit(spans: Iterable[TraceSpan], source: Source) -> Iterator[TraceSpan]:
    for number, span in enumerate(spans):
        if number == MAX_SPANS:
            message = f"`{source.name}` has more than {MAX_SPANS:,} spans"
            hint = "split the file between traces, ingest each part, and add up the profiles"
            raise source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
        yield span


def _measured_ns(
    reading: NDArray[np.float64], source: Source, attribute: str, unit: TimeUnit
) -> NDArray[np.float64]:
    """Readings in whole nanoseconds; 0 means less than a unit."""
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
    hint = "give every server span this attribute, and remove spans without it"
    return source.fault(code, message, field=attribute, advice=hint)

"""Remove or correct spans that cannot be counted as exported, with a warning for each kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tailc.errors import Code, Finding, Place, Severity
from tailc.ingest.orphan_spans import orphans_in
from tailc.ingest.span_table import (
    NO_SPAN,
    Rows,
    TraceSpan,
    complete_trace_ids,
    is_late,
    is_own_ancestor,
    is_repeated,
    span_table,
)
from tailc.traces.source import Source

_SPANS_NAMED = 3
_MEND = "correct the exporter of the spans"


class CheckedSpans:
    """The rows of all valid spans, and warnings about the others.

    services: number of each service in the rows, by its name.
    """

    def __init__(self, spans: Iterable[TraceSpan], source: Source) -> None:
        self._name = source.name
        self._total, self._faulty = 0, 0
        self._faults: list[str] = []
        self.warnings: list[Finding] = []
        self.services: dict[str, int] = {}
        self.rows = span_table(self._with_a_length(spans), self.services)
        complete_trace_ids(self.rows)
        self._warn_of_faults()
        self._leave_out_repeats()

    def _with_a_length(self, spans: Iterable[TraceSpan]) -> Iterator[TraceSpan]:
        for span in spans:
            self._total += 1
            if span.fault is None:
                yield span
                continue
            self._faulty += 1
            if self._faulty <= _SPANS_NAMED:
                self._faults.append(f"{_id(span.id)} {span.fault}")

    def _warn_of_faults(self) -> None:
        if self._faulty:
            more = ", ..." if self._faulty > _SPANS_NAMED else ""
            which = f"spans that have no length: {', '.join(self._faults)}{more}"
            hint = (
                f"{_MEND}; the times of these spans are not subtracted from those of their parents"
            )
            self._warn(Code.SPANS_LEFT_OUT, which, self._faulty, "they are left out", hint)

    def _leave_out_repeats(self) -> None:
        repeated = is_repeated(self.rows)
        if repeated.any():
            which = f"spans exported again: {_ids(self.rows[repeated])}"
            hint = "check why a batch is sent twice, for example after a timeout of the collector"
            self._warn(Code.SPANS_REPEATED, which, int(repeated.sum()), "each counts once", hint)
            self.rows = self.rows[~repeated]

    def mend_parents(self) -> None:
        """Remove parents that are the span itself, and leave out spans on other cycles."""
        is_own = self.rows["parent"] == self.rows["id"]
        if is_own.any():
            which = f"spans that are their own parents: {_ids(self.rows[is_own])}"
            effect = "they count as spans without a parent"
            self._warn(Code.CYCLIC_SPANS, which, int(is_own.sum()), effect, _MEND)
            self.rows["parent"][is_own] = NO_SPAN
        on_cycle = is_own_ancestor(self.rows)
        if on_cycle.any():
            which = f"spans that are ancestors of one another: {_ids(self.rows[on_cycle])}"
            effect = "they are left out"
            self._warn(Code.CYCLIC_SPANS, which, int(on_cycle.sum()), effect, _MEND)
            self.rows = self.rows[~on_cycle]

    def warn_of_zero_lengths(self, servers: Rows, least_ns: int) -> None:
        """Warn about server spans that start and end at the same clock tick."""
        count = int((servers["start_ns"] == servers["end_ns"]).sum())
        if count:
            message = (
                f"{count:,} of {len(servers):,} server spans of `{self._name}` have length 0, and "
                f"count as {least_ns:,} ns"
            )
            hint = "use a finer clock: these spans took less than one tick of it"
            self._add(Code.ZERO_LENGTH, message, hint)

    def warn_of_skew(self, servers: Rows, table: Rows) -> None:
        """Warn about server spans whose child spans start before them."""
        late = is_late(servers, table)
        if late.any():
            message = (
                f"{int(late.sum()):,} of {len(servers):,} server spans of `{self._name}` start "
                f"after a span that they called: {_ids(servers[late])}; "
                "their own times are too long"
            )
            hint = "synchronise the clocks of the machines, or export the client spans of calls"
            self._add(Code.SKEWED_SPANS, message, hint)

    def warn_of_orphans(self, servers: Rows, table: Rows) -> None:
        """Warn about server spans whose own times contain spans with missing parents."""
        orphans = orphans_in(servers, table)
        if len(orphans.spans):
            message = (
                f"{int(orphans.is_longer.sum()):,} of {len(servers):,} server spans of "
                f"`{self._name}` contain spans whose parents are missing: {_ids(orphans.spans)}; "
                "their own times are likely too long"
            )
            hint = (
                "export all spans of these traces into one file: check that the exporter drops "
                "none, and that all parts of the service are sampled at the same rate"
            )
            self._add(Code.ORPHAN_SPANS, message, hint)

    def _warn(self, code: Code, which: str, count: int, effect: str, hint: str) -> None:
        share = f"{count:,} of {self._total:,} spans of `{self._name}`"
        self._add(code, f"{which} ({share}); {effect}", hint)

    def _add(self, code: Code, message: str, hint: str) -> None:
        place = Place(self._name)
        self.warnings.append(Finding(code, message, place, hint, Severity.WARNING))


def _ids(rows: Rows) -> str:
    """The first few ids, once each."""
    ids = np.unique(rows["id"]).tolist()
    more = ", ..." if len(ids) > _SPANS_NAMED else ""
    return ", ".join(map(_id, ids[:_SPANS_NAMED])) + more


def _id(number: int) -> str:
    return f"`{number:016x}`"

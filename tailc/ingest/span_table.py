"""Spans as rows of a table, and their own times: their length without the time of child spans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.traces.histogram import MAX_NS

NO_SPAN = 0
"""The id of no span, which a span without a parent has for that of its parent."""
LOW_64 = (1 << 64) - 1
# The part of a span that a child may start before it, since clocks are rounded.
_LEAST_SKEW = 100
ROW = np.dtype(
    [
        *((name, "u8") for name in ("trace_high", "trace_low", "id", "parent")),
        *((name, "u8") for name in ("start_ns", "end_ns")),
        *((name, "?") for name in ("is_server", "is_internal", "is_failed")),
        ("service", "u4"),
        ("reading", "f8"),
        ("weight", "f8"),
    ]
)
Rows = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """A span: its times in nanoseconds since 1970, ids, and properties.

    trace: below 2^128. id, parent: below 2^64, in the trace. start_ns, end_ns: as exported; `fault`
    checks them. service: its name, or empty. reading: value of the requested attribute; None
    without one. weight: number of spans that it represents if the tracer samples. Raises
    ValueError without an id.
    """

    trace: int
    id: int
    parent: int
    start_ns: int
    end_ns: int
    is_server: bool
    is_internal: bool
    is_failed: bool
    service: str = ""
    reading: float | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.trace < 1 << 128 or not 0 < self.id <= LOW_64:
            raise ValueError("a span that has no id")
        if not NO_SPAN <= self.parent <= LOW_64:
            raise ValueError("a span whose parent has no id")

    @property
    def fault(self) -> str | None:
        """The reason why the span has no valid length, such as `has no end`; None if it has one."""
        if self.end_ns == 0:
            return "has no end"
        if self.end_ns < self.start_ns:
            return "ends before it starts"
        if self.start_ns < 0 or self.end_ns > LOW_64:
            return "is not between the years 1970 and 2554"
        return "lasts more than 104 days" if self.end_ns - self.start_ns > MAX_NS else None


def span_table(spans: Iterable[TraceSpan], services: dict[str, int]) -> Rows:
    """Convert spans to rows of type ROW; a span without the requested attribute has NaN for it.

    services: the number of each service by its name; services that are not in it yet are added.
    """
    return np.fromiter((_row(span, services) for span in spans), ROW)


def _row(span: TraceSpan, services: dict[str, int]) -> tuple[float, ...]:
    reading = np.nan if span.reading is None else span.reading
    ids = (span.trace >> 64, span.trace & LOW_64, span.id, span.parent)
    kind = (span.is_server, span.is_internal, span.is_failed)
    service = services.setdefault(span.service, len(services))
    return (*ids, span.start_ns, span.end_ns, *kind, service, reading, span.weight)


def complete_trace_ids(table: Rows) -> None:
    """Complete trace ids of which older tracers pass on only the second half.

    A half is unchanged if no trace id ends with it, or if several do. O(n log n) in rows.
    """
    is_half = table["trace_high"] == 0
    whole = np.unique(table[~is_half][["trace_high", "trace_low"]])
    if not is_half.any() or not len(whole):
        return
    low, first, count = np.unique(whole["trace_low"], return_index=True, return_counts=True)
    wanted = table["trace_low"][is_half]
    at = np.searchsorted(low, wanted).clip(max=len(low) - 1)
    is_known = (low[at] == wanted) & (count[at] == 1)
    table["trace_high"][is_half] = np.where(is_known, whole["trace_high"][first[at]], 0)


def is_repeated(table: Rows) -> NDArray[np.bool_]:
    """Whether each row repeats a span that is in the table again; bool (rows,).

    Rows with the same trace, id, kind and start are exports of one span; the row that ends last
    counts, and the others are repeated.
    """
    kind = table["is_server"] + 2 * table["is_internal"]
    keys = [kind, *(table[name] for name in ("start_ns", "id", "trace_low", "trace_high"))]
    order = np.lexsort((table["end_ns"], *keys))
    is_same = np.ones(max(len(order) - 1, 0), np.bool_)
    for key in keys:
        is_same &= np.diff(key[order]) == 0
    repeated = np.zeros(len(table), np.bool_)
    repeated[order[:-1]] = is_same
    return repeated


def is_own_ancestor(table: Rows) -> NDArray[np.bool_]:
    """Whether each row is on a cycle of two or more parents; bool (rows,). O(n log n) in rows."""
    row, parent = parent_numbers(table, table)
    up = _up(row, parent)
    # After as many steps as there are rows, only cycles and spans without a parent are reached.
    on_cycle = np.zeros(len(up), np.bool_)
    on_cycle[_follow(up)] = True
    return (on_cycle & (up != np.arange(len(up))))[row]


def roots_of(row: NDArray[np.int64], parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the parent above each span's topmost ancestor; int64 (rows,).

    It is the number for "no parent" if the trace is complete, else that of a lost span. row,
    parent: numbers of the spans and of their parents, without cycles.
    """
    return _follow(_up(row, parent))[row]


def _up(row: NDArray[np.int64], parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of the parent of each number; a number that no row has is its own."""
    up = np.arange(max(row.max(initial=0), parent.max(initial=0)) + 1)
    up[row] = parent
    return up


def _follow(up: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number that each number reaches after as many steps as there are numbers, or more."""
    for _ in range(len(up).bit_length()):
        up = up[up]
    return up


def own_ns(chosen: Rows, table: Rows) -> NDArray[np.int64]:
    """Time of each selected span in which no child span of the table runs [ns]; (chosen,).

    Only the part of a child within its parent counts. O(n log n) in rows.
    """
    own = (chosen["end_ns"] - chosen["start_ns"]).astype(np.int64)
    child = table[table["parent"] != NO_SPAN]
    of_chosen, of_child = parent_numbers(chosen, child)
    order = np.lexsort((child["start_ns"], of_child))
    of_child = of_child[order]
    start, end = (child[name][order].tolist() for name in ("start_ns", "end_ns"))
    first = np.searchsorted(of_child, of_chosen, "left")
    last = np.searchsorted(of_child, of_chosen, "right")
    for at in np.flatnonzero(first < last).tolist():
        span = int(chosen["start_ns"][at]), int(chosen["end_ns"][at])
        within = slice(int(first[at]), int(last[at]))
        own[at] -= _covered_ns(span, start[within], end[within])
    return own


def without_internal(table: Rows) -> Rows:
    """Remove internal spans; their children become children of the nearest other ancestor.

    Internal rows on a cycle of parents have no child spans. O(n log n) in rows.
    """
    row, parent = parent_numbers(table, table)
    # The next one up of a number that only internal rows have, else that number itself.
    up = np.arange(max(row.max(initial=0), parent.max(initial=0)) + 1)
    internal, other = row[table["is_internal"]], row[~table["is_internal"]]
    up[internal] = parent[table["is_internal"]]
    up[other] = other
    up = _follow(up)
    id_ = np.zeros(len(up), np.uint64)
    id_[parent] = table["parent"]
    kept = table[~table["is_internal"]].copy()
    kept["parent"] = id_[up[parent[~table["is_internal"]]]]
    return kept


def with_children(chosen: Rows, children: Rows) -> int:
    """Count the selected rows that have at least one of these child spans."""
    of_chosen, of_child = parent_numbers(chosen, children)
    return int(np.isin(of_chosen, of_child).sum())


def is_late(chosen: Rows, table: Rows) -> NDArray[np.bool_]:
    """Whether each selected row starts after a child span by over 1 % of its length; (chosen,)."""
    child = table[table["parent"] != NO_SPAN]
    of_chosen, of_child = parent_numbers(chosen, child)
    first_ns = np.full(max(of_chosen.max(initial=0), of_child.max(initial=0)) + 1, LOW_64, "u8")
    np.minimum.at(first_ns, of_child, child["start_ns"])
    first_ns, start_ns = first_ns[of_chosen], chosen["start_ns"]
    return is_much_of(np.where(first_ns < start_ns, start_ns - first_ns, 0), chosen)


def is_much_of(times_ns: NDArray[np.integer], chosen: Rows) -> NDArray[np.bool_]:
    """Whether each time is more than 1 % of the length of its span; (chosen,)."""
    return times_ns > ((chosen["end_ns"] - chosen["start_ns"]) // _LEAST_SKEW).astype(np.int64)


def without_shared_parents(table: Rows) -> Rows:
    """Remove the parent of server spans that have the id of their caller's span.

    Older tracers give both the same id and parent. Only the caller's span is then subtracted.
    """
    id_ = numbers_of(*(table[name] for name in ("trace_high", "trace_low", "id")))
    is_shared = table["is_server"] & np.isin(id_, id_[~table["is_server"]])
    if not is_shared.any():
        return table
    found = table.copy()
    found["parent"][is_shared] = NO_SPAN
    return found


def parent_numbers(chosen: Rows, child: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers for joining spans: one per selected span, and one per child span's parent.

    A child belongs to the selected span with the same number.
    """
    trace = (np.concatenate([chosen[name], child[name]]) for name in ("trace_high", "trace_low"))
    number = numbers_of(*trace, np.concatenate([chosen["id"], child["parent"]]))
    return number[: len(chosen)], number[len(chosen) :]


def numbers_of(*columns: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Give each row of these columns a number; rows that are equal in all columns share one."""
    order = np.lexsort(columns)
    is_other = np.zeros(len(order), np.bool_)
    for column in columns:
        is_other[1:] |= np.diff(column[order]) != 0
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(is_other)
    return number


def _covered_ns(span: tuple[int, int], start_ns: list[int], end_ns: list[int]) -> int:
    """Time of the span that its child spans, in order of start, cover."""
    covered, reached = 0, span[0]
    for start, end in zip(start_ns, end_ns, strict=True):
        begin, stop = max(start, reached), min(end, span[1])
        covered += max(0, stop - begin)
        reached = max(reached, stop)
    return covered

"""Find spans whose parents are missing, and server spans whose own times are too long by them.

The time of a call is subtracted from a server span only if its parents lead to the span. If a span
between the two was not exported, the call is a span with a missing parent. It most likely ran in
the server span of its trace that started last of those that contain it.

A server span with a missing parent may have been called from outside of the file, and so may the
server spans that contain it, unless their own first ancestor has no parent.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.ingest.span_table import (
    LOW_64,
    NO_SPAN,
    Rows,
    is_much_of,
    numbers_of,
    own_ns,
    parent_numbers,
    roots_of,
)

_NONE = -1


@dataclass(frozen=True, eq=False)
class Orphans:
    """Spans whose parents are missing, and the server spans whose own times contain them.

    spans: rows of the former. is_longer: bool (servers,), whether the own time of a server span is
    too long by more than 1 % of its length.
    """

    spans: Rows
    is_longer: NDArray[np.bool_]


def orphans_in(servers: Rows, table: Rows) -> Orphans:
    """Find the spans whose missing parents make own times of these server spans too long."""
    at = _likely_servers(table)
    orphan = np.flatnonzero(at != _NONE)
    if not len(orphan):
        return Orphans(table[:0], np.zeros(len(servers), np.bool_))
    adopted = table.copy()
    adopted["parent"][orphan] = table["id"][at[orphan]]
    is_longer = is_much_of(own_ns(servers, table) - own_ns(servers, adopted), servers)
    of_longer, of_orphan = parent_numbers(servers[is_longer], adopted[orphan])
    return Orphans(table[orphan[np.isin(of_orphan, of_longer)]], is_longer)


def _likely_servers(table: Rows) -> NDArray[np.int64]:
    """Row of the server span that each span with a missing parent likely ran in, else -1."""
    row, parent = parent_numbers(table, table)
    has_parent = table["parent"] != NO_SPAN
    is_orphan = has_parent & ~np.isin(parent, row)
    if not is_orphan.any():
        return np.full(len(table), _NONE)
    root = roots_of(row, parent)
    is_whole = np.isin(root, parent[~has_parent])
    is_server = table["is_server"]
    trace = numbers_of(table["trace_high"], table["trace_low"])
    found = np.where(
        is_server,
        _containing(table, trace, is_orphan & is_server, is_server & is_whole),
        _containing(table, trace, is_orphan & ~is_server, is_server),
    )
    is_kin = (found != _NONE) & (root[found] == parent)
    return np.where(is_kin, _NONE, found)


def _containing(
    table: Rows, trace: NDArray[np.int64], inner: NDArray[np.bool_], outer: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Row of the last `outer` span of a trace to start that contains each `inner` one, else -1."""
    found = np.full(len(table), _NONE)
    rows = np.flatnonzero((inner | outer) & np.isin(trace, trace[inner]))
    start, end = table["start_ns"][rows], table["end_ns"][rows]
    order = rows[np.lexsort((LOW_64 - end, inner[rows], start, trace[rows]))]
    # Of spans that started earlier and ended earlier than another, none is the last to contain one.
    open_rows: list[int] = []
    before_end: list[int] = []
    at_trace = _NONE
    for at, of, end_ns, is_inner in zip(
        order.tolist(),
        trace[order].tolist(),
        table["end_ns"][order].tolist(),
        inner[order].tolist(),
        strict=True,
    ):
        if of != at_trace:
            at_trace, open_rows, before_end = of, [], []
        if is_inner:
            if last := bisect_right(before_end, -end_ns):
                found[at] = open_rows[last - 1]
            continue
        while before_end and -before_end[-1] <= end_ns:
            open_rows.pop()
            before_end.pop()
        open_rows.append(at)
        before_end.append(-end_ns)
    return found

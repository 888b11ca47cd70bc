"""Checks for duplicate rows and duplicate requests."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tailc.errors import Severity
from tailc.lint.defect import Check, Defect, Sighting, first_rows
from tailc.lint.demand_rows import DemandRows
from tailc.lint.views import Attempts, RequestIds, Stream
from tailc.traces.arrow import numpy_of

_BLOCK, _LIVELY = 32, 12
_BASE = np.uint64(0x9E3779B97F4A7C15)
_COMMON_SHARE = 0.01


def _repeated_rows(stream: Stream) -> Iterator[Sighting]:
    """Rows with equal time and demand, if times alone rarely tie."""
    known = np.isfinite(stream.demand_ns)
    pair = np.stack([stream.at_ns[known], stream.demand_ns[known].astype(np.int64)], axis=1)
    distinct, first = np.unique(pair, axis=0, return_index=True)
    ties = len(distinct) - len(np.unique(distinct[:, 0]))
    if len(first) == len(pair) or ties > _COMMON_SHARE * len(pair):
        return
    again = np.ones(len(pair), np.bool_)
    again[first] = False
    rows = first_rows(stream.row[known], again)
    yield Sighting("the time and the demand are those of an earlier row", int(again.sum()), rows)


def _blocks(requests: DemandRows) -> Iterator[Sighting]:
    """A run of demands that is repeated in the same order."""
    demand = requests.demand
    if not requests.is_ordered or len(demand) < 2 * _BLOCK:
        return
    mixed = np.rint(demand * 1e6).astype(np.uint64) * _BASE
    windows = len(demand) - _BLOCK + 1
    hashed = np.zeros(windows, np.uint64)
    for at in range(_BLOCK):
        hashed = hashed * _BASE + mixed[at : at + windows]
    _value, first, which = np.unique(hashed, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[which] + _BLOCK <= np.arange(windows))
    lively = [at for at in again[:_BLOCK] if len(np.unique(demand[at : at + _BLOCK])) >= _LIVELY]
    if lively:
        at = lively[0]
        earlier = int(requests.row[first[which[at]]])
        length = len(again) + _BLOCK - 1
        message = (
            f"about {length:,} demands from this row on are equal to those from row {earlier} on"
        )
        yield Sighting(message, rows=(int(requests.row[at]),), column=requests.column)


def _same_ids(requests: RequestIds) -> Iterator[Sighting]:
    if len(requests.ids) < 2:
        return
    names = requests.ids.combine_chunks().dictionary_encode()
    index = numpy_of(names.indices)
    first = np.unique(index, return_index=True)[1]
    again = np.ones(len(index), np.bool_)
    again[first] = False
    if again.any():
        rows = first_rows(requests.row, again)
        yield Sighting("an earlier row has the same request id", int(again.sum()), rows)


def _retried_requests(attempts: Attempts) -> Iterator[Sighting]:
    found = attempts.number > np.nanmin(attempts.number)
    if found.any():
        rows = first_rows(attempts.row, found)
        yield Sighting("the row is a further attempt of a request", int(found.sum()), rows)


CHECKS = (
    Check(
        Defect(
            "TC1301",
            "doubled-row",
            Severity.WARNING,
            "a row is repeated",
            "its request counts twice in every percentile",
            "remove one of each, and check whether two logs were joined",
        ),
        Stream,
        _repeated_rows,
    ),
    Check(
        Defect(
            "TC1302",
            "doubled-block",
            Severity.WARNING,
            "a block of rows is repeated",
            "the sample looks larger than it is, so intervals are too narrow",
            "remove one of them; otherwise held-out rows are also design rows",
        ),
        DemandRows,
        _blocks,
    ),
    Check(
        Defect(
            "TC1303",
            "doubled-id",
            Severity.WARNING,
            "two requests have the same id",
            "a request that was sent or logged again counts twice",
            "keep one row of each id, or split by hash of the id, which keeps them together",
        ),
        RequestIds,
        _same_ids,
    ),
    Check(
        Defect(
            "TC1304",
            "retried",
            Severity.WARNING,
            "rows are further attempts of requests",
            "retries occur when the server is slow, so slow requests count too often",
            "keep only the first attempt of each, with its whole time",
        ),
        Attempts,
        _retried_requests,
    ),
)

"""Read the demand log of a scheduler that also has the times of each request."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code
from tailc.traces.cells import not_negative, whole
from tailc.traces.demand_log import TIMED_HEADER, header_of
from tailc.traces.histogram import MAX_NS
from tailc.traces.profile import DemandProfile
from tailc.traces.source import Source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells

_LARGEST = 2**53
# A latency is the sum of two of these, and a histogram must have room for it.
_LONGEST_US = MAX_NS // 2_000
_US_PER_MS, _ROUNDING = 1e3, 1e-6
# Rows are in the order of exits, except those that threads write at the same moment.
_OUT_OF_ORDER_US = 1_000_000

Times = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RequestLog:
    """Requests of a server in order of arrival, int64 (requests,) each; times in us of its clock.

    thread_us: time for which the threads of a request worked. granted_us: number of threads of its
    rungs, integrated over time. late_us: total lateness of its ticks (checks of its age).
    """

    demand_us: Times
    weight: Times
    arrival_us: Times
    wait_us: Times
    run_us: Times
    thread_us: Times
    granted_us: Times
    late_us: Times

    @property
    def has_every_request(self) -> bool:
        """Whether the log has every request and is no sample, so its arrivals are the server's."""
        return bool((self.weight == 1).all())

    def has_demands_of(self, profile: DemandProfile) -> bool:
        """Whether the demand profile was read from this log of requests."""
        mean_us = float(np.average(profile.demand_ms, weights=profile.weight)) * _US_PER_MS
        is_same = math.isclose(mean_us, self.demand_us.mean(), rel_tol=_ROUNDING)
        return is_same and profile.total_weight == len(self.demand_us)

    @property
    def latency_us(self) -> Times:
        """Latency of each request, at least 1 us; int64 (requests,)."""
        return np.maximum(self.wait_us + self.run_us, 1)


def is_request_log(source: Source) -> bool:
    """Whether the file is a demand log with the times of requests."""
    return header_of(source) == TIMED_HEADER


def request_log_in(source: Source) -> RequestLog:
    """Read the log. Raises TailcError, placed by row, for bad cells and for several starts."""
    names = tuple(field.name for field in fields(RequestLog))
    cells = kept_cells(source, ColumnsToRead(names, (), ()))
    columns = [whole(cells, name, _LARGEST) for name in names[:2]]
    # A bad cell is NaN, and refused below.
    limits = (_LARGEST, *(_LONGEST_US for _ in names[3:]))
    times = (
        np.nan_to_num(not_negative(cells, name, limit))
        for name, limit in zip(names[2:], limits, strict=True)
    )
    columns += [column.astype(np.int64) for column in times]
    cells.stop_if_refused()
    log = RequestLog(*columns)
    exit_us = log.arrival_us + log.wait_us + log.run_us
    is_earlier = exit_us < np.maximum.accumulate(exit_us) - _OUT_OF_ORDER_US
    what = "is of a request that ended before that of an earlier row: the server started again"
    hint = "begin another log at each start, and give the log of one start"
    cells.refuse(is_earlier, "arrival_us", Code.OUT_OF_ORDER, what, hint)
    cells.stop_if_refused()
    order = np.argsort(log.arrival_us, kind="stable")
    return RequestLog(*(column[order] for column in columns))

"""The fast checks of demands, which run in every command that reads demands."""

from __future__ import annotations

import numpy as np

from tailc.errors import Finding
from tailc.lint.checks.demands import CHECKS
from tailc.lint.demand_rows import DemandRows, counted_requests
from tailc.lint.view_findings import view_findings
from tailc.traces.histogram import Histogram
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import DemandColumn, DemandReading, RequestReading
from tailc.traces.source import Format, Source, open_source

_ASKED = tuple(one for one in CHECKS if one.defect.name in ("two-units", "outlier"))


def profile_findings(
    requests: DemandProfile, reading: RequestReading, source: str
) -> tuple[Finding, ...]:
    """Run the fast checks on the demands of a trace; findings have rows if requests are rows."""
    in_ms, column, demand = reading.measured.unit.in_ms, None, requests.demand_ms
    is_by_row = reading.weight is None and not reading.rows.where and requests.repeats is None
    are_rows = isinstance(reading, DemandReading) and is_by_row
    row = np.arange(1, len(demand) + 1) if are_rows else np.zeros(0, np.int64)
    if isinstance(reading, DemandReading):
        column = reading.demand.name
    view = DemandRows(demand / in_ms, in_ms, row, requests.weight, column, is_ordered=are_rows)
    return tuple(view_findings(_ASKED, (view,), source))


def execution_findings(
    source: Source, reading: RequestReading, format_: Format
) -> tuple[Finding, ...]:
    """Warn if rows that are read as requests look like executions of the same requests."""
    match reading:
        case DemandReading(demand=DemandColumn(name), weight=None, speedups=speedups):
            from tailc.lint.checks import executions
            from tailc.lint.sampled_columns import sampled_columns

            unused = (*speedups.text_columns, *speedups.number_columns(None))
            sample = sampled_columns(source, name, format_, reading.rows.where, unused)
            return tuple(view_findings(executions.CHECKS, (sample,), source.name))
        case _:
            return ()


def column_findings(path: str, column: str) -> tuple[Finding, ...]:
    """Warn if rows whose column is ingested look like executions of the same requests."""
    from tailc.lint.checks import executions
    from tailc.lint.sampled_columns import sampled_columns

    with open_source(path) as source:
        sample = sampled_columns(source, column)
        return tuple(view_findings(executions.CHECKS, (sample,), source.name))


def histogram_findings(histogram: Histogram, source: str) -> tuple[Finding, ...]:
    """Run the fast checks on demands that are counted in a histogram."""
    return tuple(view_findings(_ASKED, (counted_requests(histogram),), source))

"""Warn of a column whose times are not of single requests but percentiles, or times of spans."""

from __future__ import annotations

from tailc.errors import Code, Finding, Place, Severity
from tailc.traces.telling_names import are_of_spans, is_percentile, statistics_among


def of_percentiles(place: Place, weight: str | None, names: tuple[str, ...]) -> tuple[Finding, ...]:
    """Warn if a column of a trace has percentiles of many requests, as its name suggests.

    place: of the column. weight: name of the column with the number of requests of a row. names: of
    all columns.
    """
    column = place.field
    if column is None:
        return ()
    if are_of_spans(names):
        return (_of_spans(place),)
    if is_percentile(column, names, has_weight=weight is not None):
        what = "percentile"
    elif column in statistics_among(names):
        what = "statistic"
    else:
        return ()
    counts = "one request" if weight is None else "requests of equal times"
    message = (
        f"by its name, `{column}` is a {what} of many requests, but each row counts as {counts}"
    )
    hint = (
        "give a log with one row for each request, or a histogram: percentiles of all requests "
        "cannot be computed from percentiles of parts"
    )
    return (Finding(Code.COARSE_INPUT, message, place, hint, Severity.WARNING),)


def _of_spans(place: Place) -> Finding:
    message = "rows are spans with parents, so a call within a request counts as another request"
    hint = (
        "leave out the rows of calls; or give the spans as OTLP, Jaeger or Zipkin JSON: from these "
        "`tailc ingest` subtracts calls"
    )
    return Finding(Code.SPANS_AS_REQUESTS, message, place, hint, Severity.WARNING)

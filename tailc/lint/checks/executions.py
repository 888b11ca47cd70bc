"""Check whether rows are executions of the same requests on different numbers of threads."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.errors import Severity
from tailc.lint.defect import Check, Defect, Sighting
from tailc.lint.executions import execution_columns
from tailc.lint.sampled_columns import SampledColumns


def _executions(sample: SampledColumns) -> Iterator[Sighting]:
    found = execution_columns(sample)
    if found is not None:
        message = (
            "rows look like executions of the same requests: the values of "
            f"`{found.request}` repeat for each `{found.degree}`"
        )
        yield Sighting(message, column=sample.column)


CHECKS = (
    Check(
        Defect(
            "TC1507",
            "executions-as-requests",
            Severity.WARNING,
            "rows look like executions of the same requests",
            "executions on several threads would count as further, shorter requests, so demands "
            "and speed-ups would be wrong",
            "name the columns of request, number of threads and time in `timings` of the spec, or "
            "by `tailc init --timings REQUEST,DEGREE,DURATION`",
        ),
        SampledColumns,
        _executions,
    ),
)

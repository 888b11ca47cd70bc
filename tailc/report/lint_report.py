"""Reports of `lint-trace`: what was checked in each trace, and the number of findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tailc.errors import Severity
from tailc.lint.lint import LintResult
from tailc.units import plural, printable

_NOTHING = "no column: name them by `--column` and `--time`"


def linted_text(every: Sequence[LintResult]) -> str:
    """Format the results of `tailc lint-trace`, one line per trace.

    A line has the type of the trace, the number of rows and columns, and of findings.
    """
    return "".join(f"{printable(one.name)}: {_trace_line(one)}\n" for one in every)


def linted_result(every: Sequence[LintResult]) -> dict[str, Any]:
    """Convert the results of `tailc lint-trace` to JSON data.

    `rows` is null if the rows of a trace could not be counted.
    """
    return {
        "format": "tailc-lint",
        "version": 1,
        "traces": [
            {
                "name": one.name,
                "format": one.format,
                "rows": one.rows,
                "checked_columns": list(one.looked_at),
                **{f"{kind.value}s": _count(one, kind) for kind in Severity},
            }
            for one in every
        ],
    }


def _trace_line(one: LintResult) -> str:
    rows = "" if one.rows is None else f", {one.rows:,} row{'s' * (one.rows != 1)}"
    looked = ", ".join(f"`{printable(name)}`" for name in one.looked_at) or _NOTHING
    counts = ", ".join(plural(_count(one, kind), kind.value) for kind in Severity)
    return f"{one.format}{rows}\n  checked {looked}\n  {counts}"


def _count(one: LintResult, kind: Severity) -> int:
    return sum(finding.severity is kind for finding in one.findings)

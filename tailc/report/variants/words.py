"""How variants ended, and what there is to say of which rows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from tailc.errors import ExitCode, Finding, Severity
from tailc.studies.sweep import Answer, Variants

COMPILED = "compiled"
# Both are answers; whatever else stops a compile is not.
_ANSWERS = {
    ExitCode.OK: COMPILED,
    ExitCode.INFEASIBLE: "infeasible",
    ExitCode.BUDGET: "budget ended",
}


def status(answer: Answer) -> str:
    """How a variant ended, in a word or two."""
    return _ANSWERS.get(answer.exit_code, "failed")


def message(answer: Answer) -> str | None:
    """Why there is no policy; None where there is one."""
    return None if answer.policy is not None else answer.findings[0].message


def exit_code(variants: Variants) -> ExitCode:
    """That of the first variant without an answer."""
    codes = (answer.exit_code for answer in variants.answers)
    return next((code for code in codes if code not in _ANSWERS), ExitCode.OK)


def findings(variants: Variants) -> tuple[Finding, ...]:
    """What there is to say of any row, once, with the rows that it is of unless it is of all."""
    rows: dict[Finding, list[int]] = {}
    for row, answer in enumerate(variants.answers, start=1):
        for finding in dict.fromkeys(_told(answer)):
            rows.setdefault(finding, []).append(row)
    everywhere = len(variants.answers)
    return tuple(
        finding
        if len(of) == everywhere
        else replace(finding, message=f"in {_rows_text(of)}: {finding.message}")
        for finding, of in rows.items()
    )


def _told(answer: Answer) -> Sequence[Finding]:
    """That there is no policy is an answer, and stops nothing."""
    if status(answer) == "failed":
        return answer.findings
    return [replace(finding, severity=Severity.WARNING) for finding in answer.findings]


def _rows_text(rows: Sequence[int]) -> str:
    """Such as `row 2`, or `rows 1, 3 to 5 and 9`."""
    runs = itertools.groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0])
    told = []
    for _, run in runs:
        numbers = [number for _, number in run]
        is_long = len(numbers) > 2
        told += [f"{numbers[0]} to {numbers[-1]}"] if is_long else map(str, numbers)
    if len(rows) == 1:
        return f"row {rows[0]}"
    return f"rows {', '.join(told[:-1])} and {told[-1]}" if len(told) > 1 else f"rows {told[0]}"

"""Status of variants, and findings with the rows that they apply to."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from tailc.errors import ExitCode, Finding, Severity
from tailc.studies.sweep import VariantResult, Variants

COMPILED = "compiled"
# Outcomes that are answers; other exit codes mean that the compile failed.
_ANSWERS = {
    ExitCode.OK: COMPILED,
    ExitCode.INFEASIBLE: "infeasible",
    ExitCode.BUDGET: "budget ended",
}


def status(answer: VariantResult) -> str:
    """Status of a variant in a word or two."""
    return _ANSWERS.get(answer.exit_code, "failed")


def message(answer: VariantResult) -> str | None:
    """Reason why there is no policy; None if there is one."""
    return None if answer.policy is not None else answer.findings[0].message


def exit_code(variants: Variants) -> ExitCode:
    """Exit code of the first failed variant, or OK."""
    codes = (answer.exit_code for answer in variants.answers)
    return next((code for code in codes if code not in _ANSWERS), ExitCode.OK)


def findings(variants: Variants) -> tuple[Finding, ...]:
    """All findings without duplicates, each with its rows unless it applies to all."""
    rows: dict[Finding, list[int]] = {}
    for row, answer in enumerate(variants.answers, start=1):
        for finding in dict.fromkeys(_variant_findings(answer)):
            rows.setdefault(finding, []).append(row)
    everywhere = len(variants.answers)
    return tuple(
        finding
        if len(rows_text) == everywhere
        else replace(finding, message=f"in {_rows_text(rows_text)}: {finding.message}")
        for finding, rows_text in rows.items()
    )


def _variant_findings(answer: VariantResult) -> Sequence[Finding]:
    """Findings of a variant; infeasibility is an answer and not an error of the sweep."""
    if status(answer) == "failed":
        return answer.findings
    return [replace(finding, severity=Severity.WARNING) for finding in answer.findings]


def _rows_text(rows: Sequence[int]) -> str:
    """Format rows, such as `row 2`, or `rows 1, 3 to 5 and 9`."""
    runs = itertools.groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0])
    ranges = []
    for _, run in runs:
        numbers = [number for _, number in run]
        is_long = len(numbers) > 2
        ranges += [f"{numbers[0]} to {numbers[-1]}"] if is_long else map(str, numbers)
    if len(rows) == 1:
        return f"row {rows[0]}"
    return (
        f"rows {', '.join(ranges[:-1])} and {ranges[-1]}"
        if len(ranges) > 1
        else f"rows {ranges[0]}"
    )

"""Status of variants, and findings with the rows that they apply to."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from tailc.errors import Code, ExitCode, Finding, Severity
from tailc.studies.sweep import Choice, VariantResult, Variants

COMPILED = "compiled"
# Outcomes that are answers; other exit codes mean that the compile failed.
_ANSWERS = {
    ExitCode.OK: COMPILED,
    ExitCode.INFEASIBLE: "infeasible",
    ExitCode.BUDGET: "budget ended",
}


def status(answer: VariantResult) -> str:
    """Status of a variant of a spec in a word or two, for tables."""
    return _ANSWERS.get(answer.exit_code, "failed")


def message(answer: VariantResult) -> str | None:
    """The reason why a variant has no policy; None if it has one."""
    return None if answer.policy is not None else answer.findings[0].message


def exit_code(variants: Variants) -> ExitCode:
    """Exit code of the first variant that failed, or OK."""
    codes = (answer.exit_code for answer in variants.answers)
    return next((code for code in codes if code not in _ANSWERS), ExitCode.OK)


def findings(variants: Variants) -> tuple[Finding, ...]:
    """All findings of the variants without duplicates, with the rows that they apply to."""
    rows: dict[Finding, list[int]] = {}
    for row, answer in enumerate(variants.answers, start=1):
        for finding in dict.fromkeys(_variant_findings(answer)):
            rows.setdefault(finding, []).append(row)
    everywhere = len(variants.answers)
    of_rows = (
        finding
        if len(rows_text) == everywhere
        else replace(finding, message=f"in {_rows_text(rows_text)}: {finding.message}")
        for finding, rows_text in rows.items()
    )
    return (*of_rows, *_without_effect(variants))


def _without_effect(variants: Variants) -> Iterator[Finding]:
    """A note for each key whose values give the same policies, whatever the other keys are.

    None if a variant has no policy.
    """
    if any(answer.policy is None for answer in variants.answers):
        return
    for at, variation in enumerate(variants.variations):
        alike: dict[Choice, list[Hashable]] = {}
        for answer in variants.answers:
            others = tuple(pair for pair in answer.choice if pair[0] != at)
            alike.setdefault(others, []).append(_effect(answer))
        compared = [effects for effects in alike.values() if len(effects) > 1]
        if compared and all(len(set(effects)) == 1 for effects in compared):
            message = (
                f"`{variation.path_text}` changes nothing: with each value the policies make the "
            )
            message += "same decisions"
            hint = "give values that differ more, or another key"
            yield Finding(Code.NO_EFFECT, message, help=hint, severity=Severity.NOTE)


def _effect(answer: VariantResult) -> Hashable:
    """What the policy of a variant decides, and its latencies."""
    policy = answer.policy
    assert policy is not None
    tails_us = tuple((one.rate_mrps, one.tail_us) for one in answer.rates)
    return policy.forms, policy.later_jobs, policy.slos, policy.rates_mrps, tails_us


def _variant_findings(answer: VariantResult) -> Sequence[Finding]:
    """Findings of a variant; infeasibility is an answer and not an error of the sweep.

    The rule for later jobs is a result, which differs in its numbers in every row, and is omitted.
    """
    if status(answer) == "failed":
        return answer.findings
    return [
        replace(finding, severity=Severity.WARNING)
        for finding in answer.findings
        if finding.code is not Code.RULE_CHOSEN
    ]


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

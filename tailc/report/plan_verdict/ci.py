"""Verdicts on plans for CI services: a note, and a case of JUnit reports."""

from __future__ import annotations

from tailc.report.junit import JUnitCase
from tailc.report.notes import Note
from tailc.report.plan_verdict.words import said
from tailc.report.rulings import FAULTS, LEVELS
from tailc.verify.plan.judge import JudgedPlan


def as_notes(judged: JudgedPlan) -> tuple[Note, ...]:
    """One note."""
    ruling = judged.verdict.ruling
    told = f"policy `{judged.policy_name}`: {said(judged)}"
    return (Note(LEVELS[ruling], f"plan {ruling.value}", told),)


def as_cases(judged: JudgedPlan) -> tuple[JUnitCase, ...]:
    """A test case for the promise."""
    found = judged.verdict
    return (
        JUnitCase(
            group=judged.policy_name,
            name=found.words.promise,
            fault=FAULTS[found.ruling],
            kind=found.ruling.value,
            message=said(judged),
        ),
    )

"""Verdicts on plans for CI services: a note, and a JUnit test case."""

from __future__ import annotations

from tailc.report.junit import JUnitCase
from tailc.report.notes import Note
from tailc.report.plan_verdict.words import verdict_sentence
from tailc.report.rulings import FAULTS, LEVELS
from tailc.verify.plan.judge import JudgedPlan


def as_notes(judged_plan: JudgedPlan) -> tuple[Note, ...]:
    """Build the note with the verdict."""
    ruling = judged_plan.verdict.ruling
    message = f"policy `{judged_plan.policy_name}`: {verdict_sentence(judged_plan)}"
    return (Note(LEVELS[ruling], f"plan {ruling.value}", message),)


def as_cases(judged_plan: JudgedPlan) -> tuple[JUnitCase, ...]:
    """Build the test case for the SLO of the plan."""
    verdict = judged_plan.verdict
    return (
        JUnitCase(
            group=judged_plan.policy_name,
            name=verdict.words.promise,
            fault=FAULTS[verdict.ruling],
            kind=verdict.ruling.value,
            message=verdict_sentence(judged_plan),
        ),
    )

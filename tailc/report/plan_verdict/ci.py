"""Verdicts on plans for CI services: an annotation of GitHub Actions, a case of JUnit reports."""

from __future__ import annotations

from tailc.report.findings import escaped
from tailc.report.junit import Case, Fault
from tailc.report.plan_verdict.words import said
from tailc.verify.plan.judge import JudgedPlan
from tailc.verify.verdict import Ruling

_GITHUB = {Ruling.PASS: "notice", Ruling.UNDECIDED: "warning", Ruling.FAIL: "error"}
# As for latency: what nobody knows must not look like a pass.
_FAULTS = {Ruling.PASS: None, Ruling.UNDECIDED: Fault.ERROR, Ruling.FAIL: Fault.FAILURE}


def as_github(judged: JudgedPlan) -> str:
    """One workflow command."""
    ruling = judged.verdict.ruling
    told = f"policy `{judged.policy_name}`: {said(judged)}"
    return f"::{_GITHUB[ruling]} title=plan {ruling.value}::{escaped(told)}\n"


def as_cases(judged: JudgedPlan) -> tuple[Case, ...]:
    """A test case for the promise."""
    found = judged.verdict
    return (
        Case(
            group=judged.policy_name,
            name="green energy of jobs" if found.is_rigid else "run times of jobs",
            fault=_FAULTS[found.ruling],
            kind=found.ruling.value,
            message=said(judged),
        ),
    )

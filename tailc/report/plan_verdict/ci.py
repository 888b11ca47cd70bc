"""Verdicts on plans for CI services."""

from __future__ import annotations

from tailc.report.ci_verdict import CiVerdict
from tailc.report.plan_verdict.words import verdict_sentence
from tailc.verify.plan.judge import JudgedPlan


def ci_verdicts(judged_plan: JudgedPlan) -> tuple[CiVerdict, ...]:
    """Build the CI verdict on the SLO of the plan."""
    verdict = judged_plan.verdict
    return (
        CiVerdict(
            policy_name=judged_plan.policy_name,
            ruling=verdict.ruling,
            requirement="plan",
            place="",
            case=verdict.words.promise,
            sentence=verdict_sentence(judged_plan),
        ),
    )

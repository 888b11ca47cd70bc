"""Verdicts on token-budget policies for CI services."""

from __future__ import annotations

from tailc.report.ci_verdict import CiVerdict
from tailc.report.tokens.words import verdict_sentence
from tailc.units import format_mrps
from tailc.verify.tokens.verdict import TokenVerdicts


def ci_verdicts(verdicts: TokenVerdicts) -> tuple[CiVerdict, ...]:
    """Build verdicts for CI services from a token-budget policy: one for each SLO and rate."""
    return tuple(
        CiVerdict(
            policy_name=verdicts.policy_name,
            ruling=point.policy.rulings[number],
            requirement="SLO",
            place=f" at {format_mrps(point.rate_mrps)}",
            case=f"{slo} at {format_mrps(point.rate_mrps)}",
            sentence=verdict_sentence(verdicts, point, number),
        )
        for point in verdicts.points
        for number, slo in enumerate(verdicts.slos)
    )

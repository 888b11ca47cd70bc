"""Throughput verdicts for CI services."""

from __future__ import annotations

from tailc.report.ci_verdict import CiVerdict
from tailc.report.throughput.words import verdict_sentence
from tailc.verify.throughput.verdict import ThroughputVerdicts


def ci_verdicts(verdicts: ThroughputVerdicts) -> tuple[CiVerdict, ...]:
    """Build a verdict for CI services for each machine with a throughput target."""
    return tuple(
        CiVerdict(
            policy_name=verdicts.policy_name,
            ruling=machine.ruling,
            requirement="throughput",
            place=f", `{machine.name}`",
            case=f"throughput of {machine.name}",
            sentence=verdict_sentence(verdicts, machine),
        )
        for machine in verdicts.machines
    )

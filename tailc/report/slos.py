"""The SLOs of a policy as text."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.specs.slo import EndToEnd
from tailc.units import format_mrps, format_us


def slos_text(policy: Policy) -> str:
    """Format the SLOs of one server, each with its end-to-end SLO over several servers."""
    evidence_settings = dict(policy.evidence.settings)
    return "; ".join(
        f"{slo}{_end_to_end(evidence_settings, number)}"
        for number, slo in enumerate(policy.slos, start=1)
    )


def _end_to_end(evidence_settings: dict[str, int], number: int) -> str:
    percentile_ppm = evidence_settings.get(f"slo_{number}_end_to_end_ppm")
    servers = evidence_settings.get(f"slo_{number}_servers")
    if percentile_ppm is None or servers is None:
        return ""
    return f" ({EndToEnd(percentile_ppm, servers)})"


def predictions_text(policy: Policy) -> str | None:
    """Format the predicted percentiles of several SLOs at each rate; None for a single SLO."""
    evidence_settings = dict(policy.evidence.settings)
    by_rate = [
        f"{_tails(policy, evidence_settings, number)} at {format_mrps(rate_mrps)}"
        for number, rate_mrps in enumerate(policy.rates_mrps, start=1)
        if f"slo_1_rate_{number}_us" in evidence_settings
    ]
    return "; ".join(by_rate) or None


def _tails(policy: Policy, evidence_settings: dict[str, int], rate: int) -> str:
    names = {
        f"slo_{slo_number}_rate_{rate}_us": slo
        for slo_number, slo in enumerate(policy.slos, start=1)
    }
    return ", ".join(
        f"{str(slo).split(' <=')[0]} {format_us(evidence_settings[name])}"
        for name, slo in names.items()
        if name in evidence_settings
    )

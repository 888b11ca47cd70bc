"""The SLOs of a policy, in words."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.specs.slo import EndToEnd
from tailc.units import format_mrps, format_us


def slos_text(policy: Policy) -> str:
    """The objectives of one server, each with what users are promised by several together."""
    told = dict(policy.evidence.settings)
    return "; ".join(
        f"{slo}{_end_to_end(told, number)}" for number, slo in enumerate(policy.slos, start=1)
    )


def _end_to_end(told: dict[str, int], number: int) -> str:
    percentile_ppm = told.get(f"slo_{number}_end_to_end_ppm")
    servers = told.get(f"slo_{number}_servers")
    if percentile_ppm is None or servers is None:
        return ""
    return f" ({EndToEnd(percentile_ppm, servers)})"


def predictions_text(policy: Policy) -> str | None:
    """What several objectives have at the rates, on the sample; None where there is but one."""
    told = dict(policy.evidence.settings)
    by_rate = [
        f"{_tails(policy, told, number)} at {format_mrps(rate_mrps)}"
        for number, rate_mrps in enumerate(policy.rates_mrps, start=1)
        if f"slo_1_rate_{number}_us" in told
    ]
    return "; ".join(by_rate) or None


def _tails(policy: Policy, told: dict[str, int], rate: int) -> str:
    names = {f"slo_{at}_rate_{rate}_us": slo for at, slo in enumerate(policy.slos, start=1)}
    return ", ".join(
        f"{str(slo).split(' <=')[0]} {format_us(told[name])}"
        for name, slo in names.items()
        if name in told
    )

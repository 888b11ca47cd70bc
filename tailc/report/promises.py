"""What a policy promises of latency, in words."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.specs.slo import EndToEnd


def promises_text(policy: Policy) -> str:
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

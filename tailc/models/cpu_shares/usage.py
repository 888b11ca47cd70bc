"""How much of a host's CPU was granted to machines."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.models.cpu_shares.outcome import CpuSharesOutcome
from tailc.percentiles import PPM


@dataclass(frozen=True)
class HostUsage:
    """Mean share of the host that was granted to all machines, and to batch machines [1e-6]."""

    utilization_ppm: int
    batch_ppm: int


def usage_of(outcome: CpuSharesOutcome) -> HostUsage:
    """Average the shares of a host that were granted over all steps of a replay [1e-6]."""
    batch = float(outcome.batch_share.mean())
    return HostUsage(round(outcome.utilization * PPM), round(batch * PPM))

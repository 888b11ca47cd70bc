"""Energies and powers as text: in joules and watts, or relative to a busy slow core."""

from __future__ import annotations

from tailc.artifact.envelope import Evidence
from tailc.percentiles import PPM
from tailc.units import format_us

IN_WATTS = "power_in_watts"
INTERFERENCE = "interference_ppm"
_US_PER_MS = 1_000


def is_energy(evidence: Evidence) -> bool:
    """Whether the policy's objective is an energy, as for policies that choose core types."""
    return any(name == IN_WATTS for name, _ in evidence.settings)


def is_by_rate(evidence: Evidence) -> bool:
    """Whether the evidence has a row per arrival rate, as for policies of SMT lanes."""
    return any(name == INTERFERENCE for name, _ in evidence.settings)


def cost_titles(evidence: Evidence) -> tuple[str, str]:
    """Column titles for the cost per request and for the total cost over time."""
    if is_energy(evidence):
        return "energy", "mean power"
    if is_by_rate(evidence):
        return "batch work given up", "share given up"
    return "cost-time", "total cost"


def objective_text(evidence: Evidence, value: int) -> str:
    """Format a value of the objective, or a gap to it, in the unit of the evidence."""
    return energy_text(value, in_watts(evidence)) if is_energy(evidence) else format_us(value)


def in_watts(evidence: Evidence) -> bool:
    """Whether powers of a policy are in watts; otherwise they are relative to a busy slow core."""
    return bool(dict(evidence.settings).get(IN_WATTS, 0))


def energy_text(value: int, is_in_watts: bool) -> str:
    """Format an energy, such as `41.2 mJ` or `41.2 slow-core ms`.

    value: in 1e-6 of the unit of power times us.
    """
    unit = "mJ" if is_in_watts else "slow-core ms"
    return f"{value / PPM / _US_PER_MS:.4g} {unit}"


def power_text(power_ppm: int, is_in_watts: bool) -> str:
    """Format a power [1e-6 of the unit], such as `26.6 W` or `26.6 slow cores`."""
    return f"{power_ppm / PPM:.6g} {'W' if is_in_watts else 'slow cores'}"

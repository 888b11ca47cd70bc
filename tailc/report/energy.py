"""Energies in words: joules where powers are watts, else relative to a slow core at work."""

from __future__ import annotations

from tailc.artifact.envelope import Evidence
from tailc.percentiles import PPM
from tailc.units import format_us

IN_WATTS = "power_in_watts"
INTERFERENCE = "interference_ppm"
_US_PER_MS = 1_000


def is_energy(evidence: Evidence) -> bool:
    """Whether the evidence is of cores, whose objective is told in energy."""
    return any(name == IN_WATTS for name, _ in evidence.settings)


def is_by_rate(evidence: Evidence) -> bool:
    """Whether the evidence is of lanes of a core, whose loads are rates."""
    return any(name == INTERFERENCE for name, _ in evidence.settings)


def cost_titles(evidence: Evidence) -> tuple[str, str]:
    """What a request costs, and what all of them do over time."""
    if is_energy(evidence):
        return "energy", "mean power"
    if is_by_rate(evidence):
        return "batch work given up", "share given up"
    return "cost-time", "total cost"


def objective_text(evidence: Evidence, value: int) -> str:
    """A value of the evidence's objective, or a gap to it."""
    return energy_text(value, in_watts(evidence)) if is_energy(evidence) else format_us(value)


def in_watts(evidence: Evidence) -> bool:
    """Whether powers are watts; else they are relative to a slow core."""
    return bool(dict(evidence.settings).get(IN_WATTS, 0))


def energy_text(value: int, is_in_watts: bool) -> str:
    """Millionths of the unit of power times us, such as `41.2 mJ` or `41.2 slow-core ms`."""
    unit = "mJ" if is_in_watts else "slow-core ms"
    return f"{value / PPM / _US_PER_MS:.4g} {unit}"


def power_text(power_ppm: int, is_in_watts: bool) -> str:
    """A power, such as `26.6 W` or `26.6 slow cores`."""
    return f"{power_ppm / PPM:.6g} {'W' if is_in_watts else 'slow cores'}"

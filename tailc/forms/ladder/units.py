"""Meaning of a ladder's cost units: degrees of parallelism, and shared resources."""

from __future__ import annotations

from tailc.forms.ladder.table import PPM, Ladder

# The cost unit whose number is a degree of parallelism.
THREADS = "threads"
# Power that requests share, in watts or relative to a slow core.
WATTS, POWER = "watts", "power"


def degrees(ladder: Ladder) -> tuple[int, ...] | None:
    """The number of threads of each rung of a ladder; None for a ladder without degrees.

    Rungs have degrees if the ladder has the cost unit `threads` and each rung costs a whole number
    of them, from 1.
    """
    names = [unit.name for unit in ladder.cost_units]
    if THREADS not in names:
        return None
    costs_ppm = [rung.cost_ppm[names.index(THREADS)] for rung in ladder.rungs]
    if any(cost < PPM or cost % PPM for cost in costs_ppm):
        return None
    return tuple(cost // PPM for cost in costs_ppm)


def shared_unit(ladder: Ladder) -> str:
    """Name of the resource that requests compete for.

    It is the one limited cost unit, or `threads` if several are limited.
    """
    limited = [unit.name for unit in ladder.cost_units if unit.capacity_ppm is not None]
    return limited[0] if len(limited) == 1 else THREADS


def shared_power(ladder: Ladder) -> float | None:
    """Capacity of a ladder's shared power, in the ladder's unit; None if power is not shared."""
    limits = {unit.name: unit.capacity_ppm for unit in ladder.cost_units}
    shared = shared_unit(ladder)
    capacity_ppm = limits.get(shared)
    if shared not in (WATTS, POWER) or capacity_ppm is None:
        return None
    return capacity_ppm / PPM

"""Names of the resources that requests hold, and that a change of a table may save."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder, Rule
from tailc.forms.ladder.units import shared_unit

CORES = "cores"


def held_unit(table: Ladder) -> str:
    """Name of the resource that a running request holds: `threads`, `watts`, `power` or `cores`."""
    limited = sum(unit.capacity_ppm is not None for unit in table.cost_units)
    if limited > 1 or Rule.CORE_PER_REQUEST in table.rules:
        return CORES
    return shared_unit(table)


def used_unit(table: Ladder) -> str:
    """The resource that a change of a ladder may save.

    On whole cores it is their power, and on lanes of a core the batch work given up; else the
    resource that requests hold.
    """
    return held_unit(table) if table.power is None else table.cost_units[table.power.unit].name

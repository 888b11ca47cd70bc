"""What a table's figures count: what requests hold, and what its rungs are there to spare."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder, Rule
from tailc.forms.ladder.units import shared_unit

CORES = "cores"


def held_unit(table: Ladder) -> str:
    """What a running request holds: `threads`, `watts`, `power`, or `cores` of any type."""
    limited = sum(unit.capacity_ppm is not None for unit in table.cost_units)
    if limited > 1 or Rule.CORE_PER_REQUEST in table.rules:
        return CORES
    return shared_unit(table)


def used_unit(table: Ladder) -> str:
    """What a change of the table may spare: what requests hold, or on whole cores what these draw.

    On lanes of a core that is the batch work given up.
    """
    return held_unit(table) if table.power is None else table.cost_units[table.power.unit].name

"""The rungs of a ladder as text, for requests that share resources other than threads."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder
from tailc.forms.ladder.units import degrees
from tailc.percentiles import PPM
from tailc.report.table import align_columns
from tailc.units import plain_ppm, printable


def is_joint(ladder: Ladder) -> bool:
    """Whether the ladder's rungs use several resources, some shared, but no cores or threads."""
    limited = [unit for unit in ladder.cost_units if unit.capacity_ppm is not None]
    has_shared_units = bool(limited) and len(ladder.cost_units) > 1
    return has_shared_units and ladder.power is None and degrees(ladder) is None


def rungs_text(ladder: Ladder) -> str:
    """Format one line per rung: speed, use of each resource, first resource per unit of work."""
    units = [printable(unit.name) for unit in ladder.cost_units]
    title = ("rung", "speed", *units, f"{units[0]} by work")
    rows = [
        (
            printable(rung.name),
            plain_ppm(rung.speed_ppm),
            *map(plain_ppm, rung.cost_ppm),
            f"{rung.cost_ppm[0] / rung.speed_ppm:.4g}",
        )
        for rung in ladder.rungs
    ]
    table = align_columns([title, *rows], numbers=tuple(range(1, len(title))))
    return f"{table}\n{_supply(ladder)}"


def _supply(ladder: Ladder) -> str:
    shared = (
        f"{unit.capacity_ppm / PPM:g} {printable(unit.name)}"
        for unit in ladder.cost_units
        if unit.capacity_ppm is not None
    )
    return f"requests share {', '.join(shared)}"

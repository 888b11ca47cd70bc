"""What requests lose under overload, in words."""

from __future__ import annotations

from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.table import Ladder, Rule
from tailc.units import format_ppm, format_us


def overload_text(ladder: Ladder) -> str:
    """A line that says whom the ladder refuses, cuts off and degrades; nothing where nobody."""
    told = ladder.overload
    if told is None:
        return ""
    return "under overload: " + "; ".join(_parts(told, Rule.AGE_FROM_ARRIVAL in ladder.rules))


def _parts(told: Overload, from_arrival: bool) -> list[str]:
    found: list[str] = []
    if told.shed_from is not None:
        found.append(f"a request that finds {told.shed_from} in the system is refused")
    if told.cut_off_us is not None:
        since = "its arrival" if from_arrival else "its start"
        found.append(
            f"a request that runs {format_us(told.cut_off_us)} after {since} leaves unfinished"
        )
    if told.degrade_from is not None and told.work_ppm is not None:
        part = format_ppm(told.work_ppm)
        found.append(
            f"of one that finds {told.degrade_from} in the system {part} of the work is done"
        )
    return found

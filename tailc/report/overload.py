"""The overload rules of a ladder as text."""

from __future__ import annotations

from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.table import Ladder, Rule
from tailc.units import format_ppm, format_us


def overload_text(ladder: Ladder) -> str:
    """Format the rules that refuse, cut off or degrade requests; empty if the ladder has none."""
    overload = ladder.overload
    if overload is None:
        return ""
    return "under overload: " + "; ".join(_parts(overload, Rule.AGE_FROM_ARRIVAL in ladder.rules))


def _parts(overload: Overload, from_arrival: bool) -> list[str]:
    parts: list[str] = []
    if overload.shed_from is not None:
        parts.append(f"a request that finds {overload.shed_from} in the system is refused")
    if overload.cut_off_us is not None:
        since = "its arrival" if from_arrival else "its start"
        parts.append(
            f"a request that runs {format_us(overload.cut_off_us)} after {since} leaves unfinished"
        )
    if overload.degrade_from is not None and overload.work_ppm is not None:
        part = format_ppm(overload.work_ppm)
        parts.append(
            f"of one that finds {overload.degrade_from} in the system {part} of the work is done"
        )
    return parts

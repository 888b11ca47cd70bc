"""How requests share what they draw on, in words."""

from __future__ import annotations

from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import Ladder, Rule
from tailc.units import format_us, plain_ppm, printable


def sharing_text(ladder: Ladder) -> str:
    """A line on starts by what is in use, on giving up, and on falls; nothing where rows say all.

    Where requests may fall it is told only beside the rules for sharing.
    """
    told = ladder.sharing
    if told is None:
        return ""
    return "sharing: " + "; ".join(_parts(told, ladder))


def _parts(told: Sharing, ladder: Ladder) -> list[str]:
    found: list[str] = []
    if told.start_unit is not None and told.start_below_ppm is not None:
        unit = printable(ladder.cost_units[told.start_unit].name)
        below = plain_ppm(told.start_below_ppm)
        found.append(f"a request starts while less than {below} {unit} are in use")
    if told.give_up_us is not None:
        since = "its arrival" if Rule.AGE_FROM_ARRIVAL in ladder.rules else "its start"
        rung = printable(ladder.rungs[0].name)
        found.append(f"one that runs {format_us(told.give_up_us)} after {since} falls to {rung}")
    if Rule.NEVER_DESCEND not in ladder.rules:
        found.append("one falls where its row has a lower rung")
    return found

"""How requests share what they draw on, and which of them have priority, in words."""

from __future__ import annotations

from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import Ladder, Rule
from tailc.units import format_us, plain_ppm, printable


def sharing_text(ladder: Ladder) -> str:
    """A line on starts by what is in use, on giving up, and on falls; nothing where rows say all.

    Where requests may fall it is told only beside the rules for sharing.
    """
    told = ladder.sharing
    return "" if told is None else f"sharing: {'; '.join(_parts(told, ladder))}"


def boost_text(ladder: Ladder) -> str:
    """A line on a limit of boosting that was tuned; nothing where it is all that there is."""
    boost = ladder.boost
    if boost is None:
        return ""
    unit = ladder.cost_units[boost.unit]
    if boost.below_ppm == unit.capacity_ppm:
        return ""
    rung, limit = printable(ladder.rungs[-1].name), plain_ppm(boost.below_ppm)
    return (
        f"boosting: a request raised to {rung} has priority while boosted requests, itself among "
        f"them, have less than {limit} {printable(unit.name)}"
    )


def start_text(ladder: Ladder) -> str:
    """How much may be in use where the next request starts; nothing where its row says when."""
    told = ladder.sharing
    if told is None or told.start_unit is None or told.start_below_ppm is None:
        return ""
    unit = printable(ladder.cost_units[told.start_unit].name)
    return f"while less than {plain_ppm(told.start_below_ppm)} {unit} are in use"


def _parts(told: Sharing, ladder: Ladder) -> list[str]:
    found: list[str] = []
    if start := start_text(ladder):
        found.append(f"a request starts {start}")
    if told.give_up_us is not None:
        since = "its arrival" if Rule.AGE_FROM_ARRIVAL in ladder.rules else "its start"
        rung = printable(ladder.rungs[0].name)
        found.append(
            f"a request that runs {format_us(told.give_up_us)} after {since} moves to {rung}"
        )
    if Rule.NEVER_DESCEND not in ladder.rules:
        found.append("a request moves down if its row has a lower rung")
    return found

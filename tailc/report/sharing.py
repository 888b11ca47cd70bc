"""Rules for resources that requests share, and for boosted requests, as text."""

from __future__ import annotations

from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import Ladder, Rule
from tailc.units import format_us, plain_ppm, printable


def sharing_text(ladder: Ladder) -> str:
    """Format the rules for starts, timeouts and descents; empty if the rows contain everything.

    A descent moves a request to a lower rung; it is mentioned only together with sharing rules.
    """
    rules = ladder.sharing
    return "" if rules is None else f"sharing: {'; '.join(_parts(rules, ladder))}"


def boost_text(ladder: Ladder) -> str:
    """Format the limit of boosted requests (extra resources on the last rung); empty without one.

    Without a limit boosting may use the whole capacity of the resource.
    """
    boost = ladder.boost
    if boost is None:
        return ""
    unit = ladder.cost_units[boost.unit]
    if boost.below_ppm == unit.capacity_ppm:
        return ""
    rung, limit = printable(ladder.rungs[-1].name), plain_ppm(boost.below_ppm)
    return (
        f"boosting: a request on {rung} has priority while the {printable(unit.name)} of boosted "
        f"requests, its own included, are below {limit}"
    )


def start_text(ladder: Ladder) -> str:
    """Format the use of the shared resource below which a request starts; empty if rows decide."""
    rules = ladder.sharing
    if rules is None or rules.start_unit is None or rules.start_below_ppm is None:
        return ""
    unit = printable(ladder.cost_units[rules.start_unit].name)
    return f"while less than {plain_ppm(rules.start_below_ppm)} {unit} are in use"


def _parts(rules: Sharing, ladder: Ladder) -> list[str]:
    parts: list[str] = []
    if start := start_text(ladder):
        parts.append(f"a request starts {start}")
    if rules.give_up_us is not None:
        since = "its arrival" if Rule.AGE_FROM_ARRIVAL in ladder.rules else "its start"
        rung = printable(ladder.rungs[0].name)
        parts.append(
            f"a request that runs {format_us(rules.give_up_us)} after {since} moves to {rung}"
        )
    if Rule.NEVER_DESCEND not in ladder.rules:
        parts.append("a request moves down if its row has a lower rung")
    return parts

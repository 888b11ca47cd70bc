"""What the ages of a ladder count from, in words."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder, Rule


def age_origin(*ladders: Ladder) -> str:
    """What ages count from, without an article; with several ladders, from arrival if one does."""
    rules = {rule for ladder in ladders for rule in ladder.rules}
    if Rule.AGE_FROM_ARRIVAL in rules:
        return "arrival"
    return "idle time of the core" if Rule.BUSY_PERIOD_AGE in rules else "start"

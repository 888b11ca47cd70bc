"""The event that the ages of a ladder count from, as text."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder, Rule


def age_origin(*ladders: Ladder) -> str:
    """The event that ages are counted from, such as `arrival`, without an article.

    With several ladders it is `arrival` if the ages of any of them count from arrival.
    """
    rules = {rule for ladder in ladders for rule in ladder.rules}
    if Rule.AGE_FROM_ARRIVAL in rules:
        return "arrival"
    return "idle time of the core" if Rule.BUSY_PERIOD_AGE in rules else "start"

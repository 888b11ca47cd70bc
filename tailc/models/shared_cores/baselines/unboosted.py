"""The policy itself without boosting (Haque et al., ASPLOS 2015, figure 10c)."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.ladder.table import Ladder, Rule
from tailc.models.subject import Subject


def unboosted(policy: Subject) -> Subject:
    """The same rows, but no request is ever boosted."""
    return replace(
        policy,
        name="policy without boosting",
        ladders=tuple(_unboosted(ladder) for ladder in policy.ladders),
        boosts_at_start=False,
        note="",
    )


def _unboosted(ladder: Ladder) -> Ladder:
    rules = tuple(rule for rule in ladder.rules if rule is not Rule.BOOST_LAST_RUNG)
    return replace(ladder, rules=rules, boost=None)

"""SEQ: every request starts at once on the first rung and stays there (Haque et al., 2015, 6)."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.ladder.table import AT_ONCE, Climb, Guard, Ladder, Outside, Row, Rule


def sequential(ladder: Ladder) -> Ladder:
    """The same server without the policy: one rung, one row, no admission, no boosting."""
    return replace(
        ladder,
        rungs=ladder.rungs[:1],
        rules=tuple(rule for rule in ladder.rules if rule is not Rule.BOOST_LAST_RUNG),
        rows=(Row(0, None, AT_ONCE, (Climb(0, 0),)),),
        guard=Guard(0, 0, Outside.CLAMP),
        boost=None,
    )

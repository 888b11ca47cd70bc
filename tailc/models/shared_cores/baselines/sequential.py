"""SEQ: every request starts at once on the first rung and stays there (Haque et al., 2015, 6)."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder
from tailc.models.shared_cores.baselines.same_server import same_server, stays_on


def sequential(ladder: Ladder) -> Ladder:
    """The same server without the policy: one row, no admission, no boosting."""
    return same_server(ladder, (stays_on(0),))

"""FIX-N: every request on one rung; and the same only while few requests are in the system.

FIX-2 and FIX-4 in section 6 of Haque et al., ASPLOS 2015; FIX-3 below 30 requests on 12 cores is
what Bing ran in production (section 6.3).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from tailc.forms.ladder.table import Ladder
from tailc.models.shared_cores.baselines.same_server import (
    boosting,
    capacity_of,
    same_server,
    stays_on,
)
from tailc.percentiles import PPM

# Bing: 30 requests on 12 cores.
REQUESTS_PER_CORE = Fraction(30, 12)


def fixed(ladder: Ladder, rung: int, *, below: int | None = None, boosts: bool = False) -> Ladder:
    """Every request on `rung`, or, with `below`, those that find fewer requests in the system.

    A request counts itself; the others start on the first rung, and all keep what they start with.
    With `boosts` the ladder ends at `rung`, since boosting is for the last one.
    """
    rows = (stays_on(rung),)
    if below is not None:
        rows = (stays_on(rung, 0, below - 1), stays_on(0, below))
    if not boosts:
        return same_server(ladder, rows)
    kept = replace(
        ladder, rungs=ladder.rungs[: rung + 1], rows=(stays_on(0),), boost=None, rules=()
    )
    return same_server(kept, rows, boost=boosting(ladder, rung))


def usual_limit(ladder: Ladder) -> int | None:
    """Two and a half requests a core, as at Bing; None on a server of no stated capacity."""
    limited = capacity_of(ladder)
    if limited is None:
        return None
    return max(round(REQUESTS_PER_CORE * Fraction(limited[1], PPM)), 2)

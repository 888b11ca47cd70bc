"""The ends of the trade: the least tail (TL), and the least energy (EE).

Haque et al., MICRO 2017, section 5.5. There a request of TL moves up when a faster core frees; here
at its next tick.
"""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder
from tailc.models.core_types.baselines.same_cores import same_cores, wants
from tailc.models.subject import Subject


def least_tail(ladder: Ladder) -> Subject:
    """Start on the fastest free core, and move to a faster one when it frees; the oldest first."""
    return Subject("TL", (same_cores(ladder, wants(len(ladder.rungs) - 1)),))


def least_energy(ladder: Ladder) -> Subject:
    """The slowest cores, and faster ones only while those are all busy; then the oldest moves."""
    return Subject("EE", (same_cores(ladder, wants(0)),))

"""Pegasus, ideal: all cores on one level, the best for the load (Haque et al., MICRO 2017, 5.5)."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder
from tailc.models.baselines.search import Search
from tailc.models.core_types.baselines.same_cores import same_cores, wants
from tailc.models.subject import Subject


def one_level(ladder: Ladder, search: Search) -> Subject:
    """The level of the least energy at the target."""
    return search.least_energy(
        Subject("Pegasus", (same_cores(ladder, wants(rung)),), note=f"level {level.name}")
        for rung, level in enumerate(ladder.rungs)
    )

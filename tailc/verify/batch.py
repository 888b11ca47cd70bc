"""Batch work that is left beside requests, by core, over that beside a free core."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.forms.ladder.lanes import BATCH
from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.replay.drawn import drawn_unit, mean_drawn
from tailc.replay.outcome import Outcome
from tailc.replay.pools import pools
from tailc.verify.repeats import mean_and_half
from tailc.verify.verdict import BatchUse


def batch_beside_shared(outcome: Outcome, ladder: Ladder) -> float | None:
    """Of one replay in which requests share cores with one another.

    None where they do not, or give up no batch work.
    """
    unit = drawn_unit(ladder)
    if outcome.energy is not None or unit is None or ladder.cost_units[unit].name != BATCH:
        return None
    given_up = mean_drawn(outcome, ladder)
    assert given_up is not None
    return 1 - given_up * PPM / float(pools(ladder).capacity_ppm.sum())


def batch_use(repeats: Sequence[float]) -> BatchUse:
    """The mean over all repeats; the interval is that of the repeats, within 0 to 1."""
    mean, half = mean_and_half(repeats)
    return BatchUse(
        round(mean * PPM),
        None if half is None else round(max(mean - half, 0) * PPM),
        None if half is None else round(min(mean + half, 1) * PPM),
    )

"""Batch work that is left beside requests, by core, over that beside a free core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailc.forms.ladder.lanes import BATCH
from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half
from tailc.models.outcome import Outcome
from tailc.models.pools import pools
from tailc.models.shared_cores.shared_power import drawn_unit, mean_drawn
from tailc.percentiles import PPM


@dataclass(frozen=True)
class BatchUse:
    """Batch work by core in the mean, over that beside a free core.

    `low_ppm`, `high_ppm`: 95 % interval over the repeats, None with one.
    """

    batch_ppm: int
    low_ppm: int | None
    high_ppm: int | None


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

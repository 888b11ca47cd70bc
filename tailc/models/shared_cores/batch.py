"""Batch work that is left beside requests, by core, over that beside a free core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tailc.forms.ladder.lanes import BATCH
from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half
from tailc.models.columns import Group, column, percent
from tailc.models.pools import pools
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.models.shared_cores.shared_power import drawn_unit, mean_drawn
from tailc.percentiles import PPM


class HasBatch(Protocol):
    """Batch work by core over that beside a free core, with its interval; see `BatchUse`."""

    @property
    def batch_ppm(self) -> int:
        """The mean."""
        ...

    @property
    def low_ppm(self) -> int | None:
        """Its lower limit."""
        ...

    @property
    def high_ppm(self) -> int | None:
        """Its upper limit."""
        ...


@dataclass(frozen=True)
class BatchUse:
    """Batch work by core in the mean, over that beside a free core.

    `low_ppm`, `high_ppm`: 95 % interval over the repeats, None with one.
    """

    batch_ppm: int
    low_ppm: int | None
    high_ppm: int | None


def batch_left(outcome: SharedCoresOutcome, ladder: Ladder) -> float | None:
    """Batch work by core that one replay leaves; None where rungs give up none."""
    unit = drawn_unit(ladder)
    if unit is None or ladder.cost_units[unit].name != BATCH:
        return None
    given_up = mean_drawn(outcome, ladder)
    assert given_up is not None
    return 1 - given_up * PPM / float(pools(ladder).capacity_ppm.sum())


def batch_columns(uses: Sequence[HasBatch]) -> Group:
    """Batch work with its interval."""
    return (
        column("batch", [percent(use.batch_ppm) for use in uses]),
        column("95 % interval", list(map(_interval, uses)), is_number=False),
    )


def _interval(use: HasBatch) -> str:
    if use.low_ppm is None or use.high_ppm is None:
        return "unknown"
    return f"{percent(use.low_ppm)} .. {percent(use.high_ppm)}"


def batch_use(repeats: Sequence[float]) -> BatchUse:
    """The mean over all repeats; the interval is that of the repeats, within 0 to 1."""
    mean, half = mean_and_half(repeats)
    return BatchUse(
        round(mean * PPM),
        None if half is None else round(max(mean - half, 0) * PPM),
        None if half is None else round(min(mean + half, 1) * PPM),
    )

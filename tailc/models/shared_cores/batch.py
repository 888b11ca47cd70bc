"""Batch work per core next to requests, relative to a free core."""

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
from tailc.models.shared_cores.shared_power import mean_power, power_unit
from tailc.percentiles import PPM


class HasBatch(Protocol):
    """Interface: mean batch work per core with its 95 % interval, as in `BatchUse`."""

    @property
    def batch_ppm(self) -> int:
        """Mean batch work per core, in millionths of that of a free core."""
        ...

    @property
    def low_ppm(self) -> int | None:
        """Lower limit of the 95 % interval of the mean batch work; None with one replication."""
        ...

    @property
    def high_ppm(self) -> int | None:
        """Upper limit of the 95 % interval of the mean batch work; None with one replication."""
        ...


@dataclass(frozen=True)
class BatchUse:
    """Mean batch work per core, relative to a free core.

    `low_ppm`, `high_ppm`: 95 % interval over the replications, None with one.
    """

    batch_ppm: int
    low_ppm: int | None
    high_ppm: int | None


def batch_left(outcome: SharedCoresOutcome, ladder: Ladder) -> float | None:
    """Batch work per core in one replay, relative to that of a core without requests (0 to 1).

    None if the rungs do not slow down batch work.
    """
    unit = power_unit(ladder)
    if unit is None or ladder.cost_units[unit].name != BATCH:
        return None
    given_up = mean_power(outcome, ladder)
    assert given_up is not None
    return 1 - given_up * PPM / float(pools(ladder).capacity_ppm.sum())


def batch_columns(uses: Sequence[HasBatch]) -> Group:
    """Columns of the mean batch work per core and its interval, for a table of a verdict."""
    return (
        column("batch", [percent(use.batch_ppm) for use in uses]),
        column("95 % interval", list(map(_interval, uses)), is_number=False),
    )


def _interval(use: HasBatch) -> str:
    if use.low_ppm is None or use.high_ppm is None:
        return "unknown"
    return f"{percent(use.low_ppm)} .. {percent(use.high_ppm)}"


def batch_use(repeats: Sequence[float]) -> BatchUse:
    """Average the batch work per core over all replications; the interval is cut to 0 to 1."""
    mean, half = mean_and_half(repeats)
    return BatchUse(
        round(mean * PPM),
        None if half is None else round(max(mean - half, 0) * PPM),
        None if half is None else round(min(mean + half, 1) * PPM),
    )

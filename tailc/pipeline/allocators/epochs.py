"""Epochs of a plan: the epochs of the supply, split at chosen times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tailc.models.datacentre.supply import Supply, Whole
from tailc.models.malleable_jobs.cluster import Cluster


@dataclass(frozen=True, eq=False)
class Epochs:
    """The epochs of a plan as the solver has them, and the energy supply in each of them.

    begin_s: start of each epoch, and the end of the last one [s]; int64 (epochs + 1,).
    """

    begin_s: Whole
    supply: Supply

    @property
    def length_s(self) -> Whole:
        """Length of each epoch of the plan [s]; int64 (epochs,)."""
        return np.diff(self.begin_s)

    def epoch_at(self, moment_s: int) -> int:
        """Index of the epoch that contains the time `moment_s` [s]."""
        return int(np.searchsorted(self.begin_s, moment_s, side="right")) - 1


def epochs_ahead(
    cluster: Cluster, now_s: int, ahead: Supply, until_s: int, cuts_s: Iterable[int] = ()
) -> Epochs:
    """Make the epochs of a plan from `now_s` to `until_s` or later, split at the times `cuts_s`.

    ahead: the supply from the present epoch on. After its end there is no green energy, and the
    last price applies.
    """
    epoch_s = cluster.epoch_s
    first, past = now_s // epoch_s, -(-max(until_s, now_s + 1) // epoch_s)
    marks = {now_s, *range((first + 1) * epoch_s, past * epoch_s + 1, epoch_s)}
    marks.update(moment for moment in cuts_s if now_s < moment < past * epoch_s)
    begin_s = np.array(sorted(marks), np.int64)
    at = begin_s[:-1] // epoch_s - first
    last = np.minimum(at, ahead.epochs - 1)
    green_mw = np.where(at < ahead.epochs, ahead.green_mw[last], 0)
    columns = (green_mw, ahead.brown_udollars_per_kwh[last], ahead.brown_mg_per_kwh[last])
    return Epochs(begin_s, Supply(*columns))

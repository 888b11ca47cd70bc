"""Epochs of a plan: those of the supply, cut where something happens in between."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tailc.models.datacentre.supply import Supply, Whole
from tailc.models.malleable_jobs.cluster import Cluster


@dataclass(frozen=True, eq=False)
class Epochs:
    """begin_s: when each begins, and the last ends; int64 (epochs + 1,). supply: of each."""

    begin_s: Whole
    supply: Supply

    @property
    def length_s(self) -> Whole:
        """How long each lasts; int64 (epochs,)."""
        return np.diff(self.begin_s)

    def at(self, moment_s: int) -> int:
        """The epoch that a moment is in."""
        return int(np.searchsorted(self.begin_s, moment_s, side="right")) - 1


def epochs_ahead(
    cluster: Cluster, now_s: int, ahead: Supply, until_s: int, cuts_s: Iterable[int] = ()
) -> Epochs:
    """Epochs from now until `until_s` at least, cut at some moments.

    ahead: the supply from the present epoch on. Beyond its end there is no green energy, and prices
    stay as they were.
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

"""The requests that a table is tuned on, and those that judge what is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.sizes import Seed
from tailc.models.workload import Workload

# One request in so many is kept out of the search, where there are enough of them.
_JUDGING_PART = 3
_FEWEST_REQUESTS = 600


@dataclass(frozen=True, eq=False)
class Parts:
    """The requests that are searched on, and those that judge."""

    tuning: Workload
    judging: Workload

    @property
    def kept_out(self) -> bool:
        """Whether those that judge were kept out of the search."""
        return self.judging is not self.tuning


def parts_of(load: Workload) -> Parts:
    """Some requests for each; all of them for both, where there are few."""
    judges = judging_weight(load)
    if judges is None:
        return Parts(load, load)
    return Parts(load.reweighted(load.weight - judges), load.reweighted(judges))


def judging_weight(load: Workload) -> NDArray[np.int64] | None:
    """How many of each record's requests judge, int64 (records,); None where there are too few.

    Of every three requests that are neighbours in size one, at random: not every third row, for
    rows may come in turns.
    """
    if load.requests < _FEWEST_REQUESTS:
        return None
    by_size = np.argsort(load.work_ns, kind="stable")
    last_of = np.cumsum(load.weight[by_size])
    threes = int(last_of[-1]) // _JUDGING_PART
    # Where all three are of one record, which of them judges is no matter.
    parted = np.unique((last_of[last_of % _JUDGING_PART > 0]) // _JUDGING_PART)
    parted = parted[parted < threes]
    chosen = np.random.default_rng(Seed.PARTS).integers(0, _JUDGING_PART, len(parted))
    at = np.searchsorted(last_of, parted * _JUDGING_PART + chosen, side="right")
    first_of = last_of - load.weight[by_size]
    whole = np.minimum(last_of // _JUDGING_PART, threes) - -(-first_of // _JUDGING_PART)
    judges = np.zeros(len(last_of), np.int64)
    judges[by_size] = np.maximum(whole, 0) + np.bincount(at, minlength=len(last_of))
    return judges

"""Split requests into those on which a table is tuned and those on which it is validated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.sizes import Seed
from tailc.models.workload import Workload

# One request in this number is held out from the search, if there are enough requests.
_JUDGING_PART = 3
_FEWEST_REQUESTS = 600


@dataclass(frozen=True, eq=False)
class SampleSplit:
    """The requests of the search (`tuning`) and those of the validation (`judging`)."""

    tuning: Workload
    judging: Workload

    @property
    def is_held_out(self) -> bool:
        """Whether the requests of the validation were held out from the search."""
        return self.judging is not self.tuning


def split_sample(load: Workload) -> SampleSplit:
    """Split requests into those that tune a table and those that validate it.

    If there are few, all of them are used for both.
    """
    judges = validation_weight(load)
    if judges is None:
        return SampleSplit(load, load)
    return SampleSplit(load.reweight(load.weight - judges), load.reweight(judges))


def validation_weight(load: Workload) -> NDArray[np.int64] | None:
    """Number of validation requests by record, int64 (records,); None if there are too few."""
    if load.requests < _FEWEST_REQUESTS:
        return None
    return one_of_each_group(_JUDGING_PART, load.work_ns, load.weight)


def one_of_each_group(
    many: int, size: NDArray[Any], weight: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Select one request from each group of `many` requests of similar size, at random.

    Returns the selected number for each record, int64 (records,). Rows are not selected by
    position, because they may have a period.
    """
    by_size = np.argsort(size, kind="stable")
    last_of = np.cumsum(weight[by_size])
    groups = int(last_of[-1]) // many
    # Where all of a group are of one record, which of them is taken is no matter.
    parted = np.unique((last_of[last_of % many > 0]) // many)
    parted = parted[parted < groups]
    chosen = np.random.default_rng(Seed.PARTS).integers(0, many, len(parted))
    at = np.searchsorted(last_of, parted * many + chosen, side="right")
    first_of = last_of - weight[by_size]
    whole = np.minimum(last_of // many, groups) - -(-first_of // many)
    taken = np.zeros(len(last_of), np.int64)
    taken[by_size] = np.maximum(whole, 0) + np.bincount(at, minlength=len(last_of))
    return taken

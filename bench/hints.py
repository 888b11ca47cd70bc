"""Requests that come with a hint, long or short, and tables that have a ladder for each hint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tailc.tuning.shared_cores_space import SharedCoresSpace

# A request with a hint stands for so many of its kind at most: chances become whole numbers.
_REQUESTS_OF_ONE = 10_000
HINTS = 2

Tables = tuple[Ladder, Ladder]
"""For requests that are hinted short, and for those that are hinted long."""


@dataclass(frozen=True)
class Predictor:
    """Hints the longest `share` of requests as long, and of these only the part `right` truly.

    As many are hinted long as are, so `right` is precision and recall: 1 knows, and one that is
    right as often as `share` is blind. Whom it errs on does not depend on the size further.
    """

    share: float
    right: float

    def chance_long(self, work_ns: NDArray[np.int64]) -> NDArray[np.float64]:
        """Of each record to be hinted long."""
        is_long = work_ns > np.quantile(work_ns, 1 - self.share)
        wrong = self.share * (1 - self.right) / (1 - self.share)
        return np.where(is_long, self.right, wrong)


def hinted(load: Workload, predictor: Predictor) -> Workload:
    """Every record once with the hint short and, after all of these, once with the hint long."""
    chance = predictor.chance_long(load.work_ns)
    share = np.concatenate([1 - chance, chance])
    return Workload(
        np.tile(load.work_ns, HINTS),
        np.rint(np.tile(load.weight, HINTS) * share * _REQUESTS_OF_ONE).astype(np.int64),
        np.tile(load.curve_of, HINTS),
        load.speed,
    )


def by_hint(load: Workload, tables: Tables) -> SharedCores:
    """What is replayed of tables on a load that `hinted` made."""
    hints = np.repeat(np.arange(HINTS, dtype=np.int32), len(load.work_ns) // HINTS)
    return SharedCores("by hint", tables, hints)


@dataclass(frozen=True, eq=False)
class HintedFamily:
    """A ladder of a family for each hint, where boosting and sharing are the same.

    A point is that of the short, and then what the ages of the long are more, lines over the load
    as in `more`: where hints tell nothing, these are 0. Both wait as long to start.
    """

    each: SharedCoresSpace
    more: SharedCoresSpace

    def table(self, point: NDArray[np.float64]) -> Tables:
        short, more = self._parts(point)
        longer = self.more.refine(more, self.each)
        if self.each.has_delays:
            longer[: len(self.each.knots)] = 0.0
        first, second = (self.each.table(one) for one in (short, short + longer))
        return first, replace(second, boost=first.boost, sharing=first.sharing)

    def starts(self) -> Iterator[NDArray[np.float64]]:
        for alike in self.more.starts():
            yield np.concatenate([alike, np.zeros_like(alike)])

    def spread(self, age: float, load: float, narrower: float) -> NDArray[np.float64]:
        parts = (one.spread(age, load, narrower) for one in (self.each, self.more))
        return np.concatenate(list(parts))

    def finer(self) -> HintedFamily:
        return HintedFamily(self.each.finer(), self.more)

    def refine(self, point: NDArray[np.float64], fine: HintedFamily) -> NDArray[np.float64]:
        short, more = self._parts(point)
        return np.concatenate([self.each.refine(short, fine.each), more])

    def _parts(self, point: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        numbers = len(next(self.more.starts()))
        return point[:-numbers], point[-numbers:]

"""A weighted sample of demands and the speed of each rung, the input of ladder problems."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class WeightedSample:
    """Weighted demands of requests, each with a speed-up curve from a table of speeds.

    Attributes:
        demand_ms: work of each request at the reference rung, positive, in any order [R].
        weight: number of requests of each entry, positive integers [R].
        speeds: work per ms on each rung, positive [curves, rungs].
        curve: the row of `speeds` that each request follows [R].
    """

    demand_ms: NDArray[np.float64]
    weight: NDArray[np.int64]
    speeds: NDArray[np.float64]
    curve: NDArray[np.int64]

    def __post_init__(self) -> None:
        _require(self.demand_ms.ndim == 1 and self.demand_ms.size > 0, "demand_ms must be a vector")
        _require(self.speeds.ndim == 2 and self.speeds.size > 0, "speeds must be [curves, rungs]")
        _require(self.weight.shape == self.demand_ms.shape, "weight must be as long as demand_ms")
        _require(self.curve.shape == self.demand_ms.shape, "curve must be as long as demand_ms")
        _require(_positive(self.demand_ms), "demand_ms must be positive and finite")
        _require(_positive(self.speeds), "speeds must be positive and finite")
        _require(bool((self.weight > 0).all()), "weight must be positive")
        in_table = (self.curve >= 0) & (self.curve < self.speeds.shape[0])
        _require(bool(in_table.all()), "curve must index the rows of speeds")
        for array in (self.demand_ms, self.weight, self.speeds, self.curve):
            array.flags.writeable = False

    @classmethod
    def common(
        cls, demand_ms: ArrayLike, speeds: ArrayLike, weight: ArrayLike | None = None
    ) -> Self:
        """Build a sample in which all requests follow one speed-up curve `speeds` [rungs]."""
        return cls.classes(demand_ms, np.array(speeds, dtype=np.float64)[None], None, weight)

    @classmethod
    def classes(
        cls,
        demand_ms: ArrayLike,
        speeds: ArrayLike,
        curve: ArrayLike | None,
        weight: ArrayLike | None = None,
    ) -> Self:
        """Build a sample in which each request follows one of several speed-up curves.

        speeds: work per ms, [curves, rungs]. curve: row of `speeds` that each request follows;
        None: all follow the first.
        """
        demand = np.array(demand_ms, dtype=np.float64)
        ones = np.ones(demand.shape, dtype=np.int64)
        return cls(
            demand,
            ones if weight is None else _integers(weight, "weight"),
            np.array(speeds, dtype=np.float64),
            ones - 1 if curve is None else _integers(curve, "curve"),
        )

    @classmethod
    def individual(
        cls, demand_ms: ArrayLike, speeds: ArrayLike, weight: ArrayLike | None = None
    ) -> Self:
        """Build a sample in which request r follows its own row of `speeds` [R, rungs]."""
        return cls.classes(demand_ms, speeds, np.arange(np.size(demand_ms)), weight)

    @property
    def n_rungs(self) -> int:
        return self.speeds.shape[1]

    @property
    def n_curves(self) -> int:
        return self.speeds.shape[0]

    @property
    def total_weight(self) -> int:
        return int(self.weight.sum())

    def check_rank(self, rank: int) -> None:
        """Raise ValueError unless `rank` is a 1-based rank of a request, weights included."""
        _require(1 <= rank <= self.total_weight, f"rank must be between 1 and {self.total_weight}")


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)


def _positive(values: NDArray[np.float64]) -> bool:
    return bool(np.isfinite(values).all() and (values > 0).all())


def _integers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    array = np.array(values)
    _require(bool((array == np.floor(array)).all()), f"{name} must be whole numbers")
    return array.astype(np.int64)

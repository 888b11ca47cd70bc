"""What a search for a table goes through: families of tables, from few numbers to many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Form = TypeVar("Form")


class SearchSpace(Protocol[Form]):
    """Points, float64 (dimensions,), each of which is a table of one family."""

    def table(self, point: NDArray[np.float64]) -> Form:
        """The point's table, on the grid of the artifact; every point has one."""
        ...

    def starts(self) -> Iterator[NDArray[np.float64]]:
        """Where searches begin."""
        ...

    def spread(self, age: float, load: float, narrower: float) -> NDArray[np.float64]:
        """The standard deviation of each number, above 0.

        age, load: of an age in tails, and its growth over a load of one a core. narrower: the other
        spreads, relative to those that a search begins with.
        """
        ...

    def finer(self) -> Self:
        """A family of more numbers."""
        ...

    def refine(self, point: NDArray[np.float64], fine: Self) -> NDArray[np.float64]:
        """The same table, but for roundings, in that one."""
        ...

    def next_to(self, table: Form, /) -> NDArray[np.float64]:
        """The point whose table is next to that one, which has the same rungs or levels."""
        ...

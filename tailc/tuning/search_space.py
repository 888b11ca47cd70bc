"""Search spaces of tables: families with few parameters, up to the whole table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Form = TypeVar("Form")


class SearchSpace(Protocol[Form]):
    """Interface: a parameter space of tables; each point, float64 (dimensions,), is a table."""

    def table(self, point: NDArray[np.float64]) -> Form:
        """Make the table of a point, in whole numbers as in an artifact; every point has one."""
        ...

    def starts(self) -> Iterator[NDArray[np.float64]]:
        """Iterate over the points from which searches begin."""
        ...

    def spread(self, age: float, load: float, narrower: float) -> NDArray[np.float64]:
        """Standard deviation of each parameter in the first generation of a search, above 0.

        age, load: that of an age relative to the tail, and its growth over a load of one request
        per core. narrower: other standard deviations, relative to those of the first stage.
        """
        ...

    def finer(self) -> Self:
        """The parameter space of the same kind of tables, with more parameters."""
        ...

    def refine(self, point: NDArray[np.float64], fine: Self) -> NDArray[np.float64]:
        """Convert a point of this space to the finer space `fine`; its table stays the same.

        Up to rounding.
        """
        ...

    def next_to(self, table: Form, /) -> NDArray[np.float64]:
        """The point whose table is nearest to `table`, which has the same rungs or levels."""
        ...

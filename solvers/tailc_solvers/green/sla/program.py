"""Assemble a linear program from blocks of variables and blocks of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.backends.linear import LinearProgram, Vector

Index = NDArray[np.int64]


class Assembly:
    """A minimisation problem to which variables and constraints are added step by step."""

    def __init__(self) -> None:
        self._cost: list[Vector] = []
        self._lower: list[Vector] = []
        self._upper: list[Vector] = []
        self._integer: list[NDArray[np.bool_]] = []
        self._entries: list[tuple[Index, Index, Vector]] = []
        self._row_lower: list[Vector] = []
        self._row_upper: list[Vector] = []
        self._variables = 0
        self._rows = 0

    def variables(
        self,
        shape: tuple[int, ...],
        *,
        cost: ArrayLike = 0.0,
        upper: ArrayLike = np.inf,
        lower: ArrayLike = 0.0,
        integer: bool = True,
    ) -> Index:
        """Add variables to the program; return their indices in an array of `shape`.

        The other arguments broadcast to this shape.
        """
        count = int(np.prod(shape))
        for kept, values in ((self._cost, cost), (self._lower, lower), (self._upper, upper)):
            wide = np.broadcast_to(np.asarray(values, dtype=np.float64), shape)
            kept.append(wide.reshape(-1))
        self._integer.append(np.full(count, integer))
        first = self._variables
        self._variables += count
        return np.arange(first, self._variables, dtype=np.int64).reshape(shape)

    def rows(
        self,
        *terms: tuple[Index, ArrayLike],
        lower: ArrayLike = -np.inf,
        upper: ArrayLike = np.inf,
    ) -> Index:
        """Add constraints to the program; return the numbers of their rows.

        Each term has indices of variables [rows, k] and their coefficients.
        """
        count = max(places.shape[0] for places, _ in terms)
        first = self._rows
        at = np.arange(first, first + count, dtype=np.int64)
        for places, coefficients in terms:
            wide = np.broadcast_to(places, (count, places.shape[1]))
            value = np.broadcast_to(np.asarray(coefficients, dtype=np.float64), wide.shape)
            row = np.broadcast_to(at[:, None], wide.shape)
            self._entries.append((row.reshape(-1), wide.reshape(-1), value.reshape(-1)))
        for kept, values in ((self._row_lower, lower), (self._row_upper, upper)):
            kept.append(np.broadcast_to(np.asarray(values, dtype=np.float64), (count,)))
        self._rows += count
        return at

    def program(self, *, relaxed: bool = False) -> LinearProgram:
        """Build the program from the added variables and constraints.

        relaxed: whether no variable must be an integer.
        """
        rows, columns, values = zip(*self._entries, strict=True)
        integer = np.concatenate(self._integer)
        return LinearProgram(
            cost=np.concatenate(self._cost),
            lower=np.concatenate(self._lower),
            upper=np.concatenate(self._upper),
            integer=np.zeros_like(integer) if relaxed else integer,
            row=np.concatenate(rows),
            column=np.concatenate(columns),
            value=np.concatenate(values),
            row_lower=np.concatenate(self._row_lower),
            row_upper=np.concatenate(self._row_upper),
        )

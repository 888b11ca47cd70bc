"""Start each linear program from the final basis of the last one, although schedules were added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.backends.linear import Basis, BasisStatus
from tailc_solvers.green.parallel.rows import MasterRows

Places = NDArray[np.int64]

LEAST, MOST = int(min(BasisStatus)), int(max(BasisStatus))
"""Places are all whole numbers between."""


class BasisStore:
    """A simplex basis that stays valid when schedules or rows are added to the program.

    The status of each variable and row is stored by what it represents, not by its number. A new
    schedule starts at 0, and a new row is basic, so the point does not change.
    """

    def __init__(self, rows: MasterRows) -> None:
        self._table = rows
        self._rows = np.full(rows.there.size, BasisStatus.BASIC, dtype=np.int64)
        self._variables: Places | None = None

    def keep(self, basis: Basis | None, schedules: int) -> None:
        """Store the basis of a program with this number of schedules; ignore an invalid one."""
        is_there = self._table.there
        sizes = self._table.fixed + schedules, int(is_there.sum())
        if basis is None or not _is_of(basis, *sizes):
            return
        self._rows[is_there] = basis.rows
        self._variables = basis.variables

    def start(self, schedules: int) -> Basis | None:
        """The stored basis, extended to a linear program with at least as many schedules.

        None if no basis is stored.
        """
        if self._variables is None:
            return None
        new = np.full(self._table.fixed + schedules - self._variables.size, BasisStatus.AT_LOWER)
        variables = np.concatenate([self._variables, new])
        return Basis(variables, self._rows[self._table.there])


def _is_of(basis: Basis, variables: int, rows: int) -> bool:
    has_size = basis.variables.shape == (variables,) and basis.rows.shape == (rows,)
    parts = basis.variables, basis.rows
    return has_size and all(bool(((part >= LEAST) & (part <= MOST)).all()) for part in parts)

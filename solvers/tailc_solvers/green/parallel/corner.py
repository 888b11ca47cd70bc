"""Where the last linear program ended, as a start for the next one, which has other schedules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.backends.linear import Basis, Place
from tailc_solvers.green.parallel.rows import Rows

Places = NDArray[np.int64]

PLACES = [int(place) for place in Place]


class Corner:
    """A basis by what its variables and rows stand for.

    A new schedule begins at 0 and a new row basic, which leaves the corner where it was. Where a
    basic schedule is left out, what its job lacks takes its place.
    """

    def __init__(self, rows: Rows) -> None:
        self._table = rows
        self._rows = np.full(rows.there.size, Place.BASIC, dtype=np.int64)
        self._fixed: Places | None = None
        self._schedules: dict[int, int] = {}

    def keep(self, basis: Basis | None, kept: Sequence[int]) -> None:
        """Remember where a program of some schedules ended; what is no corner is passed by."""
        fixed, is_there = self._table.fixed, self._table.there
        if basis is None or not _is_of(basis, fixed + len(kept), int(is_there.sum())):
            return
        self._rows[is_there] = basis.rows
        self._fixed, others = basis.variables[:fixed], basis.variables[fixed:].tolist()
        self._schedules = dict(zip(kept, others, strict=True))

    def start(self, kept: Sequence[int], job_of: Sequence[int]) -> Basis | None:
        """A start for a program of some schedules; None where there is none to be had.

        `job_of` is of all schedules that there are.
        """
        if self._fixed is None:
            return None
        fixed, are_kept = self._fixed.copy(), set(kept)
        first_lack = self._table.fixed - len(self._table.problem.jobs)
        for k, place in self._schedules.items():
            if place == Place.BASIC and k not in are_kept:
                lack = first_lack + job_of[k]
                if fixed[lack] == Place.BASIC:
                    return None
                fixed[lack] = Place.BASIC
        others = [self._schedules.get(k, Place.AT_LOWER) for k in kept]
        variables = np.concatenate([fixed, np.array(others, dtype=np.int64)])
        return Basis(variables, self._rows[self._table.there])


def _is_of(basis: Basis, variables: int, rows: int) -> bool:
    has_size = basis.variables.shape == (variables,) and basis.rows.shape == (rows,)
    return has_size and bool(np.isin(np.concatenate([basis.variables, basis.rows]), PLACES).all())

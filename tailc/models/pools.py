"""Pools: the limited resources of a ladder that requests compete for, one for each cost unit.

A rung draws on at most one pool, for example in threads of a core type. So a climb may move a
request from one pool to another: to a big core, to a higher frequency, away from an SMT neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.table import Ladder, Rung

PPM = 1_000_000
# Later than any time in a replay, and far enough below 2^63 to be added to one. Also used as an
# unlimited capacity.
NEVER_NS = 1 << 61


@dataclass(frozen=True, eq=False)
class Pools:
    """The limited resources (pools) that requests share: capacities, and the cost of each rung.

    Attributes:
        cost_unit: cost unit of the ladder that each pool represents; None for the last pool if some
            rungs use no limited resource.
        capacity_ppm: capacity of each pool; the last pool of rungs without a limited resource is
            unlimited.
        cost_ppm: use of its pool by each rung. Of rungs without a limited resource: their cost in
            the ladder's first cost unit, or one thread.
        pool_of: number of the pool that each rung uses.
        boost_pool: pool of boosted requests.
    """

    cost_unit: tuple[int | None, ...]
    capacity_ppm: NDArray[np.int64]
    cost_ppm: NDArray[np.int64]
    pool_of: NDArray[np.int32]
    boost_pool: int


def pools(ladder: Ladder) -> Pools:
    """Derive the limited resources (pools) of a ladder from its cost units.

    Raises TailcError for a rung in several pools, and for boosting in no pool or another one.
    """
    limited = _limited_units(ladder)
    units = [unit_of(rung, ladder) for rung in ladder.rungs]
    if ladder.boost is not None and units[-1] != ladder.boost.unit:
        refuse(
            f"boosting counts `{ladder.cost_units[ladder.boost.unit].name}`, of which the last "
            "rung takes nothing or the server has no stated capacity"
        )
    # INVARIANT: units of a limited capacity come first, in their order.
    used = [unit for unit in limited if unit in units]
    capacity_ppm = [ladder.cost_units[unit].capacity_ppm for unit in used]
    if None in units:
        capacity_ppm.append(NEVER_NS)
    cost_unit = (*used, *[None] * (None in units))
    pool_of = [len(used) if unit is None else used.index(unit) for unit in units]
    return Pools(
        cost_unit,
        np.array(capacity_ppm, dtype=np.int64),
        np.array([_cost_ppm(r, u) for r, u in zip(ladder.rungs, units, strict=True)], np.int64),
        np.array(pool_of, dtype=np.int32),
        pool_of[-1],
    )


def least_of(shared: Pools, pool: int) -> tuple[int, int]:
    """The least cost of a rung in a pool [1e-6], and how many requests on it fit in the pool."""
    least_ppm = int(shared.cost_ppm[shared.pool_of == pool].min())
    return least_ppm, max(int(shared.capacity_ppm[pool]) // least_ppm, 1)


def refuse(sentence: str) -> NoReturn:
    """Raise TailcError: `sentence` says which rule of the ladder the replay does not support."""
    raise TailcError(Finding(Code.METHOD_UNFIT, sentence))


def unit_of(rung: Rung, ladder: Ladder) -> int | None:
    """The limited cost unit that requests on a rung use; None if they use none.

    Raises TailcError for a rung that uses several.
    """
    takes = [unit for unit in _limited_units(ladder) if rung.cost_ppm[unit] > 0]
    if len(takes) > 1:
        names = ", ".join(f"`{ladder.cost_units[unit].name}`" for unit in takes)
        refuse(f"rung `{rung.name}` shares several limited cost units: {names}")
    return takes[0] if takes else None


def _limited_units(ladder: Ladder) -> list[int]:
    return [i for i, unit in enumerate(ladder.cost_units) if unit.capacity_ppm is not None]


def _cost_ppm(rung: Rung, unit: int | None) -> int:
    if unit is not None:
        return rung.cost_ppm[unit]
    return rung.cost_ppm[0] if rung.cost_ppm else PPM

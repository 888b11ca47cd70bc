"""Prices of many groups of racks from a program with fewer groups.

A year of clouds gives each epoch its own number of green racks, and so a horizon of a week hundreds
of groups. Neighbouring groups are on the same bus in nearly every epoch, and have nearly the same
prices. So neighbours are merged for the program. A merged group is green in the epochs in which all
its members are. If a member is green in an epoch in which its merged group is not, it has the price
of the first merged group that is green, or of its own merged group if none is. Each member keeps
its own charge for a slot.
"""

from __future__ import annotations

import numpy as np

from tailc_solvers.green.sla.problem import Charges, Groups, Whole

MOST_GROUPS = 48
"""Most groups of a program for prices; with more, neighbours are merged."""


def merged_groups(groups: Groups, most: int = MOST_GROUPS) -> tuple[Groups, Whole]:
    """Merge neighbouring groups of racks until there are at most `most` groups.

    Also returns the number of the merged group of each group [groups].
    """
    if groups.groups <= most:
        return groups, np.arange(groups.groups)
    of = np.arange(groups.groups) * most // groups.groups
    first = np.searchsorted(of, np.arange(most))
    charges = Charges(groups.charges.slot[first], groups.charges.move)
    merged = Groups(
        np.add.reduceat(groups.servers, first),
        np.logical_and.reduceat(groups.is_green, first, axis=0),
        groups.energy,
        charges,
        np.add.reduceat(groups.busy, first, axis=0),
        np.add.reduceat(groups.moves, first, axis=0),
    )
    return merged, of


def prices_of_members(groups: Groups, merged: Groups, of: Whole, price: Whole) -> Whole:
    """Prices of servers for all groups of racks, from prices for merged groups.

    merged: the merged groups. of: number of the merged group of each group [groups]. price: prices
    of the merged groups. Prices are in micro-dollars, [groups, epochs].
    """
    greener = (~merged.is_green).sum(axis=0)
    is_beyond = groups.is_green & ~merged.is_green[of] & (greener < merged.groups)
    at = np.where(is_beyond, greener, of[:, None])
    charge = groups.charges.slot[:, None] - merged.charges.slot[at]
    return np.maximum(np.take_along_axis(price, at, axis=0) + charge, 0)

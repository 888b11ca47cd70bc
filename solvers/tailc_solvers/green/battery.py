"""When to charge a battery with green energy that is left, and when to give it for brown energy.

For epochs e = 1..E with green energy g_e, demand d_e and a weight p_e of brown energy (its price,
or its CO2, or both), all known:

    maximise    sum_e p_e x_e + v s_E
    subject to  s_e = s_(e-1) + z_e - x_e,    0 <= s_e <= C,    s_0 given
                0 <= z_e <= a_e = floor(kept min(max(g_e - d_e, 0), charge limit))
                0 <= x_e <= b_e = min(max(d_e - g_e, 0), discharge limit)

x is what is given, z what is stored and s what is held [mJ]. Green energy that is not stored is of
no use, so z costs nothing. This is a flow along the epochs, and what its sinks can get is a
polymatroid: to give first where brown energy weighs most, each time as much as is possible beside
what was given before, is best, and in whole numbers (Megiddo, Mathematical Programming 7, 1974). A
multiplier of each epoch's balance, the value y_e of a stored millijoule, proves it:

    y_1 s_0 + sum_e (a_e y_e + b_e max(0, p_e - y_e)) + C sum_e max(0, y_(e+1) - y_e),   y_(E+1) = v

bounds the value of every schedule for any y >= 0 (`upper_bound`), and is met.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]

PPM = 1_000_000
LARGEST_SUM_MJ = 2**62
"""Of all that may be stored or given in sum: twice as much would leave 64 bits."""
LARGEST_MJ = 2**53
"""Of any one amount: so that its product with a part in millionths, in two steps, does not."""


@dataclass(frozen=True)
class Limits:
    """What a battery can do in each epoch: hold, draw and give [mJ], and keep of what it draws.

    charge_mj, discharge_mj: in an epoch. kept_ppm: in millionths, rounded down. first_mj: held
    before the first epoch.
    """

    capacity_mj: int
    charge_mj: int
    discharge_mj: int
    kept_ppm: int
    first_mj: int = 0

    def __post_init__(self) -> None:
        _require(0 <= self.first_mj <= self.capacity_mj, "a battery holds what it can")
        _require(min(self.charge_mj, self.discharge_mj) >= 0, "limits are not negative")
        _require(0 < self.kept_ppm <= PPM, "a battery keeps a part of what is charged")
        most = max(self.capacity_mj, self.charge_mj, self.discharge_mj)
        _require(most < LARGEST_MJ, "a battery moves less than 2^53 mJ")


@dataclass(frozen=True, eq=False)
class Dispatch:
    """What a battery does, and the proof that nothing saves more; int64 (epochs,) each.

    charged_mj: drawn, losses included; discharged_mj: given; held_mj: at the end. stored_value: of
    one millijoule more in the battery, in units of the weights. value, bound: the weight of brown
    energy saved with that of what is held at the end, and what no schedule exceeds; they are equal.
    """

    charged_mj: Whole
    discharged_mj: Whole
    held_mj: Whole
    stored_value: Whole
    value: int
    bound: int


def dispatch(
    limits: Limits, demand_mj: Whole, green_mj: Whole, weight: Whole, end_weight: int = 0
) -> Dispatch:
    """The schedule that lowers the weighed brown energy most, exactly; O(epochs^2) in numpy.

    weight: of a millijoule of brown energy, whole and not negative, by epoch. end_weight: of one
    that is held at the end. Of equal weights the earlier epoch is given first, and the end last; no
    more is charged than is given or weighs at the end, and that as early as there is room, so that
    an error of a forecast has most time to be made up for. Raises ValueError for other shapes,
    negative amounts and those of 2^53 mJ.
    """
    _check(demand_mj, green_mj, weight, end_weight)
    stored_mj, given_mj = _most(limits, green_mj - demand_mj)
    discharged_mj, last_mj = _given(limits, stored_mj, given_mj, np.append(weight, end_weight))
    held_mj = _held(limits, stored_mj, discharged_mj, last_mj)
    into_mj = np.diff(held_mj, prepend=limits.first_mj) + discharged_mj
    allowed = _allowed((stored_mj, into_mj), (given_mj, discharged_mj), weight, end_weight)
    stored_value = _multipliers(limits.capacity_mj, held_mj, allowed, end_weight)
    value = _weighed(weight, discharged_mj) + end_weight * int(held_mj[-1])
    bound = upper_bound(limits, demand_mj, green_mj, weight, stored_value, end_weight)
    assert value == bound, "the schedule is not proved"
    charged_mj = _drawn(limits, into_mj)
    return Dispatch(charged_mj, discharged_mj, held_mj, stored_value, value, bound)


def upper_bound(
    limits: Limits,
    demand_mj: Whole,
    green_mj: Whole,
    weight: Whole,
    stored_value: Whole,
    end_weight: int = 0,
) -> int:
    """No schedule saves more, whatever `stored_value` says, as long as it is not negative."""
    _check(demand_mj, green_mj, weight, end_weight)
    _require(bool((stored_value >= 0).all()), "a stored millijoule is worth nothing at least")
    stored_mj, given_mj = _most(limits, green_mj - demand_mj)
    rises = np.maximum(np.diff(stored_value, append=end_weight), 0)
    found = int(stored_value[0]) * limits.first_mj + limits.capacity_mj * int(rises.sum())
    found += _weighed(stored_value, stored_mj)
    return found + _weighed(np.maximum(weight - stored_value, 0), given_mj)


def green_prices(
    limits: Limits, demand_mj: Whole, green_mj: Whole, weight: Whole, found: Dispatch
) -> Whole:
    """What one millijoule more of green energy is worth in each epoch, beside the battery, int64.

    In units of the weights, rounded down. Where brown energy is drawn it saves that, or leaves in
    the battery what that would give; where green energy is left it is stored if that is worth
    anything, and nothing where the battery can draw no more. At a kink it lies between what one
    millijoule more saves and one less costs.
    """
    spare_mj = green_mj - demand_mj
    takes = (spare_mj < limits.charge_mj) & (_kept(limits, spare_mj) < limits.capacity_mj)
    gives = -spare_mj <= min(limits.discharge_mj, limits.capacity_mj)
    saves = np.where(gives, np.minimum(weight, found.stored_value), weight)
    stores = np.where(takes, _kept(limits, found.stored_value), 0)
    # Where none is left and none missing, one less would be missed at no more than its weight.
    stores = np.where(spare_mj == 0, np.minimum(stores, weight), stores)
    return np.where(spare_mj < 0, saves, stores)


def _most(limits: Limits, spare_mj: Whole) -> tuple[Whole, Whole]:
    """What can be stored in each epoch, and what given, beside what is held."""
    drawn = np.minimum(np.maximum(spare_mj, 0), limits.charge_mj)
    stored = _kept(limits, drawn)
    given = np.minimum(np.maximum(-spare_mj, 0), limits.discharge_mj)
    stored, given = (np.minimum(one, limits.capacity_mj) for one in (stored, given))
    sums = limits.first_mj + sum(stored.tolist()), sum(given.tolist())
    _require(max(sums) < LARGEST_SUM_MJ, "all that may be stored is 2^62 mJ or more")
    return stored, given


def _kept(limits: Limits, amount: Whole) -> Whole:
    """Of each amount the part that is kept, rounded down, within 64 bits."""
    return amount // PPM * limits.kept_ppm + amount % PPM * limits.kept_ppm // PPM


def _given(limits: Limits, stored_mj: Whole, given_mj: Whole, weight: Whole) -> tuple[Whole, int]:
    """What each epoch is given, the weightiest first, and what is kept; `weight` has that last.

    The battery is filled as early as it can be. `unstored` is what found no room up to an epoch:
    that can still make up for what is given there or before. So at e no more can be given than the
    least of `reserve`, what is held and unstored, from e on, less what is unstored at e; it lowers
    `reserve` from e on by as much, and `unstored` by as much as that has risen since.
    """
    into_mj, most_mj = np.append(stored_mj, 0), np.append(given_mj, limits.capacity_mj)
    reserve = limits.first_mj + np.cumsum(into_mj)
    unstored = reserve - _filled(limits, into_mj)
    given = np.zeros_like(most_mj)
    # A stable sort: of equal weights the earlier epoch.
    order = np.argsort(-weight, kind="stable")
    for epoch in order[(most_mj[order] > 0) & (weight[order] > 0)].tolist():
        room = int(reserve[epoch:].min()) - int(unstored[epoch])
        taken = given[epoch] = min(int(most_mj[epoch]), room)
        reserve[epoch:] -= taken
        unstored[epoch:] = np.maximum(unstored[epoch:] - taken, unstored[epoch])
    return given[:-1], int(given[-1])


def _filled(limits: Limits, into_mj: Whole) -> Whole:
    """What is held by epoch where all is stored that has room, and nothing given."""
    held, now = np.empty_like(into_mj), limits.first_mj
    for epoch, into in enumerate(into_mj.tolist()):
        now = held[epoch] = min(limits.capacity_mj, now + into)
    return held


def _held(limits: Limits, stored_mj: Whole, discharged_mj: Whole, last_mj: int) -> Whole:
    """What is held by epoch where as much is stored as early as will be given or is kept."""
    held, now = np.empty_like(stored_mj), limits.first_mj
    wanted = sum(discharged_mj.tolist()) + last_mj
    for epoch, (into, given) in enumerate(
        zip(stored_mj.tolist(), discharged_mj.tolist(), strict=True)
    ):
        wanted -= given
        now = max(now - given, min(now - given + into, wanted, limits.capacity_mj))
        held[epoch] = now
    return held


def _drawn(limits: Limits, into_mj: Whole) -> Whole:
    """The least that is charged to store just so much."""
    return np.array([-(-into * PPM // limits.kept_ppm) for into in into_mj.tolist()], np.int64)


def _allowed(
    stored: tuple[Whole, Whole], given: tuple[Whole, Whole], weight: Whole, end_weight: int
) -> tuple[Whole, Whole]:
    """Between what values a stored millijoule is worth, by what is stored and given in each epoch.

    Each pair is the most and what is done. Where more could be stored it is worth nothing; where
    less is given than could be it is worth the weight at least, where something is, at most.
    """
    could_store = stored[1] < stored[0]
    low = np.where(given[1] < given[0], weight, 0)
    top = max(int(weight.max()), end_weight)
    high = np.where(could_store, 0, np.where(given[1] > 0, weight, top))
    return low, high


def _multipliers(
    capacity_mj: int, held_mj: Whole, allowed: tuple[Whole, Whole], end_weight: int
) -> Whole:
    """Values that prove the schedule: within the allowed ones, not rising from one epoch to the
    next but where the battery is full, and not falling but where it is empty; to the end's weight.
    """
    ranges = []
    low, high = int(allowed[0][0]), int(allowed[1][0])
    top = max(int(allowed[1].max()), end_weight)
    for number, held in enumerate(held_mj.tolist()):
        ranges.append((low, high))
        if number + 1 < len(held_mj):
            low = max(0 if held == 0 else low, int(allowed[0][number + 1]))
            high = min(top if held == capacity_mj else high, int(allowed[1][number + 1]))
    found, value = np.empty_like(held_mj), end_weight
    for number in reversed(range(len(ranges))):
        low, high = ranges[number]
        value = found[number] = min(max(value, low), high)
    return found


def _weighed(weight: Whole, amount_mj: Whole) -> int:
    """Their product in Python's own numbers, which have room for it."""
    pairs = zip(weight.tolist(), amount_mj.tolist(), strict=True)
    return sum(each * amount for each, amount in pairs)


def _check(demand_mj: Whole, green_mj: Whole, weight: Whole, end_weight: int) -> None:
    rows = (demand_mj, green_mj, weight)
    alike = all(one.shape == weight.shape and one.dtype == np.int64 for one in rows)
    _require(alike and weight.ndim == 1 and len(weight) > 0, "rows are int64, a number an epoch")
    least = min(end_weight, *(int(one.min()) for one in rows))
    most = max(end_weight, *(int(one.max()) for one in rows))
    _require(0 <= least <= most < LARGEST_MJ, "amounts and weights lie from 0 to below 2^53")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)

"""The optimal schedule of a battery that stores green energy and saves brown energy.

For epochs e = 1..E with green energy g_e, demand d_e and a weight p_e of brown energy (its price,
or its CO2, or both), all known:

    maximise    sum_e p_e x_e + v s_E
    subject to  s_e = s_(e-1) + z_e - x_e,    0 <= s_e <= C,    s_0 given
                0 <= z_e <= a_e = floor(kept min(max(g_e - d_e, 0), charge limit))
                0 <= x_e <= b_e = min(max(d_e - g_e, 0), discharge limit)

x is the energy discharged, z the energy stored, and s the charge of the battery [mJ]. Surplus green
energy that is not stored is lost, so z has no cost. The problem is a flow along the epochs, and the
amounts that its sinks can get form a polymatroid. A greedy schedule is therefore optimal, and in
whole numbers: in decreasing order of p_e, discharge as much in epoch e as the earlier choices allow
(Megiddo, Mathematical Programming 7, 1974). A multiplier of each epoch's balance, the value y_e of
a stored millijoule, proves it:

    y_1 s_0 + sum_e (a_e y_e + b_e max(0, p_e - y_e)) + C sum_e max(0, y_(e+1) - y_e),   y_(E+1) = v

is an upper bound on the value of every schedule for any y >= 0 (`upper_bound`), and the greedy
schedule attains it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]

PPM = 1_000_000
LARGEST_SUM_MJ = 2**62
"""Limit of all energy charged or discharged in total [mJ]: twice as much exceeds 64 bits."""
LARGEST_MJ = 2**53
"""Limit of a single energy [mJ], so that its product with millionths fits in 64 bits."""


@dataclass(frozen=True)
class BatteryLimits:
    """Capacity and charging limits of a battery [mJ], and its efficiency.

    charge_mj, discharge_mj: largest amounts in one epoch. kept_ppm: efficiency of charging in
    millionths, rounded down. first_mj: charge before the first epoch.
    """

    capacity_mj: int
    charge_mj: int
    discharge_mj: int
    kept_ppm: int
    first_mj: int = 0

    def __post_init__(self) -> None:
        _require(
            0 <= self.first_mj <= self.capacity_mj, "`first_mj` must be from 0 to `capacity_mj`"
        )
        _require(
            min(self.charge_mj, self.discharge_mj) >= 0,
            "`charge_mj` and `discharge_mj` must not be negative",
        )
        _require(0 < self.kept_ppm <= PPM, "`kept_ppm` must be from 1 to 1,000,000")
        most = max(self.capacity_mj, self.charge_mj, self.discharge_mj)
        _require(
            most < LARGEST_MJ, "`capacity_mj`, `charge_mj` and `discharge_mj` must be below 2^53"
        )


@dataclass(frozen=True, eq=False)
class Dispatch:
    """A schedule of a battery, with the proof that it is optimal; arrays are int64 (epochs,).

    charged_mj: energy used to charge, including losses. discharged_mj: energy discharged. held_mj:
    charge at the end of the epoch. stored_value: value of one millijoule more in the battery, in
    units of the weights. value: weight of brown energy saved plus that of the final charge. bound:
    the optimum of all schedules; equal to value.
    """

    charged_mj: Whole
    discharged_mj: Whole
    held_mj: Whole
    stored_value: Whole
    value: int
    bound: int


def dispatch(
    limits: BatteryLimits, demand_mj: Whole, green_mj: Whole, weight: Whole, end_weight: int = 0
) -> Dispatch:
    """The battery schedule that saves the most weighted brown energy, in exact integers.

    weight: nonnegative integer weight of a millijoule of brown (grid) energy in each epoch.
    end_weight: value of a millijoule that is stored at the end. Of equal weights, the earlier epoch
    gets the energy first, and the end last. The battery charges only energy that is discharged
    later or has a value at the end, and charges it as early as there is room, so that forecast
    errors can be corrected. Takes O(epochs^2) time in numpy. Raises ValueError for arrays of other
    shapes, and for amounts that are negative or at least 2^53 mJ.
    """
    _check(demand_mj, green_mj, weight, end_weight)
    stored_mj, given_mj = _most(limits, green_mj - demand_mj)
    discharged_mj, last_mj = _give(limits, stored_mj, given_mj, np.append(weight, end_weight))
    held_mj = _charge_by_epoch(limits, stored_mj, discharged_mj, last_mj)
    into_mj = np.diff(held_mj, prepend=limits.first_mj) + discharged_mj
    allowed = _value_bounds((stored_mj, into_mj), (given_mj, discharged_mj), weight, end_weight)
    stored_value = _multipliers(limits.capacity_mj, held_mj, allowed, end_weight)
    value = _weighted_sum(weight, discharged_mj) + end_weight * int(held_mj[-1])
    bound = upper_bound(limits, demand_mj, green_mj, weight, stored_value, end_weight)
    assert value == bound, "the schedule is not proved"
    charged_mj = _to_draw(limits, into_mj)
    return Dispatch(charged_mj, discharged_mj, held_mj, stored_value, value, bound)


def upper_bound(
    limits: BatteryLimits,
    demand_mj: Whole,
    green_mj: Whole,
    weight: Whole,
    stored_value: Whole,
    end_weight: int = 0,
) -> int:
    """An upper bound on the value of every battery schedule, by duality.

    Value: weighted brown energy saved, plus the value of the final charge. stored_value: value of a
    stored millijoule in each epoch, the dual variables; any nonnegative ones give a bound.
    end_weight: value of a millijoule stored at the end.
    """
    _check(demand_mj, green_mj, weight, end_weight)
    _require(bool((stored_value >= 0).all()), "`stored_value` must not be negative")
    stored_mj, given_mj = _most(limits, green_mj - demand_mj)
    rises = np.maximum(np.diff(stored_value, append=end_weight), 0)
    found = int(stored_value[0]) * limits.first_mj + limits.capacity_mj * int(rises.sum())
    found += _weighted_sum(stored_value, stored_mj)
    return found + _weighted_sum(np.maximum(weight - stored_value, 0), given_mj)


def green_prices(
    limits: BatteryLimits, demand_mj: Whole, green_mj: Whole, weight: Whole, found: Dispatch
) -> Whole:
    """Value of one more millijoule of green energy in each epoch, given the battery; int64.

    In units of the weights, rounded down. In an epoch with brown energy, it replaces brown energy
    or energy of the battery. In an epoch with surplus green energy, it is stored, and its value is
    0 if the battery cannot charge more. At a kink, the value is between the saving of one
    millijoule more and the cost of one millijoule less.
    """
    spare_mj = green_mj - demand_mj
    takes = (spare_mj < limits.charge_mj) & (_after_losses(limits, spare_mj) < limits.capacity_mj)
    gives = -spare_mj <= min(limits.discharge_mj, limits.capacity_mj)
    saves = np.where(gives, np.minimum(weight, found.stored_value), weight)
    stores = np.where(takes, _after_losses(limits, found.stored_value), 0)
    # If there is neither surplus nor shortage, one less would cost at most its weight.
    stores = np.where(spare_mj == 0, np.minimum(stores, weight), stores)
    return np.where(spare_mj < 0, saves, stores)


def _most(limits: BatteryLimits, spare_mj: Whole) -> tuple[Whole, Whole]:
    """Largest amounts to store and to give in each epoch, apart from the charge."""
    drawn = np.minimum(np.maximum(spare_mj, 0), limits.charge_mj)
    stored = _after_losses(limits, drawn)
    given = np.minimum(np.maximum(-spare_mj, 0), limits.discharge_mj)
    stored, given = (np.minimum(one, limits.capacity_mj) for one in (stored, given))
    sums = limits.first_mj + sum(stored.tolist()), sum(given.tolist())
    _require(max(sums) < LARGEST_SUM_MJ, "total energy to store or discharge must be below 2^62 mJ")
    return stored, given


def _after_losses(limits: BatteryLimits, amount: Whole) -> Whole:
    """Amounts after losses, rounded down, within 64 bits."""
    return amount // PPM * limits.kept_ppm + amount % PPM * limits.kept_ppm // PPM


def _give(
    limits: BatteryLimits, stored_mj: Whole, given_mj: Whole, weight: Whole
) -> tuple[Whole, int]:
    """The amount given in each epoch, the largest weight first, and the final charge.

    `weight` has the weight of the final charge last. The battery is filled as early as possible.
    `unstored` is the energy that found no room up to an epoch: it can still replace what is given
    there or before. So at e no more can be given than the least of `reserve`, what is held and
    unstored, from e on, less what is unstored at e. That lowers `reserve` from e on by as much, and
    `unstored` by as much as that has risen since.
    """
    into_mj, most_mj = np.append(stored_mj, 0), np.append(given_mj, limits.capacity_mj)
    reserve = limits.first_mj + np.cumsum(into_mj)
    unstored = reserve - _fill(limits, into_mj)
    given = np.zeros_like(most_mj)
    # A stable sort: among equal weights the earlier epoch comes first.
    order = np.argsort(-weight, kind="stable")
    for epoch in order[(most_mj[order] > 0) & (weight[order] > 0)].tolist():
        room = int(reserve[epoch:].min()) - int(unstored[epoch])
        taken = given[epoch] = min(int(most_mj[epoch]), room)
        reserve[epoch:] -= taken
        unstored[epoch:] = np.maximum(unstored[epoch:] - taken, unstored[epoch])
    return given[:-1], int(given[-1])


def _fill(limits: BatteryLimits, into_mj: Whole) -> Whole:
    """Charge by epoch if everything is stored that fits, and nothing is given."""
    held, now = np.empty_like(into_mj), limits.first_mj
    for epoch, into in enumerate(into_mj.tolist()):
        now = held[epoch] = min(limits.capacity_mj, now + into)
    return held


def _charge_by_epoch(
    limits: BatteryLimits, stored_mj: Whole, discharged_mj: Whole, last_mj: int
) -> Whole:
    """Charge by epoch if exactly what will be given or kept is stored, as early as possible."""
    held, now = np.empty_like(stored_mj), limits.first_mj
    wanted = sum(discharged_mj.tolist()) + last_mj
    for epoch, (into, given) in enumerate(
        zip(stored_mj.tolist(), discharged_mj.tolist(), strict=True)
    ):
        wanted -= given
        now = max(now - given, min(now - given + into, wanted, limits.capacity_mj))
        held[epoch] = now
    return held


def _to_draw(limits: BatteryLimits, into_mj: Whole) -> Whole:
    """The least amount to draw in order to store exactly these amounts."""
    return np.array([-(-into * PPM // limits.kept_ppm) for into in into_mj.tolist()], np.int64)


def _value_bounds(
    stored: tuple[Whole, Whole], given: tuple[Whole, Whole], weight: Whole, end_weight: int
) -> tuple[Whole, Whole]:
    """Lower and upper bound of the value of a stored millijoule in each epoch.

    stored, given: energy that the battery takes and gives in each epoch, each as a pair of the
    largest possible and the actual amount. The value is 0 if the battery could take more. It is at
    least `weight` if the battery could give more, and at most `weight` if it gives anything.
    """
    could_store = stored[1] < stored[0]
    low = np.where(given[1] < given[0], weight, 0)
    top = max(int(weight.max()), end_weight)
    high = np.where(could_store, 0, np.where(given[1] > 0, weight, top))
    return low, high


def _multipliers(
    capacity_mj: int, held_mj: Whole, allowed: tuple[Whole, Whole], end_weight: int
) -> Whole:
    """Values that prove the schedule optimal.

    They are within the bounds, rise from one epoch to the next only if the battery is full, fall
    only if it is empty, and end at the weight of the end.
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


def _weighted_sum(weight: Whole, amount_mj: Whole) -> int:
    """The product in Python's integers, which do not overflow."""
    pairs = zip(weight.tolist(), amount_mj.tolist(), strict=True)
    return sum(each * amount for each, amount in pairs)


def _check(demand_mj: Whole, green_mj: Whole, weight: Whole, end_weight: int) -> None:
    rows = (demand_mj, green_mj, weight)
    alike = all(one.shape == weight.shape and one.dtype == np.int64 for one in rows)
    _require(
        alike and weight.ndim == 1 and len(weight) > 0,
        "rows must be int64 arrays with a number for each epoch",
    )
    least = min(end_weight, *(int(one.min()) for one in rows))
    most = max(end_weight, *(int(one.max()) for one in rows))
    _require(0 <= least <= most < LARGEST_MJ, "amounts and weights must be from 0 to below 2^53")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)

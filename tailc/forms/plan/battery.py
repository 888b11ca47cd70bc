"""A battery in a datacentre whose servers use green energy first, in whole millijoules.

It stores green energy that nothing else uses, and supplies energy in place of brown energy: it
lowers brown energy, but makes no slot green. Charging losses occur at once; all stored energy can
be used. Self-discharge is not modelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailc.forms.plan.parts import PPM, require

# Largest whole number that is exact in JSON readers and doubles.
LARGEST_MJ = 2**53 - 1


@dataclass(frozen=True)
class Battery:
    """A battery that stores energy for the servers of a plan.

    charge_mw, discharge_mw: its largest power. kept_ppm: millionths of the charged energy that are
    stored, rounded down. first_mj: stored energy at the start.
    """

    capacity_mj: int
    charge_mw: int
    discharge_mw: int
    kept_ppm: int
    first_mj: int

    def __post_init__(self) -> None:
        require(self.capacity_mj > 0, "`capacity_mj` must be at least 1")
        powers = min(self.charge_mw, self.discharge_mw)
        require(powers > 0, "`charge_mw` and `discharge_mw` must be at least 1")
        require(0 < self.kept_ppm <= PPM, "`kept_ppm` must be 1 to 1,000,000")
        require(0 <= self.first_mj <= self.capacity_mj, "`first_mj` must be 0 to `capacity_mj`")

    def stored_mj(self, charged_mj: int) -> int:
        """Energy that the battery stores when it is charged with `charged_mj` [mJ]."""
        return charged_mj * self.kept_ppm // PPM

    def to_charge_mj(self, stored_mj: int) -> int:
        """The least energy to charge so that exactly `stored_mj` is stored [mJ]."""
        return -(-stored_mj * PPM // self.kept_ppm)

    def charge_after(self, state_mj: int, battery_mj: int) -> int:
        """Energy stored in a battery after an epoch [mJ].

        state_mj: stored energy before. battery_mj: energy charged in the epoch; negative if
        discharged.
        """
        return state_mj + (self.stored_mj(battery_mj) if battery_mj > 0 else battery_mj)

    def states_mj(self, battery_mj: Sequence[int]) -> tuple[int, ...]:
        """Energy stored in the battery at the end of each epoch of a schedule [mJ].

        battery_mj: energy charged in each epoch, negative if discharged.
        """
        states = []
        state_mj = self.first_mj
        for flow_mj in battery_mj:
            state_mj = self.charge_after(state_mj, flow_mj)
            states.append(state_mj)
        return tuple(states)


def check_schedule(
    battery: Battery, battery_mj: Sequence[int], spare_mj: Sequence[int], epoch_s: int
) -> None:
    """Raise ValueError for a schedule of charging that the battery cannot follow.

    battery_mj: energy charged in each epoch, negative if discharged. spare_mj: green energy minus
    demand, by epoch. If positive, at most that much can be charged; if negative, at most that much
    can be discharged.
    """
    states = battery.states_mj(battery_mj)
    for flow_mj, state_mj, left_mj in zip(battery_mj, states, spare_mj, strict=True):
        within = -battery.discharge_mw * epoch_s <= flow_mj <= battery.charge_mw * epoch_s
        require(
            within, "`battery_mj` must be at most `charge_mw` or `discharge_mw` times `epoch_s`"
        )
        taken = min(left_mj, 0) <= flow_mj <= max(left_mj, 0)
        require(taken, "`battery_mj` may only charge unused green energy or replace brown energy")
        require(state_mj >= 0, "`battery_mj` must not discharge more than is stored")
        require(
            state_mj <= battery.capacity_mj, "`battery_mj` must not store more than `capacity_mj`"
        )

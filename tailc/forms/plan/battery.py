"""A battery beside servers that draw green energy first, exactly, in whole millijoules.

It takes green energy that nothing else draws, and gives energy where brown energy would be drawn:
so it lowers brown energy, and makes no slot green. What charging loses is lost at once; what is
stored stays, and all of it can be given. Self-discharge is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailc.forms.plan.parts import PPM, require

# What both JSON readers and doubles keep exact.
LARGEST_MJ = 2**53 - 1


@dataclass(frozen=True)
class Battery:
    """Energy that can be stored and given, beside a plan's servers.

    charge_mw, discharge_mw: the most power that it draws and gives. kept_ppm: of what is charged
    so many millionths are stored, rounded down. first_mj: what is stored at the start.
    """

    capacity_mj: int
    charge_mw: int
    discharge_mw: int
    kept_ppm: int
    first_mj: int

    def __post_init__(self) -> None:
        require(self.capacity_mj > 0, "a battery has a capacity")
        powers = min(self.charge_mw, self.discharge_mw)
        require(powers > 0, "a battery can be charged and discharged")
        require(0 < self.kept_ppm <= PPM, "a battery keeps a part of what is charged")
        require(0 <= self.first_mj <= self.capacity_mj, "a battery holds no more than it can")

    def stored_mj(self, charged_mj: int) -> int:
        """What is stored of what is charged."""
        return charged_mj * self.kept_ppm // PPM

    def to_charge_mj(self, stored_mj: int) -> int:
        """The least to be charged so that so much is stored, just so much."""
        return -(-stored_mj * PPM // self.kept_ppm)

    def after(self, state_mj: int, battery_mj: int) -> int:
        """What is stored after an epoch that adds so much, below 0: that takes so much."""
        return state_mj + (self.stored_mj(battery_mj) if battery_mj > 0 else battery_mj)

    def states_mj(self, battery_mj: Sequence[int]) -> tuple[int, ...]:
        """What is stored at the end of each epoch."""
        states = []
        state_mj = self.first_mj
        for flow_mj in battery_mj:
            state_mj = self.after(state_mj, flow_mj)
            states.append(state_mj)
        return tuple(states)


def check_schedule(
    battery: Battery, battery_mj: Sequence[int], spare_mj: Sequence[int], epoch_s: int
) -> None:
    """Raise ValueError where a battery cannot do what is said, or takes or gives too much.

    spare_mj: green energy less demand, by epoch. Where it is above 0 that much can be charged, and
    nothing given; where it is below, that much can be given, and nothing charged.
    """
    states = battery.states_mj(battery_mj)
    for flow_mj, state_mj, left_mj in zip(battery_mj, states, spare_mj, strict=True):
        within = -battery.discharge_mw * epoch_s <= flow_mj <= battery.charge_mw * epoch_s
        require(within, "a battery is charged or discharged with more than its power")
        taken = min(left_mj, 0) <= flow_mj <= max(left_mj, 0)
        require(taken, "a battery takes only green energy that is left, and gives for brown alone")
        require(state_mj >= 0, "a battery gives more than is stored")
        require(state_mj <= battery.capacity_mj, "a battery holds more than it can")

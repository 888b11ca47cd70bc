"""Execution model of servers on which a running request has a core to itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tailc.forms.controller import Controller
from tailc.forms.ladder.table import Ladder
from tailc.models.core_types.arrays import CoreTable, core_table
from tailc.models.core_types.outcome import CoreTypesOutcome
from tailc.models.core_types.replay import replay_cores
from tailc.models.core_types.usage import CoreTypesUse
from tailc.models.energy import EnergyTimes, control_use, energy_times, energy_use
from tailc.models.execution_model import CostQuantity, TailWindow
from tailc.models.ladder_model import SUBJECTS_AT_ONCE, LadderModel
from tailc.models.pools import pools
from tailc.models.steering import Steering, settling, window_of
from tailc.models.workload import Workload
from tailc.percentiles import percentile_rank
from tailc.units import format_us


@dataclass(frozen=True, eq=False)
class CoreTypes(LadderModel[CoreTypesOutcome, EnergyTimes]):
    """The execution model of ladders whose rungs are types of cores, with a policy or a baseline.

    steering: what scales the ages of climbs, or looks up settings; None if ages are fixed.
    random_seed: requests start on a random core and stay there; None: on the first suitable one.
    cores_on: number of cores of each type that are on, 0 for none; None: all.
    is_measured_from_start: whether requests count that arrive before the controller has settled.
    """

    steering: Steering | None = None
    random_seed: int | None = None
    cores_on: tuple[int, ...] | None = None
    is_measured_from_start: bool = False

    @property
    def table(self) -> Ladder | None:
        others = (self.steering, self.random_seed, self.cores_on)
        return self.ladder if others == (None, None, None) and len(self.ladders) == 1 else None

    def hand_settings(self, workload: Workload) -> tuple[str, ...]:
        """Names of baselines that a user could set by hand.

        They are: one type of core, one climb, or fixed ages.
        """
        return (*hand_settings(self.ladder, workload), *self.without_extras)

    @property
    def without_extras(self) -> tuple[str, ...]:
        """Name of the baseline that is this policy without its controller; empty if it has none."""
        return ("s2f",) if self.controller is not None else ()

    @property
    def settling_requests(self) -> int:
        """Number of requests until the feedback controller has settled; 0 without a controller."""
        return settling(self.steering)

    @property
    def measures_warm_up(self) -> bool:
        """Whether warm-up requests are measured; true only for the baseline `reactive+start`."""
        return self.is_measured_from_start

    @property
    def window(self) -> TailWindow:
        return window_of(self.steering)

    @property
    def cost_quantity(self) -> CostQuantity:
        return CostQuantity("mean energy", "power_us")

    @property
    def lookups_depend_on(self) -> str:
        """Sentence for readers: a look-up also depends on what the other cores do."""
        return "the rung of a request also depends on which other cores are free"

    def engine(
        self, rate_mrps: int, most_in_system: int, cut_off_us: int | None = None
    ) -> CoreTypesEngine:
        """Make the replay engine of this policy for cores of several types.

        See `core_table` for errors. rate_mrps: arrival rate [1/1000 s]. most_in_system: number of
        requests in the system at which a replay stops. cut_off_us: run time after which a request
        ends.
        """
        arrays = _core_table(self, self.rate_read(rate_mrps), most_in_system, cut_off_us)
        return CoreTypesEngine(arrays, self.ladder_of, most_in_system)

    def in_use(self, outcome: CoreTypesOutcome) -> float:
        """Mean power of all cores in one replay, including free ones, in units of power."""
        return outcome.mean_power + outcome.mean_idle_power

    def cost_of_request(self, outcome: CoreTypesOutcome) -> float:
        """Energy of a request, including its part of the energy of free cores [power times ns]."""
        return outcome.mean_energy + outcome.mean_idle_energy

    def times(self, outcome: CoreTypesOutcome, work_ns: NDArray[np.int64]) -> EnergyTimes:  # noqa: ARG002
        return energy_times(outcome)

    @property
    def controller(self) -> Controller | None:
        """The feedback controller that scales the climb ages.

        None without one, or if another rule changes the ages.
        """
        return self.steering if isinstance(self.steering, Controller) else None

    def usage(self, repeats: Sequence[EnergyTimes]) -> CoreTypesUse:
        control = control_use(repeats) if self.controller is not None else None
        return CoreTypesUse(energy_use(self._type_names(), repeats), control)

    def _type_names(self) -> list[str]:
        units = self.ladder.cost_units
        return [units[unit].name for unit in pools(self.ladder).cost_unit if unit is not None]


@lru_cache(SUBJECTS_AT_ONCE)
def _core_table(
    subject: CoreTypes, rate_mrps: int, most_in_system: int, cut_off_us: int | None
) -> CoreTable:
    return core_table(
        subject.ladders,
        rate_mrps,
        most_in_system,
        cut_off_us=cut_off_us,
        steering=subject.steering,
        random_seed=subject.random_seed,
        cores_on=subject.cores_on,
    )


@dataclass(frozen=True, eq=False)
class CoreTypesEngine:
    """Replays requests on the ladders of a policy, which are converted to arrays.

    ladder_of: index of the ladder of each record of the demand profile; None: all have the first.
    """

    arrays: CoreTable
    ladder_of: NDArray[np.int32] | None
    most_in_system: int

    def replay(
        self,
        workload: Workload,
        order: NDArray[np.integer],
        arrival_ns: NDArray[np.int64],
        measured_from: int = 0,
    ) -> CoreTypesOutcome:
        limits = self.arrays, self.ladder_of, self.most_in_system
        replay = replay_cores(*limits, workload, order, arrival_ns, measured_from)
        return CoreTypesOutcome(**replay.common, off=replay.log.off)


# Ages of one climb are these percentiles of the time on the slowest core, to two digits.
_CLIMB_PPM = (250_000, 500_000, 750_000, 850_000, 900_000, 950_000, 980_000, 990_000)
_DIGITS = 2
_NS_PER_US = 1_000
# The largest number of rungs that are candidates for settings by hand.
_MOST_RUNGS = 16


def hand_settings(ladder: Ladder, load: Workload) -> tuple[str, ...]:
    """Names of baselines with fixed settings that a user could choose.

    They are: the fastest cores, the slowest cores, the rungs in between, and one climb.
    """
    last = len(ladder.rungs)
    between = range(2, last) if last <= _MOST_RUNGS else range(0)
    ages = climb_ages(ladder, load) if last > 1 else ()
    return (
        "tl",
        "ee",
        *(f"fix-{rung}" for rung in between),
        *(f"climb-{format_us(age).replace(' ', '')}" for age in ages),
    )


def climb_ages(ladder: Ladder, load: Workload) -> tuple[int, ...]:
    """Candidate ages of one climb for this demand [us], none below the quantum."""
    ranks = (percentile_rank(each, load.requests) for each in _CLIMB_PPM)
    rounded = (_round_us(load.work_at(rank) // _NS_PER_US) for rank in ranks)
    return tuple(age for age in dict.fromkeys(rounded) if age >= ladder.quantum_us)


def _round_us(time_us: int) -> int:
    unit = 10 ** max(len(str(time_us)) - _DIGITS, 0)
    return round(time_us / unit) * unit

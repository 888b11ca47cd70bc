"""Execution model of cores that each serve a queue and change their frequency."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.controller import Controller
from tailc.forms.ladder.units import THREADS
from tailc.forms.tail_table import Batch, TailTable
from tailc.models import streams
from tailc.models.arrivals import check_times
from tailc.models.core_queues import engine
from tailc.models.core_queues.arrays import CoreQueueArrays, adapts, clock_table, single_level
from tailc.models.core_queues.batch_model import pair_name
from tailc.models.core_queues.clairvoyant_levels import clairvoyant_levels
from tailc.models.core_queues.clocks import ClairvoyantRule, Clocks
from tailc.models.core_queues.level_progress import WHOLE, LevelProgress
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tailc.models.core_queues.state import ClockDemand, ClockLog
from tailc.models.core_queues.times import ChipTimes, IdleChanges, LevelTimes
from tailc.models.core_queues.usage import (
    BatchTimes,
    CoreQueuesTimes,
    CoreQueuesUse,
    clock_use,
    level_times,
)
from tailc.models.energy import control_use, energy_times, energy_use
from tailc.models.execution_model import CostQuantity, ExecutionModel, TailWindow
from tailc.models.observations import ControlSteps, RequestEnergy
from tailc.models.occupancy import Counts, Occupancy
from tailc.models.pools import PPM
from tailc.models.steering import Steering, settling, window_of
from tailc.models.streams import MRPS_PER_MS, Purpose
from tailc.models.workload import NS_PER_MS, Workload, clocked_workload
from tailc.traces.profile import DemandProfile
from tailc.units import format_khz

_PPM_PER_MILLI = 1_000
_NJ_PER_J = 1e9
_ALL_CORES = "cores"
# Number of fixed frequencies that a user would try.
_MOST_FIXED = 16


@dataclass(frozen=True, eq=False)
class CoreQueues(ExecutionModel[CoreQueuesOutcome, CoreQueuesTimes]):
    """The execution model of cores with their own queues, together with a policy or a baseline.

    clocks: the cores and what sets their frequencies. steering: the feedback that changes the bound
    on latency, or None if the bound is fixed.
    """

    clocks: Clocks
    steering: Steering | None = None

    @property
    def capacity_ppm(self) -> int:
        """Capacity of all cores together, in millionths of a core."""
        return self.clocks.table.cores * PPM

    @property
    def shared_resource(self) -> str:
        """Name of the resource that requests compete for in reports: cores."""
        return THREADS

    def hand_settings(self, workload: Workload) -> tuple[str, ...]:  # noqa: ARG002 - whatever comes
        """Baselines that a user could set by hand: at most 16 fixed frequencies, no controller.

        With batch work of known power, also pairs of frequencies: of requests and of batch work.
        """
        table = self.clocks.table
        khz = [table.levels[at].frequency_khz for at in tried_levels(table)]
        fixed = [f"fixed-{format_khz(each).replace(' ', '')}" for each in khz]
        pairs = list(map(pair_name, pairs_by_hand(self.clocks)))
        return (*(pairs or fixed), *self.without_extras)

    @property
    def without_extras(self) -> tuple[str, ...]:
        """Name of the baseline that is the same policy without its feedback controller."""
        return ("open-loop",) if self.steering is not None else ()

    @property
    def settling_requests(self) -> int:
        """Number of requests until the feedback controller has settled; 0 without a controller."""
        return settling(self.steering)

    @property
    def measures_warm_up(self) -> bool:
        """Whether requests of the warm-up are measured; false on cores with their own queues."""
        return False

    @property
    def window(self) -> TailWindow:
        return window_of(self.steering)

    @property
    def cost_quantity(self) -> CostQuantity:
        return CostQuantity("mean energy", "power_us")

    @property
    def lookups_depend_on(self) -> str:
        """Sentence for readers: a look-up also depends on the queue of the core."""
        return "the frequency of a core depends on all requests at the core"

    def workload(self, profile: DemandProfile) -> Workload:
        """Convert the profile of demands to work at each frequency level."""
        return clocked_workload(profile, self.clocks)

    def filling_mrps(self, workload: Workload, cut_off_us: int | None) -> int:  # noqa: ARG002
        """Rate that fills all cores at the highest frequency [thousandths per second]."""
        assert workload.clocked is not None
        alone_ns = WHOLE / workload.clocked.rate[:, -1]
        mean_ms = float(np.average(alone_ns, weights=workload.weight)) / NS_PER_MS
        return max(round(self.clocks.table.cores / mean_ms * MRPS_PER_MS), 1)

    def engine(
        self,
        rate_mrps: int,  # noqa: ARG002
        most_in_system: int,
        cut_off_us: int | None = None,
    ) -> CoreQueuesEngine:
        """Make the replay engine of this policy for cores with their own queues.

        See `clock_table` for errors. rate_mrps, cut_off_us: no effect, because a tail table is the
        same at every rate and requests are not cut off. most_in_system: number of requests in the
        system at which a replay stops.
        """
        assert cut_off_us is None
        return CoreQueuesEngine(clock_table(self.clocks, self.steering), most_in_system)

    def in_use(self, outcome: CoreQueuesOutcome) -> float:
        """Mean power of all cores in one replay, including those without requests [W]."""
        return outcome.mean_power + outcome.mean_idle_power

    def cost_of_request(self, outcome: CoreQueuesOutcome) -> float:
        """Energy of a request [W ns] including idle cores, or of a unit of batch work [nJ].

        Nanojoules, because comparisons treat amounts below 1 as zero, and in joules they would
        depend on the unit of work.
        """
        if self.clocks.table.batch is not None:
            return joules_per_work(outcome, self.clocks) * _NJ_PER_J
        return outcome.mean_energy + outcome.mean_idle_energy

    def times(
        self,
        outcome: CoreQueuesOutcome,
        work_ns: NDArray[np.int64],  # noqa: ARG002
    ) -> CoreQueuesTimes:
        return CoreQueuesTimes(energy_times(outcome), level_times(outcome), self._batch(outcome))

    def _batch(self, outcome: CoreQueuesOutcome) -> BatchTimes | None:
        if self.clocks.table.batch is None:
            return None
        work_j = None
        if self.clocks.batch_model.has_unit:
            work_j = joules_per_work(outcome, self.clocks)
        return BatchTimes(outcome.batch_share, work_j)

    def usage(self, repeats: Sequence[CoreQueuesTimes]) -> CoreQueuesUse:
        energies = [one.energy for one in repeats]
        control = control_use(energies) if isinstance(self.steering, Controller) else None
        return CoreQueuesUse(energy_use([_ALL_CORES], energies), control, clock_use(repeats))

    def occupancy_counts(
        self,
        outcome: CoreQueuesOutcome,  # noqa: ARG002
        order: NDArray[np.int32],  # noqa: ARG002
    ) -> tuple[Counts | None, ...]:
        """None for the tail table, because it has no cells by load and age to count."""
        return ()

    def occupancy(
        self,
        repeats: Iterable[tuple[Counts | None, ...]],  # noqa: ARG002
    ) -> tuple[Occupancy | None, ...]:
        """None for each replay, because a tail table has no cells by load and age to count."""
        return ()


def pairs_by_hand(clocks: Clocks) -> list[Batch]:
    """Pairs of request and batch frequencies that a user would try without a compiler.

    At most 16 request frequencies. Empty without batch work, without its power, or on a chip, which
    has its own batch work.
    """
    table, model = clocks.table, clocks.batch_model
    if table.batch is None or clocks.chip is not None:
        return []
    levels_khz = [table.levels[at].frequency_khz for at in tried_levels(table)]
    return [pair for khz in levels_khz for pair in model.pairs(khz)]


def tried_levels(table: TailTable) -> list[int]:
    """Frequency levels to try as fixed frequencies: all, or 16 evenly spaced ones.

    Their numbers.
    """
    last = len(table.levels) - 1
    return np.unique(np.linspace(0, last, _MOST_FIXED).round().astype(int)).tolist()


@dataclass(frozen=True, eq=False)
class CoreQueuesEngine:
    """Replays requests on cores with their own queues, under a tail table in the form of arrays.

    most_in_system: number of requests in the system at which a replay stops as overloaded.
    """

    arrays: CoreQueueArrays
    most_in_system: int

    def replay(
        self,
        workload: Workload,
        order: NDArray[np.integer],
        arrival_ns: NDArray[np.int64],
        measured_from: int = 0,
    ) -> CoreQueuesOutcome:
        check_times(arrival_ns)
        table = self.arrays.table
        assert workload.clocked is not None
        # Compiled code does not check indices.
        assert workload.clocked.rate.shape[1] == len(table.frequency_khz)
        log = ClockLog.empty(len(order), table)
        demand = clock_demand(arrival_ns, order, workload.clocked, self.arrays, measured_from)
        arrived, steps = engine.replay(demand, table, measured_from, self.most_in_system, log)
        return CoreQueuesOutcome(
            arrival_ns=arrival_ns,
            latency_ns=log.latency_ns,
            wait_ns=log.wait_ns,
            rung=log.rung,
            is_cut=np.zeros(len(order), np.bool_),
            is_refused=np.zeros(0, np.bool_),
            thread_ns=log.busy_ns,
            arrived=arrived,
            measured_from=measured_from,
            integrals=log.integrals,
            capacity_ppm=(table.cores * PPM,),
            rungs=len(table.frequency_khz),
            energy=RequestEnergy(log.energy, log.power, (table.idle_mw * _PPM_PER_MILLI,)),
            steps=ControlSteps(*log.steps[:steps].T),
            levels=LevelTimes(
                tuple(table.frequency_khz.tolist()), log.level_ns, adapts(self.arrays)
            ),
            chip=self._chip_times(log),
            idle_changes=IdleChanges(log.idle_halted_ns, log.idle_changes),
        )

    def _chip_times(self, log: ClockLog) -> ChipTimes | None:
        chip = self.arrays.table.chip
        return ChipTimes(log.batch_ns, chip.batch_mw, log.limited_ns) if chip.is_shared else None


# Stands in for the work of cores that never have time for any; so their energy is finite.
_LEAST_WORK = 1e-6


def joules_per_work(outcome: CoreQueuesOutcome, clocks: Clocks) -> float:
    """Energy of the server per unit of batch work in a replay [J].

    Very high if there is hardly any work.
    """
    outside_w = clocks.batch_model.outside_mw / 1_000
    power_w = outcome.mean_power + outcome.mean_idle_power + outside_w
    return power_w / max(_work_per_second(outcome, clocks), _LEAST_WORK)


def _work_per_second(outcome: CoreQueuesOutcome, clocks: Clocks) -> float:
    """Batch work per second of all cores."""
    assert clocks.table.batch is not None
    model, reference_khz = clocks.batch_model, clocks.reference_khz
    if clocks.chip is None or outcome.chip is None:
        cores = sum(outcome.capacity_ppm) / PPM
        speed = model.work_per_second(clocks.table.batch.frequency_khz, reference_khz)
        return cores * outcome.batch_share * speed
    shares = outcome.shares_of_time(outcome.chip.batch_ns)
    with_halts = outcome.batch_share + outcome.idle_halted
    working = outcome.batch_share / with_halts if with_halts > 0 else 0.0
    levels_khz = [level.frequency_khz for level in clocks.table.levels]
    speeds = [model.work_per_second(khz, reference_khz) for khz in levels_khz]
    return float((shares * speeds).sum()) * working


_SEED = 1


def clock_demand(
    arrival_ns: NDArray[np.int64],
    order: NDArray[np.integer],
    clocked: LevelProgress,
    arrays: CoreQueueArrays,
    measured_from: int,
) -> ClockDemand:
    """Make the arrays of a replay's requests for compiled code, each with a random core.

    order: trace record of each request. clocked: speed of each record at each frequency level.
    measured_from: number of the first request that is measured.
    """
    record, table = order.astype(np.int32), arrays.table
    core = random_cores(arrival_ns, table.cores)
    demand = ClockDemand(arrival_ns, record, core, np.zeros(0, np.int64), clocked)
    level = single_level(arrays)
    if level is not None:
        return demand._replace(level=np.full(len(order), level, np.int64))
    if isinstance(arrays.rule, ClairvoyantRule):
        level_of = clairvoyant_levels(demand, table, arrays.rule, measured_from)
        return demand._replace(level=level_of)
    return demand


def random_cores(arrival_ns: NDArray[np.int64], cores: int) -> NDArray[np.int32]:
    """Draw a random core for each arrival, int32 (arrivals,)."""
    core = np.zeros(len(arrival_ns), np.int32)
    if cores > 1:
        seed = int(arrival_ns[-1]) if len(arrival_ns) else 0
        streams.fill_below(streams.stream(_SEED, Purpose.PLACEMENT, seed), cores, core)
    return core

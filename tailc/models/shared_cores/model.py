"""Execution model of servers whose cores are shared by the threads of all requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import check_times
from tailc.models.execution_model import CostQuantity, TailWindow
from tailc.models.ladder_model import SUBJECTS_AT_ONCE, LadderModel, ladders_of_arrivals
from tailc.models.shared_cores import engine, state
from tailc.models.shared_cores.arrays import LadderArrays, ladder_arrays
from tailc.models.shared_cores.batch import batch_left, batch_use
from tailc.models.shared_cores.hand_settings import hand_settings
from tailc.models.shared_cores.loss import loss_of, loss_times
from tailc.models.shared_cores.outcome import Losses, SharedCoresOutcome
from tailc.models.shared_cores.serial_parts import NO_PARTS, serial_parts
from tailc.models.shared_cores.shared_power import mean_cost_of_request
from tailc.models.shared_cores.usage import SharedCoresTimes, SharedCoresUse
from tailc.models.workload import Workload


@dataclass(frozen=True, eq=False)
class SharedCores(LadderModel[SharedCoresOutcome, SharedCoresTimes]):
    """The execution model of ladders on a server whose cores all running requests share.

    boosts_at_start: whether requests that start on the last rung can be boosted like those that
    climb to it. Only the baseline of fixed parallelism with boosting sets it.
    """

    boosts_at_start: bool = False

    @property
    def table(self) -> Ladder | None:
        return None if self.boosts_at_start or len(self.ladders) > 1 else self.ladder

    def hand_settings(self, workload: Workload) -> tuple[str, ...]:
        """Names of baselines with fixed settings that a user could choose.

        They are: one rung, one rung below a load, and one more rung after each fixed interval.
        """
        return hand_settings(self.ladder, workload)

    @property
    def without_extras(self) -> tuple[str, ...]:
        """Name of the baseline that is this policy without boosting, if it boosts."""
        return ("no-boost",) if self.ladder.boost else ()

    @property
    def settling_requests(self) -> int:
        """Number of requests until the controller has settled: 0, as there is no controller."""
        return 0

    @property
    def measures_warm_up(self) -> bool:
        """Whether requests of the warm-up are measured; false on shared cores."""
        return False

    @property
    def window(self) -> TailWindow | None:
        """Window of latencies for a controller: None, because shared cores have no controller."""
        return None

    @property
    def cost_quantity(self) -> CostQuantity | None:
        """Cost of a request other than time: None, because it is unknown on shared cores."""
        return None

    @property
    def lookups_depend_on(self) -> str:
        return ""

    def engine(
        self, rate_mrps: int, most_in_system: int, cut_off_us: int | None = None
    ) -> SharedCoresEngine:
        """Make the replay engine of this policy for shared cores.

        See `ladder_arrays` for errors. rate_mrps: arrival rate [1/1000 s]. most_in_system: number
        of requests in the system at which a replay stops. cut_off_us: run time after which a
        request ends.
        """
        arrays = _ladder_arrays(self, self.rate_read(rate_mrps), most_in_system, cut_off_us)
        return SharedCoresEngine(arrays, self.ladder_of, most_in_system)

    def in_use(self, outcome: SharedCoresOutcome) -> float:
        """Mean number of threads in use in one replay."""
        return outcome.mean_threads

    def cost_of_request(self, outcome: SharedCoresOutcome) -> float | None:
        """Mean energy or lost batch work of a request; None if the rungs have no such cost."""
        return mean_cost_of_request(outcome, self.ladder)

    def times(self, outcome: SharedCoresOutcome, work_ns: NDArray[np.int64]) -> SharedCoresTimes:
        return SharedCoresTimes(batch_left(outcome, self.ladder), loss_times(outcome, work_ns))

    def usage(self, repeats: Sequence[SharedCoresTimes]) -> SharedCoresUse:
        batch = [one.batch for one in repeats if one.batch is not None]
        losses = [one.losses for one in repeats if one.losses is not None]
        return SharedCoresUse(
            batch_use(batch) if batch else None, loss_of(losses) if losses else None
        )


@lru_cache(SUBJECTS_AT_ONCE)
def _ladder_arrays(
    subject: SharedCores, rate_mrps: int, most_in_system: int, cut_off_us: int | None
) -> LadderArrays:
    return ladder_arrays(
        subject.ladders,
        rate_mrps,
        most_in_system,
        cut_off_us=cut_off_us,
        boosts_at_start=subject.boosts_at_start,
    )


@dataclass(frozen=True, eq=False)
class SharedCoresEngine:
    """Replays requests on the ladders of a policy, which are converted to arrays.

    ladder_of: index of the ladder of each record of the demand profile; None: all have the first.
    """

    arrays: LadderArrays
    ladder_of: NDArray[np.int32] | None
    most_in_system: int

    def replay(
        self,
        workload: Workload,
        order: NDArray[np.integer],
        arrival_ns: NDArray[np.int64],
        measured_from: int = 0,
    ) -> SharedCoresOutcome:
        check_times(arrival_ns)
        arrays = self.arrays
        log = state.ThreadLog.empty(len(order), len(arrays.capacity_ppm), len(arrays.threads_ppm))
        ladders = ladders_of_arrivals(order, len(arrays.row_of_load), self.ladder_of)
        work_ns, curve = workload.work_ns[order], workload.curve_of[order]
        serial = NO_PARTS
        if workload.serial is not None:
            speed = workload.speed[curve]
            serial = serial_parts(workload.serial, work_ns, speed, arrays.threads_ppm)
        demand = state.ThreadDemand(arrival_ns, work_ns, curve, ladders, workload.speed, serial)
        arrived = engine.replay(demand, arrays, measured_from, self.most_in_system, log)
        return SharedCoresOutcome(
            arrival_ns=arrival_ns,
            latency_ns=log.latency_ns,
            wait_ns=log.wait_ns,
            rung=log.rung,
            is_cut=log.is_cut,
            is_refused=log.is_refused if arrays.relieves else np.zeros(0, np.bool_),
            thread_ns=log.thread_ns,
            arrived=arrived,
            measured_from=measured_from,
            integrals=log.integrals,
            capacity_ppm=tuple(arrays.capacity_ppm.tolist()),
            rungs=len(arrays.threads_ppm),
            rung_ns=log.rung_ns,
            losses=Losses(log.is_degraded, log.lost_ns) if arrays.relieves else None,
        )

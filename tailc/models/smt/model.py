"""Execution model of SMT cores: a request on one hardware thread, batch work on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.lanes import AT_ONCE_AWAKE, Lanes, Waking, lanes_of
from tailc.forms.ladder.table import Ladder
from tailc.models.core_types.arrays import CoreTable, core_table
from tailc.models.core_types.replay import replay_cores
from tailc.models.execution_model import CostQuantity, TailWindow
from tailc.models.ladder_model import LadderModel
from tailc.models.smt.outcome import Resting, SmtOutcome
from tailc.models.smt.usage import SmtTimes, SmtUse, smt_times, smt_use
from tailc.models.steering import window_of
from tailc.models.workload import Workload


@dataclass(frozen=True, eq=False)
class Smt(LadderModel[SmtOutcome, SmtTimes]):
    """Execution model of SMT cores: requests on one hardware thread, batch work on the other.

    waking: times to wake batch work, or a core without batch work. has_batch: whether there is
    batch work.
    """

    waking: Waking = AT_ONCE_AWAKE
    has_batch: bool = True

    @property
    def lanes(self) -> Lanes:
        """The hardware threads of the cores, and how batch work slows requests down."""
        return lanes_of(self.ladder)

    @property
    def table(self) -> Ladder | None:
        return self.ladder if self.has_batch and len(self.ladders) == 1 else None

    def hand_settings(self, workload: Workload) -> tuple[str, ...]:  # noqa: ARG002 - whatever comes
        """Names of baselines with fixed settings that a user could choose.

        They are: batch work on idle cores only, and batch work within each budget of the Elfen
        paper.
        """
        return ("borrow-idle", "fixed", "refresh", "dynamic", "safe")

    @property
    def without_extras(self) -> tuple[str, ...]:
        """Names of baselines that are this policy without an extra: none, as it is only a table."""
        return ()

    @property
    def settling_requests(self) -> int:
        """Number of requests until the controller has settled: 0, as there is no controller."""
        return 0

    @property
    def measures_warm_up(self) -> bool:
        """Whether requests of the warm-up are measured; false on SMT cores."""
        return False

    @property
    def window(self) -> TailWindow:
        """The window of latencies from which a percentile is measured at run time."""
        return window_of(None)

    @property
    def cost_quantity(self) -> CostQuantity:
        return CostQuantity("batch work given up", "us")

    @property
    def lookups_depend_on(self) -> str:
        return "the rung of a request also depends on which other cores are free"

    def engine(
        self, rate_mrps: int, most_in_system: int, cut_off_us: int | None = None
    ) -> SmtEngine:
        """Make the replay engine of this policy for SMT cores.

        If cores have batch work, it has to wake after a request that ran alone. Without batch work
        the cores sleep, and have to wake for a request. rate_mrps: arrival rate [1/1000 s].
        most_in_system: number of requests in the system at which a replay stops. cut_off_us: run
        time after which a request ends.
        """
        waking = self.waking
        arrays = core_table(
            self.ladders,
            rate_mrps,
            most_in_system,
            cut_off_us=cut_off_us,
            waking=Waking(batch_ns=waking.batch_ns)
            if self.has_batch
            else Waking(core_ns=waking.core_ns),
        )
        return SmtEngine(arrays, self.ladder_of, most_in_system)

    def in_use(self, outcome: SmtOutcome) -> float:
        """Mean batch work given up on all SMT cores in one replay, including work that wakes up.

        In units of the batch work on a free core.
        """
        power = outcome.mean_power + outcome.mean_idle_power
        return power + self.lanes.lost_waking(*outcome.mean_waking)

    def cost_of_request(self, outcome: SmtOutcome) -> float:
        """Mean batch work lost per measured request, including the time to wake batch work again.

        In nanoseconds of batch work on a free core.
        """
        lost = outcome.by_request(self.lanes.lost_waking(*outcome.mean_waking))
        return outcome.mean_energy + outcome.mean_idle_energy + lost

    def times(self, outcome: SmtOutcome, work_ns: NDArray[np.int64]) -> SmtTimes:  # noqa: ARG002
        return smt_times(outcome)

    def usage(self, repeats: Sequence[SmtTimes]) -> SmtUse:
        return smt_use(self.lanes, repeats, has_batch=self.has_batch)


@dataclass(frozen=True, eq=False)
class SmtEngine:
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
    ) -> SmtOutcome:
        limits = self.arrays, self.ladder_of, self.most_in_system
        replay = replay_cores(*limits, workload, order, arrival_ns, measured_from)
        return SmtOutcome(**replay.common, resting=Resting(replay.log.idle_ns, replay.log.waking))

"""Batch work, busy hardware threads and idle periods of SMT cores, as shown in verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from tailc.forms.ladder.lanes import Lanes
from tailc.models.server_load import Load
from tailc.models.shared_cores.batch import batch_use
from tailc.models.smt.columns import SmtColumns
from tailc.models.smt.idle import IdleTimes, IdleUse, idle_times, idle_use
from tailc.models.smt.outcome import SmtOutcome
from tailc.models.usage import Headline, HeadlineQuantity, Usage
from tailc.percentiles import PPM


@dataclass(frozen=True)
class SmtUse(Usage):
    """Batch work, busy hardware threads and idle time of a core, over all replications.

    `batch_ppm`, `low_ppm`, `high_ppm`: as in `BatchUse`. `utilization_ppm`: busy threads of a core,
    up to 2. `idle`: idle time of the thread of requests.
    """

    batch_ppm: int
    low_ppm: int | None
    high_ppm: int | None
    utilization_ppm: int
    idle: IdleUse

    @property
    def drawn_us(self) -> None:
        """None: the energy of requests is batch work."""
        return

    def relative_to(self, base_us: int, other_ppm: int) -> SmtUse:  # noqa: ARG002
        return self

    @property
    def columns(self) -> SmtColumns:
        return SmtColumns()

    def cost_us(self, load: Load) -> None:  # noqa: ARG002
        """None: the cost is batch work."""
        return

    def headline(self, load: Load) -> Headline:  # noqa: ARG002
        """The most important number: batch work per core."""
        return Headline(HeadlineQuantity.BATCH, self.batch_ppm)

    @property
    def energy_ratio_ppm(self) -> None:
        """None: energy is unknown."""
        return

    @property
    def remarks(self) -> tuple[str, ...]:
        return ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as the JSON object `lanes`."""
        periods = [asdict(one) for one in self.idle.periods]
        idle = {"share_ppm": self.idle.share_ppm, "periods": periods}
        return {"lanes": {**asdict(self), "idle": idle}}


@dataclass(frozen=True, eq=False)
class SmtTimes:
    """Shares of core time in one replay, and the batch work given up on all cores.

    requests: share of time in which a core has a request. waking: mean number of cores whose batch
    work is still waking up, first of free cores, then of busy ones.
    """

    requests: float
    given_up: float
    waking: tuple[float, float]
    idle: IdleTimes


def smt_times(outcome: SmtOutcome) -> SmtTimes:
    """Compute the shares of core time from one replay."""
    (busy,) = outcome.utilization_by_pool
    return SmtTimes(busy or 0.0, outcome.mean_power, outcome.mean_waking, idle_times(outcome))


def smt_use(lanes: Lanes, repeats: Sequence[SmtTimes], *, has_batch: bool) -> SmtUse:
    """Average over all replications; the interval of batch work is cut to 0 to 1."""
    batch = batch_use([batch_work(one, lanes) if has_batch else 0.0 for one in repeats])
    busy = [busy_threads(one, lanes) if has_batch else one.requests for one in repeats]
    return SmtUse(
        batch.batch_ppm,
        batch.low_ppm,
        batch.high_ppm,
        round(fmean(busy) * PPM),
        idle_use(1 - fmean(one.requests for one in repeats), [one.idle for one in repeats]),
    )


def batch_work(one: SmtTimes, lanes: Lanes) -> float:
    """Batch work per core in one replay, relative to a free core."""
    return 1 - (one.given_up + lanes.lost_waking(*one.waking)) / lanes.cores


def busy_threads(one: SmtTimes, lanes: Lanes) -> float:
    """Mean number of busy hardware threads per core: for requests, and for batch work.

    The second rests next to a request that is alone, and until it is awake. The time that it rests
    follows from the batch work given up: all of it while resting, and `batch_slowdown_ppm` of it
    next to any other request.
    """
    slowed = lanes.batch_slowdown_ppm / PPM
    alone = (one.given_up / lanes.cores - slowed * one.requests) / (1 - slowed)
    return one.requests + 1 - alone - sum(one.waking) / lanes.cores

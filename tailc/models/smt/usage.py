"""What SMT cores show besides latency: batch work, busy hardware threads, and idle periods."""

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
from tailc.models.usage import Headline, Quantity, Usage
from tailc.percentiles import PPM


@dataclass(frozen=True)
class SmtUse(Usage):
    """How busy the hardware threads of a core were, in the mean.

    `batch_ppm`, `low_ppm`, `high_ppm`: as in `BatchUse`. `utilization_ppm`: busy threads of a core,
    up to 2. `idle`: when that of requests is not.
    """

    batch_ppm: int
    low_ppm: int | None
    high_ppm: int | None
    utilization_ppm: int
    idle: IdleUse

    @property
    def drawn_us(self) -> None:
        """What requests draw is batch work."""
        return

    def relative_to(self, base_us: int, other_ppm: int) -> SmtUse:  # noqa: ARG002
        """The same."""
        return self

    @property
    def columns(self) -> SmtColumns:
        """Batch work in the place of energy."""
        return SmtColumns()

    def cost_us(self, load: Load) -> None:  # noqa: ARG002
        """Batch work pays for requests."""
        return

    def headline(self, load: Load) -> Headline:  # noqa: ARG002
        """Batch work that is left."""
        return Headline(Quantity.BATCH, self.batch_ppm)

    @property
    def energy_ratio_ppm(self) -> None:
        """Energy is not known."""
        return

    @property
    def remarks(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """All of it, as lanes."""
        periods = [asdict(one) for one in self.idle.periods]
        idle = {"share_ppm": self.idle.share_ppm, "periods": periods}
        return {"lanes": {**asdict(self), "idle": idle}}


@dataclass(frozen=True, eq=False)
class SmtTimes:
    """One replay: shares of the time of its cores, and the batch work that is given up on all.

    waking: how many cores had batch work that was not awake yet, free ones and others.
    """

    requests: float
    given_up: float
    waking: tuple[float, float]
    idle: IdleTimes


def smt_times(outcome: SmtOutcome) -> SmtTimes:
    """What a replay says."""
    (busy,) = outcome.utilization_by_pool
    return SmtTimes(busy or 0.0, outcome.mean_power, outcome.mean_waking, idle_times(outcome))


def smt_use(lanes: Lanes, repeats: Sequence[SmtTimes], *, has_batch: bool) -> SmtUse:
    """Means over all repeats; the interval is that of the repeats, as for energy, within 0 to 1."""
    found = batch_use([batch_work(one, lanes) if has_batch else 0.0 for one in repeats])
    busy = [busy_threads(one, lanes) if has_batch else one.requests for one in repeats]
    return SmtUse(
        found.batch_ppm,
        found.low_ppm,
        found.high_ppm,
        round(fmean(busy) * PPM),
        idle_use(1 - fmean(one.requests for one in repeats), [one.idle for one in repeats]),
    )


def batch_work(one: SmtTimes, lanes: Lanes) -> float:
    """By core, over that beside a free core."""
    return 1 - (one.given_up + lanes.lost_waking(*one.waking)) / lanes.cores


def busy_threads(one: SmtTimes, lanes: Lanes) -> float:
    """Hardware threads of a core that are busy, in the mean: for requests, and for batch work.

    The latter rests beside a request that is alone, and until it is awake. How often the first is
    follows from the batch work that is given up, all of it there and `batch_slowdown_ppm` of it
    beside any other request.
    """
    slowed = lanes.batch_slowdown_ppm / PPM
    alone = (one.given_up / lanes.cores - slowed * one.requests) / (1 - slowed)
    return one.requests + 1 - alone - sum(one.waking) / lanes.cores

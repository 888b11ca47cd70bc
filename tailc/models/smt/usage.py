"""Batch work, busy hardware threads and idle periods of SMT cores, as shown in verdicts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from tailc.forms.ladder.lanes import Lanes
from tailc.models.columns import (
    Group,
    UsageColumn,
    UsageColumns,
    UsageTable,
    column,
    latency_and_number,
    percent,
)
from tailc.models.core_types.columns import RUNGS
from tailc.models.server_load import Load, RungUse
from tailc.models.shared_cores.batch import batch_columns, batch_use
from tailc.models.smt.idle import IdleTimes, IdleUse, idle_times, idle_use
from tailc.models.smt.outcome import SmtOutcome
from tailc.models.usage import Headline, HeadlineQuantity, Usage
from tailc.percentiles import PPM
from tailc.units import format_us

_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; n: mean requests
in the system; batch: batch work per core, relative to a core without requests, and its 95 %
interval; util: busy lanes per core, of 2"""
_IDLE = "idle time of a core under the policy"
# Lengths are shown for at least this share of the idle time in shorter periods.
_TOLD_PPM = (100_000, 500_000, 900_000)


class SmtColumns(UsageColumns["SmtUse"]):
    """The columns that SMT cores add to a verdict: batch work instead of energy."""

    def legend(self, shared: str, use: SmtUse, against: str) -> str:  # noqa: ARG002
        return f"{_LEGEND}{against}."

    def server(self, loads: Sequence[Load], shared: str, decimals: int) -> Group:  # noqa: ARG002
        return latency_and_number(loads, decimals)

    def groups(self, uses: Sequence[SmtUse], *, has_other_power: bool) -> list[Group]:  # noqa: ARG002
        """Columns of batch work with its interval, and of busy hardware threads, for a verdict."""
        busy = [f"{use.utilization_ppm / PPM:.2f}" for use in uses]
        return [(*batch_columns(uses), column("util", busy))]

    def rungs_title(self, shared: str) -> str:  # noqa: ARG002
        return RUNGS

    def rung_counts(self, uses: Sequence[RungUse], shared: str) -> list[Group]:  # noqa: ARG002
        return []

    def by_subject(self, names: UsageColumn, uses: Sequence[SmtUse]) -> list[UsageTable]:  # noqa: ARG002
        return []

    def by_arrivals(self, arrivals: UsageColumn, uses: Sequence[SmtUse]) -> list[UsageTable]:
        """Table of the idle time of SMT cores, in total and by the length of idle periods."""
        idle = [use.idle for use in uses]
        group = (
            column("idle", [percent(one.share_ppm) for one in idle]),
            column("in idle periods", [", ".join(_cells_up_to(one)) for one in idle], False),
        )
        return [UsageTable(_IDLE, arrivals, (group,))]


def _cells_up_to(idle: IdleUse) -> Iterator[str]:
    """Cells such as `11.2 % up to 10 ms`."""
    sums_ppm = list(itertools.accumulate(one.time_ppm for one in idle.periods))
    chosen: list[int] = []
    for least_ppm in _TOLD_PPM:
        places = [place for place, share in enumerate(sums_ppm) if share >= least_ppm]
        chosen += [place for place in places[:1] if place not in chosen]
    for place in chosen:
        edge_us = idle.periods[place].up_to_us
        if edge_us is not None:
            yield f"{percent(sums_ppm[place])} up to {format_us(edge_us)}"


@dataclass(frozen=True)
class SmtUse(Usage):
    """Use of SMT cores over all replications: batch work, busy threads and idle time.

    batch_ppm, low_ppm, high_ppm: mean batch work per core relative to a free core, with its 95 %
    interval (None with one replication). utilization_ppm: busy hardware threads of a core, up to 2.
    idle: idle time of the thread of requests.
    """

    batch_ppm: int
    low_ppm: int | None
    high_ppm: int | None
    utilization_ppm: int
    idle: IdleUse

    @property
    def drawn_us(self) -> None:
        """Energy of a request: None, because the cost of requests is lost batch work."""
        return

    def relative_to(self, base_us: int, other_ppm: int) -> SmtUse:  # noqa: ARG002
        return self

    @property
    def columns(self) -> SmtColumns:
        return SmtColumns()

    def cost_us(self, load: Load) -> None:  # noqa: ARG002
        """None, because the cost of requests on SMT cores is lost batch work."""
        return

    def headline(self, load: Load) -> Headline:  # noqa: ARG002
        """The most important number: batch work per core."""
        return Headline(HeadlineQuantity.BATCH, self.batch_ppm)

    @property
    def energy_ratio_ppm(self) -> None:
        """Energy relative to a baseline: None, because energy is unknown on SMT cores."""
        return

    @property
    def remarks(self) -> tuple[str, ...]:
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Convert the use of SMT cores to the JSON object `lanes` of a verdict."""
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
    """Compute the shares of core time and the lost batch work of SMT cores from one replay."""
    (busy,) = outcome.utilization_by_pool
    return SmtTimes(busy or 0.0, outcome.mean_power, outcome.mean_waking, idle_times(outcome))


def smt_use(lanes: Lanes, repeats: Sequence[SmtTimes], *, has_batch: bool) -> SmtUse:
    """Average the use of SMT cores over all replications.

    The interval of batch work is cut to 0 to 1.
    """
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

    The thread for batch work is not busy while a request has the core alone, nor while batch work
    wakes up. The time of requests alone follows from the batch work given up: all of it in that
    time, and the part `batch_slowdown_ppm` of it while a request shares the core.
    """
    slowed = lanes.batch_slowdown_ppm / PPM
    alone = (one.given_up / lanes.cores - slowed * one.requests) / (1 - slowed)
    return one.requests + 1 - alone - sum(one.waking) / lanes.cores

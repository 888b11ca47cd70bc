"""Batch work and losses on shared cores, as shown in verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tailc.models.columns import (
    Group,
    UsageColumn,
    UsageColumns,
    UsageTable,
    column,
    count,
    ms,
    percent,
)
from tailc.models.server_load import Load, RungUse
from tailc.models.shared_cores.batch import BatchUse, batch_columns
from tailc.models.shared_cores.loss import Loss, LossTimes, loss_sentence
from tailc.models.usage import Headline, HeadlineQuantity, Usage

_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; util: running
threads per core; threads, n: mean number of threads, and of requests in the system; thread time:
mean threads times time of a request"""
_POWER_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; util: share of the
peak power that was used; {0}, n: mean power requested, and mean requests in the system;
{1} time: mean power times time of a request"""
_LEGENDS = {
    "power": _POWER_LEGEND.format("power", "power"),
    "watts": _POWER_LEGEND.format("watts", "watt"),
}
_BATCH = """;
batch: batch work per core, relative to a core without requests, and its 95 % interval"""
_RUNGS = "{shared} of a request in the policy, and the rung it left on"


class SharedCoresColumns(UsageColumns["SharedCoresUse"]):
    """The columns that shared cores add to a verdict: utilization and threads, or power."""

    def legend(self, shared: str, use: SharedCoresUse, against: str) -> str:
        batch = _BATCH if use.batch is not None else ""
        return f"{_LEGENDS.get(shared, _LEGEND)}{against}{batch}."

    def server(self, loads: Sequence[Load], shared: str, decimals: int) -> Group:
        """Columns of latency and load, with those of the shared resource in between."""
        util = [load.utilization_ppm for load in loads]
        return (
            column("mean", [ms(load.mean_latency_us, decimals) for load in loads]),
            column("util", ["-" if share is None else percent(share) for share in util]),
            column(shared, [count(load.threads_milli) for load in loads]),
            column("n", [count(load.in_system_milli) for load in loads]),
            column(
                f"{_of_one(shared)} time", [ms(load.thread_time_us, decimals) for load in loads]
            ),
        )

    def groups(self, uses: Sequence[SharedCoresUse], *, has_other_power: bool) -> list[Group]:  # noqa: ARG002
        """Columns of batch work next to requests, if there is any."""
        batch = [use.batch for use in uses if use.batch is not None]
        return [batch_columns(batch)] if batch and len(batch) == len(uses) else []

    def rungs_title(self, shared: str) -> str:
        """Title of the rung table, with the name of the shared resource."""
        return _RUNGS.format(shared=shared)

    def rung_counts(self, uses: Sequence[RungUse], shared: str) -> list[Group]:
        """Columns of rung use for all requests, for the longest and for the shortest."""
        return [
            (
                column(shared, [count(use.mean_milli) for use in uses]),
                column("longest 5 %", [count(use.longest_milli) for use in uses]),
                column("shortest 5 %", [count(use.shortest_milli) for use in uses]),
            )
        ]

    def by_subject(self, names: UsageColumn, uses: Sequence[SharedCoresUse]) -> list[UsageTable]:  # noqa: ARG002
        return []

    def by_arrivals(
        self,
        arrivals: UsageColumn,  # noqa: ARG002
        uses: Sequence[SharedCoresUse],  # noqa: ARG002
    ) -> list[UsageTable]:
        return []


def _of_one(shared: str) -> str:
    """The singular, such as `thread` for `threads`."""
    return shared.removesuffix("s")


@dataclass(frozen=True)
class SharedCoresTimes:
    """Use of shared cores in one replay.

    batch: batch work per core; None if there is none. losses: requests and work lost by rules for
    overload; None without such a rule.
    """

    batch: float | None
    losses: LossTimes | None


@dataclass(frozen=True)
class SharedCoresUse(Usage):
    """Use of shared cores over all replications.

    batch: batch work; None if there is none. loss: requests and work lost by rules for overload;
    None without such a rule.
    """

    batch: BatchUse | None = None
    loss: Loss | None = None

    @property
    def drawn_us(self) -> None:
        """Energy of a request: None, as threads on shared cores have no energy of their own."""
        return

    def relative_to(self, base_us: int, other_ppm: int) -> SharedCoresUse:  # noqa: ARG002
        return self

    @property
    def columns(self) -> SharedCoresColumns:
        return SharedCoresColumns()

    def cost_us(self, load: Load) -> int:
        """Cost of a request by which policies are compared: threads times time [us]."""
        return load.thread_time_us

    def headline(self, load: Load) -> Headline:
        """The most important number: the mean number of threads."""
        return Headline(HeadlineQuantity.THREADS, load.threads_milli)

    @property
    def energy_ratio_ppm(self) -> None:
        """None, because the energy of requests is unknown on shared cores."""
        return

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence on the losses by rules for overload, if there are such rules."""
        return () if self.loss is None else (loss_sentence(self.loss),)

    def to_dict(self) -> dict[str, Any]:
        """Convert batch work and losses, if there are any, to a JSON object of a verdict."""
        return {
            "batch": None if self.batch is None else asdict(self.batch),
            "loss": None if self.loss is None else asdict(self.loss),
        }

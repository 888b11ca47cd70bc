"""Batch work and losses on shared cores, as shown in verdicts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tailc.models.server_load import Load
from tailc.models.shared_cores.batch import BatchUse
from tailc.models.shared_cores.columns import SharedCoresColumns
from tailc.models.shared_cores.loss import Loss, LossTimes, loss_sentence
from tailc.models.usage import Headline, HeadlineQuantity, Usage


@dataclass(frozen=True)
class SharedCoresTimes:
    """Batch work per core and losses in one replay; None if there is none."""

    batch: float | None
    losses: LossTimes | None


@dataclass(frozen=True)
class SharedCoresUse(Usage):
    """Batch work and losses over all replications; None if there is none."""

    batch: BatchUse | None = None
    loss: Loss | None = None

    @property
    def drawn_us(self) -> None:
        """None: threads that share cores have no energy of their own."""
        return

    def relative_to(self, base_us: int, other_ppm: int) -> SharedCoresUse:  # noqa: ARG002
        return self

    @property
    def columns(self) -> SharedCoresColumns:
        return SharedCoresColumns()

    def cost_us(self, load: Load) -> int:
        """Cost of a request: threads times time [us]."""
        return load.thread_time_us

    def headline(self, load: Load) -> Headline:
        """The most important number: the mean number of threads."""
        return Headline(HeadlineQuantity.THREADS, load.threads_milli)

    @property
    def energy_ratio_ppm(self) -> None:
        """None: energy is unknown."""
        return

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence on the losses by rules for overload, if there are such rules."""
        return () if self.loss is None else (loss_sentence(self.loss),)

    def to_dict(self) -> dict[str, Any]:
        """Batch work and losses, if there are any, as a JSON object."""
        return {
            "batch": None if self.batch is None else asdict(self.batch),
            "loss": None if self.loss is None else asdict(self.loss),
        }

"""What a server of shared cores shows besides latency: batch work that is left, and losses."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tailc.models.server_load import Load
from tailc.models.shared_cores.batch import BatchUse
from tailc.models.shared_cores.columns import SharedCoresColumns
from tailc.models.shared_cores.loss import Loss, LossTimes, loss_sentence
from tailc.models.usage import Headline, Quantity, Usage


@dataclass(frozen=True)
class SharedCoresTimes:
    """One replay: batch work by core, and losses; None where there is no such thing."""

    batch: float | None
    losses: LossTimes | None


@dataclass(frozen=True)
class SharedCoresUse(Usage):
    """`batch`: None without batch work; `loss`: None without a rule for overload."""

    batch: BatchUse | None = None
    loss: Loss | None = None

    @property
    def drawn_us(self) -> None:
        """Energy is not known: threads that share cores have none of their own."""
        return

    def relative_to(self, base_us: int, other_ppm: int) -> SharedCoresUse:  # noqa: ARG002
        """The same."""
        return self

    @property
    def columns(self) -> SharedCoresColumns:
        """Threads, or power."""
        return SharedCoresColumns()

    def cost_us(self, load: Load) -> int:
        """Thread time."""
        return load.thread_time_us

    def headline(self, load: Load) -> Headline:
        """Threads."""
        return Headline(Quantity.THREADS, load.threads_milli)

    @property
    def energy_ratio_ppm(self) -> None:
        """Energy is not known."""
        return

    @property
    def remarks(self) -> tuple[str, ...]:
        """What rules for overload took."""
        return () if self.loss is None else (loss_sentence(self.loss),)

    def to_dict(self) -> dict[str, Any]:
        """Batch work and losses, where there are any."""
        return {
            "batch": None if self.batch is None else asdict(self.batch),
            "loss": None if self.loss is None else asdict(self.loss),
        }

"""How a policy used its machine, for all execution models."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from tailc.models.columns import UsageColumns
from tailc.models.server_load import Load


class HeadlineQuantity(enum.Enum):
    """The quantity of a headline, such as batch work or power.

    Its unit is millionths, mW, power times us, or thousandths.
    """

    BATCH = "batch work"
    POWER = "power"
    ENERGY = "energy"
    THREADS = "threads"


@dataclass(frozen=True)
class Headline:
    """The single most important number of a machine's use, in the unit of its quantity."""

    quantity: HeadlineQuantity
    value: int


class Usage(ABC):
    """Use of a machine over all replays, as its execution model counts it."""

    @property
    @abstractmethod
    def drawn_us(self) -> int | None:
        """Energy of a request, including its part of the energy of free cores; None if unknown.

        In the policy's unit of power times microseconds.
        """

    @abstractmethod
    def relative_to(self, base_us: int, other_ppm: int) -> Usage:
        """The same use of the server, with its energy relative to that of a baseline.

        base_us: energy of a request under the baseline [power times us]. other_ppm: share of the
        baseline's power that is used outside the cores [1e-6], equal in both.
        """

    @property
    @abstractmethod
    def columns(self) -> UsageColumns[Any]:
        """The columns that the tables of a verdict show about this use of the server."""

    @abstractmethod
    def cost_us(self, load: Load) -> float | None:
        """Cost of a request by which policies are compared; None if it is unknown.

        In microseconds times the unit of power, or times threads.
        """

    @abstractmethod
    def headline(self, load: Load) -> Headline:
        """The figure of this use of the server that matters most to a user, with its unit."""

    @property
    @abstractmethod
    def energy_ratio_ppm(self) -> int | None:
        """Energy of a request relative to a baseline's [1e-6]; None without a baseline."""

    @property
    @abstractmethod
    def remarks(self) -> tuple[str, ...]:
        """Sentences about this use that a report prints in addition."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Convert the use of the server to members of a run in the JSON of a verdict.

        The JSON schema is in schemas/report.
        """

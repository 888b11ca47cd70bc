"""How a machine was used by what ran on it, whatever its execution model."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from tailc.models.columns import UsageColumns
from tailc.models.server_load import Load


class Quantity(enum.Enum):
    """What a headline counts, and in what: millionths, mW, power times us, thousandths."""

    BATCH = "batch work"
    POWER = "power"
    ENERGY = "energy"
    THREADS = "threads"


@dataclass(frozen=True)
class Headline:
    """A number in the unit of its quantity."""

    quantity: Quantity
    value: int


class Usage(ABC):
    """What an execution model says of its machine besides latency, over all replays."""

    @property
    @abstractmethod
    def drawn_us(self) -> int | None:
        """Energy of a request, free cores included [power times us]; None: it is not known."""

    @abstractmethod
    def relative_to(self, base_us: int, other_ppm: int) -> Usage:
        """The same with its energy over that of a base.

        `other_ppm` is the share of the base's server that is no core: it draws alike in both.
        """

    @property
    @abstractmethod
    def columns(self) -> UsageColumns[Any]:
        """How tables show it."""

    @abstractmethod
    def cost_us(self, load: Load) -> int | None:
        """What a request costs its server [us of power, or of threads]; None: others pay for it."""

    @abstractmethod
    def headline(self, load: Load) -> Headline:
        """The one number that says what a policy takes."""

    @property
    @abstractmethod
    def energy_ratio_ppm(self) -> int | None:
        """Energy over that of a reference; None without one."""

    @property
    @abstractmethod
    def remarks(self) -> tuple[str, ...]:
        """What is left to say, in sentences."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The members of a run that it fills in JSON; schemas/report has the verdict's."""

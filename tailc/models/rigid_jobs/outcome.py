"""Result of a replay of rigid jobs."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.plan.ledger import LedgerEntry
from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import SettledJob


@dataclass(frozen=True, eq=False)
class RigidOutcome:
    """Result of replaying rigid jobs: jobs by number, and an energy balance for each epoch.

    green_racks: int64 (epochs,), on the green bus. busy: int64 (epochs,), servers.
    """

    submitted: int
    settled: tuple[SettledJob, ...]
    entries: tuple[LedgerEntry, ...]
    green_racks: Whole
    busy: Whole

    @property
    def income_udollars(self) -> int:
        """Payments of jobs less penalties."""
        return sum(one.udollars for one in self.settled)

    @property
    def profit_udollars(self) -> float:
        """Income less the price of brown energy."""
        return float(self.income_udollars - sum(one.brown_udollars for one in self.entries))

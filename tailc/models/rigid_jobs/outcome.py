"""Result of a replay of rigid jobs."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.plan.ledger import LedgerEntry
from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import SettledJob


@dataclass(frozen=True, eq=False)
class RigidOutcome:
    """Result of replaying rigid jobs: what became of each job, and energy in each epoch.

    submitted: number of submitted jobs. settled: jobs that were admitted or refused, by number.
    entries: energy balance of each epoch. green_racks: number of racks on the green bus, int64
    (epochs,). busy: number of busy servers, int64 (epochs,).
    """

    submitted: int
    settled: tuple[SettledJob, ...]
    entries: tuple[LedgerEntry, ...]
    green_racks: Whole
    busy: Whole

    @property
    def income_udollars(self) -> int:
        """Payments of jobs less penalties, over the whole replay [1e-6 dollars]."""
        return sum(one.udollars for one in self.settled)

    @property
    def profit_udollars(self) -> float:
        """Payments of jobs less penalties and the price of brown energy [1e-6 dollars]."""
        return float(self.income_udollars - sum(one.brown_udollars for one in self.entries))

"""Costs of two plans by their own forecasts, in integers."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.diff.plan_overlap import SharedEpochs
from tailc.forms.plan.ledger import ledger_of
from tailc.forms.plan.plan_books import PlanBooks, plan_books


@dataclass(frozen=True)
class CostChange:
    """A quantity of both plans; its unit is the end of its name.

    is_of_jobs: whether it is of all jobs of each plan; otherwise of the epochs that both plans
    have.
    """

    name: str
    old: int
    new: int
    is_of_jobs: bool


def cost_changes(shared: SharedEpochs) -> tuple[CostChange, ...]:
    """Energy, its price, CO2 and moves in the shared epochs; fees and penalties of all jobs.

    Sums of money and CO2 are exact, and then rounded to the nearest, halves to even.
    """
    pairs = [
        (_of_epochs(books, first, shared.epochs), _of_jobs(books))
        for books, first in (
            (plan_books(shared.old), shared.first_old),
            (plan_books(shared.new), shared.first_new),
        )
    ]
    (old_energy, old_jobs), (new_energy, new_jobs) = pairs
    return (
        *(CostChange(name, old_energy[name], new_energy[name], False) for name in new_energy),
        *(CostChange(name, old_jobs[name], new_jobs[name], True) for name in new_jobs),
    )


def _of_epochs(books: PlanBooks, first: int, epochs: int) -> dict[str, int]:
    within = slice(first, first + epochs)
    ledger = ledger_of(books.entries[within])
    return {
        "demand_mj": ledger.demand_mj,
        "green_used_mj": ledger.green_used_mj,
        "brown_mj": ledger.brown_mj,
        "spilled_mj": ledger.spilled_mj,
        "charged_mj": ledger.charged_mj,
        "lost_mj": ledger.lost_mj,
        "discharged_mj": ledger.discharged_mj,
        "brown_udollars": round(ledger.brown_udollars),
        "brown_mg": round(ledger.brown_mg),
        "moved_servers": sum(books.moved[within]),
    }


def _of_jobs(books: PlanBooks) -> dict[str, int]:
    return {
        "fees_udollars": sum(job.fees_udollars for job in books.jobs),
        "penalty_udollars": sum(job.penalty_udollars for job in books.jobs),
    }

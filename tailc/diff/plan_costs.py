"""What two plans cost by their own expectations, in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.diff.plan_overlap import Overlap
from tailc.forms.plan.expected import Expected, expected_of
from tailc.forms.plan.ledger import ledger_of


@dataclass(frozen=True)
class CostChange:
    """A quantity of both plans; its unit is the end of its name.

    is_of_jobs: of all jobs of each plan; else of the epochs that both plans have.
    """

    name: str
    old: int
    new: int
    is_of_jobs: bool


def cost_changes(shared: Overlap) -> tuple[CostChange, ...]:
    """Energy, its price and CO2, and moves, of the shared epochs; fees and penalties of all jobs.

    Sums of money and CO2 are exact, and then rounded to the nearest, a half to the even number.
    """
    pairs = [
        (_of_epochs(books, first, shared.epochs), _of_jobs(books))
        for books, first in (
            (expected_of(shared.old), shared.first_old),
            (expected_of(shared.new), shared.first_new),
        )
    ]
    (old_energy, old_jobs), (new_energy, new_jobs) = pairs
    return (
        *(CostChange(name, old_energy[name], new_energy[name], False) for name in new_energy),
        *(CostChange(name, old_jobs[name], new_jobs[name], True) for name in new_jobs),
    )


def _of_epochs(books: Expected, first: int, epochs: int) -> dict[str, int]:
    within = slice(first, first + epochs)
    found = ledger_of(books.entries[within])
    return {
        "demand_mj": found.demand_mj,
        "green_used_mj": found.green_used_mj,
        "brown_mj": found.brown_mj,
        "spilled_mj": found.spilled_mj,
        "charged_mj": found.charged_mj,
        "lost_mj": found.lost_mj,
        "discharged_mj": found.discharged_mj,
        "brown_udollars": round(found.brown_udollars),
        "brown_mg": round(found.brown_mg),
        "moved_servers": sum(books.moved[within]),
    }


def _of_jobs(books: Expected) -> dict[str, int]:
    return {
        "fees_udollars": sum(job.fees_udollars for job in books.jobs),
        "penalty_udollars": sum(job.penalty_udollars for job in books.jobs),
    }

"""Expected energy by source and epoch, and expected money of a plan's jobs, exactly.

With two buses, green energy first feeds the pools on the green bus; the rest goes to the other bus,
where it lowers brown energy but makes no slot green. In total, as with one bus, green energy is
used first. If the green bus has less than its pools draw, the rest is brown, although the plan
counts their slots as green. A battery stores what remains after that, and supplies energy in place
of brown energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tailc.forms.plan.demand import Whole, job_places
from tailc.forms.plan.ledger import Ledger, LedgerEntry, ledger_of
from tailc.forms.plan.plan import Plan, PlannedJob


@dataclass(frozen=True)
class JobBooks:
    """Server-epochs of a planned job, promised and actual green ones, and its money.

    slots: number of servers times epochs. promised_slots, green_slots: number of them that are
    promised to run on green energy, and that do. fees_udollars: payment before the penalty [1e-6
    dollars]. penalty_udollars: penalty for promised green slots that are not green.
    """

    name: str
    slots: int
    promised_slots: int
    green_slots: int
    fees_udollars: int
    penalty_udollars: int


@dataclass(frozen=True)
class PlanBooks:
    """Expected energy and money of a plan of jobs.

    entries: energy balance of each epoch. moved: number of servers whose work moves, by epoch.
    on_green_bus_mj: energy of the pools on the green bus, by epoch [mJ]; 0 with one bus. jobs:
    slots and money of each job.
    """

    entries: tuple[LedgerEntry, ...]
    moved: tuple[int, ...]
    on_green_bus_mj: tuple[int, ...]
    jobs: tuple[JobBooks, ...]

    @property
    def ledger(self) -> Ledger:
        """Energy balance of a plan and its cost, summed over all epochs."""
        return ledger_of(self.entries)

    @property
    def short_mj(self) -> int:
        """Energy that the green bus of a plan lacks for its pools, over all epochs [mJ]."""
        pairs = zip(self.entries, self.on_green_bus_mj, strict=True)
        return sum(max(0, drawn_mj - entry.green_mj) for entry, drawn_mj in pairs)

    @property
    def income_udollars(self) -> int:
        """Payments for the jobs of a plan minus penalties [1e-6 dollars]."""
        return sum(job.fees_udollars - job.penalty_udollars for job in self.jobs)

    @property
    def profit_udollars(self) -> Fraction:
        """Income of a plan from its jobs minus the price of brown energy [1e-6 dollars]."""
        return self.income_udollars - self.ledger.brown_udollars


def plan_books(plan: Plan) -> PlanBooks:
    """Compute the expected energy and money of a plan, in O(jobs pools epochs)."""
    return PlanBooks(
        entries=tuple(_entry(plan, number) for number in range(len(plan.epochs))),
        moved=tuple(plan.moves.sum(axis=0).tolist()),
        on_green_bus_mj=tuple(
            sum(drawn for pool, drawn in enumerate(row) if plan.is_green(pool, epoch))
            for epoch, row in enumerate(plan.drawn_mj)
        ),
        jobs=tuple(_books(plan, job) for job in plan.jobs),
    )


def places_of(plan: Plan, job: PlannedJob) -> Whole:
    """Numbers of servers that a planned job has, int64 (pools, epochs)."""
    return job_places(job, len(plan.pools), len(plan.epochs))


def green_slots(plan: Plan, job: PlannedJob) -> int:
    """Number of a job's server-epochs in pools on the green bus."""
    return sum(
        span.servers
        for span in job.spans
        for epoch in range(span.first_epoch, span.past)
        if plan.is_green(span.pool, epoch)
    )


def _entry(plan: Plan, number: int) -> LedgerEntry:
    epoch, flow_mj = plan.epochs[number], plan.battery_mj[number]
    charged_mj = max(flow_mj, 0)
    kept_mj = plan.battery.stored_mj(charged_mj) if plan.battery else 0
    return LedgerEntry(
        sum(plan.drawn_mj[number]),
        epoch.green_mw * plan.epoch_s,
        epoch.brown_udollars_per_kwh,
        epoch.brown_mg_per_kwh,
        charged_mj=charged_mj,
        lost_mj=charged_mj - kept_mj,
        discharged_mj=max(-flow_mj, 0),
        bought_mj=plan.bought_mj(number),
    )


def _books(plan: Plan, job: PlannedJob) -> JobBooks:
    green = green_slots(plan, job)
    if plan.terms is None:
        return JobBooks(job.name, job.slots, 0, green, 0, 0)
    promised = job.green_slots
    fees = promised * plan.terms.green_udollars
    fees += (job.slots - promised) * plan.terms.brown_udollars
    penalty = max(0, promised - green) * plan.terms.penalty_udollars
    return JobBooks(job.name, job.slots, promised, green, fees, penalty)

"""Differences between two plans: jobs and epochs at the same times, and costs."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tailc.diff.differences import SettingChange, differences
from tailc.diff.plan_settings import epoch_settings, plan_settings, summary_of
from tailc.forms.plan.ledger import ledger_of
from tailc.forms.plan.plan import Plan, PlannedJob
from tailc.forms.plan.plan_books import PlanBooks, Whole, green_slots, places_of, plan_books


@dataclass(frozen=True)
class SharedEpochs:
    """The epochs that two plans have in common: their number, and the first one in each plan."""

    old: Plan
    new: Plan
    first_old: int
    first_new: int
    epochs: int
    pools: tuple[str, ...]

    def unix_s(self, number: int) -> int:
        """Start of the common epoch of this number [Unix s]."""
        return self.old.start_unix_s + (self.first_old + number) * self.old.epoch_s

    def pairs(self) -> Iterator[tuple[int, int, int]]:
        """Iterate over common epochs: number in OLD, number in NEW, and start [Unix s]."""
        for number in range(self.epochs):
            yield self.first_old + number, self.first_new + number, self.unix_s(number)


def shared_epochs(old: Plan, new: Plan) -> SharedEpochs:
    """Find the common epochs; none if times do not overlap or lengths of epochs differ."""
    pools = tuple(dict.fromkeys(pool.name for pool in (*new.pools, *old.pools)))
    later, rest = divmod(new.start_unix_s - old.start_unix_s, old.epoch_s)
    if rest or old.epoch_s != new.epoch_s:
        return SharedEpochs(old, new, 0, 0, 0, pools)
    first_old, first_new = max(later, 0), max(-later, 0)
    epochs = min(len(old.epochs) - first_old, len(new.epochs) - first_new)
    return SharedEpochs(old, new, first_old, first_new, max(epochs, 0), pools)


@dataclass(frozen=True)
class CostChange:
    """A cost or an energy of two plans; the end of its name is the unit.

    is_of_jobs: true if it is the sum over all jobs of each plan; false if it is the sum over the
    epochs that both plans have.
    """

    name: str
    old: int
    new: int
    is_of_jobs: bool


def cost_changes(shared: SharedEpochs) -> tuple[CostChange, ...]:
    """Compare energy, its price, CO2 and moves in the common epochs, and money of all jobs.

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


class JobChangeKind(enum.Enum):
    """How a job changes from one plan to the other."""

    ADMITTED = "admitted"
    DROPPED = "dropped"
    WIDENED = "on more servers"
    NARROWED = "on fewer servers"
    SHIFTED = "at other times"
    MOVED = "in other pools"
    PROMISED = "promised otherwise"


@dataclass(frozen=True)
class JobSlots:
    """Number of server-epochs (one server for one epoch) of a job in one plan.

    slots: in the epochs that both plans have. green: those of all the job's server-epochs that run
    on green energy.
    """

    slots: int
    green: int


@dataclass(frozen=True)
class JobChange:
    """A job whose servers differ between two plans.

    old, new: its servers by epoch, or None if the plan lacks the job. first_unix_s, epochs: start
    of the first epoch in which the job differs, and number of such epochs; None and 0 if only the
    green energy promised to it differs.
    """

    name: str
    how: JobChangeKind
    first_unix_s: int | None
    epochs: int
    old: JobSlots | None
    new: JobSlots | None


@dataclass(frozen=True)
class EpochChange:
    """The changed forecasts and prices of one epoch."""

    first_unix_s: int
    changes: tuple[SettingChange, ...]


@dataclass(frozen=True)
class PlanChange:
    """Every difference between two plans. If only one policy has a plan, only `settings` is set.

    shared_epochs: number of epochs that both plans have; `epochs` and the places of jobs are
    compared in these only.
    """

    settings: tuple[SettingChange, ...] = ()
    shared_epochs: int = 0
    jobs: tuple[JobChange, ...] = ()
    epochs: tuple[EpochChange, ...] = ()
    costs: tuple[CostChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.settings or self.jobs or self.epochs)


SAME_PLAN = PlanChange()


def plan_change(
    old: Plan | None, new: Plan | None, rules: tuple[str | None, str | None] = (None, None)
) -> PlanChange:
    """Compare two plans: every setting, job and epoch that differs; empty if the plans are equal.

    rules: for OLD and NEW, the rule that admits jobs which the plan does not include; None: they
    are admitted by the plan's prices.
    """
    if old is None or new is None:
        if old is new:
            return SAME_PLAN
        return PlanChange((SettingChange("plan", summary_of(old), summary_of(new)),))
    if old == new and rules[0] == rules[1]:
        return SAME_PLAN
    shared = shared_epochs(old, new)
    return PlanChange(
        settings=tuple(
            differences(
                plan_settings(old, shared.first_old, rules[0]),
                plan_settings(new, shared.first_new, rules[1]),
            )
        ),
        shared_epochs=shared.epochs,
        jobs=tuple(_job_changes(shared)),
        epochs=tuple(_epoch_changes(shared)),
        costs=cost_changes(shared),
    )


def _epoch_changes(shared: SharedEpochs) -> Iterator[EpochChange]:
    for before, after, first_unix_s in shared.pairs():
        changes = differences(epoch_settings(shared.old, before), epoch_settings(shared.new, after))
        if epoch_changes := tuple(changes):
            yield EpochChange(first_unix_s, epoch_changes)


def _job_changes(shared: SharedEpochs) -> Iterator[JobChange]:
    """Changed jobs in the order of the newer plan, removed ones last."""
    before = {job.name: job for job in shared.old.jobs}
    after = {job.name: job for job in shared.new.jobs}
    for name in dict.fromkeys((*after, *before)):
        change = _job_change(shared, name, before.get(name), after.get(name))
        if change is not None:
            yield change


def _job_change(
    shared: SharedEpochs, name: str, old: PlannedJob | None, new: PlannedJob | None
) -> JobChange | None:
    was, will = (
        _places(shared, plan, job, first)
        for plan, job, first in ((shared.old, old, shared.first_old),
                                 (shared.new, new, shared.first_new))
    )  # fmt: skip
    how = _change_kind(old, new, was, will)
    if how is None:
        return None
    differs = np.flatnonzero((was != will).any(axis=0))
    return JobChange(
        name=name,
        how=how,
        first_unix_s=shared.unix_s(int(differs[0])) if len(differs) else None,
        epochs=len(differs),
        old=_slots(shared.old, old, was),
        new=_slots(shared.new, new, will),
    )


def _slots(plan: Plan, job: PlannedJob | None, places: Whole) -> JobSlots | None:
    return None if job is None else JobSlots(int(places.sum()), green_slots(plan, job))


def _change_kind(
    old: PlannedJob | None, new: PlannedJob | None, was: Whole, will: Whole
) -> JobChangeKind | None:
    """How the job changes; None if it does not, or its plan alone has the epochs."""
    if old is None:
        return JobChangeKind.ADMITTED
    if new is None:
        return JobChangeKind.DROPPED if was.any() else None
    if (was == will).all():
        # A promise for epochs that one plan does not have is not a difference.
        whole = old.slots == new.slots == int(was.sum())
        return JobChangeKind.PROMISED if whole and old.green_slots != new.green_slots else None
    if (was.sum(axis=0) == will.sum(axis=0)).all():
        return JobChangeKind.MOVED
    widest = int(will.sum(axis=0).max()) - int(was.sum(axis=0).max())
    return (
        JobChangeKind.SHIFTED
        if widest == 0
        else JobChangeKind.WIDENED
        if widest > 0
        else JobChangeKind.NARROWED
    )


def _places(shared: SharedEpochs, plan: Plan, job: PlannedJob | None, first: int) -> Whole:
    """Servers of the job by pool of either plan and by shared epoch."""
    found = np.zeros((len(shared.pools), shared.epochs), np.int64)
    if job is None:
        return found
    places = places_of(plan, job)[:, first : first + shared.epochs]
    for pool, row in zip(plan.pools, places, strict=True):
        found[shared.pools.index(pool.name)] = row
    return found

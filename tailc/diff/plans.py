"""What differs between two plans: jobs and epochs at the same moments, and what it costs."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tailc.diff.differing import Change, differing
from tailc.diff.plan_costs import CostChange, cost_changes
from tailc.diff.plan_overlap import Overlap, overlap_of
from tailc.diff.plan_settings import epoch_settings, plan_settings, summary_of
from tailc.forms.plan.expected import Whole, green_slots, places_of
from tailc.forms.plan.plan import Plan, PlannedJob


class How(enum.Enum):
    """What becomes of a job from one plan to the other."""

    ADMITTED = "admitted"
    DROPPED = "dropped"
    WIDENED = "on more servers"
    NARROWED = "on fewer servers"
    SHIFTED = "at other times"
    MOVED = "in other pools"
    PROMISED = "promised otherwise"


@dataclass(frozen=True)
class JobSlots:
    """Server-epochs of a job in one plan: those that both plans have, and of all that its plan has
    those on the green bus.
    """

    slots: int
    green: int


@dataclass(frozen=True)
class JobChange:
    """A job that differs. old, new: its slots; None: no such job.

    first_unix_s, epochs: when the first epoch begins in which it differs, and in how many it does;
    None and 0 where only its promise does.
    """

    name: str
    how: How
    first_unix_s: int | None
    epochs: int
    old: JobSlots | None
    new: JobSlots | None


@dataclass(frozen=True)
class EpochChange:
    """What one epoch is expected to bring otherwise."""

    first_unix_s: int
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class PlanChange:
    """Every difference between two plans. If only one policy has a plan, only `settings` is set.

    shared_epochs: number of epochs that both plans have; `epochs`, `prices` and places of jobs are
    compared in these only.
    """

    settings: tuple[Change, ...] = ()
    shared_epochs: int = 0
    jobs: tuple[JobChange, ...] = ()
    epochs: tuple[EpochChange, ...] = ()
    costs: tuple[CostChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.settings or self.jobs or self.epochs)


SAME_PLAN = PlanChange()


def plan_change(old: Plan | None, new: Plan | None) -> PlanChange:
    """Every setting, job and epoch that differs; empty where nothing does."""
    if old is None or new is None:
        if old is new:
            return SAME_PLAN
        return PlanChange((Change("plan", summary_of(old), summary_of(new)),))
    if old == new:
        return SAME_PLAN
    shared = overlap_of(old, new)
    return PlanChange(
        settings=tuple(
            differing(plan_settings(old, shared.first_old), plan_settings(new, shared.first_new))
        ),
        shared_epochs=shared.epochs,
        jobs=tuple(_job_changes(shared)),
        epochs=tuple(_epoch_changes(shared)),
        costs=cost_changes(shared),
    )


def _epoch_changes(shared: Overlap) -> Iterator[EpochChange]:
    for before, after, first_unix_s in shared.pairs():
        changes = differing(epoch_settings(shared.old, before), epoch_settings(shared.new, after))
        if told := tuple(changes):
            yield EpochChange(first_unix_s, told)


def _job_changes(shared: Overlap) -> Iterator[JobChange]:
    """In the order of the newer plan, what is gone at the end."""
    before = {job.name: job for job in shared.old.jobs}
    after = {job.name: job for job in shared.new.jobs}
    for name in dict.fromkeys((*after, *before)):
        change = _job_change(shared, name, before.get(name), after.get(name))
        if change is not None:
            yield change


def _job_change(
    shared: Overlap, name: str, old: PlannedJob | None, new: PlannedJob | None
) -> JobChange | None:
    was, will = (
        _places(shared, plan, job, first)
        for plan, job, first in ((shared.old, old, shared.first_old),
                                 (shared.new, new, shared.first_new))
    )  # fmt: skip
    how = _how(old, new, was, will)
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


def _how(old: PlannedJob | None, new: PlannedJob | None, was: Whole, will: Whole) -> How | None:
    """None: it does the same, or is in the one plan alone since that has other epochs."""
    if old is None:
        return How.ADMITTED
    if new is None:
        return How.DROPPED if was.any() else None
    if (was == will).all():
        # What is promised of epochs that one plan does not have is no difference.
        whole = old.slots == new.slots == int(was.sum())
        return How.PROMISED if whole and old.green_slots != new.green_slots else None
    if (was.sum(axis=0) == will.sum(axis=0)).all():
        return How.MOVED
    widest = int(will.sum(axis=0).max()) - int(was.sum(axis=0).max())
    return How.SHIFTED if widest == 0 else How.WIDENED if widest > 0 else How.NARROWED


def _places(shared: Overlap, plan: Plan, job: PlannedJob | None, first: int) -> Whole:
    """By pool that either plan has, and shared epoch."""
    found = np.zeros((len(shared.pools), shared.epochs), np.int64)
    if job is None:
        return found
    places = places_of(plan, job)[:, first : first + shared.epochs]
    for pool, row in zip(plan.pools, places, strict=True):
        found[shared.pools.index(pool.name)] = row
    return found

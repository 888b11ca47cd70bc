"""Exact figures of a plan in integers, and the rules that it violates.

A plan that violates a rule is refused with a list of the rules. Everything is computed from the
servers of each job, and nothing from what a solver reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tailc_solvers.green.sla.problem import (
    Flags,
    Groups,
    Job,
    Placement,
    Plan,
    Whole,
    is_contiguous,
)


class PlacementFault(StrEnum):
    """A rule that a plan violates, such as more servers than are free."""

    WRONG_LENGTH = "there is not one placement for each job"
    WRONG_SHAPE = "a placement is not as wide as the groups, or outside the horizon"
    NOT_WHOLE = "servers are not whole numbers"
    WRONG_START = "a job starts when it may not"
    WRONG_EPOCHS = "a job does not run for all its epochs"
    WRONG_WIDTH = "a job does not have all its servers in every epoch"
    NEGATIVE = "a job has a negative number of servers"
    TURNED_AWAY = "a job that must run is refused"
    OVERFULL = "the jobs of a group have more servers than the group"
    GREEN_OVERDRAWN = "green groups use more than the energy on the green bus"
    NOT_CONTIGUOUS = "a brown rack is between green ones"


@dataclass(frozen=True, eq=False)
class PlanFigures:
    """Revenue, costs and energy of a plan; existing jobs count only in the energy and its bill.

    Attributes:
        revenue: payments for the jobs that run [micro-dollars].
        missing: number of promised slots that are not green, by job [jobs].
        penalty: cost of the missing slots [micro-dollars].
        brown: energy from the grid [mJ; epochs].
        bill: cost of this energy [micro-dollars; epochs].
        charges: charges for slots and moves, which are not billed [micro-dollars].
        moves: number of VMs moved.
    """

    revenue: int
    missing: Whole
    penalty: int
    brown: Whole
    bill: Whole
    charges: int
    moves: int

    @property
    def profit(self) -> int:
        """Revenue of a plan minus penalties and the price of energy [micro-dollars]."""
        return self.revenue - self.penalty - int(self.bill.sum())

    @property
    def value(self) -> int:
        """Value of a plan: profit minus charges for slots and moves [micro-dollars].

        The best plan has the largest value. The charges affect decisions and are not billed.
        """
        return self.profit - self.charges


def faults_of(groups: Groups, jobs: Sequence[Job], plan: Plan) -> tuple[PlacementFault, ...]:
    """Rules that the plan violates, in the order of `PlacementFault`; empty if none."""
    if len(plan) != len(jobs):
        return (PlacementFault.WRONG_LENGTH,)
    found: set[PlacementFault] = set()
    if not is_contiguous(groups.is_green):
        found.add(PlacementFault.NOT_CONTIGUOUS)
    for job, placement in zip(jobs, plan, strict=True):
        found |= _faults_of_job(groups, job, placement)
    if not found & _SHAPELESS:
        slots, moves = load_of(groups, jobs, plan)
        if (slots > groups.free).any():
            found.add(PlacementFault.OVERFULL)
        # An overdraft by existing jobs is not a fault of this plan.
        left = np.maximum(groups.green_left, 0)
        if (groups.green_drawn(slots, moves) > left).any():
            found.add(PlacementFault.GREEN_OVERDRAWN)
    return tuple(fault for fault in PlacementFault if fault in found)


_SHAPELESS = {PlacementFault.WRONG_SHAPE, PlacementFault.NOT_WHOLE}
"""No loads can be added up with these."""


def _faults_of_job(groups: Groups, job: Job, placement: Placement | None) -> set[PlacementFault]:
    if placement is None:
        return {PlacementFault.TURNED_AWAY} if job.must_run else set()
    servers = placement.servers
    end = placement.start + (servers.shape[1] if servers.ndim == 2 else 0)
    is_inside = placement.start >= 0 and end <= groups.epochs
    if servers.ndim != 2 or servers.shape[0] != groups.groups or not is_inside:
        return {PlacementFault.WRONG_SHAPE}
    if not np.issubdtype(servers.dtype, np.integer):
        return {PlacementFault.NOT_WHOLE}
    broken = {
        PlacementFault.WRONG_START: placement.start not in job.starts,
        PlacementFault.WRONG_EPOCHS: servers.shape[1] != job.epochs,
        PlacementFault.WRONG_WIDTH: bool((servers.sum(axis=0) != job.width).any()),
        PlacementFault.NEGATIVE: bool((servers < 0).any()),
    }
    return {fault for fault, is_broken in broken.items() if is_broken}


def load_of(groups: Groups, jobs: Sequence[Job], plan: Plan) -> tuple[Whole, Whole]:
    """Number of servers that all jobs use, and of VMs that move there; both [groups, epochs]."""
    slots = np.zeros((groups.groups, groups.epochs), dtype=np.int64)
    moves = np.zeros_like(slots)
    for job, placement in zip(jobs, plan, strict=True):
        if placement is not None:
            slots[:, placement.epoch_slice] += placement.servers
            moves[:, placement.epoch_slice] += placement.moves(job.placed)
    return slots, moves


def figures_of(groups: Groups, jobs: Sequence[Job], plan: Plan) -> PlanFigures:
    """Compute revenue, costs and energy of a plan; its arrays must have the right shapes."""
    slots, moves = load_of(groups, jobs, plan)
    missing = np.array(
        [missing_of(groups.is_green, job, one) for job, one in zip(jobs, plan, strict=True)],
        dtype=np.int64,
    )
    running = [job for job, one in zip(jobs, plan, strict=True) if one is not None]
    all_slots, all_moves = (slots + groups.busy).sum(axis=0), (moves + groups.moves).sum(axis=0)
    brown = groups.energy.brown(all_slots, all_moves)
    charged = int(groups.charges.slot @ slots.sum(axis=1)) + groups.charges.move * int(moves.sum())
    return PlanFigures(
        revenue=sum(job.revenue for job in running),
        missing=missing,
        penalty=sum(job.penalty * int(m) for job, m in zip(jobs, missing, strict=True)),
        brown=brown,
        bill=groups.energy.bill(brown),
        charges=charged,
        moves=int(moves.sum()),
    )


def missing_of(is_green: Flags, job: Job, placement: Placement | None) -> int:
    """Number of a job's promised green slots that are not green; 0 for a refused job."""
    if placement is None:
        return 0
    green = int(placement.servers[is_green[:, placement.epoch_slice]].sum())
    return max(0, job.green_slots - green)

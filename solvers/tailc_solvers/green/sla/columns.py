"""Variables and rows of one job in a linear program, on groups or on single racks.

With s_k = 1 where the job starts in epoch k, for every epoch t of its window:

    minimise    - revenue sum_k s_k + penalty u + sum_gt (o_g x_gt + m a_gt)
    subject to  sum_g x_gt = V sum_(k <= t < k + T) s_k,    sum_k s_k <= 1
                a_gt >= x_gt - x_g(t-1) - V s_t
    variables   s_k in {0, 1}, x_gt whole from 0 to what is free, arrivals a_gt >= 0, u >= 0

A running job has s = 1, and its x before its first epoch is its current placement. The caller adds
the rows that determine u from the number of green slots: `missing_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc_solvers.backends.linear import Vector
from tailc_solvers.green.sla.problem import Charges, EnergySupply, Job, Placement, Whole
from tailc_solvers.green.sla.program import Assembly, Index


@dataclass(frozen=True, eq=False)
class JobVariables:
    """Numbers of one job's variables in a linear program; letters are those of the module.

    Attributes:
        job: the job.
        start: s, whether it starts, for each possible start epoch [starts].
        servers: x, its servers [groups, epochs of the window].
        moves: a, VMs that move to a group [groups, epochs of the window].
        missing: u, promised slots that are not green [1].
    """

    job: Job
    start: Index
    servers: Index
    moves: Index
    missing: Index

    @property
    def window(self) -> slice:
        """Range of the epochs in which the program lets the job run."""
        return slice(self.job.first_epoch, self.job.end)

    def starts_of(self, epoch: int) -> Index:
        """Indices of the start variables with which the job runs in an epoch [starts]."""
        begun = self.job.starts
        return self.start[(begun <= epoch) & (epoch < begun + self.job.epochs)]

    def placement(self, x: Vector) -> Placement | None:
        """Read the job's placement from a point, rounded to whole servers; None if refused."""
        chosen = np.flatnonzero(np.rint(x[self.start]) > 0)
        if not chosen.size:
            return None
        start = int(self.job.starts[chosen[0]])
        servers = np.rint(x[self.servers]).astype(np.int64)
        first = start - self.job.first_epoch
        return Placement(start, np.ascontiguousarray(servers[:, first : first + self.job.epochs]))


def add_job(assembly: Assembly, job: Job, free: Whole, charges: Charges) -> JobVariables:
    """Add a job's variables and constraints to a linear program.

    free: free servers [groups, epochs of the horizon]. charges: unbilled costs of slots and moves.
    """
    room = np.minimum(free[:, job.first_epoch : job.end], job.width)
    least = 1.0 if job.must_run else 0.0
    start = assembly.variables((job.starts.size,), cost=-job.revenue, lower=least, upper=1)
    servers = assembly.variables(room.shape, cost=charges.slot[:, None], upper=room)
    most_moves = np.broadcast_to(float(job.width), room.shape).copy()
    most_moves[:, 0] = job.width if job.is_running else 0
    moves = assembly.variables(room.shape, cost=charges.move, upper=most_moves, integer=False)
    missing = assembly.variables((1,), cost=job.penalty, upper=job.green_slots, integer=False)
    columns = JobVariables(job, start, servers, moves, missing)
    _run_rows(assembly, columns)
    _move_rows(assembly, columns)
    return columns


def _run_rows(assembly: Assembly, columns: JobVariables) -> None:
    job = columns.job
    if job.starts.size == 1:
        terms = (columns.servers.T, 1.0), (columns.start[None, :], -job.width)
        assembly.rows(*terms, lower=0, upper=0)
        return
    for at, epoch in enumerate(range(job.first_epoch, job.end)):
        running = columns.starts_of(epoch)[None, :]
        terms = (columns.servers[None, :, at], 1.0), (running, -job.width)
        assembly.rows(*terms, lower=0, upper=0)
    assembly.rows((columns.start[None, :], 1.0), upper=1)


def _move_rows(assembly: Assembly, columns: JobVariables) -> None:
    job, x, a = columns.job, columns.servers, columns.moves
    starts = columns.start.size
    if job.placed is not None:
        assembly.rows((_tall(a[:, 0]), 1.0), (_tall(x[:, 0]), -1.0), lower=-job.placed)
    for begin, end, is_start in ((1, starts, True), (max(1, starts), x.shape[1], False)):
        now, before, arrive = x[:, begin:end], x[:, begin - 1 : end - 1], a[:, begin:end]
        if not now.size:
            continue
        terms = [(_tall(arrive), 1.0), (_tall(now), -1.0), (_tall(before), 1.0)]
        if is_start:
            excused = np.broadcast_to(columns.start[begin:end], now.shape)
            terms.append((_tall(excused), float(job.width)))
        assembly.rows(*terms, lower=0)


def missing_rows(assembly: Assembly, columns: JobVariables, green: Index) -> None:
    """Add the constraint that counts a job's missing green slots: u >= G sum_k s_k - green slots.

    columns: the job's variables. green: variables whose sum is the number of its green slots.
    """
    job = columns.job
    if job.green_slots == 0:
        return
    terms = (columns.missing[None, :], 1.0), (columns.start[None, :], -job.green_slots)
    assembly.rows(*terms, (green.reshape(1, -1), 1.0), lower=0)


def add_bill(
    assembly: Assembly, energy: EnergySupply, jobs: Sequence[JobVariables], drawn: Whole
) -> Index:
    """Add the energy bill of each epoch as variables b_t >= c_t brown_t / EV; return the variables.

    brown_t is the energy of all jobs beyond the green energy. drawn: energy of existing jobs [mJ;
    epochs].
    """
    most = energy.brown_cost * (_most_slots(energy, jobs) + drawn / energy.server)
    bill = assembly.variables((energy.epochs,), cost=1.0, upper=most, integer=False)
    left = (energy.green - drawn) / energy.server
    share = energy.move / energy.server
    for t in range(energy.epochs):
        cost = float(energy.brown_cost[t])
        terms: list[tuple[Index, float]] = [(bill[None, t : t + 1], 1.0)]
        for columns in jobs:
            if columns.window.start <= t < columns.window.stop and cost:
                moves = columns.moves[None, :, t - columns.window.start]
                terms.append((columns.starts_of(t)[None, :], -cost * columns.job.width))
                terms.extend([(moves, -cost * share)] if share else [])
        assembly.rows(*terms, lower=-cost * left[t])
    return bill


def _most_slots(energy: EnergySupply, jobs: Sequence[JobVariables]) -> Vector:
    """Largest energy of all jobs in an epoch, if every server moves into every group [epochs].

    Without a limit of a variable, multipliers with a rounding error prove nothing.
    """
    slots = np.zeros(energy.epochs)
    for one in jobs:
        moves = len(one.servers) * energy.move / energy.server
        slots[one.window] += one.job.width * (1 + moves)
    return slots


def _tall(places: Index) -> Index:
    return places.reshape(-1, 1)

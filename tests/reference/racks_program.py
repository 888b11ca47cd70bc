"""Rigid jobs on green and brown racks as one mixed-integer program, as the paper prints it.

Haque (PhD dissertation, Rutgers 2016), appendix A, on groups of racks whose buses are known. Bills
are not rounded here, so the optimum may be above that of rounded bills by a micro-dollar an epoch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, cast

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

PPM = 1_000_000


@dataclass
class Program:
    """Columns and rows of a program that is minimised, added one by one."""

    costs: list[float] = field(default_factory=list)
    most: list[float] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)
    rows: list[tuple[Mapping[int, float], float, float]] = field(default_factory=list)

    def column(self, cost=0.0, high=inf, *, whole=False) -> int:
        self.costs.append(cost)
        self.most.append(high)
        self.whole.append(whole)
        return len(self.costs) - 1

    def row(self, terms: Mapping[int, float], low=-inf, high=inf) -> None:
        self.rows.append((terms, low, high))

    def solve(self):
        entries = [(i, j, a) for i, (row, _, _) in enumerate(self.rows) for j, a in row.items()]
        at, of, value = zip(*entries, strict=True)
        shape = (len(self.rows), len(self.costs))
        matrix = coo_array((value, (at, of)), shape=shape).tocsr()
        _, *sides = zip(*self.rows, strict=True)
        # The stubs of scipy know numbers alone as limits.
        low, high, most = cast("Any", [np.array(one) for one in (*sides, self.most)])
        return milp(
            np.array(self.costs),
            integrality=np.array(self.whole),
            bounds=Bounds(0, most),
            constraints=LinearConstraint(matrix, low, high),
            options={"mip_rel_gap": 0.0},
        )


def most_value(groups, jobs, violations_ppm=None):
    """The value of the best plan, and the plan as `sla_plain` has it; None if there is none.

    violations_ppm: the largest share of placed jobs that may miss promised green slots, without
    running jobs that miss them in any plan.
    """
    made = _Racks(groups, jobs, violations_ppm)
    found = made.program.solve()
    if found.status == 2:
        return None
    assert found.status == 0, found.message
    return -found.fun, made.plan(np.rint(found.x).astype(int))


class _Racks:
    """Columns: start of a job, its servers by epoch and group, moves, missing slots, brown energy.

    Energy is counted in that of a busy server in an epoch.
    """

    def __init__(self, groups, jobs, violations_ppm) -> None:
        self.groups, self.jobs, self.program = groups, jobs, Program()
        self.starts = [self._starts(job) for job in jobs]
        self.servers = [self._servers(job, at) for job, at in zip(jobs, self.starts, strict=True)]
        self.drawn = defaultdict(dict)
        """By epoch and group: columns, and the energy of one of each."""
        missed = [self._money(j) for j in range(len(jobs))]
        self._room()
        self._energy()
        if violations_ppm is not None:
            terms = {}
            for job, at, misses in zip(jobs, self.starts, missed, strict=True):
                if self._is_lost(job):
                    continue
                terms |= dict.fromkeys(at.values(), -violations_ppm / PPM) | {misses: 1.0}
            self.program.row(terms, high=1e-9)

    def _is_lost(self, job) -> bool:
        """Whether a job that must run has too few green slots if every free one is its own."""
        if not job.must_run:
            return False
        free, first = self.groups.free * self.groups.is_green, job.first_epoch
        most = [min(job.width, int(free[:, t].sum())) for t in range(first, first + job.epochs)]
        return sum(most) < job.green_slots

    def _starts(self, job) -> dict[int, int]:
        at = {int(t): self.program.column(high=1.0, whole=True) for t in job.starts}
        self.program.row(dict.fromkeys(at.values(), 1.0), 1.0 if job.must_run else 0.0, 1.0)
        return at

    def _servers(self, job, at):
        found = {}
        for t in range(min(at), max(at) + job.epochs):
            here = [self.program.column(whole=True) for _ in range(self.groups.groups)]
            runs = [column for start, column in at.items() if start <= t < start + job.epochs]
            self.program.row(dict.fromkeys(here, 1.0) | dict.fromkeys(runs, -job.width), 0.0, 0.0)
            found[t] = here
        return found

    def _money(self, j):
        """Revenue, penalties, charges and moves of a job; the column of whether slots miss."""
        job, groups, program = self.jobs[j], self.groups, self.program
        at, servers = self.starts[j], self.servers[j]
        move = groups.energy.move / groups.energy.server
        for start in at.values():
            program.costs[start] -= job.revenue
        green: dict[int, float] = {}
        for t, here in servers.items():
            for g, column in enumerate(here):
                program.costs[column] += int(groups.charges.slot[g])
                self.drawn[t, g][column] = 1.0
                if groups.is_green[g, t]:
                    green[column] = 1.0
                moved = program.column(groups.charges.move, high=job.width)
                self.drawn[t, g][moved] = move
                self._arrives(moved, job, t, g, at, servers)
        missing = program.column(job.penalty)
        owed = {start: -float(job.green_slots) for start in at.values()}
        program.row({missing: 1.0} | green | owed, low=0.0)
        misses = program.column(high=1.0, whole=True)
        program.row({missing: 1.0, misses: -job.green_slots}, high=0.0)
        return misses

    def _arrives(self, moved, job, t, g, at, servers) -> None:
        """`moved` is at least the servers that a group gains in an epoch; a start moves none."""
        terms, before = {moved: 1.0, servers[t][g]: -1.0}, 0
        if t - 1 in servers:
            terms[servers[t - 1][g]] = 1.0
        if job.placed is not None and t == job.first_epoch:
            before = -int(job.placed[g])
        elif t in at:
            terms[at[t]] = job.width
        self.program.row(terms, low=before)

    def _room(self) -> None:
        for t in range(self.groups.epochs):
            for g in range(self.groups.groups):
                here = {of[t][g]: 1.0 for of in self.servers if t in of}
                if here:
                    self.program.row(here, high=int(self.groups.free[g, t]))

    def _energy(self) -> None:
        groups, energy = self.groups, self.groups.energy
        before = groups.busy + groups.moves * (energy.move / energy.server)
        for t in range(groups.epochs):
            green = energy.green[t] / energy.server
            brown = self.program.column(int(energy.brown_cost[t]))
            drawn = {c: -a for g in range(groups.groups) for c, a in self.drawn[t, g].items()}
            self.program.row({brown: 1.0} | drawn, low=before[:, t].sum() - green)
            on_green = np.flatnonzero(groups.is_green[:, t]).tolist()
            bus = {c: a for g in on_green for c, a in self.drawn[t, g].items()}
            if bus:
                self.program.row(bus, high=green - before[on_green, t].sum())

    def plan(self, x):
        """The plan of a point."""
        return tuple(
            next((self._place(job, t, at, x) for t, column in starts.items() if x[column]), None)
            for job, starts, at in zip(self.jobs, self.starts, self.servers, strict=True)
        )

    @staticmethod
    def _place(job, start, at, x):
        return start, tuple(tuple(x[at[t]].tolist()) for t in range(start, start + job.epochs))

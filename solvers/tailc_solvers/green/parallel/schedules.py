"""The best schedule of one job against given costs: an exact search over a grid of work.

With work rounded down in every epoch a schedule that the grid takes to be done is done; with work
rounded up every schedule is on the grid, at its own cost or less, so the least cost is a lower
bound. Where a grid fits all work, both are the same.

Costs are whole billionths of a unit (thousandths of micro-units), rounded down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.green.parallel.kernels import NEVER, fill, price, trace
from tailc_solvers.green.parallel.problem import (
    MJ_PER_KWH,
    MS_PER_S,
    S_PER_H,
    ParallelProblem,
    Whole,
)
from tailc_solvers.green.parallel.states import Grid

NANO = 1_000
"""Billionths in a micro-unit."""

ROUNDING = 1e-12
"""Relative: taken off costs before they are rounded down, more than their products round by."""

UNIT_TRIES = 400
UNIT_SPAN = 1.4
"""Units tried for a grid that does not fit the work, and how much coarser the last is."""


@dataclass(frozen=True, eq=False)
class Prices:
    """Billionths, not negative: for each server-epoch and for each kWh in an epoch [T] each.

    `blocks` has prices of whole blocks of so many servers, beside those of the servers [T] each.
    """

    server: Whole
    energy: Whole
    blocks: tuple[tuple[int, Whole], ...] = ()

    @cached_property
    def sizes(self) -> Whole:
        """Of all blocks, those of one server first [B]."""
        return np.array([1, *(size for size, _ in self.blocks)], dtype=np.int64)

    @cached_property
    def each(self) -> Whole:
        """Of a block of each size [B, T]."""
        return np.stack([self.server, *(price for _, price in self.blocks)])

    @cached_property
    def per_mj(self) -> NDArray[np.float64]:
        """Of energy, and nothing after the last epoch [T + 1]."""
        return np.append(self.energy, 0) / MJ_PER_KWH


class Parts(NamedTuple):
    """What a run takes: power by epoch and level, moves between levels, first and last ones.

    Energy in mJ [K, L], [L, L], [L] and [L], servers [L], and what running costs [K].
    """

    busy_mj: Whole
    moves_mj: Whole
    first_mj: Whole
    end_mj: Whole
    servers: Whole
    waiting: NDArray[np.float64]


class Costs(NamedTuple):
    """Billionths of the first epoch, of each later one after and on a level, of ending after."""

    first: Whole
    stage: Whole
    end: Whole


@dataclass(frozen=True)
class Column:
    """One schedule of one job: its shape, first epoch and server counts from there on."""

    job: int
    shape: int
    start: int
    servers: tuple[int, ...]

    def at(self, epoch: int) -> int:
        """Servers in an epoch."""
        k = epoch - self.start
        return self.servers[k] if 0 <= k < len(self.servers) else 0

    def row(self, epochs: int) -> Whole:
        """Server counts in all epochs [T]."""
        row = np.zeros(epochs, dtype=np.int64)
        row[self.start : self.start + len(self.servers)] = self.servers
        return row


class Count(NamedTuple):
    """A range of a job's servers in one epoch; 0 where it does not run."""

    epoch: int
    least: int
    most: int


@dataclass(frozen=True)
class Rule:
    """What a search asks of a job's schedule: shape, epochs that it runs for, counts in some."""

    shape: int | None = None
    least_epochs: int = 1
    most_epochs: int = 1 << 30
    counts: tuple[Count, ...] = ()

    def admits(self, column: Column) -> bool:
        """Whether a schedule obeys."""
        is_shape = self.shape in (None, column.shape)
        is_length = self.least_epochs <= len(column.servers) <= self.most_epochs
        in_range = (c.least <= column.at(c.epoch) <= c.most for c in self.counts)
        return is_shape and is_length and all(in_range)

    def obeyed(self, run: Run, costs: Costs) -> Costs:
        """The costs, NEVER where a schedule would not obey; the shape is not looked at."""
        if self == ANY:
            return costs
        first, stage, end = (part.copy() for part in costs)
        stage[self.most_epochs :] = NEVER
        end[: self.least_epochs - 1] = NEVER
        for count in self.counts:
            k = count.epoch - run.start
            is_out = (run.servers < count.least) | (run.servers > count.most)
            if 0 <= k < stage.shape[0]:
                stage[k][:, is_out] = NEVER
            if k == 0:
                first[is_out] = NEVER
            if count.least > 0:
                end[: max(k, 0)] = NEVER
                if not 0 <= k < stage.shape[0]:
                    first[:] = NEVER
        return Costs(first, stage, end)


ANY = Rule()


@dataclass(frozen=True, eq=False)
class Run:
    """One job with one shape from one start: what it can do in each epoch, and what that takes."""

    problem: ParallelProblem
    job: int
    shape: int
    start: int

    @cached_property
    def servers(self) -> Whole:
        """Counts by level [L]."""
        return self.problem.jobs[self.job].shapes[self.shape].servers

    @cached_property
    def work(self) -> Whole:
        """Work that counts in each epoch by level, in the last until the deadline [K, L]."""
        job = self.problem.jobs[self.job]
        begin = MS_PER_S * (self.problem.begin_s[self.start :] - self.problem.begin_s[self.start])
        end = np.minimum(begin[1:], job.deadline_ms)
        counted = end - begin[:-1]
        return counted[counted > 0, None] * job.shapes[self.shape].speed_ppt

    @cached_property
    def epochs(self) -> slice:
        """The epochs in which the job can run."""
        return slice(self.start, self.start + self.work.shape[0])

    @property
    def _busy_mj(self) -> Whole:
        return self.problem.power_mw[self.servers] * self.problem.length_s[self.epochs, None]

    @cached_property
    def waiting(self) -> NDArray[np.float64]:
        """Cost of running through each epoch, in billionths [K]."""
        per_s = NANO * self.problem.run_cost / (S_PER_H * len(self.problem.jobs))
        return per_s * self.problem.length_s[self.epochs].astype(np.float64)

    def priced(self, prices: Prices) -> Costs:
        """Costs of the schedules where servers and energy have prices."""
        here, costs = self.epochs, self.uncosted()
        after = prices.per_mj[here.start : here.stop + 1]
        price(self.parts, prices.sizes, prices.each[:, here], after, 1 - ROUNDING, costs)
        return costs

    def uncosted(self) -> Costs:
        """Costs that are yet to be written."""
        K, L = self.work.shape
        return Costs(*(np.empty(shape, np.int64) for shape in ((L,), (K, L, L), (K, L))))

    @cached_property
    def parts(self) -> Parts:
        """What it takes."""
        moves, servers = self.problem.moves_mj, self.servers
        return Parts(
            busy_mj=self._busy_mj,
            moves_mj=moves[np.ix_(servers, servers)],
            first_mj=moves[self.problem.jobs[self.job].present, servers],
            end_mj=moves[servers, 0],
            servers=servers,
            waiting=self.waiting,
        )


def grid_of(run: Run, most_cells: int) -> Grid:
    """The grid that fits the work exactly if it has at most `most_cells` units, or a close one."""
    left = run.problem.jobs[run.job].work_left
    lengths = np.unique(run.problem.length_s[run.epochs]) * MS_PER_S
    gains = np.unique(lengths[:, None] * run.problem.jobs[run.job].shapes[run.shape].speed_ppt)
    unit = math.gcd(*gains.tolist())
    if left > most_cells * unit:
        unit = _close_unit(gains, -(-left // most_cells))
    need = -(-left // unit)
    down, up = run.work // unit, -(-run.work // unit)
    # What is left before the last epoch is at most, or at least, its units less what `need` added.
    down[-1] = up[-1] = (run.work[-1] + need * unit - left) // unit
    return Grid(need, down, up)


def _close_unit(gains: Whole, least: int) -> int:
    """The unit from `least` on that rounds the gains least, relative to each."""
    tries = np.unique(np.linspace(least, UNIT_SPAN * least, UNIT_TRIES).astype(np.int64))
    units = gains[None, :] / tries[:, None]
    lost = np.maximum(np.ceil(units) / units, units / np.maximum(np.floor(units), 0.5))
    return int(tries[np.argmin(lost.max(axis=1))])


class Found(NamedTuple):
    """A schedule and its cost, by the costs that it was searched with."""

    cost: int
    column: Column


class Schedules:
    """All runs of all jobs, for many searches.

    Args:
        problem: the jobs.
        most_cells: units of work of one job; more are finer, and slower.
        only: the jobs that are searched for; None for all.
    """

    def __init__(
        self, problem: ParallelProblem, most_cells: int, only: Sequence[int] | None = None
    ) -> None:
        self.problem = problem
        jobs = range(len(problem.jobs))
        wanted = jobs if only is None else only
        self.runs = [list(_runs_of(problem, j)) if j in wanted else [] for j in jobs]
        self._grids = dict(self._gridded(most_cells))
        self._scratch = np.empty(0, dtype=np.int64)

    def _gridded(self, most_cells: int) -> Iterator[tuple[int, Grid]]:
        """The grid of each run; runs of one job that do the same work have one."""
        for runs in self.runs:
            known: dict[tuple[int, bytes], Grid] = {}
            for run in runs:
                key = run.shape, run.work.tobytes()
                if key not in known:
                    known[key] = grid_of(run, most_cells)
                yield id(run), known[key]

    def is_exact(self, job: int) -> bool:
        """Whether the least cost of a job's schedules is a lower bound as well."""
        return all(self._grids[id(run)].is_exact for run in self.runs[job])

    def bound(self, job: int, prices: Prices, rule: Rule = ANY) -> int:
        """A lower bound on the cost of every schedule of a job; NEVER where it has none."""
        runs = [run for run in self.runs[job] if rule.shape in (None, run.shape)]
        found = [
            self._fill(run, rule.obeyed(run, run.priced(prices)), is_up=True)[0] for run in runs
        ]
        return min(found, default=int(NEVER))

    def best(self, job: int, costs_of: Callable[[Run], Costs], rule: Rule = ANY) -> Found | None:
        """The least schedule of a job, by the costs of each of its runs; None if none is found."""
        best: Found | None = None
        for run in self.runs[job]:
            if rule.shape not in (None, run.shape):
                continue
            costs = rule.obeyed(run, costs_of(run))
            cost, value = self._fill(run, costs, is_up=False)
            if cost < (NEVER if best is None else best.cost):
                best = Found(cost, self._column(run, costs, value))
        return best

    def _fill(self, run: Run, costs: Costs, *, is_up: bool) -> tuple[int, Whole]:
        grid = self._grids[id(run)]
        states = grid.states_up if is_up else grid.states_down
        if self._scratch.size < states.after.size:
            self._scratch = np.empty(states.after.size, dtype=np.int64)
        value = self._scratch[: states.after.size].reshape(states.after.shape)
        return int(fill(costs, states, value)), value

    def _column(self, run: Run, costs: Costs, value: Whole) -> Column:
        states = self._grids[id(run)].states_down
        levels = np.zeros(run.work.shape[0], dtype=np.int64)
        left = self.problem.jobs[run.job].work_left
        ends = trace(costs, states, value, run.work, left, levels)
        return Column(run.job, run.shape, run.start, tuple(run.servers[levels[:ends]].tolist()))


def _runs_of(problem: ParallelProblem, j: int) -> Iterator[Run]:
    job = problem.jobs[j]
    for shape in range(len(job.shapes)):
        for start in range(job.earliest, job.latest + 1):
            run = Run(problem, j, shape, start)
            if int(run.work.max(axis=1, initial=0).sum()) >= job.work_left:
                yield run

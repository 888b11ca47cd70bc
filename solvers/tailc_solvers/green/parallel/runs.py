"""The possible runs of a job, and the grid of work on which each run is searched."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.green.parallel.parts import NANO
from tailc_solvers.green.parallel.problem import MS_PER_S, S_PER_H, ParallelProblem, Whole
from tailc_solvers.green.parallel.states import WorkGrid

UNIT_TRIES = 400
UNIT_SPAN = 1.4
"""Units tried for a grid that does not fit the work, and how much coarser the last is."""


@dataclass(frozen=True, eq=False)
class JobRun:
    """A job with one choice of its shape (virtual machines) and its start."""

    problem: ParallelProblem
    job: int
    shape: int
    start: int

    @cached_property
    def work(self) -> Whole:
        """Work that the job does in each epoch of the run, by number of servers [K, L].

        In the last epoch only work before the deadline counts.
        """
        job = self.problem.jobs[self.job]
        begin = MS_PER_S * (self.problem.begin_s[self.start :] - self.problem.begin_s[self.start])
        end = np.minimum(begin[1:], job.deadline_ms)
        counted = end - begin[:-1]
        return counted[counted > 0, None] * job.shapes[self.shape].speed_ppt


def runs_of(problem: ParallelProblem, j: int) -> Iterator[JobRun]:
    """The runs of job `j` (shape and start) in which it can finish its work."""
    job = problem.jobs[j]
    for shape in range(len(job.shapes)):
        for start in range(job.earliest, job.latest + 1):
            run = JobRun(problem, j, shape, start)
            if int(run.work.max(axis=1, initial=0).sum()) >= job.work_left:
                yield run


def waiting_each(problem: ParallelProblem) -> NDArray[np.float64]:
    """Cost of one job's run time in each epoch, in billionths [T]."""
    per_s = NANO * problem.run_cost / (S_PER_H * len(problem.jobs))
    return per_s * problem.length_s.astype(np.float64)


def grid_of(run: JobRun, most_cells: int) -> WorkGrid:
    """The work grid of a run: exact if `most_cells` units are enough, otherwise rounded."""
    left = run.problem.jobs[run.job].work_left
    here = slice(run.start, run.start + run.work.shape[0])
    lengths = np.unique(run.problem.length_s[here]) * MS_PER_S
    gains = np.unique(lengths[:, None] * run.problem.jobs[run.job].shapes[run.shape].speed_ppt)
    unit = math.gcd(*gains.tolist())
    if left > most_cells * unit:
        unit = _close_unit(gains, -(-left // most_cells))
    need = -(-left // unit)
    down, up = run.work // unit, -(-run.work // unit)
    # The remaining work before the last epoch is at most, or at least, its units less what `need`
    # added.
    down[-1] = up[-1] = (run.work[-1] + need * unit - left) // unit
    return WorkGrid(need, down, up)


def _close_unit(gains: Whole, least: int) -> int:
    """The unit of at least `least` with the smallest relative rounding error of the gains."""
    tries = np.unique(np.linspace(least, UNIT_SPAN * least, UNIT_TRIES).astype(np.int64))
    units = gains[None, :] / tries[:, None]
    lost = np.maximum(np.ceil(units) / units, units / np.maximum(np.floor(units), 0.5))
    return int(tries[np.argmin(lost.max(axis=1))])

"""Small clusters, jobs and suns that tests of allocators share."""

from dataclasses import dataclass, field

import numpy as np
from tailc_solvers.backends.linear import SolverOutcome
from tailc_solvers.green.parallel.columns import ColumnsEffort, ColumnsSolution
from tailc_solvers.green.parallel.solution import Ending, none_of

from tailc.models.datacentre.supply import Supply
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.jobs import MalleableJob
from tailc.pipeline.allocators.problem import Aims

EIGHT = Cluster(8, 30_000, 0, 0, 900)
# Ten cents a kWh: a server on brown energy costs 3,000 micro-dollars an hour.
PRICE = 100_000
AIMS = Aims(run_cost=4_000, mean_over=1)
QUICK = ColumnsEffort(nodes=0, starts=0, cells=300, rounds=8)
LINEAR = {n: 1_000_000 * n for n in (1, 2, 4, 8)}
BENT = {1: 1_000_000, 2: 1_800_000, 4: 3_000_000, 8: 4_500_000}


def job(number=1, submit_s=0, requested=2, run_s=1_800, slowdown_ppm=1_100_000, curve=None):
    """It runs for `run_s` on the servers that it asks for."""
    speed = LINEAR if curve is None else curve
    curves = {
        factor * requested: {n: speed[n] for n in speed if n <= factor * requested <= 4 * n}
        for factor in (2, 4)
    }
    work_s = max(run_s * speed[requested] // 1_000_000, 1)
    return MalleableJob(number, submit_s, work_s, requested, slowdown_ppm, curves)


def sun(servers, price=PRICE) -> Supply:
    """Green power for so many servers in each epoch."""
    green = 30_000 * np.array(servers, np.int64)
    return Supply(green, np.full(len(green), price), np.full(len(green), 200_000))


def no_plan(problem, warm):
    """A search that ends without a plan."""
    return ColumnsSolution(none_of(Ending.NO_PLAN, SolverOutcome.CRASHED, "it crashed"))


@dataclass
class Watched:
    """Asks another and keeps what was asked; from the `until`-th question on it has no plan."""

    solve: object
    until: int = 1_000
    asked: list = field(default_factory=list)
    found: list = field(default_factory=list)

    def __call__(self, problem, warm):
        is_over = len(self.asked) >= self.until
        self.asked.append((problem, tuple(warm)))
        self.found.append(no_plan(problem, warm) if is_over else self.solve(problem, warm))
        return self.found[-1]

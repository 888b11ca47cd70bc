"""Formulate the planning problem of a replay's malleable jobs (Haque, Rutgers 2016, eq. B.1-B.9).

The replay and the solver measure progress in equal units: a millionth of a speed-up for a second is
a thousandth of a speed-up for a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from tailc_solvers.green.parallel.problem import (
    MS_PER_S,
    PPT,
    ParallelJob,
    ParallelProblem,
    Shape,
    moves_of,
    thousandths,
    weighed_cost,
)

from tailc.models.datacentre.supply import PPM, Whole
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.jobs import MalleableJob, UnfinishedJob
from tailc.pipeline.allocators.epochs import Epochs

MG_PER_G = 1_000
MOST_VMS_A_SERVER = 4
OUTLIVED = 10
"""A job that exceeds its expected work is assumed to have this fraction (1/10) of it left."""


@dataclass(frozen=True)
class Aims:
    """Weights of a plan's objective, in micro-units.

    run_cost: cost of an hour of mean run time. of_money, of_energy, of_carbon: cost of a
    micro-dollar, a kWh and a gram of CO2 of brown energy. mean_over: number of jobs that the mean
    run time is over, for example all jobs of a day. None: the jobs of the problem, as published; an
    hour of one job then weighs more if there are fewer jobs.
    """

    run_cost: int
    of_money: int = 1
    of_energy: int = 0
    of_carbon: int = 0
    mean_over: int | None = None

    def run_cost_of(self, jobs: int) -> int:
        """Cost of an hour of mean run time in a problem of `jobs` jobs, in whole micro-units."""
        if self.mean_over is None:
            return self.run_cost
        return round(Fraction(self.run_cost * jobs, self.mean_over))


def parallel_problem(
    cluster: Cluster, epochs: Epochs, jobs: Sequence[ParallelJob], aims: Aims
) -> ParallelProblem:
    """Make the solver's problem of planning these jobs over these epochs.

    Green energy first supplies the sleeping servers.
    """
    count = np.arange(cluster.servers + 1, dtype=np.int64)
    supply = epochs.supply
    spare_mw = np.maximum(supply.green_mw - cluster.servers * cluster.asleep_mw, 0)
    return ParallelProblem(
        length_s=epochs.length_s,
        servers=cluster.servers,
        power_mw=(cluster.busy_mw - cluster.asleep_mw) * count,
        moves_mj=moves_of(cluster.change_mj * count, at_the_ends=False),
        green_mj=(spare_mw * epochs.length_s)[None],
        weight_ppm=np.array([PPM], np.int64),
        brown_cost=_brown_cost(supply.brown_udollars_per_kwh, supply.brown_mg_per_kwh, aims),
        run_cost=aims.run_cost_of(len(jobs)),
        jobs=tuple(jobs),
        most_vms_a_server=MOST_VMS_A_SERVER,
    )


def new_job(job: MalleableJob, servers: int, work_s: int, epoch: int = 0) -> ParallelJob:
    """Convert a waiting job to a solver's job that starts in `epoch`.

    work_s: its expected run time on one server [s]. Raises ValueError if none of its numbers of
    virtual machines fits on the servers, or if a speed-up is not a multiple of a thousandth.
    """
    shapes = [shape_of(job, vms, servers) for vms in sorted(job.speedup_ppm)]
    return ParallelJob(
        tuple(shape for shape in shapes if shape is not None),
        work_s * PPM,
        job.requested,
        thousandths(job.requested_ppm),
        job.slowdown_ppm // PPT,
        epoch,
        epoch,
    )


def running_job(one: UnfinishedJob, servers: int, work_s: int) -> ParallelJob:
    """Convert a running job, with its remaining work, to a job of the solver's problem.

    If the job can no longer keep its limit on slowdown, the limit is what the requested servers
    allow.
    """
    shape = shape_of(one.job, one.vms, servers)
    assert shape is not None, "it runs on them"
    expected = work_s * PPM
    left = expected - one.done if expected > one.done else -(-expected // OUTLIVED)
    job = ParallelJob(
        (shape,),
        left,
        one.job.requested,
        thousandths(one.job.requested_ppm),
        one.job.slowdown_ppm // PPT,
        work_done=one.done,
        run_ms=one.ran_s * MS_PER_S,
        present=one.servers,
    )
    return with_possible_slack(job)


def with_possible_slack(job: ParallelJob) -> ParallelJob:
    """Return the running job; its limit on slowdown is raised if it can no longer be kept."""
    return job if _can_keep(job) else replace(job, slack_ppt=_least_slack_ppt(job))


def shape_of(job: MalleableJob, vms: int, servers: int) -> Shape | None:
    """Server counts on which `vms` virtual machines can run, and the speed on each; None if none.

    servers: number of servers of the cluster.
    """
    curve = job.speedup_ppm[vms]
    fits = (count for count in sorted(curve) if count <= min(vms, servers))
    counts = [count for count in fits if vms <= MOST_VMS_A_SERVER * count]
    return (
        Shape.from_counts(vms, counts, [thousandths(curve[count]) for count in counts])
        if counts
        else None
    )


def at_request(job: ParallelJob, shape: int = 0) -> int:
    """The largest number of servers that the job may have, up to the number that it requests.

    The smallest allowed number if all are larger.
    """
    counts = job.shapes[shape].servers.tolist()
    return max((count for count in counts if count <= job.requested), default=counts[0])


def speed_ppt(job: ParallelJob, shape: int, count: int) -> int:
    """Speed on `count` servers, in thousandths; ValueError if the job cannot run on that number."""
    counts = job.shapes[shape].servers.tolist()
    return int(job.shapes[shape].speed_ppt[counts.index(count)])


def _can_keep(job: ParallelJob) -> bool:
    return job.work_left <= int(job.shapes[0].speed_ppt.max()) * job.deadline_ms


def _least_slack_ppt(job: ParallelJob) -> int:
    longest_ms = job.run_ms - (-job.work_left // speed_ppt(job, 0, at_request(job)))
    return -(-longest_ms * PPT * job.requested_speed_ppt // (job.work_done + job.work_left))


def _brown_cost(udollars: Whole, mg: Whole, aims: Aims) -> Whole:
    """Cost of a kWh more; 0 at a negative price, at which the grid's power is bought anyway."""
    carbon_g = np.rint(mg / MG_PER_G).astype(np.int64)
    cost = weighed_cost(
        np.maximum(udollars, 0),
        carbon_g,
        of_money=aims.of_money,
        of_energy=aims.of_energy,
        of_carbon=aims.of_carbon,
    )
    return np.where(udollars < 0, 0, cost)

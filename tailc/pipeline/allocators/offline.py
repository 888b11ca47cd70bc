"""Follow one plan made with full knowledge of all jobs and of the energy."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.models.datacentre.supply import Supply
from tailc.models.malleable_jobs.allocator import Allocation, ClusterView
from tailc.models.malleable_jobs.baselines.constant import ConstantAllocator
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.jobs import MalleableJob
from tailc.pipeline.allocators.epochs import epochs_ahead
from tailc.pipeline.allocators.problem import Aims, new_job, parallel_problem
from tailc.pipeline.allocators.solving import Solve, checked_columns
from tailc.pipeline.allocators.steps import server_schedule


class Offline:
    """The allocator `offline` in one replay: it follows a plan made with full knowledge.

    The plan knows all jobs and the energy in advance. Epochs are split at arrivals, so that jobs
    start at once.

    If the search finds no plan, jobs get the servers they request (Haque, Rutgers 2016, section
    B.3.2).
    """

    def __init__(
        self,
        cluster: Cluster,
        supply: Supply,
        jobs: Sequence[MalleableJob],
        solve: Solve,
        aims: Aims,
    ) -> None:
        until_s = max(job.submit_s + job.longest_s for job in jobs)
        cuts_s = [job.submit_s for job in jobs]
        epochs = epochs_ahead(cluster, 0, supply, until_s, cuts_s)
        rows = [
            new_job(job, cluster.servers, job.work_s, epochs.epoch_at(job.submit_s)) for job in jobs
        ]
        problem = parallel_problem(cluster, epochs, rows, aims)
        self.found = solve(problem, ())
        columns = checked_columns(problem, self.found)
        self._steps = {
            jobs[column.job].number: server_schedule(problem, epochs, column)
            for column in columns or ()
        }

    def allocate(self, view: ClusterView) -> Allocation:
        """Allocate the servers that the plan gives each job now."""
        if not self._steps:
            return ConstantAllocator().allocate(view)
        steps = {one.job.number: self._steps[one.job.number] for one in view.active}
        servers = {number: each.servers_at(view.now_s) for number, each in steps.items()}
        return Allocation(servers, {number: each.vms for number, each in steps.items()})

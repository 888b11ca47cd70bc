"""Replay a plan's prices: each malleable job keeps the servers that are cheapest at its start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tailc.forms.plan.plan import PPM, Plan, PoolPrices
from tailc.forms.plan.quote import cheapest_width
from tailc.models.malleable_jobs.allocator import Allocation, ClusterView
from tailc.models.malleable_jobs.jobs import UnfinishedJob


class PricedWidths:
    """Chooses a job's servers at its start, by the prices of the epochs in which it will run."""

    def __init__(self, plan: Plan, epoch_of: Callable[[int], int]) -> None:
        """epoch_of: the plan's epoch for an epoch of the replay. The plan has one pool."""
        if len(plan.pools) != 1 or plan.malleable is None:
            raise ValueError("malleable jobs are on a plan of one pool")
        self._plan = plan.without_battery()
        self._epoch_of = epoch_of

    def allocate(self, view: ClusterView) -> Allocation:
        """Keep the running jobs; start waiting jobs in order while there is room."""
        servers = {one.job.number: one.servers for one in view.active if one.servers}
        waiting = [one for one in view.active if not one.servers]
        if not waiting:
            return Allocation(servers)
        epoch_s = view.cluster.epoch_s
        plan = self._plan_from(view.now_s // epoch_s)
        free = np.full((1, len(plan.epochs)), view.cluster.servers, np.int64)
        for one in view.active:
            if one.servers:
                free[0, : -(-one.left_s() // epoch_s)] -= one.servers
        for one in waiting:
            epochs_of = _epochs_of(one, epoch_s)
            width = cheapest_width(plan, free, 0, epochs_of)
            if width is None:
                break
            servers[one.job.number] = width
            free[0, : epochs_of[width]] -= width
        return Allocation(servers)

    def _plan_from(self, epoch: int) -> Plan:
        """The plan with the current epoch as its first, and without its own jobs."""
        plan = self._plan
        order = [self._epoch_of(epoch + number) for number in range(len(plan.epochs))]
        prices = tuple(PoolPrices(tuple(one.udollars[at] for at in order)) for one in plan.prices)
        return replace(plan, jobs=(), prices=prices, epochs=tuple(plan.epochs[at] for at in order))


def _epochs_of(one: UnfinishedJob, epoch_s: int) -> dict[int, int]:
    """Number of epochs of a waiting job, for each number of servers on which it is not late."""
    job = one.job
    run_s = {
        servers: -(-job.work_s * PPM // speedup_ppm)
        for servers, speedup_ppm in job.speedup_ppm[job.requested_vms].items()
    }
    return {
        servers: -(-each_s // epoch_s)
        for servers, each_s in run_s.items()
        if each_s <= job.longest_s
    }

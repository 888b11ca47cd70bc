"""Constant allocation: each job has its requested servers from its start to its end."""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.malleable_jobs.allocator import Allocation, ClusterView, Make
from tailc.models.rule_baselines import RuleBaseline


class ConstantAllocator:
    """Allocator that gives each job the servers that it requests; otherwise the job waits.

    Jobs wait in order of submission (Haque 2016, B.4).
    """

    def allocate(self, view: ClusterView) -> Allocation:
        """Keep the running jobs, and start waiting jobs in order until one does not fit."""
        free = view.cluster.servers - sum(one.servers for one in view.active)
        servers = {one.job.number: one.servers for one in view.active if one.servers}
        for one in view.active:
            if one.servers:
                continue
            if one.job.requested > free:
                break
            servers[one.job.number] = one.job.requested
            free -= one.job.requested
        return Allocation(servers)


@final
class ConstantBaseline(RuleBaseline[Make]):
    """Baseline: each job has its requested servers from its start to its end."""

    syntax = Syntax("constant")
    about = "each job has the servers that it requests"
    rank = 10
    examples = ("constant",)
    is_default = True

    def make(self, values: NameValues) -> Make:
        return lambda _window, _jobs: ConstantAllocator()

"""The numbers of the single servers that each job of a plan uses.

A plan counts servers in pools. Here each server has a number from 0: the servers of the first pool
come first, and those of a rack follow each other. From epoch to epoch a job keeps as many of its
servers as the plan gives it, and releases those with the highest numbers first. Additional servers
are the free ones with the lowest numbers. So work moves only where the plan counts a move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise

from tailc.forms.plan.plan import Plan

Servers = tuple[int, ...]
"""Numbers of servers, ascending."""


@dataclass(frozen=True)
class AssignedServers:
    """Numbers of the servers of each running job by epoch, by the name of the job.

    servers: number of all servers.
    """

    servers: int
    by_epoch: tuple[Mapping[str, Servers], ...]

    def asleep(self, epoch: int) -> Servers:
        """Numbers of the servers that have no job in an epoch, ascending."""
        busy = {server for servers in self.by_epoch[epoch].values() for server in servers}
        return tuple(server for server in range(self.servers) if server not in busy)


def assigned_servers(
    plan: Plan, before: Mapping[str, Servers] | None = None, first: int = 0
) -> AssignedServers:
    """Assign servers to all jobs of a plan from epoch `first` on; O(epochs (servers + jobs)).

    before: servers of jobs that run before this epoch, which they keep as far as possible. Epochs
    before it have no jobs.
    """
    here: Mapping[str, Servers] = before or {}
    by_epoch: list[Mapping[str, Servers]] = [{}] * first
    for epoch in range(first, len(plan.epochs)):
        here = _next(plan, epoch, here)
        by_epoch.append(here)
    return AssignedServers(plan.servers, tuple(by_epoch))


def _next(plan: Plan, epoch: int, before: Mapping[str, Servers]) -> dict[str, Servers]:
    """Servers of each job in an epoch, from those in the epoch before."""
    first = [0, *accumulate(pool.servers for pool in plan.pools)]
    given: dict[str, list[int]] = {}
    missing: list[tuple[str, int, int]] = []
    for job in plan.jobs:
        for span in job.spans:
            if not span.first_epoch <= epoch < span.past:
                continue
            held = [
                server
                for server in before.get(job.name, ())
                if first[span.pool] <= server < first[span.pool + 1]
            ][: span.servers]
            given.setdefault(job.name, []).extend(held)
            missing.append((job.name, span.pool, span.servers - len(held)))
    taken = {server for servers in given.values() for server in servers}
    free = [
        iter([server for server in range(low, past) if server not in taken])
        for low, past in pairwise(first)
    ]
    for name, pool, count in missing:
        given[name] += [next(free[pool]) for _ in range(count)]
    return {name: tuple(sorted(servers)) for name, servers in given.items()}


def ranges_text(servers: Servers) -> str:
    """Format numbers of servers as text, such as `0-3,7`."""
    runs: list[tuple[int, int]] = []
    for server in servers:
        if runs and runs[-1][1] + 1 == server:
            runs[-1] = (runs[-1][0], server)
        else:
            runs.append((server, server))
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)

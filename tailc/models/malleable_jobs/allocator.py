"""Interface of a policy that allocates servers to jobs in a replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tailc.models.datacentre.supply import Supply
from tailc.models.datacentre.window import JobWindow
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.jobs import MalleableJob, UnfinishedJob


@dataclass(frozen=True, eq=False)
class ClusterView:
    """What an allocator of malleable jobs knows when it decides.

    cluster: the servers. now_s: time since the start of the replay. ahead: forecast supply from
    this epoch on. active: running and waiting jobs.
    """

    cluster: Cluster
    now_s: int
    ahead: Supply
    active: tuple[UnfinishedJob, ...]

    @property
    def green_servers(self) -> int:
        """Number of busy servers that this epoch's green power can feed."""
        return self.green_servers_at(0)

    def green_servers_at(self, epochs: int) -> int:
        """Number of busy servers that green power is forecast to feed `epochs` epochs later."""
        cluster = self.cluster
        spare_mw = int(self.ahead.green_mw[epochs]) - cluster.servers * cluster.asleep_mw
        each_mw = cluster.busy_mw - cluster.asleep_mw
        return cluster.servers if not each_mw else min(max(spare_mw // each_mw, 0), cluster.servers)


@dataclass(frozen=True)
class Allocation:
    """Decision of an allocator: servers of each job, and virtual machines of jobs that start.

    Both are by job number; jobs without an entry wait. wake_s: time until the next call if nothing
    happens before; None: at the next event.
    """

    servers: Mapping[int, int]
    vms: Mapping[int, int] = field(default_factory=dict)
    wake_s: int | None = None


class Allocator(Protocol):
    """Interface of a rule that decides at each event how many servers every malleable job has."""

    def allocate(self, view: ClusterView) -> Allocation:
        """Decide the servers of all active jobs; a running job must get at least one."""
        ...


Make = Callable[[JobWindow, Sequence[MalleableJob]], Allocator]
"""An allocator for the replay of a window and of its jobs."""

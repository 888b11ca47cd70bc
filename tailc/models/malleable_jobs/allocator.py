"""What gives jobs their servers in a replay, and all that it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tailc.models.datacentre.supply import Supply
from tailc.models.datacentre.window import Window
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.jobs import Active, MalleableJob


@dataclass(frozen=True, eq=False)
class ClusterView:
    """What a planner knows at a moment. ahead: the supply expected, from the present epoch on."""

    cluster: Cluster
    now_s: int
    ahead: Supply
    active: tuple[Active, ...]

    @property
    def green_servers(self) -> int:
        """How many busy servers the green power of this epoch carries."""
        return self.green_servers_at(0)

    def green_servers_at(self, epochs: int) -> int:
        """The same of the epoch that comes so many later, as it is expected."""
        cluster = self.cluster
        spare_mw = int(self.ahead.green_mw[epochs]) - cluster.servers * cluster.asleep_mw
        each_mw = cluster.busy_mw - cluster.asleep_mw
        return cluster.servers if not each_mw else min(max(spare_mw // each_mw, 0), cluster.servers)


@dataclass(frozen=True)
class Allocation:
    """Servers by job's number, and virtual machines of those that start; others wait.

    wake_s: ask again so much later, if nothing happens before.
    """

    servers: Mapping[int, int]
    vms: Mapping[int, int] = field(default_factory=dict)
    wake_s: int | None = None


class Allocator(Protocol):
    """Says at each event how many servers every job has."""

    def allocate(self, view: ClusterView) -> Allocation:
        """For all active jobs; one that runs keeps a server at least."""
        ...


Make = Callable[[Window, Sequence[MalleableJob]], Allocator]
"""An allocator for the replay of a window and of its jobs."""

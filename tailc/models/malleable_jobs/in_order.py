"""Allocate servers to jobs in order: running jobs before waiting ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tailc.models.malleable_jobs.allocator import ClusterView
from tailc.models.malleable_jobs.jobs import UnfinishedJob

Curve = Mapping[int, int]
"""Speed-up [ppm] by servers."""


def serve_in_order(view: ClusterView, least: Callable[[UnfinishedJob], int]) -> dict[int, int]:
    """Give each job the fewest servers that it may have; no waiting job overtakes another.

    If there is no room, a running job gets the next smaller number that fits, and a waiting job
    continues to wait.
    """
    servers: dict[int, int] = {}
    free = view.cluster.servers
    ordered = running_first(view)
    for at, one in enumerate(ordered):
        # Running jobs behind this one keep the fewest servers on which they can run.
        behind = (other for other in ordered[at + 1 :] if other.started_s is not None)
        reserved = sum(min(curve_of(other)) for other in behind)
        wanted = least(one)
        if one.started_s is None and wanted > free - reserved:
            break
        servers[one.job.number] = _at_most(curve_of(one), wanted, free - reserved)
        free -= servers[one.job.number]
    return servers


def running_first(view: ClusterView) -> list[UnfinishedJob]:
    """List the jobs of a cluster: the running ones, then the waiting ones.

    Both are in order of submission.
    """
    return sorted(view.active, key=lambda one: one.started_s is None)


def curve_of(one: UnfinishedJob) -> Curve:
    """Speed-up of a job by number of servers, for its number of virtual machines.

    For a job that has not started: for the fewest virtual machines.
    """
    return one.job.speedup_ppm[one.vms or one.job.requested_vms]


def _at_most(curve: Curve, wanted: int, room: int) -> int:
    """The wanted servers, or the most below that fit; a running job has at least one."""
    return max((count for count in curve if count <= min(wanted, room)), default=min(curve))

"""Servers handed out one job after the other: those that run before those that wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tailc.models.malleable_jobs.allocator import ClusterView
from tailc.models.malleable_jobs.jobs import Active

Curve = Mapping[int, int]
"""Speed-up [ppm] by servers."""


def served_in_order(view: ClusterView, least: Callable[[Active], int]) -> dict[int, int]:
    """The least servers of each job, by its number; jobs that wait do not overtake one another.

    Where there is no room a job that runs gets the most below that there is room for, and one that
    waits goes on waiting.
    """
    servers: dict[int, int] = {}
    free = view.cluster.servers
    ordered = running_first(view)
    for at, one in enumerate(ordered):
        # What runs behind this one keeps the fewest servers that it can be on.
        behind = (other for other in ordered[at + 1 :] if other.started_s is not None)
        kept = sum(min(curve_of(other)) for other in behind)
        wanted = least(one)
        if one.started_s is None and wanted > free - kept:
            break
        servers[one.job.number] = _at_most(curve_of(one), wanted, free - kept)
        free -= servers[one.job.number]
    return servers


def running_first(view: ClusterView) -> list[Active]:
    """The jobs that run, then those that wait; each in order of submission."""
    return sorted(view.active, key=lambda one: one.started_s is None)


def curve_of(one: Active) -> Curve:
    """Speed-ups with the machines that it has, or would have if it started with the fewest."""
    return one.job.speedup_ppm[one.vms or one.job.asked_vms]


def _at_most(curve: Curve, wanted: int, room: int) -> int:
    """The servers wanted, or the most below that there is room for; a job that runs has some."""
    return max((count for count in curve if count <= min(wanted, room)), default=min(curve))

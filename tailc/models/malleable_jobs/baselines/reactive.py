"""Reactive: each job has the fewest servers that keep its promise, more if green energy is free."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.datacentre.supply import PPM
from tailc.models.malleable_jobs.allocator import Allocation, ClusterView, Make
from tailc.models.malleable_jobs.in_order import curve_of, running_first, serve_in_order
from tailc.models.malleable_jobs.jobs import UnfinishedJob
from tailc.models.malleable_jobs.look_ahead import LOOK_AHEAD_S, look_ahead_s
from tailc.models.rule_baselines import RuleBaseline


@dataclass(frozen=True)
class ReactiveAllocator:
    """Allocate to each job the fewest servers that keep its promise, then divide green energy.

    The promise is a limit on slowdown. This is Haque, 2016, figure B.2, applied at every event.
    Each job gets the fewest servers with which its mean speed-up is high enough `look_ahead_s` from
    now. Then, as long as there is green energy for it, the job with the greatest gain per
    additional server gets its next larger number of servers. If a job has to wait, all jobs have
    the servers that they request (section B.3). The source leaves three points open: here the loop
    ends when no job can grow, jobs that could finish earlier are considered again at that time, and
    a job starts only if all running jobs could have the servers that they request, so that no
    running job lacks servers later.
    """

    look_ahead_s: int = LOOK_AHEAD_S

    def allocate(self, view: ClusterView) -> Allocation:
        """Divide the servers among running jobs, then among waiting ones in order of submission."""
        served = _served(view)
        if len(served.active) < len(view.active):
            servers = serve_in_order(served, lambda one: one.job.requested)
        else:
            servers = serve_in_order(served, self._least)
            self._grow(view, servers)
        looks_s = [self._time_s(one) for one in view.active if one.job.number in servers]
        return Allocation(servers, wake_s=min(looks_s, default=None))

    def _least(self, one: UnfinishedJob) -> int:
        """The fewest servers that keep the mean speed-up high enough, else those of the highest."""
        curve = curve_of(one)
        time_s = self._time_s(one)
        for servers in sorted(curve):
            if _keeps(one, curve[servers], time_s):
                return servers
        return min(curve, key=lambda servers: (-curve[servers], servers))

    def _time_s(self, one: UnfinishedJob) -> int:
        """How long a job is certain to run on, at most `look_ahead_s` [s]."""
        fastest_ppm = max(curve_of(one).values())
        return min(self.look_ahead_s, -(-(one.total_progress - one.done) // fastest_ppm))

    def _grow(self, view: ClusterView, servers: dict[int, int]) -> None:
        limit = view.green_servers
        running = [one for one in running_first(view) if one.job.number in servers]
        while True:
            room = limit - sum(servers.values())
            steps = [_step(one, servers[one.job.number], room) for one in running]
            best = max((step for step in steps if step), default=None)
            if best is None:
                return
            servers[-best[1]] = best[2]


def _served(view: ClusterView) -> ClusterView:
    """The view with the running jobs, and the waiting ones that fit next to them as requested."""
    free, served = view.cluster.servers, []
    for one in running_first(view):
        free -= one.job.requested
        if one.started_s is None and free < 0:
            break
        served.append(one)
    return replace(view, active=tuple(served))


def _keeps(one: UnfinishedJob, speedup_ppm: int, time_s: int) -> bool:
    """Whether a job ends in time, or has a high enough mean speed-up after a time."""
    left_s = -(-(one.total_progress - one.done) // speedup_ppm)
    if left_s <= time_s:
        return one.ran_s + left_s <= one.job.longest_s
    done = one.done + speedup_ppm * time_s
    return done * one.job.slowdown_ppm >= one.job.requested_ppm * PPM * (one.ran_s + time_s)


def _step(one: UnfinishedJob, now: int, room: int) -> tuple[float, int, int] | None:
    """The next block of a job: (speed-up per server, job number negated, servers then)."""
    curve = curve_of(one)
    above = [servers for servers in sorted(curve) if servers > now]
    if not above or above[0] - now > room or curve[above[0]] <= curve[now]:
        return None
    return (curve[above[0]] - curve[now]) / (above[0] - now), -one.job.number, above[0]


@final
class ReactiveBaseline(RuleBaseline[Make]):
    """Baseline: each job has the fewest servers that keep its promised limit on slowdown.

    TIME in its name is the look-ahead: how far ahead a job's progress is predicted.
    """

    syntax = Syntax("reactive[-TIME]")
    about = "as few servers as the slowdown allows, and more if green energy suffices for them"
    rank = 20
    examples = ("reactive", "reactive-30min")
    is_default = True

    def make(self, values: NameValues) -> Make:
        while_s = look_ahead_s(values)
        return lambda _window, _jobs: ReactiveAllocator(while_s)

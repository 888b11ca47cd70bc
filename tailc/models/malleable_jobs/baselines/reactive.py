"""Reactive: as few servers as the slowdown allows, and more where green energy carries them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from tailc.models.baseline_syntax import Given, Syntax
from tailc.models.datacentre.supply import PPM
from tailc.models.malleable_jobs.allocator import Allocation, ClusterView, Make
from tailc.models.malleable_jobs.in_order import curve_of, running_first, served_in_order
from tailc.models.malleable_jobs.jobs import Active
from tailc.models.malleable_jobs.look_ahead import LOOK_AHEAD_S, look_ahead_s
from tailc.models.rule_baselines import RuleBaseline


@dataclass(frozen=True)
class Reactive:
    """Haque, 2016, figure B.2, for every event anew.

    Each job gets the fewest servers on which, `look_ahead_s` from now, its speed-up will have been
    high enough in the mean; then the job that gains most by a server more gets its next block, as
    long as green energy carries it. Its loop ends where nobody can grow, and who could be done
    sooner is looked at again by then: both are open in print.
    """

    look_ahead_s: int = LOOK_AHEAD_S

    def allocate(self, view: ClusterView) -> Allocation:
        """Jobs that run come before those that wait; of these none overtakes another."""
        servers = served_in_order(view, self._least)
        self._grow(view, servers)
        looks_s = [self._time_s(one) for one in view.active if one.job.number in servers]
        return Allocation(servers, wake_s=min(looks_s, default=None))

    def _least(self, one: Active) -> int:
        """The fewest servers that keep the mean speed-up high enough, else those of the highest."""
        curve = curve_of(one)
        time_s = self._time_s(one)
        for servers in sorted(curve):
            if _keeps(one, curve[servers], time_s):
                return servers
        return min(curve, key=lambda servers: (-curve[servers], servers))

    def _time_s(self, one: Active) -> int:
        """For how long a job is sure to run on, at most `look_ahead_s`."""
        fastest_ppm = max(curve_of(one).values())
        return min(self.look_ahead_s, -(-(one.needed - one.done) // fastest_ppm))

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


def _keeps(one: Active, speedup_ppm: int, time_s: int) -> bool:
    """Whether a job ends in time, or after a time has been fast enough in the mean."""
    left_s = -(-(one.needed - one.done) // speedup_ppm)
    if left_s <= time_s:
        return one.ran_s + left_s <= one.job.longest_s
    done = one.done + speedup_ppm * time_s
    return done * one.job.slowdown_ppm >= one.job.asked_ppm * PPM * (one.ran_s + time_s)


def _step(one: Active, now: int, room: int) -> tuple[float, int, int] | None:
    """(speed-up won by a server, the job's number negated, servers then) of the next block."""
    curve = curve_of(one)
    above = [servers for servers in sorted(curve) if servers > now]
    if not above or above[0] - now > room or curve[above[0]] <= curve[now]:
        return None
    return (curve[above[0]] - curve[now]) / (above[0] - now), -one.job.number, above[0]


@final
class ReactiveBaseline(RuleBaseline[Make]):
    """See `Reactive`; TIME is how far it looks ahead."""

    syntax = Syntax("reactive[-TIME]")
    about = "as few servers as the slowdown allows, and more where green energy carries them"
    rank = 20
    examples = ("reactive", "reactive-30min")
    is_default = True

    def make(self, given: Given) -> Make:
        while_s = look_ahead_s(given)
        return lambda _window, _jobs: Reactive(while_s)

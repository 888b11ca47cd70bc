"""Nebulous: allocate servers by a rough hint on each job's speed-up, and by former runs.

At every event, each job first gets the fewest servers that keep its mean number of servers at or
above the requested number / F for a look-ahead time; F is the allowed slowdown. Then the servers
that green energy can still feed are allocated in rounds: each job in turn gets its next feasible
count, the best hint first, and among equal hints the job with the lowest mean relative to its
request. With less green energy the same rounds end earlier, so servers are taken away in reverse
order.

Source: Haque, Rutgers 2016, section B.3.2. It guarantees the mean number of servers, so a job may
run for longer than its slowdown allows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.datacentre.supply import PPM
from tailc.models.malleable_jobs.allocator import Allocation, ClusterView, Make
from tailc.models.malleable_jobs.hints import JobDescription, descriptions_of
from tailc.models.malleable_jobs.in_order import curve_of, running_first, serve_in_order
from tailc.models.malleable_jobs.jobs import UnfinishedJob
from tailc.models.malleable_jobs.look_ahead import LOOK_AHEAD_S, look_ahead_s
from tailc.models.rule_baselines import RuleBaseline

CORES_A_SERVER = 2
"""Number of virtual machines on a server that each have their own core."""


class NebulousAllocator:
    """Allocator of the baseline Nebulous in one replay; it learns the run times of applications."""

    def __init__(
        self, words: Mapping[int, JobDescription], look_ahead_s: int = LOOK_AHEAD_S
    ) -> None:
        """words: by job number, for all jobs of the replay."""
        self._words = words
        self._look_ahead_s = look_ahead_s
        self._running: dict[int, int] = {}
        self._former_s: dict[str, list[int]] = defaultdict(list)

    def allocate(self, view: ClusterView) -> Allocation:
        """Divide the servers among running jobs, then among waiting ones in order of submission."""
        self._note_ends(view)
        servers = serve_in_order(view, self._least)
        vms = self._fresh_vms(view, servers)
        self._grow(view, servers, vms)
        self._note_starts(view, servers)
        return Allocation(servers, vms, wake_s=self._look_ahead_s if servers else None)

    def _note_ends(self, view: ClusterView) -> None:
        active = {one.job.number for one in view.active}
        for number in [number for number in self._running if number not in active]:
            ran_s = view.now_s - self._running.pop(number)
            self._former_s[self._words[number].application].append(ran_s)

    def _note_starts(self, view: ClusterView, servers: Mapping[int, int]) -> None:
        for one in view.active:
            if one.job.number in servers:
                self._running.setdefault(one.job.number, view.now_s)

    def _least(self, one: UnfinishedJob) -> int:
        return least_servers(one, self._look_ahead_s)

    def _fresh_vms(self, view: ClusterView, servers: dict[int, int]) -> dict[int, int]:
        """Virtual machines of the jobs that start now; more of them may need more servers."""
        vms = {}
        for one in view.active:
            job, now = one.job, servers.get(one.job.number)
            if one.started_s is None and now is not None:
                vms[job.number] = job.requested_vms
                if self._starts_wide(view, one, sum(servers.values()) - now):
                    vms[job.number] = max(job.speedup_ppm)
                    counts = job.speedup_ppm[max(job.speedup_ppm)]
                    servers[job.number] = min(count for count in counts if count >= now)
        return vms

    def _starts_wide(self, view: ClusterView, one: UnfinishedJob, least_of_others: int) -> bool:
        """Whether a job starts with the most virtual machines.

        It does only if green energy feeds their servers during its expected run, next to the fewest
        servers of the other jobs. The expected run time is the mean of former runs of its
        application with any number of machines; an application without a former run is assumed to
        run long.
        """
        former_s = self._former_s[self._words[one.job.number].application]
        if not former_s:
            return False
        ends_s = view.now_s % view.cluster.epoch_s + -(-sum(former_s) // len(former_s))
        epochs = -(-ends_s // view.cluster.epoch_s)
        needed = least_of_others + -(-max(one.job.speedup_ppm) // CORES_A_SERVER)
        return epochs <= view.ahead.epochs and all(
            view.green_servers_at(later) >= needed for later in range(epochs)
        )

    def _grow(self, view: ClusterView, servers: dict[int, int], vms: Mapping[int, int]) -> None:
        free = view.green_servers - sum(servers.values())
        values = [one for one in running_first(view) if one.job.number in servers]
        order = sorted(
            values, key=lambda one: (-self._words[one.job.number].hint, mean_relative_servers(one))
        )
        has_grown = True
        while has_grown:
            has_grown = False
            for one in order:
                number = one.job.number
                curve = one.job.speedup_ppm[vms.get(number, one.vms)]
                more = min((n for n in curve if n > servers[number]), default=None)
                if more is not None and more - servers[number] <= free:
                    free -= more - servers[number]
                    servers[number] = more
                    has_grown = True


def mean_relative_servers(one: UnfinishedJob) -> Fraction:
    """Mean number of servers of a job since its start, relative to its requested number.

    0 before its start.
    """
    return Fraction(one.server_s, one.ran_s * one.job.requested) if one.ran_s else Fraction(0)


def least_servers(one: UnfinishedJob, while_s: int) -> int:
    """The fewest servers with which a job keeps its mean speed-up high enough for its promise.

    The mean is checked after `while_s` seconds. The most servers if no number is enough.
    """
    counts = sorted(curve_of(one))
    needed = one.job.requested * (one.ran_s + while_s) * PPM
    for count in counts:
        if (one.server_s + count * while_s) * one.job.slowdown_ppm >= needed:
            return count
    return counts[-1]


@final
class NebulousBaseline(RuleBaseline[Make]):
    """Baseline: divide servers by users' hints on the speed-ups of jobs.

    TIME in its name is the look-ahead: how far ahead a job's progress is predicted.
    """

    syntax = Syntax("nebulous[-TIME]")
    about = "servers from a hint about the speed-up of each job, and from its earlier runs"
    rank = 30
    examples = ("nebulous", "nebulous-30min")
    is_default = True

    def make(self, values: NameValues) -> Make:
        while_s = look_ahead_s(values)
        return lambda window, jobs: NebulousAllocator(descriptions_of(window, jobs), while_s)

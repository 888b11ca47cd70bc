"""Server counts from a rough word on how well each job speeds up, and what green energy feeds now.

Every event starts anew from the least that keeps each job's mean servers at or above the requested
ones / F after another while; then the servers that green energy still feeds go round: each job to
its next count in turn, the best hint first, of equal hints the one that has had least for what it
asked. Less green energy ends the same rounds earlier, so servers are taken away in reverse order.

Source: Haque, PhD dissertation (Rutgers 2016), section B.3.2, "Nebulous".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from tailc_solvers.green.parallel.problem import PPT

from tests.reference.jobs_at_present import ActiveJob, baseline


class Hint(IntEnum):
    """How a job speeds up with more servers."""

    POOR = 0
    FAIR = 1
    GOOD = 2
    EXCELLENT = 3


@dataclass(frozen=True)
class HintedJob:
    """A job and its hint."""

    job: ActiveJob
    hint: Hint

    @property
    def had(self) -> Fraction:
        """Mean servers so far by requested ones; 0 for one that has not begun."""
        if self.job.run_ms == 0:
            return Fraction(0)
        return Fraction(self.job.server_ms, self.job.run_ms * self.job.requested)


def nebulous(
    jobs: Sequence[HintedJob], *, green_servers: int, servers: int, while_ms: int
) -> list[int]:
    """Servers of each job until the next event, or for `while_ms`; 0 for one that waits.

    Args:
        jobs: in order of arrival; of equal hints and shares had the first is served.
        green_servers: G, busy servers that green energy feeds now.
        servers: C, all there are.
        while_ms: the time after which allocations are made again.
    """
    given = [least_servers(hinted.job, while_ms) for hinted in jobs]
    if sum(given) > servers:
        return baseline([hinted.job for hinted in jobs], servers)
    free = min(green_servers, servers) - sum(given)
    order = sorted(range(len(jobs)), key=lambda at: (-jobs[at].hint, jobs[at].had, at))
    has_grown = True
    while has_grown:
        has_grown = False
        for at in order:
            more = next((n for n in jobs[at].job.counts if n > given[at]), None)
            if more is not None and more - given[at] <= free:
                free -= more - given[at]
                given[at] = more
                has_grown = True
    return given


def least_servers(job: ActiveJob, while_ms: int) -> int:
    """The smallest count that keeps the mean servers after `while_ms`; else the largest."""
    needed = job.requested * (job.run_ms + while_ms) * PPT
    for count in job.counts:
        if (job.server_ms + count * while_ms) * job.slack_ppt >= needed:
            return count
    return job.counts[-1]

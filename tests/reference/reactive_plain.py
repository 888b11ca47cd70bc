"""Server counts from what jobs have had so far and what green energy feeds now.

Every event starts anew from the least that keeps each job's average speed-up at or above the
requested speed-up / F after another while; then the servers that green energy still feeds go, block
by block, to the job that gains most speed by each. Where the least of all is more than there are
servers, every job falls back to what it asked for.

Source: Haque, PhD dissertation (Rutgers 2016), Figure B.2. Read with the average divided, not
multiplied, by F (as the text derives it), and with a stop where no job gains or no block fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from tailc_solvers.green.parallel.problem import PPT

from tests.reference.jobs_at_present import ActiveJob, baseline


def reactive(
    jobs: Sequence[ActiveJob], *, green_servers: int, servers: int, while_ms: int
) -> list[int]:
    """Servers of each job until the next event, or for `while_ms`; 0 for one that waits.

    Args:
        jobs: in order of arrival; of equal gains the first is served.
        green_servers: G, busy servers that green energy feeds now.
        servers: C, all there are.
        while_ms: the time after which allocations are made again.
    """
    given = [least_servers(job, while_ms) for job in jobs]
    if sum(given) > servers:
        return baseline(jobs, servers)
    limit = min(green_servers, servers)
    while (grown := _most_gaining(jobs, given, limit - sum(given))) is not None:
        at, count = grown
        given[at] = count
    return given


def least_servers(job: ActiveJob, while_ms: int) -> int:
    """The smallest count that keeps the average speed-up after `while_ms`; else the fastest."""
    needed = job.requested_speed_ppt * (job.run_ms + while_ms) * PPT
    for count, speed in zip(job.counts, job.speeds, strict=True):
        if (job.work_done + speed * while_ms) * job.slack_ppt >= needed:
            return count
    return job.counts[job.speeds.index(max(job.speeds))]


def _most_gaining(
    jobs: Sequence[ActiveJob], given: Sequence[int], free: int
) -> tuple[int, int] | None:
    """The job that gains most for each added server by its next count, and that count."""
    best: tuple[Fraction, int, int] | None = None
    for at, (job, now) in enumerate(zip(jobs, given, strict=True)):
        speed = dict(zip(job.counts, job.speeds, strict=True))
        for count, more in pairwise(job.counts):
            if count != now or more - count > free:
                continue
            gain = Fraction(speed[more] - speed[count], more - count)
            if gain > (0 if best is None else best[0]):
                best = gain, at, more
    return None if best is None else best[1:]

"""Assignment of a plan's jobs to rows of servers in a picture.

Servers of a pool are alike, so a plan does not say which of them a job uses. A job stays on its
servers for as long as possible; new servers come from the lowest gap that is large enough.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from tailc.forms.plan.plan import Plan


class JobBand(NamedTuple):
    """Servers of a pool that a job uses in consecutive epochs.

    low, high: servers `low` to `high` - 1. first_epoch, past_epoch: epochs `first_epoch` to
    `past_epoch` - 1. job: index of the job in the plan.
    """

    job: int
    first_epoch: int
    past_epoch: int
    low: int
    high: int


def job_bands(plan: Plan) -> list[list[JobBand]]:
    """Bands of all jobs, one list per pool, ordered by the epoch of their end, then by servers."""
    floors = [_Floor(pool.servers) for pool in plan.pools]
    for floor, changes in zip(floors, _changes(plan), strict=True):
        for epoch, servers in sorted(changes.items()):
            floor.change(epoch, servers)
    return [floor.ended for floor in floors]


def _changes(plan: Plan) -> list[dict[int, dict[int, int]]]:
    """Changed numbers of servers as [pool][epoch][job], for each epoch with a change."""
    counts: list[dict[int, dict[int, int]]] = [defaultdict(dict) for _ in plan.pools]
    for number, job in enumerate(plan.jobs):
        for span in job.spans:
            counts[span.pool][span.first_epoch][number] = span.servers
            counts[span.pool][span.past].setdefault(number, 0)
    return counts


class _HeldServers(NamedTuple):
    """Servers `low` to `high` - 1, used by a job since an epoch. Ordered by servers."""

    low: int
    high: int
    job: int
    since: int


@dataclass(eq=False)
class _Floor:
    """The servers of one pool while the epochs pass."""

    servers: int

    def __post_init__(self) -> None:
        self.held: list[_HeldServers] = []
        self.ended: list[JobBand] = []

    def change(self, epoch: int, servers: dict[int, int]) -> None:
        """Set the number of servers of each job from this epoch on; jobs release servers first."""
        missing = {
            job: wanted - sum(block.high - block.low for block in self.held if block.job == job)
            for job, wanted in sorted(servers.items())
        }
        for job, more in missing.items():
            self._give_up(epoch, job, -more)
        for job, more in missing.items():
            self._take(epoch, job, more)
        self.held.sort()

    def _give_up(self, epoch: int, job: int, count: int) -> None:
        """Release the highest `count` servers of a job."""
        for block in reversed([block for block in self.held if block.job == job]):
            freed = min(count, block.high - block.low)
            if freed <= 0:
                return
            count -= freed
            self.held.remove(block)
            if block.since < epoch:
                self.ended.append(JobBand(job, block.since, epoch, block.low, block.high))
            if block.low < block.high - freed:
                self.held.append(_HeldServers(block.low, block.high - freed, job, epoch))
                self.held.sort()

    def _take(self, epoch: int, job: int, count: int) -> None:
        while count > 0:
            gaps = self._gaps()
            low, high = next((gap for gap in gaps if gap[1] - gap[0] >= count), gaps[0])
            high = min(high, low + count)
            self.held.append(_HeldServers(low, high, job, epoch))
            self.held.sort()
            count -= high - low

    def _gaps(self) -> list[tuple[int, int]]:
        """Ranges of unused servers as (first, past), lowest first."""
        lows = [0, *(block.high for block in self.held)]
        highs = [*(block.low for block in self.held), self.servers]
        return [(low, high) for low, high in zip(lows, highs, strict=True) if low < high]

"""Where in its pool each job of a plan is drawn: on the same servers for as long as it has them.

Servers of a pool are alike, so the plan does not say which of them a job has. A job keeps what it
has; what it takes is in one piece if there is such a gap, the lowest one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from tailc.forms.plan.plan import Plan


class Band(NamedTuple):
    """Servers `low` to before `high` of a pool, which a job has from an epoch to before another.

    job: its number in the plan.
    """

    job: int
    first_epoch: int
    past_epoch: int
    low: int
    high: int


def bands_of(plan: Plan) -> list[list[Band]]:
    """Of each pool, the bands of its jobs, in order of when they end, then of servers."""
    floors = [_Floor(pool.servers) for pool in plan.pools]
    for floor, changes in zip(floors, _changes(plan), strict=True):
        for epoch, servers in sorted(changes.items()):
            floor.change(epoch, servers)
    return [floor.ended for floor in floors]


def _changes(plan: Plan) -> list[dict[int, dict[int, int]]]:
    """Of each pool, by epoch, the jobs that have other servers than before, and how many then."""
    found: list[dict[int, dict[int, int]]] = [defaultdict(dict) for _ in plan.pools]
    for number, job in enumerate(plan.jobs):
        for span in job.spans:
            found[span.pool][span.first_epoch][number] = span.servers
            found[span.pool][span.past].setdefault(number, 0)
    return found


class _Held(NamedTuple):
    """Servers that a job has since an epoch; in order of servers."""

    low: int
    high: int
    job: int
    since: int


@dataclass(eq=False)
class _Floor:
    """A pool as time passes."""

    servers: int

    def __post_init__(self) -> None:
        self.held: list[_Held] = []
        self.ended: list[Band] = []

    def change(self, epoch: int, servers: dict[int, int]) -> None:
        """Give the jobs as many servers from this epoch on; those that give up some go first."""
        missing = {
            job: wanted - sum(one.high - one.low for one in self.held if one.job == job)
            for job, wanted in sorted(servers.items())
        }
        for job, more in missing.items():
            self._give_up(epoch, job, -more)
        for job, more in missing.items():
            self._take(epoch, job, more)
        self.held.sort()

    def _give_up(self, epoch: int, job: int, count: int) -> None:
        """Of a job's servers the highest."""
        for one in reversed([one for one in self.held if one.job == job]):
            freed = min(count, one.high - one.low)
            if freed <= 0:
                return
            count -= freed
            self.held.remove(one)
            if one.since < epoch:
                self.ended.append(Band(job, one.since, epoch, one.low, one.high))
            if one.low < one.high - freed:
                self.held.append(_Held(one.low, one.high - freed, job, epoch))
                self.held.sort()

    def _take(self, epoch: int, job: int, count: int) -> None:
        while count > 0:
            gaps = self._gaps()
            low, high = next((gap for gap in gaps if gap[1] - gap[0] >= count), gaps[0])
            high = min(high, low + count)
            self.held.append(_Held(low, high, job, epoch))
            self.held.sort()
            count -= high - low

    def _gaps(self) -> list[tuple[int, int]]:
        """Servers that no job has, as (first, past), the lowest first."""
        lows = [0, *(one.high for one in self.held)]
        highs = [*(one.low for one in self.held), self.servers]
        return [(low, high) for low, high in zip(lows, highs, strict=True) if low < high]

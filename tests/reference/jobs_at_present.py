"""Jobs as they are at one moment, for rules that know nothing of the future.

Work is in thousandths of one server's speed times milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailc_solvers.green.parallel.problem import PPT, Shape, require


@dataclass(frozen=True, eq=False)
class ActiveJob:
    """A job that has arrived and not ended, with the VMs that it has.

    Attributes:
        shape: the counts that it may have now, and how fast it then is.
        requested: servers asked for.
        requested_speed_ppt: speed on those, with the VMs that it would have been given.
        slack_ppt: F in thousandths.
        work_done: so far; 0 for a new one.
        server_ms: servers times milliseconds so far.
        run_ms: for how long it has run; 0 for one that has not begun.
    """

    shape: Shape
    requested: int
    requested_speed_ppt: int
    slack_ppt: int = PPT
    work_done: int = 0
    server_ms: int = 0
    run_ms: int = 0

    def __post_init__(self) -> None:
        require(self.requested > 0 and self.requested_speed_ppt > 0, "requests must be positive")
        require(self.slack_ppt >= PPT, "slack_ppt must be at least 1,000")
        require(min(self.work_done, self.server_ms, self.run_ms) >= 0, "the past is not negative")

    @property
    def counts(self) -> list[int]:
        """Server counts, ascending."""
        return self.shape.servers.tolist()

    @property
    def speeds(self) -> list[int]:
        """Speeds on them."""
        return self.shape.speed_ppt.tolist()

    @property
    def at_request(self) -> int:
        """The largest count that is at most the requested one, the smallest where none is."""
        return max((n for n in self.counts if n <= self.requested), default=self.counts[0])


def baseline(jobs: Sequence[ActiveJob], servers: int) -> list[int]:
    """The requested servers for each job, in order; 0, and it waits, where none are left.

    Jobs that run are not stopped. Source: Haque, PhD dissertation (Rutgers 2016), section B.3.2.
    """
    given = [job.at_request if job.run_ms else 0 for job in jobs]
    free = servers - sum(given)
    for at, job in enumerate(jobs):
        if not job.run_ms and job.at_request <= free:
            given[at] = job.at_request
            free -= job.at_request
    return given

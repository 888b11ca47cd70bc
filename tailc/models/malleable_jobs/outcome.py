"""Result of a replay of malleable jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.forms.plan.ledger import LedgerEntry


@dataclass(frozen=True)
class FinishedJob:
    """A job that ended in a replay of a window; times are since the start of the replay.

    vms: number of its virtual machines.
    """

    number: int
    submit_s: int
    started_s: int
    ended_s: int
    server_s: int
    longest_s: int
    vms: int

    @property
    def ran_s(self) -> int:
        """Run time of a finished job, from its first server to its end [s]."""
        return self.ended_s - self.started_s

    @property
    def is_late(self) -> bool:
        """Whether a finished job ran for longer than its promised limit."""
        return self.ran_s > self.longest_s


@dataclass(frozen=True, eq=False)
class ClusterOutcome:
    """Result of replaying malleable jobs: finished jobs by number, unfinished ones, and energy.

    Energy is by interval. submitted: number of all jobs, including those that arrive at the very
    end. ends_s: when each interval ends, and the next begins. history: (time [s], servers by job)
    after each event.
    """

    submitted: int
    done: tuple[FinishedJob, ...]
    unfinished: int
    entries: tuple[LedgerEntry, ...]
    ends_s: tuple[int, ...]
    history: tuple[tuple[int, Mapping[int, int]], ...]

"""What became of malleable jobs in a replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.forms.plan.ledger import Entry


@dataclass(frozen=True)
class Done:
    """What became of a job; times since the replay's start. vms: virtual machines that it had."""

    number: int
    submit_s: int
    started_s: int
    ended_s: int
    server_s: int
    longest_s: int
    vms: int

    @property
    def ran_s(self) -> int:
        """From its first server to its end."""
        return self.ended_s - self.started_s

    @property
    def is_late(self) -> bool:
        """Whether it ran for longer than promised."""
        return self.ran_s > self.longest_s


@dataclass(frozen=True, eq=False)
class ClusterOutcome:
    """A replay: the jobs done by number, how many were not, and the books of each interval.

    submitted: all jobs, those that come at the very end included. ends_s: when each interval ends,
    and the next begins. history: (from when [s], servers by job) after each event.
    """

    submitted: int
    done: tuple[Done, ...]
    unfinished: int
    entries: tuple[Entry, ...]
    ends_s: tuple[int, ...]
    history: tuple[tuple[int, Mapping[int, int]], ...]

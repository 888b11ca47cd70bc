"""A log of jobs: submission, run time and width of each, in order of submission."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.percentiles import PPM

Ints = NDArray[np.int64]


Chosen = NDArray[np.bool_] | Ints | slice


@dataclass(frozen=True)
class LogHeader:
    """What the header of a job log states; a field is None if it is not stated.

    start_unix_s: time of second 0. zone: time zone of the log's days, an IANA name or an offset
    such as `-07:00`. capacity: number of processors of the machine.
    """

    start_unix_s: int | None = None
    zone: str | None = None
    capacity: int | None = None


@dataclass(frozen=True, eq=False)
class Applications:
    """The application of each job: `of_job`, int64 (jobs,), has its index into `names`."""

    names: tuple[str, ...]
    of_job: Ints

    def __post_init__(self) -> None:
        _check_within(self.of_job, len(self.names) - 1)

    def part(self, chosen: Chosen) -> Applications:
        """Select the applications of some jobs."""
        return Applications(self.names, self.of_job[chosen])


class Positions(Protocol):
    """Protocol of the positions of jobs in their log (lines or rows), for messages."""

    def place(self, source: str, job: int) -> Place:
        """The place of one job in its log (line or row), for messages."""
        ...

    def part(self, chosen: Chosen) -> Positions:
        """Select the places of some jobs."""
        ...


@dataclass(frozen=True, eq=False)
class LinePositions:
    """Line number of each job, from 1; int64 (jobs,)."""

    at: Ints

    def place(self, source: str, job: int) -> Place:
        """The place of one job in its log (its line), for messages."""
        return Place(source, line=int(self.at[job]))

    def part(self, chosen: Chosen) -> LinePositions:
        """Select the line numbers of some jobs."""
        return LinePositions(self.at[chosen])


@dataclass(frozen=True, eq=False)
class RowPositions:
    """Row number of each job in a table, from 1; int64 (jobs,)."""

    at: Ints

    def place(self, source: str, job: int) -> Place:
        """The place of one job in its log (its row), for messages."""
        return Place(source, row=int(self.at[job]))

    def part(self, chosen: Chosen) -> RowPositions:
        """Select the row numbers of some jobs."""
        return RowPositions(self.at[chosen])


@dataclass(frozen=True)
class UnplacedJobs:
    """The places of jobs that do not come from a file: none."""

    def place(self, source: str, job: int) -> Place:  # noqa: ARG002
        """The place of the log as a whole, because its jobs have no places."""
        return Place(source)

    def part(self, chosen: Chosen) -> UnplacedJobs:  # noqa: ARG002
        """Return the same object, because jobs have no places."""
        return self


@dataclass(frozen=True, eq=False)
class JobLog:
    """A log of jobs in order of submission; arrays are int64 (jobs,).

    number: job number in the log. submit_s: seconds since the start of the log, ascending. run_s:
    run time, >= 1. width: processors or nodes, >= 1. requested_s: requested time, 0 if not stated.
    green_ppm: share of the slots of a job that must be green, in millionths; None before it is
    assigned. deadline_s: time by which a job must have ended, since the start of the log; None if
    jobs have no deadlines. user: number of the user, -1 if unknown; None if the log has
    no users. applications: application of each job; None before it is assigned.
    source: name of the log in messages.
    """

    number: Ints
    submit_s: Ints
    run_s: Ints
    width: Ints
    requested_s: Ints
    source: str
    header: LogHeader = LogHeader()
    green_ppm: Ints | None = None
    deadline_s: Ints | None = None
    applications: Applications | None = None
    positions: Positions = UnplacedJobs()
    user: Ints | None = None
    warnings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        columns = (self.number, self.submit_s, self.run_s, self.width, self.requested_s)
        assigned = [one for one in (self.green_ppm, self.deadline_s) if one is not None]
        assigned += [] if self.applications is None else [self.applications.of_job]
        every = (*columns, *assigned)
        if any(each.shape != self.submit_s.shape or each.dtype != np.int64 for each in every):
            raise ValueError("columns of jobs must be int64 with one value for each job")
        if (np.diff(self.submit_s) < 0).any():
            raise ValueError("jobs must be in order of submission")
        if self.jobs and min(self.run_s.min(), self.width.min()) < 1:
            raise ValueError("a job must run for at least one second on at least one processor")
        if self.jobs and self.requested_s.min() < 0:
            raise ValueError("a requested time must not be negative")
        if self.green_ppm is not None:
            _check_within(self.green_ppm, PPM)

    @property
    def jobs(self) -> int:
        """Number of jobs in the log."""
        return len(self.submit_s)

    def shifted(self, by_s: int) -> JobLog:
        """Return the log with all times later by `by_s` seconds."""
        deadline_s = None if self.deadline_s is None else self.deadline_s + by_s
        return replace(self, submit_s=self.submit_s + by_s, deadline_s=deadline_s)

    @property
    def application_of_job(self) -> list[str]:
        """Application of each job; raises ValueError if the log has none."""
        if self.applications is None:
            raise ValueError("malleable jobs need an application each")
        return [self.applications.names[at] for at in self.applications.of_job.tolist()]

    def place(self, job: int) -> Place:
        """The place of a job in its log, for messages."""
        return self.positions.place(self.source, job)

    def part(self, chosen: Chosen) -> JobLog:
        """Select some jobs of the log, in the same order."""
        green, deadline_s, applications = self.green_ppm, self.deadline_s, self.applications
        user = self.user
        return replace(
            self,
            number=self.number[chosen],
            submit_s=self.submit_s[chosen],
            run_s=self.run_s[chosen],
            width=self.width[chosen],
            requested_s=self.requested_s[chosen],
            green_ppm=None if green is None else green[chosen],
            deadline_s=None if deadline_s is None else deadline_s[chosen],
            applications=None if applications is None else applications.part(chosen),
            positions=self.positions.part(chosen),
            user=None if user is None else user[chosen],
        )


def peak_width(log: JobLog) -> int:
    """Largest number of processors in use at once if every job starts when it is submitted.

    A job that ends in a second frees its processors for a job that starts in the same second. O(n
    log n).
    """
    time_s = np.concatenate([log.submit_s, log.submit_s + log.run_s])
    change = np.concatenate([log.width, -log.width])
    used = np.cumsum(change[np.lexsort((change, time_s))])
    return int(used.max(initial=0))


def node_seconds(log: JobLog) -> int:
    """Sum over all jobs of run time [s] times number of servers (width)."""
    return int(np.dot(log.run_s, log.width))


def refuse_wide(log: JobLog, servers: int) -> None:
    """Raise TailcError if a job is wider than the datacentre."""
    wide = log.width > servers
    if count := int(wide.sum()):
        job = int(np.argmax(wide))
        message = (
            f"job {log.number[job]} needs {log.width[job]} servers, but the datacentre has "
            f"{servers}"
        )
        others = f" (first of {count} such jobs)" if count > 1 else ""
        help_ = "raise `divide_width`, or drop more of the widest jobs with `drop_largest`"
        raise TailcError(Finding(Code.TOO_WIDE, message + others, log.place(job), help_))


def refuse_same_numbers(log: JobLog) -> None:
    """Raise TailcError if two jobs have the same number."""
    numbers, first = np.unique(log.number, return_index=True)
    if len(numbers) == log.jobs:
        return
    again = int(np.setdiff1d(np.arange(log.jobs), first)[0])
    message = f"job number {log.number[again]} occurs twice in the log"
    help_ = "give each job a different number; a list of jobs needs no column of numbers"
    raise TailcError(Finding(Code.BAD_VALUE, message, log.place(again), help_))


def _check_within(values: Ints, largest: int) -> None:
    if len(values) and not 0 <= values.min() <= values.max() <= largest:
        raise ValueError(
            "the green share of a job must be 0 to 100 %, and its application must be named"
        )

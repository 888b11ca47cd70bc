"""Jobs in order of submission: when, for how long and how wide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError

Ints = NDArray[np.int64]


Chosen = NDArray[np.bool_] | Ints | slice


@dataclass(frozen=True)
class LogHeader:
    """What a log says of itself; None where it does not.

    start_unix_s: when second 0 is. zone: an IANA name or an offset such as `-07:00`, in which it
    tells its days. capacity: how wide its machine is.
    """

    start_unix_s: int | None = None
    zone: str | None = None
    capacity: int | None = None


@dataclass(frozen=True, eq=False)
class Applications:
    """Which of `names` each job is; int64 (jobs,)."""

    names: tuple[str, ...]
    of_job: Ints

    def __post_init__(self) -> None:
        _check_within(self.of_job, len(self.names) - 1)

    def part(self, chosen: Chosen) -> Applications:
        """Of some of the jobs."""
        return Applications(self.names, self.of_job[chosen])


class Positions(Protocol):
    """Where each job stands in its log."""

    def place(self, source: str, job: int) -> Place:
        """Of one job."""
        ...

    def part(self, chosen: Chosen) -> Positions:
        """Of some of the jobs."""
        ...


@dataclass(frozen=True, eq=False)
class Lines:
    """Each on a line of text, from 1; int64 (jobs,)."""

    at: Ints

    def place(self, source: str, job: int) -> Place:
        """The job's line."""
        return Place(source, line=int(self.at[job]))

    def part(self, chosen: Chosen) -> Lines:
        """Of some of the jobs."""
        return Lines(self.at[chosen])


@dataclass(frozen=True, eq=False)
class Rows:
    """Each in a row of a table, from 1; int64 (jobs,)."""

    at: Ints

    def place(self, source: str, job: int) -> Place:
        """The job's row."""
        return Place(source, row=int(self.at[job]))

    def part(self, chosen: Chosen) -> Rows:
        """Of some of the jobs."""
        return Rows(self.at[chosen])


@dataclass(frozen=True)
class Unplaced:
    """Jobs that were read of no file."""

    def place(self, source: str, job: int) -> Place:  # noqa: ARG002
        """The log."""
        return Place(source)

    def part(self, chosen: Chosen) -> Unplaced:  # noqa: ARG002
        """The same."""
        return self


@dataclass(frozen=True, eq=False)
class JobLog:
    """Jobs in order of submission; int64 (jobs,) each.

    number: the job's own in its log. submit_s: seconds since the log's start, ascending. run_s: how
    long it ran, >= 1. width: processors or nodes, as its log counts them, >= 1. requested_s: the
    time asked for, 0 where the log does not state it. green_percent: share of a job's slots that
    is to be green, 0 to 100, None before it is assigned. applications: which each job is, None
    before it is assigned. source: how messages call the log.
    """

    number: Ints
    submit_s: Ints
    run_s: Ints
    width: Ints
    requested_s: Ints
    source: str
    header: LogHeader = LogHeader()
    green_percent: Ints | None = None
    applications: Applications | None = None
    positions: Positions = Unplaced()
    warnings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        columns = (self.number, self.submit_s, self.run_s, self.width, self.requested_s)
        assigned = [] if self.green_percent is None else [self.green_percent]
        assigned += [] if self.applications is None else [self.applications.of_job]
        every = (*columns, *assigned)
        if any(each.shape != self.submit_s.shape or each.dtype != np.int64 for each in every):
            raise ValueError("columns of jobs are int64, one value a job")
        if (np.diff(self.submit_s) < 0).any():
            raise ValueError("jobs are in order of submission")
        if self.jobs and min(self.run_s.min(), self.width.min()) < 1:
            raise ValueError("a job runs for a second and on one processor at least")
        if self.jobs and self.requested_s.min() < 0:
            raise ValueError("a requested time is not negative")
        if self.green_percent is not None:
            _check_within(self.green_percent, 100)

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return len(self.submit_s)

    @property
    def named(self) -> list[str]:
        """The application of each job; ValueError where the log does not say."""
        if self.applications is None:
            raise ValueError("malleable jobs are of applications")
        return [self.applications.names[at] for at in self.applications.of_job.tolist()]

    def place(self, job: int) -> Place:
        """Where a job stands in its log, or the log."""
        return self.positions.place(self.source, job)

    def part(self, chosen: Chosen) -> JobLog:
        """Some of the jobs, in their order."""
        green, applications = self.green_percent, self.applications
        return replace(
            self,
            number=self.number[chosen],
            submit_s=self.submit_s[chosen],
            run_s=self.run_s[chosen],
            width=self.width[chosen],
            requested_s=self.requested_s[chosen],
            green_percent=None if green is None else green[chosen],
            applications=None if applications is None else applications.part(chosen),
            positions=self.positions.part(chosen),
        )


def peak_width(log: JobLog) -> int:
    """The most processors in use at once, were every job to start when it is submitted.

    A job that ends in the second in which another starts makes room for it. O(n log n).
    """
    time_s = np.concatenate([log.submit_s, log.submit_s + log.run_s])
    change = np.concatenate([log.width, -log.width])
    used = np.cumsum(change[np.lexsort((change, time_s))])
    return int(used.max(initial=0))


def node_seconds(log: JobLog) -> int:
    """Run time times width, summed over the jobs."""
    return int(np.dot(log.run_s, log.width))


def refuse_wide(log: JobLog, servers: int) -> None:
    """Raise TailcError where a job is wider than the datacentre."""
    wide = log.width > servers
    if count := int(wide.sum()):
        job = int(np.argmax(wide))
        message = f"job {log.number[job]} is {log.width[job]} wide, and the datacentre {servers}"
        others = f" (first of {count} such jobs)" if count > 1 else ""
        help_ = (
            "divide widths by more (`divide_width`), or drop more of the largest (`drop_largest`)"
        )
        raise TailcError(Finding(Code.TOO_WIDE, message + others, log.place(job), help_))


def refuse_same_numbers(log: JobLog) -> None:
    """Raise TailcError where two jobs have one number, for those that go by it."""
    numbers, first = np.unique(log.number, return_index=True)
    if len(numbers) == log.jobs:
        return
    again = int(np.setdiff1d(np.arange(log.jobs), first)[0])
    message = f"job {log.number[again]} is twice in the log"
    help_ = "give each job a number of its own; in a list of jobs the column may be left out"
    raise TailcError(Finding(Code.BAD_VALUE, message, log.place(again), help_))


def _check_within(values: Ints, largest: int) -> None:
    if len(values) and not 0 <= values.min() <= values.max() <= largest:
        raise ValueError("a job's share is 0 to 100 %, and its application one that is named")

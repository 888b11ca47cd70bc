"""Jobs in order of submission: when, for how long and how wide."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class JobLog:
    """Jobs in order of submission; int64 (jobs,) each.

    number: the job's own in its log. submit_s: seconds since the log's start, ascending. run_s: how
    long it ran, >= 1. width: processors or nodes, as its log counts them, >= 1. requested_s: the
    time asked for, 0 where the log does not state it. green_percent: share of a job's slots that
    is to be green, 0 to 100, None before it is assigned. application: which of `applications` the
    job is, None before it is assigned.

    start_unix_s: when second 0 is, None where the log does not say. zone: an IANA name or an offset
    such as `-07:00`, in which the log tells its days; None where it does not say. capacity: how
    wide the machine of the log is, None where it does not say. source: how messages call the log.
    line, row: where each job stands there, from 1; None where it has no lines, or no rows.
    """

    number: Ints
    submit_s: Ints
    run_s: Ints
    width: Ints
    requested_s: Ints
    source: str
    start_unix_s: int | None = None
    zone: str | None = None
    capacity: int | None = None
    green_percent: Ints | None = None
    application: Ints | None = None
    applications: tuple[str, ...] = ()
    line: Ints | None = None
    row: Ints | None = None
    warnings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        columns = self._columns().values()
        if any(each.shape != self.submit_s.shape or each.dtype != np.int64 for each in columns):
            raise ValueError("columns of jobs are int64, one value a job")
        if (np.diff(self.submit_s) < 0).any():
            raise ValueError("jobs are in order of submission")
        if self.jobs and min(self.run_s.min(), self.width.min()) < 1:
            raise ValueError("a job runs for a second and on one processor at least")
        if self.jobs and self.requested_s.min() < 0:
            raise ValueError("a requested time is not negative")
        if (self.application is None) != (not self.applications):
            raise ValueError("jobs are of applications where these are named")
        _check_within(self.green_percent, 100)
        _check_within(self.application, len(self.applications) - 1)

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return len(self.submit_s)

    def place(self, job: int) -> Place:
        """Where a job stands in its log, or the log."""
        line, row = (None if at is None else int(at[job]) for at in (self.line, self.row))
        return Place(self.source, line=line, row=row)

    def part(self, chosen: NDArray[np.bool_] | Ints | slice) -> JobLog:
        """Some of the jobs, in their order."""
        return replace(self, **{name: each[chosen] for name, each in self._columns().items()})

    def _columns(self) -> dict[str, Ints]:
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: each for name, each in values if isinstance(each, np.ndarray)}


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
    message = f"job {log.number[again]} stands twice in the log"
    help_ = "give each job a number of its own; in a list of jobs the column may be left out"
    raise TailcError(Finding(Code.BAD_VALUE, message, log.place(again), help_))


def _check_within(values: Ints | None, largest: int) -> None:
    if values is not None and len(values) and not 0 <= values.min() <= values.max() <= largest:
        raise ValueError("a job's share is 0 to 100 %, and its application one that is named")

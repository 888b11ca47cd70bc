"""Checks of logs of batch jobs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Severity
from tailc.lint.defect import ROWS_NAMED, Sighting, check
from tailc.lint.views import Jobs
from tailc.traces.jobs.flurries import are_of_flurries
from tailc.traces.series.series import SECONDS_PER_DAY
from tailc.units import plural

_FEWEST = 50
_CUT_SHARE, _ONE_TIME_SHARE, _COMMON_SHARE = 0.05, 0.1, 0.01
_HOLE_DAYS, _HOLE_GAPS = 2, 20
_ALIKE = 0.999
_OVERFULL = 1.5


def _sighting_of(jobs: Jobs, message: str, found: NDArray[np.bool_]) -> Iterator[Sighting]:
    """A sighting of the jobs selected by a mask, if any."""
    if not found.any():
        return
    at = np.flatnonzero(found)
    places = [jobs.log.place(job) for job in at[:ROWS_NAMED].tolist()]
    rows = tuple(place.row for place in places if place.row is not None)
    lines = tuple(place.line for place in places if place.line is not None)
    yield Sighting(message, len(at), rows=rows, lines=lines)


def _repeated_jobs(jobs: Jobs) -> Iterator[Sighting]:
    """Jobs that equal the previous one, except in values that many jobs share."""
    log = jobs.log
    stated = np.stack([log.submit_s, log.run_s, log.width], axis=1)
    _value, which, often = np.unique(log.run_s, return_inverse=True, return_counts=True)
    is_rare = often[which] <= max(_COMMON_SHARE * len(log.run_s), 2)
    again = np.append(False, (stated[1:] == stated[:-1]).all(axis=1)) & is_rare
    yield from _sighting_of(jobs, "the job is equal to the one before it, to the second", again)


def _cut_jobs(jobs: Jobs) -> Iterator[Sighting]:
    run_s = jobs.log.run_s
    cut = run_s == run_s.max()
    if len(run_s) >= _FEWEST and not cut.all() and cut.mean() >= _CUT_SHARE:
        yield from _sighting_of(jobs, f"the job ran for {int(run_s.max()):,} s, the longest", cut)


def _holes(jobs: Jobs) -> Iterator[Sighting]:
    submit_s = jobs.log.submit_s
    gaps_s = np.diff(submit_s, prepend=submit_s[:1])
    if len(submit_s) < _FEWEST:
        return
    least_s = max(_HOLE_DAYS * SECONDS_PER_DAY, _HOLE_GAPS * float(np.percentile(gaps_s, 99)))
    found = gaps_s > least_s
    days = gaps_s.max() / SECONDS_PER_DAY
    yield from _sighting_of(jobs, f"no job was submitted for {days:.1f} days before", found)


def _one_time(jobs: Jobs) -> Iterator[Sighting]:
    submit_s = jobs.log.submit_s
    if len(submit_s) < _FEWEST:
        return
    _value, which, often = np.unique(submit_s, return_inverse=True, return_counts=True)
    found = (which == often.argmax()) & (often.max() >= _ONE_TIME_SHARE * len(submit_s))
    yield from _sighting_of(jobs, f"{plural(int(found.sum()), 'job')} share a submit time", found)


def _ends(jobs: Jobs) -> Iterator[Sighting]:
    submit_s, run_s = jobs.log.submit_s.astype(np.float64), jobs.log.run_s.astype(np.float64)
    if len(run_s) < _FEWEST or (run_s < submit_s).any() or not np.ptp(submit_s):
        return
    if np.ptp(run_s) and np.corrcoef(submit_s, run_s)[0, 1] > _ALIKE:
        message = "run times rise as submit times do"
        yield from _sighting_of(jobs, message, np.arange(len(run_s)) == 0)


def _same_number(jobs: Jobs) -> Iterator[Sighting]:
    first = np.unique(jobs.log.number, return_index=True)[1]
    again = np.ones(len(jobs.log.number), np.bool_)
    again[first] = False
    yield from _sighting_of(jobs, "the job's number is that of an earlier one", again)


def _overfull(jobs: Jobs) -> Iterator[Sighting]:
    log, capacity = jobs.log, jobs.log.header.capacity
    if capacity is None:
        return
    lasted_s = int(log.submit_s[-1] - log.submit_s[0] + log.run_s.max())
    times = float((log.run_s * log.width).sum()) / (capacity * lasted_s)
    if times > _OVERFULL:
        yield Sighting(
            f"the jobs need {times:.1f} times the work that {capacity:,} processors can do"
        )


def _wide(jobs: Jobs) -> Iterator[Sighting]:
    width, capacity = jobs.log.width, jobs.log.header.capacity
    if capacity is not None:
        message = f"the job is wider than the {capacity:,} processors of the machine"
        yield from _sighting_of(jobs, message, width > capacity)


def _flurries(jobs: Jobs) -> Iterator[Sighting]:
    user = jobs.log.user
    if user is not None:
        message = "the user submitted more jobs in this week than all others usually do"
        yield from _sighting_of(jobs, message, are_of_flurries(user, jobs.log.submit_s))


_check = partial(check, Jobs, 1800)
CHECKS = (
    _check(
        1,
        "doubled-job",
        Severity.NOTE,
        _repeated_jobs,
        "a job is equal to the one before it",
        "if two logs were joined, its servers and its energy count twice in every plan",
        "remove one of each, unless one user submits equal jobs",
    ),
    _check(
        2,
        "cut-at-limit",
        Severity.WARNING,
        _cut_jobs,
        "many jobs ran for exactly the longest time",
        "they were ended at a limit, so their real work is larger and unknown",
        "leave them out, or keep them if they use all the time that they get",
    ),
    _check(
        3,
        "hole-in-log",
        Severity.WARNING,
        _holes,
        "no job was submitted for days",
        "an outage counts as days without jobs and affects prices",
        "use days on one side of it for the start and for prices",
    ),
    _check(
        4,
        "one-submit-time",
        Severity.WARNING,
        _one_time,
        "a tenth of the jobs share a submit time",
        "dates without times, or unset times, put jobs of many hours at one moment",
        "log the time of day, and leave out jobs without one",
    ),
    _check(
        5,
        "end-as-run",
        Severity.ERROR,
        _ends,
        "run times look like end times",
        "each job would run from the start of the log to its end",
        "write the end minus the start of each job",
    ),
    _check(
        6,
        "overfull-cluster",
        Severity.WARNING,
        _overfull,
        "jobs need more work than the machine of the log can do",
        "widths or run times are in another unit, so a plan needs many times the servers",
        "check both units, and `MaxProcs` in the header",
    ),
    _check(
        7,
        "doubled-number",
        Severity.WARNING,
        _same_number,
        "two jobs have the same number",
        "a number does not identify a job, so a plan has the same name for both",
        "remove the copy if it is one, or renumber the jobs",
    ),
    _check(
        8,
        "wide-job",
        Severity.WARNING,
        _wide,
        "a job is wider than the machine of the log",
        "the machine cannot have run it, and a plan for that many servers refuses the log",
        "correct `MaxProcs` in the header or the width, or leave the job out",
    ),
    _check(
        9,
        "flurry",
        Severity.NOTE,
        _flurries,
        "one user submits most jobs of a week",
        "a script gone wrong or one experiment changes the load of that week, and of no other",
        "compare plans with and without `jobs.skip_flurries: true`",
    ),
)

"""Select the jobs of a log that ran; leave out or refuse the others."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.traces.jobs.flurries import are_of_flurries
from tailc.traces.jobs.log import Ints, JobLog, LogHeader, Positions, refuse_wide
from tailc.traces.zones import ADVICE, TimeError, instant, zone_of
from tailc.units import plural

_MEND = "correct the line, or remove the job"


@dataclass(frozen=True)
class JobReading:
    """How to read a log of jobs of any format.

    servers: size of the datacentre; wider jobs are refused; None for no limit.
    leaves_out_zero_runs: leave out jobs that ran for less than half a second, instead of refusing
    them. leaves_out_flurries: leave out jobs of flurries, if the log states users. start: time of
    second 0 of the log in ISO 8601; None: as the log states. zone: time zone of `start`, of times
    without one, and of the days of the log; None: as the log states.
    """

    servers: int | None = None
    leaves_out_zero_runs: bool = False
    leaves_out_flurries: bool = False
    start: str | None = None
    zone: str | None = None

    def start_unix_s(self, source: str) -> int | None:
        """The start [Unix s]; raises TailcError if it is not a time or has no time zone."""
        if self.start is None:
            return None
        try:
            return instant(self.start, self.zone)
        except TimeError as error:
            code = Code.NO_ZONE if error.lacks_zone else Code.BAD_VALUE
            message = f"the start of the log is wrong: {error}"
            raise TailcError(Finding(code, message, Place(source), ADVICE)) from None


@dataclass(frozen=True)
class StatedJobs:
    """The jobs of a log with the values that the log states; arrays are int64 (jobs,).

    run_s and width are -1 if the log does not state them. green_ppm, deadline_s, user: as in
    `JobLog`.
    never_ran: bool (jobs,), jobs that were cancelled before they ran. is_part: bool (jobs,), lines
    that are a part of a job which has its own line.
    """

    number: Ints
    submit_s: Ints
    run_s: Ints
    width: Ints
    requested_s: Ints
    never_ran: NDArray[np.bool_]
    is_part: NDArray[np.bool_]
    positions: Positions
    green_ppm: Ints | None = None
    deadline_s: Ints | None = None
    user: Ints | None = None


@dataclass
class Choosing:
    """A selection of the jobs of a log, and the findings about jobs that are not selected."""

    stated: StatedJobs
    source: str
    chosen: NDArray[np.bool_]
    findings: list[Finding] = field(default_factory=list)

    def leave_out(self, which: NDArray[np.bool_], what: str) -> None:
        """Leave out jobs from the selection, and count them in a warning."""
        out = which & self.chosen
        if count := int(out.sum()):
            self.chosen &= ~which
            jobs = plural(count, "job")
            message = f"{jobs} left out {what}" + ("; the first is here" if count > 1 else "")
            place = self._place(out)
            self.findings.append(
                Finding(Code.JOBS_LEFT_OUT, message, place, severity=Severity.WARNING)
            )

    def refuse(self, which: NDArray[np.bool_], code: Code, what: str, help_: str = _MEND) -> None:
        """Record an error about the first of these jobs that is still selected."""
        bad = which & self.chosen
        if count := int(bad.sum()):
            number = self.stated.number[int(np.argmax(bad))]
            others = f" (first of {count} such jobs)" if count > 1 else ""
            message = f"job {number} {what}{others}"
            self.findings.append(Finding(code, message, self._place(bad), help_))

    def _place(self, which: NDArray[np.bool_]) -> Place:
        return self.stated.positions.place(self.source, int(np.argmax(which)))


def chosen_jobs(
    stated: StatedJobs,
    reading: JobReading,
    source: str,
    header: LogHeader,
    warnings: tuple[Finding, ...] = (),
) -> JobLog:
    """Select the jobs that ran; warnings count the others by reason.

    Raises TailcError with all findings: jobs out of order, run times of 0 or below, jobs wider than
    the datacentre, and a log without a job that ran.
    """
    if reading.zone is not None:
        _check_zone(reading.zone, source)
    choosing = Choosing(stated, source, np.ones(len(stated.number), dtype=np.bool_))
    choosing.leave_out(stated.is_part, "as part of a job that has its own line")
    choosing.leave_out(stated.never_ran, "that never ran")
    choosing.leave_out(stated.width < 1, "without a width")
    _check_order(choosing)
    choosing.refuse(stated.run_s < 0, Code.NOT_POSITIVE, "has a negative run time")
    _settle_zero_runs(choosing, reading)
    if reading.leaves_out_flurries and stated.user is not None:
        which = are_of_flurries(stated.user, stated.submit_s)
        choosing.leave_out(which, "as flurries: weeks in which one user submits most jobs")
    if not choosing.chosen.any():
        message = f"`{source}` has no job with a run time and a width"
        help_ = "give a log with run times and widths"
        choosing.findings.append(Finding(Code.EMPTY_TRACE, message, Place(source), help_))
    if errors := [each for each in choosing.findings if each.severity is Severity.ERROR]:
        raise TailcError(errors)
    kept = choosing.chosen
    asked_start = reading.start_unix_s(source)
    log = JobLog(
        stated.number[kept],
        stated.submit_s[kept],
        stated.run_s[kept],
        stated.width[kept],
        np.maximum(stated.requested_s[kept], 0),
        source,
        LogHeader(
            header.start_unix_s if asked_start is None else asked_start,
            reading.zone or header.zone,
            header.capacity,
        ),
        green_ppm=None if stated.green_ppm is None else stated.green_ppm[kept],
        deadline_s=None if stated.deadline_s is None else stated.deadline_s[kept],
        positions=stated.positions.part(kept),
        user=None if stated.user is None else stated.user[kept],
        warnings=(*warnings, *choosing.findings),
    )
    if reading.servers is not None:
        refuse_wide(log, reading.servers)
    return log


def _check_zone(zone: str, source: str) -> None:
    try:
        zone_of(zone)
    except TimeError as error:
        raise TailcError(Finding(Code.NO_ZONE, str(error), Place(source), ADVICE)) from None


def _check_order(choosing: Choosing) -> None:
    submit_s = choosing.stated.submit_s
    choosing.refuse(submit_s < 0, Code.OUT_OF_RANGE, "is submitted before the log starts")
    kept = np.flatnonzero(choosing.chosen)
    is_late = np.zeros(len(submit_s), dtype=np.bool_)
    is_late[kept[1:]] = np.diff(submit_s[kept]) < 0
    hint = "sort the log by submit time"
    number, late = choosing.stated.number, np.flatnonzero(is_late)
    if len(late) and number[late[0]] in number[: late[0]]:
        hint = "give each log alone: an earlier job has the same number, so the file has two logs"
    choosing.refuse(is_late, Code.OUT_OF_ORDER, "was submitted before the job above it", hint)


def _settle_zero_runs(choosing: Choosing, reading: JobReading) -> None:
    is_zero = choosing.stated.run_s == 0
    if reading.leaves_out_zero_runs:
        choosing.leave_out(is_zero, "that ran for less than half a second")
    else:
        hint = "correct the line, or leave out such jobs with `skip_zero_runs: true`"
        choosing.refuse(is_zero, Code.NOT_POSITIVE, "has a run time of 0", hint)

"""Read the job log of a spec, scaled, with times relative to the first epoch of the energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.pipeline.days.energy import PathOf, PlaceOf
from tailc.specs.jobs import (
    OTHERS,
    AfterStart,
    ByCalendar,
    ColumnShare,
    DrawnShare,
    GreenShareSpec,
    JobColumnsSpec,
    JobsSpec,
    SameShare,
    StandardLog,
)
from tailc.traces.jobs.job_list import JobColumns, JobTimeUnit, ShareColumn, read_job_list
from tailc.traces.jobs.job_selection import JobReading
from tailc.traces.jobs.log import JobLog
from tailc.traces.jobs.scaling import (
    DividedWidths,
    JobScaling,
    WidthMap,
    Widths,
    scaled_jobs,
    with_application_mix,
    with_green_percents,
)
from tailc.traces.jobs.swf import read_swf
from tailc.traces.zones import utc_text
from tailc.units import plural


def read_log(
    spec: JobsSpec, start_unix_s: int, within_unix_s: tuple[int, int], place: PlaceOf, path: PathOf
) -> JobLog:
    """Read the jobs that were submitted within a time interval, whose start is second 0.

    start_unix_s: start of the plan. Raises TailcError if neither log nor spec has the log's start,
    and if no job is submitted within the interval.
    """
    log = _read(spec, path)
    begin_unix_s = start_unix_s - _lead_s(spec, log, start_unix_s, place)
    first_unix_s, past_unix_s = within_unix_s
    shifted = log.shifted(begin_unix_s - first_unix_s)
    is_within = (shifted.submit_s >= 0) & (shifted.submit_s < past_unix_s - first_unix_s)
    if not is_within.any():
        verb = "give" if isinstance(spec.begins, ByCalendar) else "change"
        raise _none_within(log, begin_unix_s, within_unix_s, verb)
    header = replace(log.header, start_unix_s=first_unix_s)
    return _scale(spec, _narrow(spec, replace(shifted, header=header).part(is_within)))


def _read(spec: JobsSpec, path: PathOf) -> JobLog:
    reading = JobReading(
        leaves_out_zero_runs=spec.skip_zero_runs,
        leaves_out_flurries=spec.skip_flurries,
        zone=spec.zone,
    )
    columns = job_columns(spec)
    if columns is None:
        return read_swf(path(spec.trace), reading)
    assert spec.format != "swf"
    return read_job_list(path(spec.trace), columns, reading, spec.format)


def job_columns(spec: JobsSpec) -> JobColumns | None:
    """Columns of a list of jobs; None for a log in the Standard Workload Format."""
    if isinstance(spec.log, StandardLog):
        return None
    named = spec.log.columns
    return JobColumns(
        named.submit,
        named.run,
        named.width,
        None if named.submit_unit == "date" else JobTimeUnit(named.submit_unit),
        JobTimeUnit(named.run_unit),
        number=named.number,
        green=_share_column(spec, named),
        deadline=named.deadline,
        where=tuple(sorted(spec.where.items())),
    )


def _share_column(spec: JobsSpec, named: JobColumnsSpec) -> ShareColumn | None:
    """The column of green shares, named among the columns or under `green`."""
    if named.green is not None:
        return ShareColumn(named.green, named.green_unit)
    if spec.green is not None and isinstance(spec.green.asked, ColumnShare):
        return ShareColumn(spec.green.asked.column, spec.green.asked.unit)
    return None


def _lead_s(spec: JobsSpec, log: JobLog, start_unix_s: int, place: PlaceOf) -> int:
    """Time from the log's start to the plan's start [s]."""
    if isinstance(spec.begins, AfterStart):
        return spec.begins.at_start_s
    if log.header.start_unix_s is None:
        message = f"`{log.source}` does not state when it began, so its jobs have no dates"
        hint = (
            "add the time from the start of the log to the start of the plan, for example "
            "`at_start: 72h`"
        )
        raise TailcError(Finding(Code.MISSING_KEY, message, place("jobs", "trace"), hint))
    return start_unix_s - log.header.start_unix_s


def _narrow(spec: JobsSpec, log: JobLog) -> JobLog:
    """The log without the jobs wider than `drop_wider`."""
    if spec.drop_wider is None:
        return log
    wide = log.width > spec.drop_wider
    if not (count := int(wide.sum())):
        return log
    if wide.all():
        message = f"every job is wider than {spec.drop_wider}"
        finding = Finding(Code.EMPTY_TRACE, message, Place(log.source), "raise `drop_wider`")
        raise TailcError(finding)
    message = f"{plural(count, 'job')} left out that {'is' if count == 1 else 'are'} wider than "
    message += f"{spec.drop_wider}"
    warning = Finding(
        Code.JOBS_LEFT_OUT,
        message,
        log.place(int(np.argmax(wide))),
        "to include them, raise `drop_wider`",
        Severity.WARNING,
    )
    return replace(log.part(~wide), warnings=(*log.warnings, warning))


def _scale(spec: JobsSpec, log: JobLog) -> JobLog:
    scaling = JobScaling(spec.drop_largest, _widths(spec), spec.multiply_run)
    log = _with_shares(spec.green, scaled_jobs(log, scaling))
    if not spec.applications:
        return log
    return with_application_mix(log, spec.applications, spec.application_seed)


def _widths(spec: JobsSpec) -> Widths:
    if not spec.map_width:
        return DividedWidths(spec.divide_width)
    named = {int(key): to for key, to in spec.map_width.items() if key != OTHERS}
    return WidthMap(tuple(sorted(named.items())), spec.map_width.get(OTHERS))


def _with_shares(green: GreenShareSpec | None, log: JobLog) -> JobLog:
    """Give each job its requested share of green energy."""
    match green and green.asked:
        case SameShare(share=share):
            return replace(log, green_ppm=np.full(log.jobs, share, dtype=np.int64))
        case DrawnShare(seed=seed):
            return with_green_percents(log, seed)
        case _:
            return log


def _none_within(
    log: JobLog, begin_unix_s: int, within_unix_s: tuple[int, int], verb: str
) -> TailcError:
    first, last = (begin_unix_s + int(log.submit_s[at]) for at in (0, -1))
    spans = [
        f"`{utc_text(one)}` to `{utc_text(other)}`" for one, other in ((first, last), within_unix_s)
    ]
    message = f"jobs are submitted from {spans[0]}, but the energy series covers {spans[1]}"
    hint = f"{verb} `jobs.at_start`, which shifts the log to the days of the energy"
    return TailcError(Finding(Code.EMPTY_TRACE, message, Place(log.source), hint))

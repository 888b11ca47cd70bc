"""Write a log of jobs in the Standard Workload Format, so that `read_swf` reads it back."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.traces.jobs.log import JobLog

_DONE = 1
_UNKNOWN = "-1"


def swf_text(log: JobLog, computer: str) -> str:
    """Format a log as text; the format has no fields for green shares and applications."""
    return "\n".join([*_header(log, computer), *_jobs(log), ""])


def _header(log: JobLog, computer: str) -> Iterator[str]:
    yield "; Version: 2.2"
    yield f"; Computer: {computer}"
    yield f"; MaxJobs: {log.jobs}"
    yield f"; MaxRecords: {log.jobs}"
    header = log.header
    if header.start_unix_s is not None:
        yield f"; UnixStartTime: {header.start_unix_s}"
    if header.zone is not None:
        yield f"; TimeZoneString: {header.zone}"
    if header.capacity is not None:
        yield f"; MaxProcs: {header.capacity}"


def _jobs(log: JobLog) -> Iterator[str]:
    columns = (log.number, log.submit_s, log.run_s, log.width, log.requested_s)
    for number, submit_s, run_s, width, requested_s in zip(*columns, strict=True):
        asked = requested_s if requested_s else _UNKNOWN
        yield f"{number} {submit_s} -1 {run_s} {width} -1 -1 {width} {asked} -1 {_DONE}" + " -1" * 7

"""Read job logs in the Standard Workload Format 2.2 of the Parallel Workloads Archive.

A line is a job: 18 numbers separated by blanks, -1 if unknown. Lines that begin with `;` are
comments, of which the first ones describe the machine. The reader uses the number, submit time, run
time, width, requested time and user of a job. The width is the number of allocated processors, or
else the requested number. See Chapin et al., "Benchmarks and standards for the evaluation of
parallel job schedulers" (JSSPP 1999), and the archive's page on the format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.traces.jobs.job_selection import JobReading, StatedJobs, chosen_jobs
from tailc.traces.jobs.log import Ints, JobLog, LinePositions, LogHeader
from tailc.traces.source import Source, open_source
from tailc.traces.zones import ADVICE, TimeError, zone_of
from tailc.units import shorten

FIELDS = (
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "application",
    "queue",
    "partition",
    "preceding job",
    "think time",
)
# The fields taken, which are whole numbers.
_TAKEN = (0, 1, 3, 4, 7, 8, 10, 11)
_CANCELLED = 5
# A job that was swapped out has its own line, and one more for each time that it ran.
_PART_STATUSES = (2, 3, 4)
_UNKNOWN = -1

_WHOLE = rb"([+-]?[0-9]{1,12})(?:\.0*)?"
_NUMBER = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_JOB = re.compile(
    rb"\s*"
    + rb"\s+".join(_WHOLE if at in _TAKEN else _NUMBER for at in range(len(FIELDS)))
    + rb"\s*"
)
MAX_LINE_BYTES = 1 << 16
MAX_JOBS = 1 << 26


def read_swf(source: str, reading: JobReading | None = None) -> JobLog:
    """Read the jobs of a log that ran, from a (compressed) file or `-` for standard input.

    Jobs are left out, and counted in warnings, if they never ran (run time -1, or 0 if cancelled or
    without processors), are parts of jobs that were swapped out, or have no known width. Raises
    TailcError, by line, for truncated logs or gzip data, lines that are not 18 numbers, submit
    times out of order, and whatever `JobReading` refuses.
    """
    with open_source(source) as opened:
        return swf_in(opened, reading or JobReading())


def swf_in(source: Source, reading: JobReading) -> JobLog:
    """Read the jobs of an open source; see `read_swf`."""
    source.check_whole()
    header = SwfHeader(source.name)
    lines, jobs = _job_lines(source, header)
    if not len(jobs):
        raise source.fault(
            Code.EMPTY_TRACE, f"`{source.name}` has no jobs", advice="write one line for each job"
        )
    zone = header.zone if reading.zone is None else reading.zone
    return chosen_jobs(
        _stated_jobs(jobs, lines),
        reading,
        source.name,
        LogHeader(header.start_unix_s, zone, header.capacity),
        header.count_warning(len(jobs)),
    )


def _job_lines(source: Source, header: SwfHeader) -> tuple[Ints, Ints]:
    """Line number of each job, and the fields of it that are used (jobs, fields)."""
    at: list[int] = []
    cells: list[int] = []
    for number, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        if match := _JOB.fullmatch(line):
            at.append(number)
            cells.extend(map(int, match.groups()))
        elif line.lstrip().startswith(b";"):
            header.note(line.decode("utf-8", "replace").strip(), number)
        elif line.strip():
            raise TailcError(_not_a_job(line, source.name, number))
        if len(at) > MAX_JOBS:
            message = f"`{source.name}` has more than {MAX_JOBS:,} jobs"
            raise source.fault(
                Code.TRACE_TOO_LARGE, message, advice=("split the log, and give a part")
            )
    jobs = np.array(cells, dtype=np.int64).reshape(-1, len(_TAKEN))
    return np.array(at, dtype=np.int64), jobs


def _not_a_job(line: bytes, source: str, number: int) -> Finding:
    """The error about a line: its number of fields, or the first that is not a number."""
    text = line.decode("utf-8", "replace")
    found = list(re.finditer(r"\S+", text))
    if len(found) != len(FIELDS):
        if not text.endswith("\n") and len(found) < len(FIELDS):
            message = f"the log ends in the middle: its last line has {len(found)} of 18 fields"
            help_ = "copy the log again"
            return Finding(Code.TRUNCATED, message, Place(source, number), help_)
        message = f"a job has 18 fields, and this line has {len(found)}"
        help_ = "a comment must begin with `;`"
        return Finding(Code.RAGGED_ROW, message, Place(source, number), help_)
    index = next(index for index, cell in enumerate(found) if not _is_right(cell[0], index))
    cell = found[index]
    what = "a whole number" if index in _TAKEN else "a number"
    message = f"field {index + 1} (the {FIELDS[index]}) is `{shorten(cell[0])}`, not {what}"
    place = Place(
        source,
        number,
        cell.start() + 1,
        excerpt=shorten(text.rstrip(), 200),
        width=len(cell[0]),
    )
    return Finding(Code.NOT_A_NUMBER, message, place, "write -1 for an unknown value")


def _is_right(cell: str, index: int) -> bool:
    pattern = _WHOLE if index in _TAKEN else _NUMBER
    return re.fullmatch(pattern, cell.encode()) is not None


def _stated_jobs(jobs: Ints, lines: Ints) -> StatedJobs:
    number, submit_s, run_s, allocated, requested, requested_s, status, user = jobs.T
    was_cancelled = (run_s == 0) & ((status == _CANCELLED) | (allocated < 1))
    return StatedJobs(
        number,
        submit_s,
        run_s,
        width=np.where(allocated > 0, allocated, requested),
        requested_s=requested_s,
        never_ran=(run_s == _UNKNOWN) | was_cancelled,
        is_part=np.isin(status, _PART_STATUSES),
        positions=LinePositions(lines),
        user=user,
    )


_LABELLED = re.compile(r";\s*(\w+):(.*)")
_MINUTES_PER_HOUR, _SECONDS_PER_MINUTE = 60, 60
# Labels that give the width of the machine and the number of lines, the better ones first.
_WIDTHS = ("MaxProcs", "MaxNodes")
_COUNTS = ("MaxRecords", "MaxJobs")


@dataclass
class SwfHeader:
    """The header of a job log: values by label, with line numbers.

    If a label occurs several times, the first one counts.
    """

    source: str
    values: dict[str, tuple[str, int]] = field(default_factory=dict)

    def note(self, line: str, at: int) -> None:
        """Read a header line of a job log, which begins with `;`, with or without a label."""
        if match := _LABELLED.match(line):
            self.values.setdefault(match[1], (match[2].strip(), at))

    @property
    def start_unix_s(self) -> int | None:
        """Time of second 0 of the log, as its header states it [Unix s]."""
        return self._whole("UnixStartTime")

    @property
    def capacity(self) -> int | None:
        """Number of processors of the log's machine, or else of its nodes."""
        return next((width for label in _WIDTHS if (width := self._whole(label))), None)

    @property
    def zone(self) -> str | None:
        """Time zone by name, or else by offset; raises TailcError for an unknown name.

        If both exist they may differ: a name includes daylight saving time, an offset does not.
        """
        name = self._text("TimeZoneString")
        if name is not None:
            try:
                zone_of(name)
            except TimeError as error:
                raise self._fault("TimeZoneString", str(error), ADVICE) from None
            return name
        offset_s = self._whole("TimeZone", least=-86_399)
        return None if offset_s is None else _offset(offset_s)

    def count_warning(self, lines: int) -> tuple[Finding, ...]:
        """Warn if the number of jobs in a log differs from that in its header.

        lines: number of jobs in the log.
        """
        label = next((label for label in _COUNTS if self._whole(label) is not None), None)
        stated = None if label is None else self._whole(label)
        if label is None or stated is None or stated == lines:
            return ()
        message = (
            f"the header states {stated} jobs, but the log has {lines}: it may be an excerpt or "
            "truncated"
        )
        place = Place(self.source, line=self.values[label][1])
        return (Finding(Code.LOG_IS_PART, message, place, severity=Severity.WARNING),)

    def _text(self, label: str) -> str | None:
        """The value; None if missing or `-1`, which means unknown."""
        value = self.values.get(label, ("", 0))[0]
        return None if value in ("", "-1") else value

    def _whole(self, label: str, least: int = 0) -> int | None:
        text = self._text(label)
        if text is None:
            return None
        # Some logs explain a number in words after it.
        number = text.split()[0]
        if not re.fullmatch(r"[+-]?[0-9]{1,12}", number) or int(number) < least:
            message = f"`{label}` is `{text}`, which is not a valid number"
            raise self._fault(label, message, "correct the header, or remove the line")
        return int(number)

    def _fault(self, label: str, message: str, help_: str) -> TailcError:
        place = Place(self.source, line=self.values[label][1])
        code = Code.NO_ZONE if label == "TimeZoneString" else Code.NOT_A_NUMBER
        return TailcError(Finding(code, message, place, help_))


def _offset(seconds: int) -> str:
    minutes, _ = divmod(abs(seconds), _SECONDS_PER_MINUTE)
    hours, minutes = divmod(minutes, _MINUTES_PER_HOUR)
    return f"{'-' if seconds < 0 else '+'}{hours:02d}:{minutes:02d}"

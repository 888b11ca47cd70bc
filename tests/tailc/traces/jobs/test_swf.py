"""Logs in the Standard Workload Format: what is taken, left out, and refused by line."""

import contextlib
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.errors import Code, TailcError
from tailc.traces.jobs.job_selection import JobReading
from tailc.traces.jobs.log import LogHeader
from tailc.traces.jobs.swf import read_swf
from tailc.traces.jobs.swf_written import swf_text
from tests.tailc.traces.jobs.making import log_of, seeded_log

HEAD = (
    "; Version: 2.2",
    "; UnixStartTime: 1163199901",
    "; TimeZone: 3600",
    "; TimeZoneString: US/Pacific",
    "; MaxNodes: 8",
    "; MaxProcs: 64",
    ";",
    "; Note: by hand",
)
FIRST_JOB = len(HEAD) + 1


def job(number=1, submit=0, run=60, allocated=4, requested=4, time=-1, status=1):
    return (
        f"{number} {submit} -1 {run} {allocated} -1 -1 {requested} {time} -1 {status}"
        " -1 -1 -1 -1 -1 -1 -1"
    )


def written(folder, *jobs, head=HEAD, end="\n"):
    path = folder / "jobs.swf"
    path.write_text("\n".join([*head, *jobs]) + end)
    return str(path)


def refused(path, **options):
    with pytest.raises(TailcError) as found:
        read_swf(path, JobReading(**options))
    return found.value.findings


def test_a_job_has_its_number_times_and_width(tmp_path):
    log = read_swf(written(tmp_path, job(7, 10, 60, 4, time=90), job(9, 10, 30, 64)))
    assert log.number.tolist() == [7, 9]
    assert log.submit_s.tolist() == [10, 10]
    assert log.run_s.tolist() == [60, 30]
    assert log.width.tolist() == [4, 64]
    assert log.requested_s.tolist() == [90, 0]
    assert log.positions.at.tolist() == [FIRST_JOB, FIRST_JOB + 1]
    assert log.warnings == ()


def test_the_header_says_when_where_and_on_what(tmp_path):
    log = read_swf(written(tmp_path, job()))
    assert log.header == LogHeader(1_163_199_901, "US/Pacific", 64)


def test_a_zone_without_a_name_is_its_offset(tmp_path):
    for seconds, offset in ((-28_800, "-08:00"), (19_800, "+05:30"), (0, "+00:00")):
        log = read_swf(written(tmp_path, job(), head=[f"; TimeZone: {seconds}"]))
        assert log.header.zone == offset


def test_a_log_without_a_header_knows_no_start(tmp_path):
    log = read_swf(written(tmp_path, job(), head=()))
    assert log.header == LogHeader(None, None, None)


def test_a_start_can_be_told_in_its_zone(tmp_path):
    reading = JobReading(start="2006-11-10T15:05:01", zone="US/Pacific")
    assert read_swf(written(tmp_path, job(), head=()), reading).header.start_unix_s == 1_163_199_901


def test_what_was_requested_is_the_width_where_nothing_was_allocated(tmp_path):
    log = read_swf(written(tmp_path, job(allocated=-1, requested=12)))
    assert log.width.tolist() == [12]


def test_whole_numbers_may_have_a_point_and_other_fields_a_fraction(tmp_path):
    line = job(run="60.0").replace(" -1 -1 4", " 552.21 -1 4")
    assert read_swf(written(tmp_path, line)).run_s.tolist() == [60]


def test_a_gzipped_log_is_the_same_log(tmp_path):
    path = written(tmp_path, job(), job(2, 5))
    zipped = tmp_path / "jobs.swf.gz"
    zipped.write_bytes(gzip.compress(Path(path).read_bytes()))
    assert read_swf(str(zipped)).submit_s.tolist() == read_swf(path).submit_s.tolist()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (job(2, run=-1), "never ran"),
        (job(2, run=0, status=5), "never ran"),
        (job(2, run=0, allocated=-1), "never ran"),
        (job(2, status=3), "as part of a job"),
        (job(2, allocated=0, requested=-1), "without a width"),
        (job(2, allocated=-1, requested=0), "without a width"),
    ],
)
def test_what_is_left_out_is_counted_and_its_first_line_named(tmp_path, line, why):
    log = read_swf(written(tmp_path, job(), line, line, job(3)))
    assert log.number.tolist() == [1, 3]
    (warning,) = log.warnings
    assert warning.code is Code.JOBS_LEFT_OUT
    assert warning.message.startswith("2 jobs left out ")
    assert why in warning.message
    assert warning.place.line == FIRST_JOB + 1


def test_a_log_shorter_than_its_header_says_is_told(tmp_path):
    head = ("; MaxJobs: 500", "; MaxRecords: 500")
    (warning,) = read_swf(written(tmp_path, job(), head=head)).warnings
    assert warning.code is Code.LOG_IS_PART
    assert (
        "the header states 500 jobs, but the log has 1: it may be an excerpt or truncated"
        in warning.message
    )
    assert warning.place.line == 2


def test_runs_of_no_second_are_refused_or_left_out_as_asked(tmp_path):
    path = written(tmp_path, job(), job(2, run=0))
    (finding,) = refused(path)
    assert (finding.code, finding.place.line) == (Code.NOT_POSITIVE, FIRST_JOB + 1)
    assert "job 2 has a run time of 0" in finding.message
    log = read_swf(path, JobReading(leaves_out_zero_runs=True))
    assert log.number.tolist() == [1]


def test_a_negative_run_time_is_refused(tmp_path):
    (finding,) = refused(written(tmp_path, job(run=-60)))
    assert (finding.code, finding.place.line) == (Code.NOT_POSITIVE, FIRST_JOB)


def test_submit_times_out_of_order_are_refused(tmp_path):
    (finding,) = refused(written(tmp_path, job(submit=10), job(2, submit=9)))
    assert (finding.code, finding.place.line) == (Code.OUT_OF_ORDER, FIRST_JOB + 1)
    assert finding.help == "sort the log by submit time"


def test_two_logs_in_one_file_are_not_sorted(tmp_path):
    jobs = job(1, 5), job(2, 10)
    (finding,) = refused(written(tmp_path, *jobs, *jobs))
    assert (finding.code, "has two logs" in finding.help) == (Code.OUT_OF_ORDER, True)


def test_a_line_left_out_may_have_any_submit_time(tmp_path):
    lines = job(1, 10), job(2, -1, status=2), job(3, 0, run=-1), job(4, 10)
    assert read_swf(written(tmp_path, *lines)).number.tolist() == [1, 4]


def test_jobs_wider_than_the_datacentre_are_refused(tmp_path):
    path = written(tmp_path, job(), job(2, allocated=65), job(3, allocated=64))
    (finding,) = refused(path, servers=64)
    assert (finding.code, finding.place.line) == (Code.TOO_WIDE, FIRST_JOB + 1)
    assert "job 2 needs 65 servers, but the datacentre has 64" in finding.message


def test_a_log_that_ends_in_a_line_is_truncated(tmp_path):
    (finding,) = refused(written(tmp_path, job(), job(2)[:20], end=""))
    assert (finding.code, finding.place.line) == (Code.TRUNCATED, FIRST_JOB + 1)


def test_gzip_data_that_ends_in_the_middle_is_truncated(tmp_path):
    log = swf_text(seeded_log(1, 500), "made")
    path = tmp_path / "jobs.swf.gz"
    path.write_bytes(gzip.compress(log.encode())[:-200])
    (finding,) = refused(str(path))
    assert finding.code is Code.TRUNCATED


def test_a_line_without_18_fields_is_refused(tmp_path):
    (finding,) = refused(written(tmp_path, job() + " -1", job(2)))
    assert (finding.code, finding.place.line) == (Code.RAGGED_ROW, FIRST_JOB)
    assert "has 19" in finding.message


@pytest.mark.parametrize(
    ("line", "column", "says"),
    [
        (job(run="long"), 8, "field 4 (the run time) is `long`, not a whole number"),
        (job(run="1.5"), 8, "field 4 (the run time) is `1.5`"),
        (job(run="9" * 20), 8, "field 4 (the run time)"),
        (job() + "x", 47, "field 18 (the think time) is `-1x`, not a number"),
    ],
)
def test_text_where_a_number_belongs_is_pointed_at(tmp_path, line, column, says):
    (finding,) = refused(written(tmp_path, line))
    assert says in finding.message
    assert (finding.code, finding.place.line) == (Code.NOT_A_NUMBER, FIRST_JOB)
    assert finding.place.column == column
    assert finding.place.excerpt[column - 1 :].startswith(finding.message.split("`")[1][:4])


@pytest.mark.parametrize(
    ("head", "code", "says"),
    [
        ("; TimeZoneString: Mars/Olympus", Code.NO_ZONE, "is not a time zone"),
        (
            "; UnixStartTime: today",
            Code.NOT_A_NUMBER,
            ("`UnixStartTime` is `today`, which is not a valid number"),
        ),
    ],
)
def test_a_header_that_cannot_be_is_refused(tmp_path, head, code, says):
    (finding,) = refused(written(tmp_path, job(), head=["; Version: 2", head]))
    assert (finding.code, finding.place.line) == (code, 2)
    assert says in finding.message


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"start": "2006-11-10T15:05:01"}, Code.NO_ZONE),
        ({"start": "noon", "zone": "UTC"}, Code.BAD_VALUE),
        ({"zone": "Mars/Olympus"}, Code.NO_ZONE),
    ],
)
def test_a_start_needs_a_time_and_a_zone(tmp_path, options, code):
    (finding,) = refused(written(tmp_path, job()), **options)
    assert finding.code is code


@pytest.mark.parametrize("jobs", [(), (job(run=-1),)])
def test_a_log_without_a_job_that_ran_is_refused(tmp_path, jobs):
    (finding,) = refused(written(tmp_path, *jobs))
    assert finding.code is Code.EMPTY_TRACE


@pytest.mark.parametrize("seed", range(5))
def test_a_log_written_is_the_log_read(tmp_path, seed):
    log = seeded_log(seed, 50, header=LogHeader(1_000_000, "Europe/Paris", 1_680))
    path = tmp_path / "made.swf"
    path.write_text(swf_text(log, "made"))
    again = read_swf(str(path))
    for name in ("number", "submit_s", "run_s", "width", "requested_s"):
        assert np.array_equal(getattr(again, name), getattr(log, name)), name
    assert again.header == LogHeader(1_000_000, "Europe/Paris", 1_680)
    assert again.warnings == ()


def test_a_log_that_knows_little_is_written_without_it(tmp_path):
    path = tmp_path / "made.swf"
    path.write_text(swf_text(log_of([0], [5], [1]), "made"))
    again = read_swf(str(path))
    assert again.header == LogHeader(None, None, None)


CELLS = st.sampled_from(["-1", "0", "1", "60", "5", "7.0", "1e3", "x", "-", "999999999999"])


@given(st.lists(st.one_of(st.lists(CELLS, min_size=17, max_size=19), st.just([";", "Note:"]))))
def test_whatever_the_lines_there_is_a_log_or_a_finding_with_a_place(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / "any.swf"
    path.write_text("\n".join(" ".join(line) for line in lines) + "\n")
    places = []
    with contextlib.suppress(TailcError):
        places = [log.place(job) for log in [read_swf(str(path))] for job in range(log.jobs)]
        assert places
    places = places or [finding.place for finding in refused(str(path))]
    assert all(place is not None for place in places)

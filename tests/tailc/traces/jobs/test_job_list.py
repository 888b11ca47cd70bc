"""Lists of jobs in columns: units, dates, and what is refused by row."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.errors import Code, TailcError
from tailc.traces.jobs.job_list import JobColumns, JobTimeUnit, ShareColumn, read_job_list
from tailc.traces.jobs.job_selection import JobReading
from tailc.traces.jobs.log import LogHeader

HOURS = JobColumns("arrival_h", "run_h", "cpus", JobTimeUnit.HOUR, JobTimeUnit.HOUR)
DATED = JobColumns("arrival_h", "run_h", "cpus", None, JobTimeUnit.HOUR)


def written(folder, *rows, head="arrival_h,run_h,cpus"):
    path = folder / "jobs.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    return str(path)


def refused(path, columns=HOURS, **options):
    with pytest.raises(TailcError) as found:
        read_job_list(path, columns, JobReading(**options))
    return found.value.findings


def test_hours_are_whole_seconds(tmp_path):
    log = read_job_list(written(tmp_path, "0,4.1625,128", "0.5,0.20333333333333334,1"), HOURS)
    assert log.submit_s.tolist() == [0, 1_800]
    assert log.run_s.tolist() == [14_985, 732]
    assert log.width.tolist() == [128, 1]
    assert log.number.tolist() == [1, 2]
    assert log.positions.at.tolist() == [1, 2]
    assert log.header.start_unix_s is None


@pytest.mark.parametrize(("unit", "seconds"), [("s", 3), ("min", 180), ("d", 259_200)])
def test_other_units_are_seconds_too(tmp_path, unit, seconds):
    columns = JobColumns("arrival_h", "run_h", "cpus", JobTimeUnit(unit), JobTimeUnit(unit))
    log = read_job_list(written(tmp_path, "3,3,1"), columns)
    assert (log.submit_s.tolist(), log.run_s.tolist()) == ([seconds], [seconds])


def test_parquet_and_csv_are_the_same_list(tmp_path):
    path = tmp_path / "jobs.parquet"
    table = {"arrival_h": [0.0, 0.5], "run_h": [1.0, 2.0], "cpus": [3, 4]}
    pq.write_table(pa.table(table), path)
    of_csv = read_job_list(written(tmp_path, "0,1,3", "0.5,2,4"), HOURS)
    of_parquet = read_job_list(str(path), HOURS)
    assert of_parquet.run_s.tolist() == of_csv.run_s.tolist()
    assert of_parquet.width.tolist() == of_csv.width.tolist()


def test_dates_say_when_the_log_starts(tmp_path):
    path = written(tmp_path, "2012-11-04T00:30,1,1", "2012-11-04T02:00,1,1")
    log = read_job_list(path, DATED, JobReading(zone="America/Denver"))
    assert log.submit_s.tolist() == [0, 9_000]
    assert log.header == LogHeader(1_352_010_600, "America/Denver")


def test_dates_with_no_zone_are_refused(tmp_path):
    path = written(tmp_path, "2012-11-04T00:30Z,1,1", "2012-11-04T02:00,1,1")
    (finding,) = refused(path, DATED)
    assert finding.code is Code.NO_ZONE
    assert (finding.place.row, finding.place.field) == (2, "arrival_h")


def test_requested_times_and_numbers_are_taken_where_named(tmp_path):
    path = written(tmp_path, "0,1,1,2,77", head="arrival_h,run_h,cpus,asked_h,id")
    columns = JobColumns(
        "arrival_h", "run_h", "cpus", JobTimeUnit.HOUR, JobTimeUnit.HOUR, "asked_h", "id"
    )
    log = read_job_list(path, columns)
    assert (log.requested_s.tolist(), log.number.tolist()) == ([7_200], [77])


def test_a_filter_keeps_some_rows_and_their_numbers(tmp_path):
    path = written(tmp_path, "0,1,1,a", "1,1,2,b", "2,1,3,a", head="arrival_h,run_h,cpus,queue")
    columns = JobColumns(
        "arrival_h", "run_h", "cpus", JobTimeUnit.HOUR, JobTimeUnit.HOUR, where=(("queue", "a"),)
    )
    log = read_job_list(path, columns)
    assert (log.width.tolist(), log.positions.at.tolist()) == ([1, 3], [1, 3])


SHARES = JobColumns(
    "arrival_h",
    "run_h",
    "cpus",
    JobTimeUnit.HOUR,
    JobTimeUnit.HOUR,
    green=ShareColumn("green"),
    deadline="due_h",
)
WITH_SHARES = "arrival_h,run_h,cpus,green,due_h"


@pytest.mark.parametrize(
    ("cells", "unit", "ppm"),
    [
        (("0", "25", "50"), None, [0, 250_000, 500_000]),
        (("33.3", "100", "0.5"), None, [333_000, 1_000_000, 5_000]),
        (("0.25", "1", "0"), "1", [250_000, 1_000_000, 0]),
        (("0.25", "1", "0"), "%", [2_500, 10_000, 0]),
        (("0", "0", "0"), None, [0, 0, 0]),
    ],
)
def test_green_shares_are_those_of_their_column(tmp_path, cells, unit, ppm):
    rows = [f"{at},1,1,{cell},9" for at, cell in enumerate(cells)]
    columns = replace(SHARES, green=ShareColumn("green", unit))
    assert (
        read_job_list(written(tmp_path, *rows, head=WITH_SHARES), columns).green_ppm.tolist() == ppm
    )


@pytest.mark.parametrize(
    ("cell", "unit", "code"),
    [
        ("0.5", None, Code.BAD_UNIT),
        ("101", None, Code.OUT_OF_RANGE),
        ("1.5", "1", Code.OUT_OF_RANGE),
        ("-1", None, Code.NOT_POSITIVE),
        ("much", None, Code.NOT_A_NUMBER),
    ],
)
def test_a_share_with_another_meaning_is_refused_by_row(tmp_path, cell, unit, code):
    columns = replace(SHARES, green=ShareColumn("green", unit))
    path = written(tmp_path, "0,1,1,0,9", f"1,1,1,{cell},9", head=WITH_SHARES)
    finding = refused(path, columns)[0]
    assert (finding.code, finding.place.row, finding.place.field) == (code, 2, "green")


def test_deadlines_are_times_of_the_log(tmp_path):
    log = read_job_list(written(tmp_path, "0,1,1,0,9", "1,1,1,0,2", head=WITH_SHARES), SHARES)
    assert log.deadline_s.tolist() == [32_400, 7_200]
    assert log.part(slice(1, 2)).shifted(60).deadline_s.tolist() == [7_260]


def test_dated_deadlines_count_from_the_first_arrival(tmp_path):
    columns = replace(SHARES, arrival_unit=None)
    row = "2012-11-04T00:30Z,1,1,0,2012-11-04T03:30+01:00"
    assert read_job_list(written(tmp_path, row, head=WITH_SHARES), columns).deadline_s.tolist() == [
        7_200
    ]


def test_a_deadline_that_no_start_meets_is_refused_by_row(tmp_path):
    (finding,) = refused(written(tmp_path, "0,1,1,0,0.5", head=WITH_SHARES), SHARES)
    assert (finding.code, finding.place.row, finding.place.field) == (Code.OUT_OF_RANGE, 1, "due_h")


def test_jobs_of_no_width_are_left_out(tmp_path):
    log = read_job_list(written(tmp_path, "0,1,1", "1,1,0"), HOURS)
    (warning,) = log.warnings
    assert (warning.code, warning.place.row) == (Code.JOBS_LEFT_OUT, 2)


@pytest.mark.parametrize(
    ("row", "column", "code"),
    [
        ("1,long,1", "run_h", Code.NOT_A_NUMBER),
        ("1,,1", "run_h", Code.NOT_A_NUMBER),
        ("1,-1,1", "run_h", Code.NOT_POSITIVE),
        ("1,1,2.5", "cpus", Code.OUT_OF_RANGE),
        ("1,1,-1", "cpus", Code.NOT_POSITIVE),
        ("-1,1,1", "arrival_h", Code.OUT_OF_ORDER),
        ("1e9,1,1", "arrival_h", Code.OUT_OF_RANGE),
        ("inf,1,1", "arrival_h", Code.NOT_FINITE),
    ],
)
def test_a_bad_cell_is_refused_by_row_and_column(tmp_path, row, column, code):
    finding = refused(written(tmp_path, "0,1,1", row))[0]
    assert finding.code is code
    assert (finding.place.row, finding.place.field) == (2, column)


@pytest.mark.parametrize(("row", "code"), [("1,0,1", Code.NOT_POSITIVE), ("1,1,9", Code.TOO_WIDE)])
def test_what_no_datacentre_can_run_is_refused_by_row(tmp_path, row, code):
    (finding,) = refused(written(tmp_path, "0,1,1", row), servers=8)
    assert (finding.code, finding.place.row) == (code, 2)


def test_an_arrival_before_the_start_is_refused(tmp_path):
    (finding,) = refused(written(tmp_path, "-1,1,1", "0,1,1"))
    assert (finding.code, finding.place.row) == (Code.OUT_OF_RANGE, 1)


def test_a_date_that_is_none_is_refused(tmp_path):
    (finding,) = refused(written(tmp_path, "2012-11-04T00:30Z,1,1", "soon,1,1"), DATED)
    assert (finding.code, finding.place.row) == (Code.NOT_A_NUMBER, 2)


SACCT = JobColumns("Submit", "Elapsed", "NNodes", None, JobTimeUnit.SECOND)
OF_SACCT = "JobID|Submit|Elapsed|NNodes|Timelimit"


def of_sacct(folder, *rows, number=None):
    path = folder / "sacct.txt"
    path.write_text("\n".join([OF_SACCT, *rows]) + "\n")
    columns = replace(SACCT, number=number)
    return read_job_list(str(path), columns, JobReading(zone="UTC"))


JOB = "46|2021-07-30T08:00:00|00:10:00|2|01:00:00"
STEPS = ("46.batch|2021-07-30T08:00:00|00:10:00|1|", "46.0|2021-07-30T08:00:00|00:09:00|2|")
NEXT = "47_3|2021-07-30T09:00:00|1-00:00:00|4|UNLIMITED"


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ((JOB, *STEPS, NEXT), 2),
        ((JOB, NEXT, "47_3.extern|2021-07-30T09:00:00||4|"), 1),
        ((JOB, "46.interactive||||", NEXT, "47_3.4294967290||||"), 2),
    ],
)
def test_steps_of_slurm_are_left_out(tmp_path, rows, left):
    log = of_sacct(tmp_path, *rows)
    assert (log.run_s.tolist(), log.width.tolist()) == ([600, 86_400], [2, 4])
    (warning,) = log.warnings
    assert warning.code is Code.JOBS_LEFT_OUT
    assert warning.message.startswith(f"{left} row{'s' if left > 1 else ''} left out")
    assert warning.place.field == "JobID"


def test_a_step_is_left_out_if_its_job_is_not_selected(tmp_path):
    """Slurm writes `COMPLETED` for the step of a job that timed out."""
    path = tmp_path / "sacct.txt"
    states = ("State", "TIMEOUT", "COMPLETED", "COMPLETED")
    rows = (OF_SACCT, JOB, "46.extern|2021-07-30T08:00:00|00:10:00|2|", NEXT)
    path.write_text("".join(f"{row}|{state}\n" for row, state in zip(rows, states, strict=True)))
    columns = replace(SACCT, number=None, where=(("State", "COMPLETED"),))
    log = read_job_list(str(path), columns, JobReading(zone="UTC"))
    assert (log.run_s.tolist(), log.width.tolist()) == ([86_400], [4])


def test_the_ids_are_numbers_of_jobs_without_steps(tmp_path):
    log = of_sacct(tmp_path, JOB, *STEPS, number="JobID")
    assert (log.number.tolist(), len(log.warnings)) == ([46], 1)


def test_steps_without_their_job_are_jobs(tmp_path):
    assert of_sacct(tmp_path, *STEPS).run_s.tolist() == [600, 540]
    assert of_sacct(tmp_path, JOB, NEXT).warnings == ()


def test_numbers_with_points_are_no_steps(tmp_path):
    rows = ("JobID,arrival_h,run_h,cpus", "1.5,0,1,3", "2.0,0.5,2,4")
    assert read_job_list(written(tmp_path, *rows[1:], head=rows[0]), HOURS).warnings == ()


@pytest.mark.parametrize("state", ["RUNNING", "PENDING", "SUSPENDED", "REQUEUED"])
def test_jobs_that_have_not_ended_are_left_out(tmp_path, state):
    """The elapsed time of a running job is no run time."""
    path = tmp_path / "sacct.txt"
    states = ("State", "COMPLETED", state, "CANCELLED by 1000", state)
    more = ("48|2021-07-30T10:00:00|00:00:07|1|", "49|2021-07-30T11:00:00|00:00:00|1|")
    rows = (OF_SACCT, JOB, NEXT, *more)
    path.write_text("".join(f"{row}|{name}\n" for row, name in zip(rows, states, strict=True)))
    log = read_job_list(str(path), SACCT, JobReading(zone="UTC"))
    assert log.run_s.tolist() == [600, 7]
    (warning,) = log.warnings
    assert warning.message == f"2 jobs left out that had not ended, as state `{state}` says"
    assert warning.place is not None
    assert (warning.place.row, warning.place.field) == (2, "State")


def test_a_list_of_which_no_job_has_ended_is_refused(tmp_path):
    path = tmp_path / "sacct.txt"
    states = ("State", "RUNNING", "PENDING")
    rows = (OF_SACCT, JOB, NEXT)
    path.write_text("".join(f"{row}|{name}\n" for row, name in zip(rows, states, strict=True)))
    (found,) = refused(str(path), SACCT, zone="UTC")
    assert found.code is Code.EMPTY_TRACE
    assert "no job to read: 2 jobs left out that had not ended, as state `RUNNING`" in found.message


def test_a_choice_of_steps_alone_is_refused(tmp_path):
    path = tmp_path / "sacct.txt"
    states = ("State", "COMPLETED", *["FAILED" for _ in STEPS])
    rows = (OF_SACCT, JOB, *STEPS)
    path.write_text("".join(f"{row}|{name}\n" for row, name in zip(rows, states, strict=True)))
    steps = replace(SACCT, where=(("State", "FAILED"),))
    (found,) = refused(str(path), steps, zone="UTC")
    assert found.code is Code.EMPTY_TRACE
    assert "2 rows left out that are steps" in found.message


def test_states_of_jobs_that_ended_change_nothing(tmp_path):
    path = tmp_path / "sacct.txt"
    states = ("State", "TIMEOUT", "OUT_OF_MEMORY")
    rows = (OF_SACCT, JOB, NEXT)
    path.write_text("".join(f"{row}|{name}\n" for row, name in zip(rows, states, strict=True)))
    assert read_job_list(str(path), SACCT, JobReading(zone="UTC")).warnings == ()


def test_dates_in_a_column_of_numbers_say_what_to_set(tmp_path):
    rows = ("2021-07-30T08:00:00Z,1,3", "2021-07-30T09:00:00Z,2,4")
    (found,) = refused(written(tmp_path, *rows))
    assert found.code is Code.NOT_A_NUMBER
    assert "`submit_unit: date`" in (found.help or "")

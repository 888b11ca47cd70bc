"""Measured throughput: what is read, and what is refused and where."""

import dataclasses

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    Rows,
    SplitBy,
    SplitRule,
    ThroughputColumns,
    ThroughputReading,
    TimeUnit,
    ValueMeaning,
)
from tailc.traces.throughput import pairs, read_throughput, split_throughput, unknown_machines
from tailc.traces.throughput_written import written_throughput
from tests.tailc.traces.making import FORMATS, written

ROWS = {
    "ms": [750, 750, 1500, 1500, 2250, 2250, 3000, 3000],
    "vm": ["b", "a", "b", "a", "b", "a", "b", "a"],
    "work": [8.0, 30.5, 7.5, 0.0, 8.25, 28.0, 8.5, 30.0],
    "part": [0.25, 0.5, 0.25, 0.5, 0.125, 0.5, 0.25, 0.0],
}


def reading(unit=TimeUnit.MS, split=None, where=(), waiting=None) -> ThroughputReading:
    columns = ThroughputColumns("work", "ms", "vm", "part", waiting)
    measured = ValueMeaning(Measure.THROUGHPUT, "one host", unit)
    return ThroughputReading(measured, Rows(where, split), columns)


def with_cell(column: str, at: int, value: object) -> dict[str, list]:
    cells = list(ROWS[column])
    cells[at] = value
    return {**ROWS, column: cells}


def refused(path: str):
    with pytest.raises(TailcError) as caught:
        read_throughput(path, reading())
    return caught.value.findings


@pytest.mark.parametrize("suffix", FORMATS)
def test_rows_become_a_series_for_each_machine(tmp_path, suffix):
    trace = read_throughput(written(tmp_path, suffix, ROWS), reading())
    assert [each.name for each in trace.series] == ["a", "b"]
    first = trace.series[0]
    assert first.time_us.tolist() == [750_000, 1_500_000, 2_250_000, 3_000_000]
    assert first.throughput.tolist() == [30.5, 0.0, 28.0, 30.0]
    assert first.share.tolist() == [0.5, 0.5, 0.5, 0.0]
    assert first.row.tolist() == [2, 4, 6, 8]
    assert first.interval_us == 750_000
    assert trace.rows == 8


def test_equal_data_has_an_equal_digest_whatever_the_format_and_unit(tmp_path):
    digests = {
        read_throughput(written(tmp_path, suffix, ROWS), reading()).digest for suffix in FORMATS
    }
    in_s = {**ROWS, "ms": [ms / 1000 for ms in ROWS["ms"]]}
    digests.add(read_throughput(written(tmp_path, "csv", in_s), reading(unit=TimeUnit.S)).digest)
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("column", "at", "value", "code", "said"),
    [
        ("part", 2, -0.25, Code.OUT_OF_RANGE, "`-0.25` is a negative share"),
        ("part", 2, 1.5, Code.OUT_OF_RANGE, "`1.5` is more than the whole host"),
        ("work", 2, -1.0, Code.OUT_OF_RANGE, "`-1.0` is a negative throughput"),
        ("work", 2, "", Code.NOT_A_NUMBER, "missing or empty"),
        ("work", 2, 1e13, Code.OUT_OF_RANGE, "is above the largest accepted"),
        ("vm", 2, "", Code.NOT_A_NUMBER, "missing or empty"),
        ("ms", 2, -1, Code.OUT_OF_RANGE, "`-1.0` is before the start of the trace"),
        ("ms", 2, 1e14, Code.OUT_OF_RANGE, "is more than 100 years after the start of the trace"),
        (
            "ms",
            2,
            700,
            Code.OUT_OF_ORDER,
            ("the time of machine `b` is not after that of its previous row"),
        ),
        (
            "ms",
            2,
            750,
            Code.OUT_OF_ORDER,
            ("the time of machine `b` is not after that of its previous row"),
        ),
    ],
)
def test_a_cell_that_cannot_be_is_refused_at_its_row(tmp_path, column, at, value, code, said):
    (finding,) = refused(written(tmp_path, "csv", with_cell(column, at, value)))
    assert finding.code is code
    assert said in finding.message
    assert finding.place is not None
    assert (finding.place.row, finding.place.field) == (3, column)
    assert finding.help


def test_a_gap_between_rows_is_refused(tmp_path):
    later = {**ROWS, "ms": [750, 750, 1500, 1500, 2250, 2250, 3000, 4500]}
    (finding,) = refused(written(tmp_path, "csv", later))
    assert finding.code is Code.ARRIVAL_GAP
    assert (
        "machine `a` is measured 2250 ms after its previous row, but elsewhere every 750 ms"
        in finding.message
    )
    assert finding.place is not None
    assert finding.place.row == 8


def test_a_machine_that_is_not_declared_is_told_with_what_was_meant(tmp_path):
    renamed = {**ROWS, "vm": ["bb", "a"] * 4}
    trace = read_throughput(written(tmp_path, "csv", renamed), reading())
    (finding,) = unknown_machines(trace, ("a", "b"))
    assert finding.code is Code.UNKNOWN_MACHINE
    assert finding.place is not None
    assert (finding.place.row, finding.place.field) == (1, "vm")
    assert "did you mean `b`" in (finding.help or "")


def test_too_few_rows_of_a_machine_are_refused(tmp_path):
    short = {name: cells[:5] for name, cells in ROWS.items()}
    (finding,) = refused(written(tmp_path, "csv", short))
    assert finding.code is Code.EMPTY_TRACE
    assert "`a` has 2 rows" in finding.message


def test_a_machine_of_a_name_without_end_is_told_in_a_line(tmp_path):
    (finding,) = refused(written(tmp_path, "csv", with_cell("vm", 7, "a" * 5_000)))
    assert "has 1 row," in finding.message.replace("`", "")
    assert len(finding.message) < 200


def test_the_latest_rows_of_each_machine_are_held_out(tmp_path):
    many = {
        "ms": [750 * (1 + row // 2) for row in range(20)],
        "vm": ["a", "b"] * 10,
        "work": [float(row) for row in range(20)],
        "part": [0.5] * 20,
    }
    rule = SplitRule(SplitBy.TIME, 300_000, "ms")
    recipe = reading(split=rule)
    trace = read_throughput(written(tmp_path, "csv", many), recipe)
    design, held_out = split_throughput(trace)
    assert design.series[0].row.tolist() == list(range(1, 14, 2))
    assert held_out.series[0].row.tolist() == [15, 17, 19]
    assert held_out.series[1].throughput.tolist() == [15.0, 17.0, 19.0]
    assert np.array_equal(design.series[1].time_us, trace.series[1].time_us[:7])


def test_a_part_that_is_too_short_is_refused(tmp_path):
    rule = SplitRule(SplitBy.TIME, 300_000, "ms")
    trace = read_throughput(written(tmp_path, "csv", ROWS), reading())
    trace = dataclasses.replace(trace, reading=reading(split=rule))
    with pytest.raises(TailcError) as caught:
        split_throughput(trace)
    assert caught.value.findings[0].code is Code.BAD_SPLIT


def test_a_row_is_paired_with_the_row_a_step_before(tmp_path):
    """Rows every 750 ms, a step of 1.5 s: two rows a step, and the mean of their shares."""
    series = read_throughput(written(tmp_path, "csv", ROWS), reading()).series[1]
    found = pairs(series, 1_500_000)
    assert found is not None
    assert found.before.tolist() == [8.0, 7.5]
    assert found.now.tolist() == [8.25, 8.5]
    assert found.share.tolist() == [0.1875, 0.1875]


def test_rows_that_do_not_divide_a_step_pair_nothing(tmp_path):
    series = read_throughput(written(tmp_path, "csv", ROWS), reading()).series[1]
    assert pairs(series, 1_000_000) is None
    assert pairs(series, 100_000) is None


QUEUED = {**ROWS, "queued": [0, 3, 2, 0, 1, 7, 0, 0.5]}


def test_waiting_requests_are_read_only_from_a_column_that_is_named(tmp_path):
    path = written(tmp_path, "csv", QUEUED)
    a, b = read_throughput(path, reading(waiting="queued")).series
    assert a.has_work.tolist() == [True, False, True, True]
    assert b.has_work.tolist() == [False, True, True, False]
    assert all(each.has_work.all() for each in read_throughput(path, reading()).series)


def test_whether_work_waited_is_part_of_the_digest_and_how_much_is_not(tmp_path):
    def digest(queued: list[float], waiting: str | None) -> str:
        path = written(tmp_path, "csv", {**ROWS, "queued": queued})
        return read_throughput(path, reading(waiting=waiting)).digest

    recorded = digest(QUEUED["queued"], "queued")
    assert digest([min(each, 0.25) for each in QUEUED["queued"]], "queued") == recorded
    assert digest([1, *QUEUED["queued"][1:]], "queued") != recorded
    assert digest(QUEUED["queued"], None) != recorded
    assert digest(QUEUED["queued"], None) == digest([1] * 8, None)


@pytest.mark.parametrize(
    ("value", "code"),
    [(-1, Code.OUT_OF_RANGE), ("", Code.NOT_A_NUMBER), ("few", Code.NOT_A_NUMBER)],
)
def test_a_number_of_waiting_requests_that_cannot_be_is_refused_at_its_row(tmp_path, value, code):
    queued = [*QUEUED["queued"][:2], value, *QUEUED["queued"][3:]]
    path = written(tmp_path, "csv", {**ROWS, "queued": queued})
    with pytest.raises(TailcError) as caught:
        read_throughput(path, reading(waiting="queued"))
    (finding,) = caught.value.findings
    assert finding.code is code
    assert (finding.place.row, finding.place.field) == (3, "queued")


def test_work_waited_in_a_step_if_it_did_in_all_of_its_rows(tmp_path):
    a, _ = read_throughput(written(tmp_path, "csv", QUEUED), reading(waiting="queued")).series
    found = pairs(a, 1_500_000)
    assert found.has_work.tolist() == [False, True]
    assert found.with_work.now.tolist() == [30.0]
    assert pairs(a, 750_000).has_work.tolist() == [False, True, True]


def test_held_out_rows_are_written_with_whether_work_waited(tmp_path):
    own = reading(waiting="queued")
    trace = read_throughput(written(tmp_path, "csv", QUEUED), own)
    (tmp_path / "again.parquet").write_bytes(written_throughput(trace))
    assert read_throughput(str(tmp_path / "again.parquet"), own).digest == trace.digest

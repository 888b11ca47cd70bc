"""Columns of times with a unit of their own: durations of Arrow, and clock texts as of Slurm."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.options import TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.lint.lint import lint
from tailc.lint.roles import Role, TraceOptions
from tailc.traces.cells import Cells
from tailc.traces.jobs.job_list import JobColumns, JobTimeUnit, read_job_list
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    CommonCurve,
    Curve,
    DemandColumn,
    DemandReading,
    Rows,
    TimeUnit,
    ValueMeaning,
)
from tailc.traces.split_keys import time_keys
from tailc.traces.trace import read_trace
from tests.tailc.ingest.refusal import options, refused

BUSY = StatedMeasure(Measure.DEMAND_BUSY)
SACCT = "JobID|State|Elapsed|TotalCPU\n"
NS_IN = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def reading(column="took", unit=TimeUnit.MS):
    curve = CommonCurve(Curve(None, (1_000_000,)))
    measured = ValueMeaning(Measure.DEMAND_BUSY, "", unit)
    return DemandReading(measured, Rows(), DemandColumn(column), curve)


def of_durations(folder, values, unit):
    path = folder / "run.parquet"
    pq.write_table(pa.table({"took": pa.array(values, pa.duration(unit))}), path)
    return path


def of_texts(folder, *texts):
    path = folder / "sacct.txt"
    path.write_text(SACCT + "".join(f"{n}|COMPLETED|{text}|x\n" for n, text in enumerate(texts, 1)))
    return path


def ingested_ms(path, column, **given):
    found = ingest([str(path)], options(table=TimeColumn(column), **given), BUSY)
    histogram = found.counted.histogram
    return np.repeat(histogram.demand_ns, histogram.count) / 1e6, found.inputs[0].times.unit


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("stated", list(TimeUnit))
def test_durations_are_read_in_their_unit_whatever_is_stated(tmp_path, unit, stated):
    values = [1, 2_500, 31]
    path = of_durations(tmp_path, values, unit)
    found = read_trace(str(path), reading(unit=stated)).profile
    assert found.demand_ms.tolist() == [value * NS_IN[unit] / 1e6 for value in values]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_ingest_needs_no_unit_for_durations(tmp_path, unit):
    times, told = ingested_ms(of_durations(tmp_path, [4, 4, 7], unit), "took")
    assert times == pytest.approx(np.array([4, 4, 7]) * NS_IN[unit] / 1e6, rel=2**-10)
    assert told is TimeUnit(unit)


def test_another_unit_for_durations_is_refused_by_ingest(tmp_path):
    found = refused(
        of_durations(tmp_path, [4], "us"), BUSY, table=TimeColumn("took"), unit=TimeUnit.MS
    )
    assert (found.code, "`us`" in found.message) == (Code.USAGE, True)


@pytest.mark.parametrize(
    ("values", "code", "cell"),
    [([4, None], Code.NOT_A_NUMBER, "missing"), ([4, -5], Code.NOT_POSITIVE, "`-5")],
)
def test_a_duration_that_is_missing_or_negative_is_named(tmp_path, values, code, cell):
    found = refused(of_durations(tmp_path, values, "us"), BUSY, table=TimeColumn("took"))
    assert (found.code, found.place.row, cell in found.message) == (code, 2, True)


def test_a_weight_is_no_duration(tmp_path):
    path = tmp_path / "run.parquet"
    table = {"took_us": pa.array([4, 5]), "n": pa.array([1, 2], pa.duration("ns"))}
    pq.write_table(pa.table(table), path)
    found = refused(path, BUSY, table=TimeColumn("took_us", "n"))
    assert (found.code, found.place.field) == (Code.NOT_A_NUMBER, "n")


CLOCKS = [
    (["00:10:05", "01:00:00"], [605, 3_600]),
    (["1-02:03:04", "00:00:01"], [93_784, 1]),
    (["03:04.500", "12:03:04"], [184.5, 43_384]),
    (["PT1.25S", "PT2H3M4S", "PT5M", "PT0,5S"], [1.25, 7_384, 300, 0.5]),
    (["PT4S", "00:00:05"], [4, 5]),
    (["00:00.250", "125:10:00"], [0.25, 450_600]),
    (["0:00:01.125", "10-00:00:00"], [1.125, 864_000]),
    ([" 00:00:09 ", "00:00:08"], [9, 8]),
    (["0 days 00:00:00.512000", "1 days 02:00:00"], [0.512, 93_600]),
    # As Python writes a timedelta.
    (["1 day, 6:00:00", "12 days, 0:00:01.5", "0:00:07"], [108_000, 1_036_801.5, 7]),
    (["1 day 00:00:01", "00:00:02.25"], [86_401, 2.25]),
    (["00:30:05,125", "00:00:00,5"], [1_805.125, 0.5]),
    (["03:04,500", "03:04.500"], [184.5, 184.5]),
    (["1-02:03:04,25", "0 days 00:00:01,512000"], [93_784.25, 1.512]),
]


@pytest.mark.parametrize(("texts", "seconds"), CLOCKS)
def test_clock_texts_of_slurm_are_lengths_of_time(tmp_path, texts, seconds):
    path = of_texts(tmp_path, *texts)
    found = read_trace(str(path), reading("Elapsed", TimeUnit.S)).profile
    assert found.demand_ms.tolist() == [1e3 * each for each in seconds]
    in_ms = read_trace(str(path), reading("Elapsed", TimeUnit.MS)).profile
    assert in_ms.demand_ms.tolist() == found.demand_ms.tolist()
    times, unit = ingested_ms(path, "Elapsed")
    assert times == pytest.approx(np.sort(seconds) * 1e3, rel=2**-10)
    assert unit is TimeUnit.S


@pytest.mark.parametrize("at", [0, 2, 4])
def test_a_clock_text_among_plain_numbers_does_not_give_them_its_unit(tmp_path, at):
    texts = ["4000", "4100", "4200", "4300"]
    path = of_texts(tmp_path, *texts[:at], "00:00:05.5", *texts[at:])
    assert refused(path, BUSY, table=TimeColumn("Elapsed")).code is Code.MISSING_UNIT
    demand_ms = read_trace(str(path), reading("Elapsed", TimeUnit.MS)).profile.demand_ms
    assert sorted(demand_ms.tolist()) == [4000, 4100, 4200, 4300, 5500]


@pytest.mark.parametrize(
    "text",
    [
        "03:04",
        "00:61:00",
        "00:00:60",
        "1-05",
        "INVALID",
        "-00:00:01",
        "1 days",
        "03:04,",
        "00:00:01,5,0",
        "00:00:01,5.0",
        "-1 days +23:59:59",
    ],
)
def test_other_texts_are_refused_by_row(tmp_path, text):
    path = of_texts(tmp_path, "00:10:05", text)
    found = refused(path, BUSY, table=TimeColumn("Elapsed"))
    assert (found.code, found.place.row) == (Code.NOT_A_NUMBER, 2)
    assert f"`{text}`" in found.message


def test_a_length_of_0_is_not_positive(tmp_path):
    path = of_texts(tmp_path, "00:10:05", "00:00:00")
    assert refused(path, BUSY, table=TimeColumn("Elapsed")).code is Code.NOT_POSITIVE


@pytest.mark.parametrize("mark", ";\t")
def test_decimal_commas_of_clock_texts_leave_other_numbers_as_they_are(tmp_path, mark):
    path = tmp_path / "run.csv"
    rows = ["id;took;n", "1;00:00:02,125;3", "2;00:00:01,5;1"]
    path.write_text("\n".join(rows).replace(";", mark) + "\n")
    found = ingest([str(path)], options(table=TimeColumn("took", "n")), BUSY).counted
    assert (found.histogram.requests, found.histogram.max_ns) == (4, 2_125_000_000)


def test_quoted_clock_texts_with_decimal_commas_are_read(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text('id,took\n1,"00:00:02,125"\n2,"00:00:01,5"\n')
    assert ingested_ms(path, "took")[0] == pytest.approx([1_500, 2_125], rel=2**-10)


def test_a_decimal_comma_that_divides_a_row_is_to_be_quoted(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("id,took\n1,00:00:02,125\n2,00:00:01,5\n")
    found = refused(path, BUSY, table=TimeColumn("took"))
    assert (found.code, "quote" in found.help) == (Code.RAGGED_ROW, True)


@pytest.mark.parametrize("zone", ["", "Z", "+02:00"])
def test_date_times_with_decimal_commas_are_times(tmp_path, zone):
    """As of Python's logging."""
    times = [
        f"2024-01-01 12:30:0{second},{ms}{zone}" for second, ms in ((1, 250), (1, 750), (2, 5))
    ]
    cells = Cells("log", {"at": pa.chunked_array([times])}, 3, None)
    keys = time_keys(cells, "at")
    assert np.diff(keys).tolist() == [500_000_000, 750_000_000]
    assert not cells.findings


def test_jobs_run_for_clock_texts(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("at,run,limit,n\n0,00:10:05,01:00:00,2\n60,1-00:00:00,2-00:00:00,4\n")
    columns = JobColumns("at", "run", "n", JobTimeUnit.SECOND, JobTimeUnit.HOUR, "limit")
    found = read_job_list(str(path), columns)
    assert found.run_s.tolist() == [605, 86_400]


@pytest.mark.parametrize("unit", ["ms", "us"])
def test_lint_looks_at_durations_and_clock_texts(tmp_path, unit):
    scale = 10**6 // NS_IN[unit]
    path = of_durations(tmp_path, [scale * each for each in (5, 9, 7, 12)], unit)
    assert lint(str(path), TraceOptions({Role.DEMAND: "took"})).findings == ()
    asked = TraceOptions({Role.DEMAND: "Elapsed"})
    found = lint(str(of_texts(tmp_path, "00:00:05.5", "00:00:02", "01:30")), asked)
    assert "TC1106" in [one.code.ident for one in found.findings]


WRITTEN = [
    (["6.45837ms", "1.053089843s", "350.5µs"], [6.45837, 1053.089843, 0.3505], TimeUnit.MS),
    (["1m2.5s", "1h0m0.25s", "41.25s"], [62_500, 3_600_250, 41_250], TimeUnit.S),
    (["12.5 ms", "1.5 min", "7 ms"], [12.5, 90_000, 7], TimeUnit.MS),
    (["350μs", "12us", "7.µs"], [0.35, 0.012, 0.007], TimeUnit.US),
    (["900ns", ".5us"], [0.0009, 0.0005], TimeUnit.MS),
    ([" 5s", "2h "], [5_000, 7_200_000], TimeUnit.MS),
]


@pytest.mark.parametrize(("texts", "ms", "unit"), WRITTEN)
def test_texts_with_their_unit_are_lengths_of_time(tmp_path, texts, ms, unit):
    path = of_texts(tmp_path, *texts)
    for stated in (TimeUnit.US, TimeUnit.S):
        found = read_trace(str(path), reading("Elapsed", stated)).profile
        assert sorted(found.demand_ms.tolist()) == pytest.approx(sorted(ms), rel=1e-12)
    times, own = ingested_ms(path, "Elapsed")
    assert (times, own) == (pytest.approx(np.sort(ms), rel=2**-10), unit)
    asked = TraceOptions({Role.DEMAND: "Elapsed"})
    assert "TC1103" not in [each.code.ident for each in lint(str(path), asked).findings]


@pytest.mark.parametrize(
    ("texts", "wrong"),
    [(["41ms", "5"], "41ms"), (["5", "41ms"], "41ms"), (["41ms", "5.5", "1s"], "5.5")],
)
def test_units_among_plain_numbers_are_refused(tmp_path, texts, wrong):
    path = of_texts(tmp_path, *texts)
    found = refused(path, BUSY, table=TimeColumn("Elapsed"), unit=TimeUnit.MS)
    assert (found.code, f"`{wrong}`" in found.message) == (Code.NOT_A_NUMBER, True)
    asked = TraceOptions({Role.DEMAND: "Elapsed"}, units={Role.DEMAND: TimeUnit.MS})
    assert "TC1103" in [each.code.ident for each in lint(str(path), asked).findings]


@pytest.mark.parametrize("text", ["-5ms", "1.5m", "5 parsecs", "ms", "-", "0s"])
def test_a_text_among_units_that_is_no_length_is_refused_by_row(tmp_path, text):
    path = of_texts(tmp_path, "5ms", text, "1.25h")
    found = refused(path, BUSY, table=TimeColumn("Elapsed"))
    assert (found.place.row, f"`{text}`" in found.message or text == "0s") == (2, True)

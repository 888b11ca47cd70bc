"""Series in columns: times, units, gaps, and what is refused by row."""

import contextlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.errors import Code, TailcError
from tailc.traces.series.reading import SeriesReading, Stamp
from tailc.traces.series.series import SeriesQuantity
from tailc.traces.series.table_series import read_series
from tailc.traces.zones import instant
from tests.tailc.traces.series.making import HOUR, hourly, written

START = instant("2012-06-30T00:00Z")
DENVER = "America/Denver"


def reading(**others):
    fields = {"time": "time", "value": "value", "quantity": SeriesQuantity.POWER, "unit": "W"}
    return SeriesReading(**{**fields, **others})


def refused(path, **others):
    with pytest.raises(TailcError) as found:
        read_series(path, reading(**others))
    return found.value.findings


def test_rows_an_hour_apart_are_a_series_of_hours(tmp_path):
    series = read_series(written(tmp_path, *hourly(0, 10, 20)), reading())
    assert (series.start_unix_s, series.step_s) == (START, HOUR)
    assert series.value.tolist() == [0, 10, 20]
    assert series.is_whole
    assert series.warnings == ()


@pytest.mark.parametrize(
    ("quantity", "unit", "value"),
    [
        (SeriesQuantity.POWER, "kW", 500.0),
        (SeriesQuantity.POWER, "kWh", 1_000.0),
        (SeriesQuantity.POWER, "MW", 500_000.0),
        (SeriesQuantity.PRICE, "c/kWh", 0.005),
        (SeriesQuantity.PRICE, "$/MWh", 0.0005),
        (SeriesQuantity.CARBON, "kg/kWh", 500.0),
        (SeriesQuantity.CLOUD_COVER, "tenths", 0.05),
        (SeriesQuantity.CLOUD_COVER, "%", 0.005),
        (SeriesQuantity.IRRADIANCE, "kW/m2", 500.0),
    ],
)
def test_every_unit_becomes_that_of_the_quantity(tmp_path, quantity, unit, value):
    rows = ["2012-06-30T00:00Z,0.5", "2012-06-30T00:30Z,0.5"]
    series = read_series(written(tmp_path, *rows), reading(quantity=quantity, unit=unit))
    assert series.value.tolist() == pytest.approx([value, value], rel=1e-15)


def test_a_unit_of_another_quantity_is_none():
    with pytest.raises(ValueError, match="`W` is not a unit of price; known:"):
        reading(quantity=SeriesQuantity.PRICE)


def test_a_stamp_may_be_of_the_end_of_its_step(tmp_path):
    series = read_series(written(tmp_path, *hourly(1, 2)), reading(stamp=Stamp.END))
    assert series.start_unix_s == START - HOUR


def test_parquet_is_the_same_series(tmp_path):
    path = tmp_path / "series.parquet"
    stamps = pa.array([START, START + HOUR, START + 2 * HOUR], pa.timestamp("s", "UTC"))
    pq.write_table(pa.table({"time": stamps, "value": [1.0, None, 3.0]}), path)
    series = read_series(str(path), reading(fill_up_to_s=HOUR))
    assert (series.start_unix_s, series.value.tolist()) == (START, [1, 2, 3])


def test_times_without_a_zone_are_in_the_one_named(tmp_path):
    path = written(tmp_path, *hourly(1, 2, zone=""))
    assert read_series(path, reading(zone="-07:00")).start_unix_s == START + 7 * HOUR
    assert read_series(path, reading(zone=DENVER)).start_unix_s == START + 6 * HOUR


def test_times_without_a_zone_are_else_refused(tmp_path):
    (finding,) = refused(written(tmp_path, *hourly(1), *hourly(2, zone="", first=1)))
    assert finding.code is Code.NO_ZONE
    assert (finding.place.row, finding.place.field) == (2, "time")


def test_a_zone_that_is_none_is_refused(tmp_path):
    (finding,) = refused(written(tmp_path, *hourly(1, zone="")), zone="Mars/Olympus")
    assert "is not a time zone" in finding.message


def test_a_repeated_hour_is_read_twice_and_told(tmp_path):
    clocks = ("00:00", "01:00", "01:00", "02:00")
    rows = [f"2012-11-04T{clock},{value}" for value, clock in enumerate(clocks)]
    series = read_series(written(tmp_path, *rows), reading(zone=DENVER))
    assert series.value.tolist() == [0, 1, 2, 3]
    (warning,) = series.warnings
    assert (warning.code, warning.place.row) == (Code.CLOCK_CHANGE, 3)
    assert "goes back 1 time and forward 0 times" in warning.message


def test_a_skipped_hour_is_no_gap_and_told(tmp_path):
    clocks = ("00:00", "01:00", "03:00", "04:00")
    rows = [f"2012-03-11T{clock},{value}" for value, clock in enumerate(clocks)]
    series = read_series(written(tmp_path, *rows), reading(zone=DENVER))
    assert series.value.tolist() == [0, 1, 2, 3]
    (warning,) = series.warnings
    assert (warning.code, warning.place.row) == (Code.CLOCK_CHANGE, 3)


def test_a_repeated_hour_that_comes_once_is_a_gap_with_a_hint(tmp_path):
    rows = [f"2012-11-04T{clock},1" for clock in ("00:00", "01:00", "02:00", "03:00")]
    (finding,) = refused(written(tmp_path, *rows), zone=DENVER)
    assert (finding.code, finding.place.row) == (Code.SERIES_GAP, 3)
    assert "`-07:00`" in finding.help
    assert read_series(written(tmp_path, *rows), reading(zone="-07:00")).is_whole


def test_a_time_that_the_clock_skips_is_refused_with_a_hint(tmp_path):
    rows = [f"2012-03-11T{clock},1" for clock in ("01:00", "02:00", "03:00")]
    (finding,) = refused(written(tmp_path, *rows), zone=DENVER)
    assert (finding.code, finding.place.row) == (Code.NOT_A_NUMBER, 2)
    assert "skips" in finding.message
    assert "`-07:00`" in finding.help


@pytest.mark.parametrize(
    ("rows", "code", "row", "says"),
    [
        (
            (*hourly(1, 2), *hourly(3, first=1)),
            Code.SAME_TIME,
            3,
            ("is also the time of the row above"),
        ),
        (
            (*hourly(1, 2, 3), *hourly(4, first=1)),
            Code.OUT_OF_ORDER,
            4,
            ("is earlier than the row above"),
        ),
        (
            (*hourly(1, 2, 3), "2012-06-30T02:30Z,4"),
            Code.SAME_TIME,
            4,
            ("is less than one step, "),
        ),
        ((*hourly(1, 2, 3), "2012-06-30T03:30Z,4"), Code.UNEVEN_TIMES, 4, "not a whole number"),
        (hourly(1), Code.UNEVEN_TIMES, 1, "a series of one row needs the length of its step"),
        (("2012-06-30,1", "soon,2"), Code.NOT_A_NUMBER, 2, "is not a time"),
    ],
)
def test_times_that_make_no_grid_are_refused_by_row(tmp_path, rows, code, row, says):
    (finding,) = refused(written(tmp_path, *rows), zone="UTC")
    assert (finding.code, finding.place.row, finding.place.field) == (code, row, "time")
    assert says in finding.message


PLACES = [f"{row}{place}" for row in hourly(1, 2, 3) for place in ("0", "5", "7")]


@pytest.mark.parametrize(
    "rows",
    [
        PLACES,
        [row for place in range(3) for row in PLACES[place::3]],
        [row.replace("Z,", ",") for row in PLACES],
    ],
)
def test_several_series_in_one_file_are_not_sorted(tmp_path, rows):
    (finding,) = refused(written(tmp_path, *rows), zone="UTC")
    assert (finding.code, finding.place.row) == (Code.SAME_TIME, 1)
    assert "is the time of 3 rows, so the file has several series" in finding.message
    assert "rows of one place or kind" in finding.help


def test_rows_from_the_latest_on_are_to_be_turned(tmp_path):
    (finding,) = refused(written(tmp_path, *reversed(hourly(1, 2, 3, 4))))
    assert (finding.code, "| tac) > sorted.csv" in finding.help) == (Code.OUT_OF_ORDER, True)


@pytest.mark.parametrize(
    ("texts", "pattern", "says", "help_"),
    [
        (("2012-06-30", "2012-06-30"), None, ", and has no time of day", "T06:00"),
        (("06/30/2012", "06/30/2012"), "%m/%d/%Y", ", and has no time of day", "T06:00"),
        (("20120630", "20120630"), None, ", and has no time of day", "T06:00"),
        (("2012-06-30T01:00", "2012-06-30 01:00"), None, "row above", "the clock went back"),
        (("2012-06-30T01:00Z", "2012-06-30T01:00Z"), None, "row above", "whose value is wrong"),
        (("2012-06-30T01:00Z", "2012-06-30T02:00+01:00"), None, "row above", "value is wrong"),
    ],
)
def test_the_advice_about_a_time_that_repeats(tmp_path, texts, pattern, says, help_):
    path = written(tmp_path, *(f"{text},{value}" for value, text in enumerate(texts)))
    (finding,) = refused(path, zone="UTC", time_pattern=pattern)
    assert (finding.code, finding.place.row) == (Code.SAME_TIME, 2)
    assert (finding.message.endswith(says), help_ in (finding.help or "")) == (True, True)


@pytest.mark.parametrize("stamp", list(Stamp))
@pytest.mark.parametrize(
    ("rows", "pattern"),
    [
        (
            ("01.01.1970 00:00 - 01.01.1970 01:00,5", "01.01.1970 01:00 - 01.01.1970 02:00,6"),
            "dots",
        ),
        (("1970-01-01T00:00 - 1970-01-01T01:00,5", "1970-01-01T01:00 - 1970-01-01T02:00,6"), None),
    ],
)
def test_a_span_of_two_times_counts_by_its_start_or_its_end(tmp_path, rows, pattern, stamp):
    pattern = pattern and "%d.%m.%Y %H:%M"
    path = written(tmp_path, *rows)
    series = read_series(path, reading(zone="UTC", time_pattern=pattern, stamp=stamp))
    # By their ends the steps begin when they do by their starts.
    assert (series.start_unix_s, series.step_s, series.value.tolist()) == (0, 3600, [5, 6])


def test_spans_in_some_rows_are_no_times(tmp_path):
    path = written(tmp_path, "2012-06-30T00:00 - 2012-06-30T01:00,5", "2012-06-30T01:00,6")
    (finding,) = refused(path, zone="UTC")
    assert (finding.code, finding.place.row) == (Code.NOT_A_NUMBER, 1)


@pytest.mark.parametrize(("pattern", "is_advised"), [(None, True), ("%Y-%m-%d", False)])
def test_a_pattern_of_times_is_advised_once(tmp_path, pattern, is_advised):
    (finding,) = refused(written(tmp_path, "30/06/2012 01:00,1"), zone="UTC", time_pattern=pattern)
    assert finding.code is Code.NOT_A_NUMBER
    assert ("`time_pattern`" in (finding.help or "")) == is_advised


def test_a_time_in_the_far_future_allocates_nothing(tmp_path):
    rows = [*hourly(1), "2012-06-30T00:00:01Z,1", "9999-01-01T00:00Z,1"]
    (finding,) = refused(written(tmp_path, *rows))
    assert (finding.code, finding.place.row) == (Code.TRACE_TOO_LARGE, 3)


def test_a_gap_is_refused_where_it_starts(tmp_path):
    (finding,) = refused(written(tmp_path, *hourly(1, 2), *hourly(3, first=4)))
    assert (finding.code, finding.place.row) == (Code.SERIES_GAP, 3)
    assert "gap of 2 h from `2012-06-30T02:00Z` on; none" in finding.message


def test_an_empty_cell_is_a_gap(tmp_path):
    (finding,) = refused(written(tmp_path, *hourly(1, "", 3, " ", 5)))
    assert (finding.code, finding.place.row) == (Code.SERIES_GAP, 2)
    assert "and in 1 other gap" in finding.message


def test_short_gaps_are_filled_by_straight_lines_and_counted(tmp_path):
    path = written(tmp_path, *hourly(10, "", "", 40, "", 60))
    series = read_series(path, reading(fill_up_to_s=2 * HOUR))
    assert series.value.tolist() == pytest.approx([10, 20, 30, 40, 50, 60])
    (warning,) = series.warnings
    assert (warning.code, warning.place.row) == (Code.SERIES_GAPS, 2)
    assert "2 gaps filled (3 steps, the longest 2 h);" in warning.message
    assert "the first gap starts at `2012-06-30T01:00Z`" in warning.message


def test_longer_gaps_are_kept_as_not_known_only_where_asked(tmp_path):
    path = written(tmp_path, *hourly(10, "", "", 40, "", 60))
    (finding,) = refused(path, fill_up_to_s=HOUR)
    assert "gaps up to 1 h" in finding.message
    series = read_series(path, reading(fill_up_to_s=HOUR, skip_longer_gaps=True))
    assert series.known.tolist() == [True, False, False, True, True, True]
    assert series.value.tolist() == [10, 0, 0, 40, 50, 60]


def test_a_gap_at_an_edge_cannot_be_filled(tmp_path):
    (finding,) = refused(written(tmp_path, *hourly("", 2, 3)), fill_up_to_s=HOUR)
    assert (finding.code, finding.place.row) == (Code.SERIES_GAP, 1)


def test_small_negative_values_are_set_to_0_and_told(tmp_path):
    series = read_series(written(tmp_path, *hourly(-1, 100, -0.5)), reading())
    assert series.value.tolist() == [0, 100, 0]
    (warning,) = series.warnings
    assert (warning.code, warning.place.row) == (Code.NIGHT_CLAMPED, 1)
    assert "2 values slightly below 0" in warning.message


def test_larger_negative_production_is_refused_with_its_place(tmp_path):
    (finding,) = refused(written(tmp_path, *hourly(-1, 100, -1.01)))
    assert (finding.code, finding.place.row, finding.place.field) == (Code.OUT_OF_RANGE, 3, "value")
    assert "negative by more than 0.01 of the largest" in finding.message


@pytest.mark.parametrize(
    ("quantity", "unit", "value", "says"),
    [
        (SeriesQuantity.CLOUD_COVER, "tenths", 11, "above the highest possible cloud cover, 1"),
        (SeriesQuantity.CLOUD_COVER, "1", -0.1, "below the lowest possible cloud cover, 0"),
        (SeriesQuantity.POWER, "GW", "1e300", "above the largest accepted value, 1e+18"),
        (SeriesQuantity.PRICE, "$/kWh", "-1e19", "above the largest accepted value, 1e+18"),
    ],
)
def test_what_a_quantity_cannot_be_is_refused(tmp_path, quantity, unit, value, says):
    path = written(tmp_path, *hourly(0.5, value))
    (finding,) = refused(path, quantity=quantity, unit=unit)
    assert (finding.code, finding.place.row) == (Code.OUT_OF_RANGE, 2)
    assert says in finding.message


@pytest.mark.parametrize(("cell", "code"), [("much", Code.NOT_A_NUMBER), ("inf", Code.NOT_FINITE)])
def test_a_cell_that_is_no_number_is_refused(tmp_path, cell, code):
    (finding,) = refused(written(tmp_path, *hourly(1, cell, 3)))
    assert (finding.code, finding.place.row, finding.place.field) == (code, 2, "value")


def test_rows_of_another_series_are_filtered_out(tmp_path):
    rows = [f"{row},{name}" for name, row in zip("abab", hourly(1, 2, 3, 4), strict=True)]
    path = written(tmp_path, *rows, head="time,value,site")
    series = read_series(path, reading(where=(("site", "b"),)))
    assert (series.step_s, series.value.tolist()) == (2 * HOUR, [2, 4])


@pytest.mark.parametrize(
    "fields", [{"step_s": 0}, {"fill_up_to_s": -1}, {"night_share": 1.0}, {"night_share": -0.1}]
)
def test_a_reading_that_means_nothing_cannot_exist(fields):
    with pytest.raises(ValueError, match=r"step|gaps"):
        reading(**fields)


STAMPS = st.sampled_from(
    [f"2012-{day}T{hour}:00" for day in ("03-11", "11-04") for hour in ("00", "01", "02", "03")]
    + ["2012-03-11T00:00Z", "2012-03-11T00:15Z", "9999-12-31T23:59Z", "soon", ""]
)
VALUES = st.sampled_from(["0", "1", "-0.001", "-5", "", "1e300", "nan", "inf", "x"])


@given(st.lists(st.tuples(STAMPS, VALUES), max_size=6), st.sampled_from([None, DENVER, "-07:00"]))
def test_whatever_the_rows_there_is_a_series_or_a_finding_with_a_place(
    tmp_path_factory, rows, zone
):
    path = written(tmp_path_factory.getbasetemp(), *map(",".join, rows), name="any.csv")
    asked = {"zone": zone, "skip_longer_gaps": True}
    places = []
    with contextlib.suppress(TailcError):
        places = [each.place for each in read_series(path, reading(**asked)).warnings] or [path]
        assert places
    places = places or [finding.place for finding in refused(path, **asked)]
    assert None not in places

import datetime as dt
from pathlib import Path

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.traces.arrivals import ArrivalColumn, GapTreatment, arrivals_in
from tailc.traces.reading import TimeUnit
from tailc.traces.source import open_source
from tests.tailc.traces.making import FORMATS, reading, written

SECONDS = ArrivalColumn("when", TimeUnit.S)
S = 10**9


def arrivals(path, column=SECONDS, **changes):
    with open_source(str(path)) as source:
        return arrivals_in(source, reading(**changes), column)


def refused(path, column=SECONDS, **changes):
    with pytest.raises(TailcError) as caught:
        arrivals(path, column, **changes)
    return caught.value.findings


def trace(folder, *when, suffix="csv"):
    return written(folder, suffix, {"when": list(when), "demand": [5.0] * len(when)})


@pytest.mark.parametrize("suffix", FORMATS)
def test_times_count_from_the_first_row_in_any_format(tmp_path, suffix):
    path = trace(tmp_path, 100.5, 101.0, 101.0, 103.25, suffix=suffix)
    assert arrivals(path).times_ns.tolist() == [0, S // 2, S // 2, 2_750_000_000]


@pytest.mark.parametrize(
    ("unit", "ns"),
    [(TimeUnit.NS, 1), (TimeUnit.US, 1000), (TimeUnit.MS, 10**6), (TimeUnit.S, 10**9)],
)
def test_numbers_are_in_the_unit_stated(tmp_path, unit, ns):
    path = trace(tmp_path, 3, 5, 8)
    assert arrivals(path, ArrivalColumn("when", unit)).times_ns.tolist() == [0, 2 * ns, 5 * ns]


@pytest.mark.parametrize(
    ("found", "per_s", "stated"),
    [("ms", 1e3, "s"), ("us", 1e6, "s"), ("us", 1e6, "ms"), ("ns", 1e9, "s"), ("ns", 1e9, "us")],
)
def test_times_since_1970_in_a_finer_unit_than_stated_are_refused(tmp_path, found, per_s, stated):
    path = trace(tmp_path, *(int((1_700_000_000 + at) * per_s) for at in range(3)))
    (finding,) = refused(path, ArrivalColumn("when", TimeUnit(stated)))
    assert finding.code is Code.USAGE
    assert finding.message == (
        f"the times look like {found} since 1970, but the unit is {stated}, so rates are wrong"
    )
    assert f"--arrival-unit {found}" in finding.help
    (finding,) = refused(path, ArrivalColumn("when", TimeUnit(stated), asked_at="arrivals"))
    assert finding.code is Code.BAD_UNIT


@pytest.mark.parametrize(("found", "stated"), [("s", "ms"), ("ms", "us"), ("s", "ns")])
def test_times_since_1970_in_a_coarser_unit_than_stated_are_warned_of(tmp_path, found, stated):
    per_s = {"s": 1, "ms": 1_000}[found]
    path = trace(tmp_path, *((1_700_000_000 + at) * per_s for at in range(3)))
    (warning,) = arrivals(path, ArrivalColumn("when", TimeUnit(stated))).warnings
    assert warning.code is Code.UNIT_SUSPECT
    assert warning.message == (
        f"the times look like {found} since 1970, but the unit is {stated}, so rates are wrong"
    )


@pytest.mark.parametrize("first", [0, 1_700_000_000, 5_000_000_000])
def test_seconds_that_are_those_of_no_other_unit_are_taken_as_they_are(tmp_path, first):
    found = arrivals(trace(tmp_path, first, first + 1, first + 2))
    assert (found.times_ns.tolist(), found.warnings) == ([0, S, 2 * S], ())


_BACK = "2024-11-03T01:58:00", "2024-11-03T01:59:50", "2024-11-03T01:00:05", "2024-11-03T01:02:00"


def test_a_clock_that_goes_back_gets_no_advice_to_sort(tmp_path):
    (finding,) = refused(trace(tmp_path, *_BACK), ArrivalColumn("when"))
    assert finding.code is Code.OUT_OF_ORDER
    assert finding.help.startswith("write times with their offsets")


@pytest.mark.parametrize(
    "when",
    [
        # Times with a zone, a short step, a long step, and one of each.
        [f"{one}-04:00" for one in _BACK],
        ["2024-11-03T01:58:00", "2024-11-03T01:50:00"],
        ["2024-11-03T05:58:00", "2024-11-03T01:50:00"],
        [*_BACK, "2024-11-03T01:01:00"],
        # A row five minutes out of order, between arrivals two hours apart.
        ["2024-11-03T02:00", "2024-11-03T04:00", "2024-11-03T03:55", "2024-11-03T06:00"],
    ],
)
def test_other_times_out_of_order_are_to_be_sorted(tmp_path, when):
    finding = refused(trace(tmp_path, *when), ArrivalColumn("when"))[0]
    assert finding.help == "sort the trace by this column"


@pytest.mark.parametrize("step", [1, 5, 10, 15, 20, 30])
def test_even_steps_of_a_clock_that_goes_back_are_not_to_be_sorted(tmp_path, step):
    twice = [f"2025-10-26T02:{minute:02d}" for minute in range(0, 60, step)]
    finding = refused(trace(tmp_path, "2025-10-26T01:59", *twice, *twice), ArrivalColumn("when"))[0]
    assert "sorting mixes the two" in finding.help


@pytest.mark.parametrize("suffix", ["csv", "parquet", "ndjson"])
def test_nanoseconds_since_1970_lose_no_digit(tmp_path, suffix):
    start = 1_661_140_320_123_456_789
    path = trace(tmp_path, start, start + 1, start + 10, suffix=suffix)
    assert arrivals(path, ArrivalColumn("when", TimeUnit.NS)).times_ns.tolist() == [0, 1, 10]


@pytest.mark.parametrize(
    "when",
    [
        ["2023-11-16 18:17:03.9799600", "2023-11-16 18:17:04.0319600"],
        ["2023-11-16T18:17:03.9799600Z", "2023-11-16T19:17:04.0319600+01:00"],
    ],
)
def test_date_times_need_no_unit(tmp_path, when):
    path = trace(tmp_path, *when)
    assert arrivals(path, ArrivalColumn("when")).times_ns.tolist() == [0, 52_000_000]


def test_date_times_with_a_unit_are_refused(tmp_path):
    day = dt.datetime(2023, 11, 16)
    path = trace(tmp_path, day, day + dt.timedelta(seconds=2), suffix="parquet")
    (finding,) = refused(path, ArrivalColumn("when", TimeUnit.NS))
    assert finding.code is Code.USAGE
    assert finding.message == "the column has date-times, but a unit for numbers is given: ns"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_date_times_beyond_64_bits_are_out_of_range(tmp_path, suffix):
    days = (dt.datetime(2023, 11, 16), dt.datetime(9999, 1, 1), dt.datetime(9999, 1, 2))
    cells = [day.isoformat() for day in days] if suffix == "csv" else days
    (finding,) = refused(trace(tmp_path, *cells, suffix=suffix), ArrivalColumn("when"))
    assert (finding.code, finding.place.row) == (Code.OUT_OF_RANGE, 2)
    assert "is not between the years 1678 and 2261" in finding.message


def test_typed_date_times_are_read_from_parquet(tmp_path):
    day = dt.datetime(2023, 11, 16)
    path = trace(tmp_path, day, day + dt.timedelta(seconds=2), suffix="parquet")
    assert arrivals(path, ArrivalColumn("when")).times_ns.tolist() == [0, 2 * S]


def test_only_the_rows_that_the_reading_keeps_count(tmp_path):
    columns = {"when": [0, 9, 2, 5], "demand": [1.0] * 4, "kind": ["x", "y", "x", "x"]}
    path = written(tmp_path, "csv", columns)
    kept = arrivals(path, where=(("kind", "x"),))
    assert kept.times_ns.tolist() == [0, 2 * S, 5 * S]


def test_numbers_without_a_unit_are_refused(tmp_path):
    (finding,) = refused(trace(tmp_path, 1, 2), ArrivalColumn("when"))
    assert finding.code is Code.USAGE
    assert finding.place.field == "when"
    assert "--arrival-unit s" in finding.help


def test_every_bad_cell_is_counted_and_the_first_is_placed(tmp_path):
    (finding,) = refused(trace(tmp_path, 1, "soon", 3, "", "later", 6))
    assert finding.code is Code.NOT_A_NUMBER
    assert finding.message == (
        "cell `soon` is not a valid time (first of 3 such cells, in rows 2, 4, 5)"
    )
    assert str(finding.place).endswith("trace.csv:3, row 2, column `when`")


def test_a_missing_cell_is_placed(tmp_path):
    (finding,) = refused(trace(tmp_path, 1.0, None, 3.0, suffix="parquet"))
    assert (finding.code, finding.place.row) == (Code.NOT_A_NUMBER, 2)
    assert finding.message == "cell is missing or empty"


def test_times_out_of_order_are_placed_and_counted(tmp_path):
    (finding,) = refused(trace(tmp_path, 1, 3, 2, 4, 3, 5))
    assert finding.code is Code.OUT_OF_ORDER
    assert finding.message == (
        "cell `2` is earlier than the row before (first of 2 such cells, in rows 3, 5)"
    )
    assert (finding.place.row, finding.help) == (3, "sort the trace by this column")


def test_rows_out_of_order_keep_their_numbers_in_the_file(tmp_path):
    columns = {"when": [5, 9, 2, 7], "demand": [1.0] * 4, "kind": ["x", "y", "x", "x"]}
    (finding,) = refused(written(tmp_path, "csv", columns), where=(("kind", "x"),))
    assert finding.place.row == 3


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ([4], "there are too few arrivals for gaps between them: 1 of at least 2"),
        ([4, 4, 4], "all 3 arrivals have the same time, so there is no rate"),
    ],
)
def test_too_short_a_stream_is_refused(tmp_path, when, message):
    (finding,) = refused(trace(tmp_path, *when))
    assert (finding.code, finding.message) == (Code.FEW_ARRIVALS, message)


@pytest.mark.parametrize(("cell", "code"), [("inf", Code.NOT_FINITE), (10**12, Code.OUT_OF_RANGE)])
def test_times_beyond_reason_are_refused(tmp_path, cell, code):
    (finding,) = refused(trace(tmp_path, 1.5, 2.5, cell))
    assert (finding.code, finding.place.row) == (code, 3)


def with_silences(folder):
    """300 arrivals a second apart, but for 100,000 s before rows 101 and 201."""
    gaps = np.ones(300, np.int64)
    gaps[[100, 200]] = 100_000
    return trace(folder, *np.cumsum(gaps).tolist())


def test_a_long_silence_is_refused_with_its_row_and_length(tmp_path):
    (finding,) = refused(with_silences(tmp_path))
    assert finding.code is Code.ARRIVAL_GAP
    assert finding.message == (
        "no request arrives for 1e+05 s before this row, 100000 times the mean of the other gaps "
        "(1 s) (first of 2 such silences, before rows 101, 201)"
    )
    assert finding.place.row == 101
    assert "--gaps keep" in finding.help
    assert "--gaps close" in finding.help


def test_a_service_that_was_idle_keeps_its_silences(tmp_path):
    kept = arrivals(with_silences(tmp_path), ArrivalColumn("when", TimeUnit.S, GapTreatment.KEEP))
    assert kept.times_ns[-1] == 200_297 * S
    assert not kept.warnings


def test_a_recording_that_paused_closes_them_to_the_mean_of_the_other_gaps(tmp_path):
    closed = arrivals(
        with_silences(tmp_path), ArrivalColumn("when", TimeUnit.S, GapTreatment.CLOSE)
    )
    assert closed.times_ns.tolist() == [second * S for second in range(300)]
    (warning,) = closed.warnings
    assert warning.code is Code.GAP_CLOSED
    assert warning.message == "2 silences were shortened, which removes 199998 s of the recording"


def test_one_closed_silence_is_told_as_one(tmp_path):
    path = spaced(tmp_path, [1] * 50 + [10_000] + [1] * 50)
    (warning,) = arrivals(path, ArrivalColumn("when", TimeUnit.S, GapTreatment.CLOSE)).warnings
    assert warning.message == "1 silence was shortened, which removes 9999 s of the recording"


@pytest.mark.parametrize(("longest", "is_silence"), [(100, False), (101, True)])
def test_a_gap_of_a_hundred_means_of_the_others_is_no_silence(tmp_path, longest, is_silence):
    path = trace(tmp_path, *np.cumsum([0, *[1] * 199, longest]).tolist())
    if is_silence:
        assert refused(path)[0].code is Code.ARRIVAL_GAP
    else:
        assert arrivals(path).times_ns[-1] == 299 * S


def spaced(folder, gaps_s):
    return trace(folder, *np.cumsum([0, *gaps_s]).tolist())


def test_one_pause_is_found_though_it_is_most_of_a_short_recording(tmp_path):
    # With the pause in it the mean gap is 405 s, and ten hours are 89 of that
    gaps = [1] * 89
    gaps[40] = 36_000
    (finding,) = refused(spaced(tmp_path, gaps))
    assert (finding.code, finding.place.row) == (Code.ARRIVAL_GAP, 42)


def test_silences_do_not_hide_one_another(tmp_path):
    # With all of them in it the mean gap is 69 s, and each is 52 of that
    gaps = [1] * 999
    gaps[50::50] = [3_600] * 19
    (finding,) = refused(spaced(tmp_path, gaps))
    assert "(first of 19 such silences, before rows 52, 102, " in finding.message
    closed = arrivals(spaced(tmp_path, gaps), ArrivalColumn("when", TimeUnit.S, GapTreatment.CLOSE))
    assert closed.times_ns[-1] == 999 * S


def test_short_silences_beside_long_ones_are_found(tmp_path):
    gaps = [1] * 1000
    gaps[100], gaps[500] = 10**7, 200
    (finding,) = refused(spaced(tmp_path, gaps))
    assert "(first of 2 such silences, before rows 102, 502)" in finding.message


def test_what_is_between_batches_is_no_silence(tmp_path):
    gaps = [*[0] * 49, 30] * 20
    assert arrivals(spaced(tmp_path, gaps)).times_ns[-1] == 600 * S


def test_a_service_that_is_off_as_a_rule_has_no_silences(tmp_path):
    # One gap in eight
    gaps = [*[1] * 7, 5_000] * 50
    assert arrivals(spaced(tmp_path, gaps)).times_ns[-1] == 50 * 5_007 * S


@pytest.mark.parametrize("count", [3, 11, 12, 100, 5_000])
def test_poisson_arrivals_have_no_silence(tmp_path, count):
    gaps = np.random.default_rng(count).exponential(1, (20_000 // count, count))
    for number, row in enumerate(gaps[:20]):
        (tmp_path / str(number)).mkdir()
        path = trace(tmp_path / str(number), *np.cumsum(row).tolist())
        assert len(arrivals(path).times_ns) == count


def test_even_gaps_over_decades_are_no_silence(tmp_path):
    """A hundred times the time of all gaps, in nanoseconds, is beyond 64 bits."""
    found = arrivals(trace(tmp_path, *(f"{i}e6" for i in range(900))))
    assert found.times_ns[-1] == 899_000_000 * 10**9


def test_timings_of_executions_are_no_arrivals(tmp_path):
    from tailc.traces.reading import Timings

    path = Path(trace(tmp_path, 1, 2))
    timed = {"demand": None, "timings": Timings("q", "d", "t"), "curves": ()}
    (finding,) = refused(path, **timed)
    assert finding.code is Code.NOT_SINGLE

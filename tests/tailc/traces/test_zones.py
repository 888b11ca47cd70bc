"""Local times and offsets made into Unix seconds, through changes of the clock."""

import numpy as np
import pytest

from tailc.traces.zones import TimeError, instant, instants, utc_text, zone_of

# 2012-11-04 06:00 UTC, midnight in Denver on the day on which its clock goes back at 2:00.
AUTUMN = 1_352_008_800
# 2012-03-11 07:00 UTC, midnight there on the day on which it goes forward at 2:00.
SPRING = 1_331_449_200
HOUR = 3_600


@pytest.mark.parametrize(
    ("text", "zone", "hours"),
    [
        ("2012-11-04T06:00Z", None, 0),
        ("2012-11-04 00:00:00-06:00", None, 0),
        ("2012-11-04 00:00", "America/Denver", 0),
        ("2012-11-04 00:00", "-07:00", 1),
        ("2012-11-04 06:00", "UTC", 0),
        ("2012-11-04 06:00:00.000000", "Z", 0),
        ("2012-11-04 06:00Z", "America/Denver", 0),
        ("2012-11-04 11:30", "+0530", 0),
    ],
)
def test_a_time_is_in_its_own_zone_or_else_in_the_one_named(text, zone, hours):
    assert instant(text, zone) == AUTUMN + hours * HOUR


def test_a_repeated_hour_is_told_apart_by_the_order_of_the_rows():
    texts = [
        f"2012-11-04 {clock}" for clock in ("00:30", "01:00", "01:30", "01:00", "01:30", "02:00")
    ]
    read = instants(texts, "America/Denver")
    assert np.diff(read.unix_s).tolist() == [1_800] * 5
    assert (read.back_at, read.forward_at) == ((3,), ())


def test_a_repeated_hour_that_comes_once_is_the_first_pass():
    read = instants(["2012-11-04 01:00", "2012-11-04 02:00"], "America/Denver")
    assert np.diff(read.unix_s).tolist() == [2 * HOUR]


def test_the_hour_that_the_clock_skips_takes_no_time():
    read = instants(["2012-03-11 01:30", "2012-03-11 03:00"], "America/Denver")
    assert read.unix_s.tolist() == [SPRING + 5_400, SPRING + 7_200]
    assert (read.back_at, read.forward_at) == ((), (1,))


def test_a_time_in_the_hour_that_the_clock_skips_is_refused():
    with pytest.raises(TimeError, match="`2012-03-11 02:15` does not exist") as found:
        instants(["2012-03-11 01:30", "2012-03-11 02:15"], "America/Denver")
    assert found.value.index == 1


def test_an_offset_has_no_changes_of_the_clock():
    read = instants([f"2012-03-11 0{hour}:00" for hour in range(1, 5)], "-07:00")
    assert np.diff(read.unix_s).tolist() == [HOUR] * 3


def test_a_pattern_reads_what_iso_8601_does_not():
    assert instant("2012-11-04 06:00", "UTC") == AUTUMN
    assert instants(["11/04/2012 06:00"], "UTC", "%m/%d/%Y %H:%M").unix_s.tolist() == [AUTUMN]


def test_a_time_with_no_zone_is_refused():
    with pytest.raises(TimeError, match="has no time zone") as found:
        instants(["2012-11-04 06:00Z", "2012-11-04 07:00"])
    assert (found.value.index, found.value.lacks_zone) == (1, True)


@pytest.mark.parametrize("text", ["yesterday", "", "2012-13-01", "2012-11-04 06:00:00.5Z"])
def test_a_text_that_is_no_whole_second_is_refused(text):
    with pytest.raises(TimeError, match=r"not a time|fractions"):
        instant(text, "UTC")


@pytest.mark.parametrize("zone", ["America/Boulder", "MST+7", "../etc/passwd", "", "+25:00", "+7"])
def test_a_zone_that_is_none_is_refused(zone):
    with pytest.raises(TimeError, match="` is not a time zone"):
        zone_of(zone)


def test_a_time_is_written_as_it_is_read():
    assert utc_text(AUTUMN) == "2012-11-04T06:00Z"
    assert utc_text(AUTUMN + 1) == "2012-11-04T06:00:01Z"
    assert instant(utc_text(AUTUMN + 1)) == AUTUMN + 1

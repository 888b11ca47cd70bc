"""Ticks of time, against clocks as people read them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tailc.forms.plan.plan import LATEST_UNIX_S
from tailc.report.pictures.time_axis import make_ticks
from tailc.traces.zones import zone_of

DENVER = ZoneInfo("America/Denver")
DAY_S = 86_400


def unix(text):
    return int(datetime.fromisoformat(text).timestamp())


def texts(start, end, zone=UTC):
    return [tick.text for tick in make_ticks(unix(start), unix(end), zone)]


def test_hours_are_round_and_each_day_is_named_once():
    assert texts("2012-06-01T14:10Z", "2012-06-02T04:00Z") == [
        "16:00\n2012-06-01", "18:00", "20:00", "22:00", "00:00\n2012-06-02", "02:00", "04:00"
    ]  # fmt: skip


def test_times_are_those_of_the_zone():
    first, *_ = make_ticks(unix("2012-06-01T14:10Z"), unix("2012-06-02T04:00Z"), DENVER)
    # 16:00 in Greenwich is 10:00 in Denver in summer.
    assert first == (unix("2012-06-01T16:00Z"), "10:00\n2012-06-01")
    half = zone_of("+05:30")
    assert texts("2012-06-01T00:00Z", "2012-06-01T01:00Z", half)[0] == "05:30\n2012-06-01"


def test_an_hour_that_the_clock_skips_has_no_tick():
    """On 2012-03-11 Denver went from 01:59 (-07:00) to 03:00 (-06:00)."""
    ticks = make_ticks(unix("2012-03-11T07:00Z"), unix("2012-03-11T13:00Z"), DENVER)
    assert [tick.text[:5] for tick in ticks] == [
        "00:00", "01:00", "03:00", "04:00", "05:00", "06:00", "07:00"
    ]  # fmt: skip
    assert [tick.unix_s for tick in ticks[1:3]] == [
        unix("2012-03-11T08:00Z"), unix("2012-03-11T09:00Z")
    ]  # fmt: skip


def test_an_hour_that_comes_twice_has_one_tick():
    """On 2012-11-04 Denver went from 01:59 (-06:00) back to 01:00 (-07:00)."""
    ticks = make_ticks(unix("2012-11-04T06:00Z"), unix("2012-11-04T10:00Z"), DENVER)
    at = {tick.text[:5]: tick.unix_s for tick in ticks}
    assert len(at) == len(ticks)
    assert at["01:00"] == unix("2012-11-04T07:00Z")
    assert at["02:00"] == unix("2012-11-04T09:00Z")


@pytest.mark.parametrize("length_s", [1, 59, 900, 3_600, 47 * 3_600, 8 * DAY_S, 40 * DAY_S, 10**9])
@pytest.mark.parametrize("start_unix_s", [0, 1_338_552_000])
def test_there_is_a_tick_and_never_more_than_fit(length_s, start_unix_s):
    for zone in (UTC, DENVER):
        ticks = make_ticks(start_unix_s, start_unix_s + length_s, zone)
        assert 1 <= len(ticks) <= 10
        assert all(start_unix_s <= one.unix_s <= start_unix_s + length_s for one in ticks)
        assert len({one.unix_s for one in ticks}) == len(ticks)


def test_the_end_of_the_calendar_has_ticks_too():
    for zone in (UTC, zone_of("+14:00"), zone_of("-12:00")):
        ticks = make_ticks(LATEST_UNIX_S - 31_000_000, LATEST_UNIX_S, zone)
        assert 5 <= len(ticks) <= 10
        assert ticks[-1].text.startswith("9999-12")

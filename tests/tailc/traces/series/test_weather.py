"""Raw weather files: sites, zones, what is measured, and what is refused by line."""

import sys
from pathlib import Path

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.series.weather import read_nsrdb, read_tmy3
from tailc.traces.zones import instant
from tests.tailc.traces.series.making import HOUR
from tests.tailc.traces.series.weather_files import (
    NSRDB_NAMES,
    TMY3_NAMES,
    nsrdb,
    nsrdb_hours,
    tmy3,
)


def refused(read, *arguments):
    with pytest.raises(TailcError) as found:
        read(*arguments)
    (finding,) = found.value.findings
    return finding


def test_a_typical_year_is_told_as_the_year_asked_for(tmp_path):
    weather = read_tmy3(tmy3(tmp_path, ["0,0,0,10", "100,50,60,5", "200,300,80,0"]), 2011)
    assert (weather.latitude_deg, weather.longitude_deg) == (55.317, -160.517)
    assert weather.altitude_m == 7
    assert weather.ghi.value[:4].tolist() == [0, 100, 200, 0]
    assert weather.dni.value[:4].tolist() == [0, 50, 300, 0]
    assert weather.dhi.value[:4].tolist() == [0, 60, 80, 0]
    assert weather.cloud_cover.value[:4].tolist() == [1, 0.5, 0, 0]


def test_an_hour_of_a_typical_year_is_stamped_by_its_end_in_the_zone_of_the_site(tmp_path):
    weather = read_tmy3(tmy3(tmp_path, ["0,0,0,10"]), 2011)
    assert weather.ghi.start_unix_s == instant("2011-01-01T00:00-09:00")
    assert (weather.ghi.step_s, weather.ghi.steps) == (HOUR, 8_760)


def test_what_was_not_measured_is_not_known_and_told(tmp_path):
    weather = read_tmy3(tmy3(tmp_path, ["0,0,0,10", "-9900,0,0,-9900"]), 2011)
    assert weather.ghi.known[:3].tolist() == [True, False, True]
    assert weather.cloud_cover.known[:3].tolist() == [True, False, True]
    (warning,) = weather.ghi.warnings
    assert (warning.code, warning.place.line) == (Code.SERIES_GAPS, 4)


def test_half_hours_of_nsrdb_start_at_their_stamp(tmp_path):
    weather = read_nsrdb(nsrdb(tmp_path, ["0,0,0,0", "100,40,50,75", "40,10,0,5"]))
    assert (weather.latitude_deg, weather.longitude_deg) == (40.53, -108.54)
    assert weather.ghi.start_unix_s == instant("2023-01-01T00:00-07:00")
    assert weather.ghi.step_s == 1_800
    assert weather.ghi.value.tolist() == [0, 75, 5]


@pytest.mark.parametrize(
    ("stamps", "start", "step_s"),
    [
        ((f"2019,1,1,{hour},30" for hour in range(24)), "2019-01-01T00:00-07:00", 3_600),
        ((f"2019,1,1,{hour},0" for hour in range(24)), "2019-01-01T00:00-07:00", 3_600),
        ((f"2019,6,1,{hour},30" for hour in range(5, 9)), "2019-06-01T05:00-07:00", 3_600),
        (
            (f"2019,1,1,{at // 12},{at % 12 * 5}" for at in range(6, 30)),
            "2019-01-01T00:30-07:00",
            300,
        ),
        (("2018,12,31,23,30", "2019,1,1,0,30"), "2018-12-31T23:00-07:00", 3_600),
    ],
)
def test_an_hour_of_nsrdb_that_is_stamped_at_its_half_starts_before(
    tmp_path, stamps, start, step_s
):
    ghi = read_nsrdb(nsrdb_hours(tmp_path, stamps)).ghi
    assert (ghi.start_unix_s, ghi.step_s) == (instant(start), step_s)


@pytest.mark.parametrize("years", [(2003, 2012), (2012, 2003, 2007), (2012, 2012, 2003)])
def test_a_typical_year_of_nsrdb_is_named_as_one(tmp_path, years):
    stamps = [
        f"{year},{month},{day},{hour},30"
        for month, year in enumerate(years, 1)
        for day in range(1, 29)
        for hour in range(24)
    ]
    finding = refused(read_nsrdb, nsrdb_hours(tmp_path, stamps))
    assert finding.code is Code.UNEVEN_TIMES
    assert "a typical year, whose months are from different years (2003, " in finding.message


def test_a_year_that_is_missing_in_between_is_no_typical_year(tmp_path):
    stamps = ("2018,12,31,22,30", "2018,12,31,23,30", "2020,1,1,0,30", "2020,1,1,1,30")
    finding = refused(read_nsrdb, nsrdb_hours(tmp_path, stamps))
    assert "the step before this line is" in finding.message


@pytest.mark.parametrize(
    ("old", "new", "name", "words"),
    [
        (",-7,2168,", ",,2168,", "Time Zone", "state no `Time Zone`"),
        (",-7,2168,", ",UTC,2168,", "Time Zone", "is `UTC`, which is not a number"),
        (",Time Zone,", ",Zone,", "Time Zone", "state no `Time Zone`"),
        (",40.53,", ",N 40,", "Latitude", "is `N 40`, which is not a number"),
        (",2168,", ",-,", "Elevation", "is `-`, which is not a number"),
    ],
)
def test_a_site_without_a_zone_or_a_place_is_refused_by_name(tmp_path, old, new, name, words):
    path = nsrdb_hours(tmp_path, ["2019,1,1,0,30", "2019,1,1,1,30"])
    text = Path(path).read_text()
    Path(path).write_text(text.replace(old, new))
    finding = refused(read_nsrdb, path)
    assert (finding.code, finding.place.line, finding.place.field) == (Code.NOT_A_NUMBER, 2, name)
    assert words in finding.message


def test_clouds_of_nsrdb_are_what_the_clear_sky_lacks_while_the_sun_is_up(tmp_path):
    cells = ["0,0,0,0", "100,40,50,75", "49,10,0,5", "100,40,50,120"]
    weather = read_nsrdb(nsrdb(tmp_path, cells))
    assert weather.cloud_cover.known.tolist() == [False, True, False, True]
    assert weather.cloud_cover.value.tolist() == [0, 0.25, 0, 0]


@pytest.mark.parametrize(
    ("cells", "code", "line"),
    [
        (["0,0,0,10", "much,0,0,10"], Code.NOT_A_NUMBER, 4),
        (["0,0,0,10", "0,0,0,10,1"], Code.RAGGED_ROW, 4),
        (["0,0,0,10", "0,0,0", "0,0,0,10"], Code.RAGGED_ROW, 4),
        (["0,0,0,10", "0,0,0,11"], Code.OUT_OF_RANGE, 4),
        (["0,0,0,10", "-5,0,0,10"], Code.OUT_OF_RANGE, 4),
    ],
)
def test_bad_cells_and_lines_are_refused_by_line(tmp_path, cells, code, line):
    finding = refused(read_tmy3, tmy3(tmp_path, cells), 2011)
    assert (finding.code, finding.place.line) == (code, line)


def test_a_file_cut_in_a_line_is_truncated(tmp_path):
    finding = refused(read_tmy3, tmy3(tmp_path, ["0,0,0,10", "0,0"], hours=2, end=""), 2011)
    assert (finding.code, finding.place.line) == (Code.TRUNCATED, 4)


def test_a_typical_year_that_is_none_is_truncated(tmp_path):
    finding = refused(read_tmy3, tmy3(tmp_path, [], hours=8_000), 2011)
    assert finding.code is Code.TRUNCATED
    assert "` has 8000 hours, but a typical year has 8760" in finding.message


def test_a_file_without_data_is_truncated(tmp_path):
    assert refused(read_nsrdb, nsrdb(tmp_path, [])).code is Code.TRUNCATED


@pytest.mark.parametrize(
    ("read", "write", "names", "cell"),
    [
        (lambda path: read_tmy3(path, 2011), tmy3, TMY3_NAMES.replace("GHI", "Sun"), "0,0,0,10"),
        (read_nsrdb, nsrdb, NSRDB_NAMES.replace("Clearsky GHI", "Clear"), "0,0,0,0"),
    ],
)
def test_a_column_that_is_not_there_is_named(tmp_path, read, write, names, cell):
    finding = refused(read, write(tmp_path, [cell], names=names))
    assert finding.code is Code.MISSING_COLUMN
    assert finding.place.field in ("GHI (W/m^2)", "Clearsky GHI")


def test_a_line_out_of_time_is_refused(tmp_path):
    path = tmp_path / "tmy3.csv"
    tmy3(tmp_path, [])
    path.write_text(path.read_text().replace("01/01/1997,03:00", "01/01/1997,05:00"))
    finding = refused(read_tmy3, str(path), 2011)
    assert (finding.code, finding.place.line) == (Code.UNEVEN_TIMES, 5)


def test_dates_that_are_none_are_refused(tmp_path):
    path = tmp_path / "nsrdb.csv"
    nsrdb(tmp_path, ["0,0,0,0"] * 2)
    path.write_text(path.read_text().replace("2023,1,1", "2023,13,1"))
    assert refused(read_nsrdb, str(path)).code is Code.BROKEN_FORMAT


def test_without_pvlib_the_extra_is_named(tmp_path, monkeypatch):
    path = tmy3(tmp_path, ["0,0,0,10"])
    monkeypatch.setitem(sys.modules, "pvlib", None)
    finding = refused(read_tmy3, path, 2011)
    assert finding.code is Code.MISSING_PART
    assert "tailc[green]" in finding.help

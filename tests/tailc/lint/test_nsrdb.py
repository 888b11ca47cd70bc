"""Raw weather files of NSRDB: the irradiance is checked, and a typical year is called so."""

import pytest

from tailc.errors import Code, ExitCode
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions

SITE = (
    "Source,Location ID,City,State,Country,Latitude,Longitude,Time Zone,Elevation,Local Time Zone\n"
    "NSRDB,145809,-,-,-,40.53,-108.54,-7,2000,-7\n"
)
NAMES = "Year,Month,Day,Hour,Minute,DHI,DNI,GHI,Temperature\n"


def linted(folder, rows):
    pytest.importorskip("pvlib")
    path = folder / "weather.csv"
    path.write_text(SITE + NAMES + "".join(rows))
    return lint(str(path), TraceOptions())


def day(year, month, of=1, noon=12):
    sun = (max(0, 600 - 100 * abs(hour - noon)) for hour in range(24))
    return [f"{year},{month},{of},{hour},30,0,0,{w},3\n" for hour, w in enumerate(sun)]


def test_a_year_is_checked(tmp_path):
    found = linted(tmp_path, [row for of in range(1, 5) for row in day(2020, 6, of)])
    assert (found.rows, found.looked_at, found.exit_code) == (96, ("GHI",), ExitCode.OK)
    assert found.findings == ()


def test_a_sun_that_shines_at_night_is_found(tmp_path):
    found = linted(tmp_path, [row for of in range(1, 5) for row in day(2020, 6, of, noon=2)])
    assert any("centred at" in finding.message for finding in found.findings)


def test_a_typical_year_is_named(tmp_path):
    rows = [row for of in range(1, 32) for row in day(2003, 1, of)] + day(2012, 2)
    (finding,) = linted(tmp_path, rows).findings
    assert finding.code is Code.UNEVEN_TIMES
    assert "typical year" in finding.message


def test_a_cell_that_is_no_number_is_refused_by_line(tmp_path):
    rows = day(2020, 6)
    rows[3] = rows[3].replace(",0,3\n", ",x,3\n")
    (finding,) = linted(tmp_path, rows).findings
    assert finding.place is not None
    assert (finding.code, finding.place.line) == (Code.NOT_A_NUMBER, 7)


@pytest.mark.parametrize("rows", [[], ["\n", "  \n"]])
def test_a_file_without_rows_is_refused(tmp_path, rows):
    (finding,) = linted(tmp_path, rows).findings
    assert finding.code is Code.TRUNCATED


@pytest.mark.parametrize("rows", [day(2020, 6)[::-1], day(2020, 6)[:1] * 3])
def test_rows_out_of_order_are_refused_by_line(tmp_path, rows):
    (finding,) = linted(tmp_path, rows).findings
    assert finding.place is not None
    assert (finding.code, finding.place.line) == (Code.UNEVEN_TIMES, 5)
    assert "not later than that of the line above" in finding.message


def test_another_table_with_sources_and_locations_is_a_table(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("Source,Location ID,latency_ms\na,1,5\nb,2,6\n")
    found = lint(str(path), TraceOptions())
    assert (found.looked_at, found.findings) == (("latency_ms",), ())

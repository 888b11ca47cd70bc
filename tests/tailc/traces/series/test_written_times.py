"""Times as power exchanges write them: spans, and the clock of the hour that is repeated."""

import time

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.series.reading import SeriesReading
from tailc.traces.series.series import SeriesQuantity
from tailc.traces.series.table_series import read_series
from tailc.traces.zones import instant

PATTERN = "%d/%m/%Y %H:%M:%S"


def series(folder, times, pattern=PATTERN):
    path = folder / "prices.csv"
    path.write_text(
        "\n".join(["mtu,price", *(f"{time},{at}" for at, time in enumerate(times)), ""])
    )
    reading = SeriesReading(
        "mtu", "price", SeriesQuantity.PRICE, "$/MWh", zone="Europe/Brussels", time_pattern=pattern
    )
    return read_series(str(path), reading)


@pytest.mark.parametrize("names", [("CEST", "CET"), ("EEST", "EET"), (None, None)])
@pytest.mark.parametrize("is_span", [True, False])
def test_the_clock_behind_a_time_is_no_part_of_it(tmp_path, names, is_span):
    hours = [(1, None), (2, names[0]), (2, names[1]), (3, None)]
    stamps = [f"26/10/2025 {hour:02}:00:00" + (f" ({at})" if at else "") for hour, at in hours]
    if is_span:
        stamps = [f"{start} - 26/10/2025 05:00:00" for start in stamps]
    found = series(tmp_path, stamps)
    assert found.start_unix_s == instant("2025-10-25T23:00Z")
    assert (found.steps, found.step_s) == (4, 3600)


def test_a_long_time_of_blanks_is_refused_in_linear_time(tmp_path):
    """A search from each blank to the last one would take minutes."""
    begun = time.process_time()
    with pytest.raises(TailcError):
        series(tmp_path, [" " * 200_000 + "x"])
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("rows", [1, 2, 30])
def test_a_column_without_a_value_is_refused(tmp_path, rows):
    path = tmp_path / "prices.csv"
    lines = (f"2025-10-{at:02}T00:00Z,\n" for at in range(1, rows + 1))
    path.write_text("time,price\n" + "".join(lines))
    reading = SeriesReading("time", "price", SeriesQuantity.PRICE, "$/MWh", skip_longer_gaps=True)
    with pytest.raises(TailcError) as caught:
        read_series(str(path), reading)
    assert [finding.code for finding in caught.value.findings] == [Code.EMPTY_TRACE]


@pytest.mark.parametrize(
    ("time", "pattern"),
    [
        ("26/10/2025 00:00:00", "%d/%m/%Y %H:%M:%S"),
        ("26/10/2025 00:00", "%d/%m/%Y %H:%M"),
        ("10/26/2025 00:00", "%m/%d/%Y %H:%M"),
        ("05.10.2025 00:00", "%d.%m.%Y %H:%M"),
        ("26/10/2025", "%d/%m/%Y"),
        ("noon", "%m/%d/%Y %H:%M"),
    ],
)
def test_the_advised_pattern_is_that_of_the_times(tmp_path, time, pattern):
    with pytest.raises(TailcError) as caught:
        series(tmp_path, [time, time], None)
    (finding,) = caught.value.findings
    assert finding.code is Code.NOT_A_NUMBER
    assert f"such as `{pattern}`" in (finding.help or "")

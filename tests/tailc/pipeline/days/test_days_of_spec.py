"""Days of jobs and energy, laid over each other as a spec says; every number is by hand."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from tailc.errors import Code, Place, TailcError
from tailc.forecasts.days import Days
from tailc.pipeline.days.days_of_spec import open_days
from tailc.specs.days import DaysSettings, HorizonSpec
from tailc.specs.jobs import JobsSpec
from tailc.specs.supply import SupplySpec
from tailc.traces.series.reading import likely_unit
from tailc.traces.series.series import SeriesQuantity
from tests.tailc.traces.series.weather_files import nsrdb

HOUR = 3_600
# Power of three days, hour by hour from midnight UTC: 12 W from 6 to 18 h, less on the second day.
WATTS = [12.0 * (6 <= hour % 24 < 18) * (0.5 if 24 <= hour < 48 else 1.0) for hour in range(72)]


def place(*path: str | int) -> Place:
    return Place("spec.yaml", field="/".join(map(str, path)))


@pytest.fixture
def folder(tmp_path):
    rows = [f"2020-06-{1 + hour // 24:02}T{hour % 24:02}:00Z,{w}" for hour, w in enumerate(WATTS)]
    (tmp_path / "roof.csv").write_text("time,w\n" + "\n".join(rows) + "\n")
    rows = [
        row.replace(",12.0", ",30").replace(",0.0", ",20").replace(",6.0", ",-5") for row in rows
    ]
    (tmp_path / "price.csv").write_text("time,c\n" + "\n".join(rows) + "\n")
    jobs = ["at_h,run_h,nodes", "0,1,4", "10,2,9", "30,1,2", "47,3,1", "70,1,1"]
    (tmp_path / "jobs.csv").write_text("\n".join(jobs) + "\n")
    return tmp_path


def settings(jobs=None, supply=None, horizon=None) -> DaysSettings:
    columns = {
        "submit": "at_h",
        "submit_unit": "h",
        "run": "run_h",
        "run_unit": "h",
        "width": "nodes",
    }
    roof = {"trace": "roof.csv", "column": "w", "unit": "W"}
    return DaysSettings(
        JobsSpec.model_validate(
            {"trace": "jobs.csv", "columns": columns, "at_start": "24h", **(jobs or {})}
        ),
        SupplySpec.model_validate(
            {"green": [roof], "price": "10.5c/kWh", "carbon": "384g/kWh", **(supply or {})}
        ),
        HorizonSpec.model_validate(
            {"start": "2020-06-02T00:00Z", "length": "24h", **(horizon or {})}
        ),
    )


def opened(folder, *parts):
    return open_days(settings(*parts), str(folder / "spec.yaml"), place)


def refused(folder, *parts):
    with pytest.raises(TailcError) as caught:
        opened(folder, *parts)
    (finding,) = caught.value.findings
    assert finding.help
    return finding


def test_log_and_energy_share_their_epochs(folder):
    days = opened(folder)
    assert (days.first, days.epochs, days.epoch_s) == (24 * 4, 24 * 4, 900)
    assert days.start_unix_s == 1_591_056_000  # 2020-06-02T00:00Z
    assert days.jobs.submit_s.tolist() == [0, 10 * HOUR, 30 * HOUR, 47 * HOUR, 70 * HOUR]
    green, price, carbon = days.energy.actual_supply(slice(24 * 4, 48 * 4))
    assert green.tolist() == np.repeat([round(w * 1_000) for w in WATTS[24:48]], 4).tolist()
    assert set(price.tolist()) == {105_000}
    assert set(carbon.tolist()) == {384_000}


def test_a_log_is_laid_over_other_days(folder):
    """Its second day meets the third of the sun; what is before the sun, or after it, is left."""
    days = opened(folder, {"at_start": "24h"}, None, {"start": "2020-06-03T00:00Z"})
    assert days.jobs.submit_s.tolist() == [hour * HOUR for hour in (24, 34, 54, 71)]
    days = opened(folder, {"at_start": "36h"}, None, {"start": "2020-06-02T00:00Z"})
    assert days.jobs.number.tolist() == [3, 4, 5]
    assert days.jobs.submit_s.tolist() == [hour * HOUR for hour in (18, 35, 58)]


def test_dates_of_a_log_meet_the_calendar(folder):
    rows = ["at,run,nodes", "2020-06-01T22:00Z,600,2", "2020-06-02T03:00+02:00,60,1"]
    (folder / "dated.csv").write_text("\n".join(rows) + "\n")
    columns = {"submit": "at", "submit_unit": "date", "run": "run", "width": "nodes"}
    days = opened(folder, {"trace": "dated.csv", "columns": columns, "at_start": None})
    assert days.jobs.submit_s.tolist() == [22 * HOUR, 25 * HOUR]


def test_what_is_made_of_a_log(folder):
    how = {
        "drop_wider": 8,
        "divide_width": 3,
        "multiply_run": 0.5,
        "green": {"share": "50%"},
        "applications": {"FT": 1, "IS": 3},
    }
    jobs = opened(folder, how).jobs
    assert jobs.width.tolist() == [2, 1, 1, 1]
    assert jobs.run_s.tolist() == [1_800, 1_800, 5_400, 1_800]
    assert jobs.green_ppm is not None
    assert set(jobs.green_ppm.tolist()) == {500_000}
    assert jobs.applications is not None
    assert jobs.applications.names == ("FT", "IS")
    assert any("wider than 8" in warning.message for warning in jobs.warnings)


def test_widths_by_a_table(folder):
    jobs = opened(folder, {"map_width": {"4": 1, "9": 2, "others": 3}}).jobs
    assert jobs.width.tolist() == [1, 2, 3, 3, 3]


def test_price_is_a_series_and_is_not_negative(folder):
    """6 W became -5 c/kWh, on the second day at noon."""
    price = {"trace": "price.csv", "column": "c", "unit": "c/kWh"}
    days = opened(folder, None, {"price": price})
    _green, udollars, _carbon = days.energy.actual_supply(slice(24 * 4, 48 * 4))
    assert sorted(set(udollars.tolist())) == [0, 200_000]
    assert any("negative price" in warning.message for warning in days.warnings)
    paid = opened(folder, None, {"price": price, "grid": "1kW"})
    _green, udollars, _carbon = paid.energy.actual_supply(slice(24 * 4, 48 * 4))
    assert sorted(set(udollars.tolist())) == [-50_000, 200_000]
    assert not paid.warnings


def test_yesterday_is_forecast_again(folder):
    """The second day brought half; an oracle knows it, and yesterday says twice as much."""
    known = opened(folder).energy.expected_mw(96, 96)
    told = opened(folder, None, {"forecast": {"method": "yesterday"}}).energy.expected_mw(96, 96)
    assert told.tolist() == (2 * known).tolist()
    assert known.sum() == 12 * 4 * 6_000


def test_wind_is_added(folder):
    roof = {"trace": "roof.csv", "column": "w", "unit": "W"}
    days = opened(folder, None, {"green": [roof, {**roof, "peak": "1W"}]})
    green, _price, _carbon = days.energy.actual_supply(slice(0, 24 * 4))
    assert int(green.max()) == 13_000


def test_a_start_off_the_grid_of_the_series(folder):
    assert opened(folder, None, None, {"start": "2020-06-02T00:15Z"}).first == 24 * 4 + 1
    found = refused(folder, None, None, {"start": "2020-06-02T00:07Z"})
    assert found.code is Code.CONFLICT
    assert found.place == place("horizon", "start")


@pytest.mark.parametrize(
    ("parts", "code", "at"),
    [
        (({"at_start": None},), Code.MISSING_KEY, "jobs/trace"),
        ((None, None, {"start": "2020-06-02T00:00"}), Code.NO_ZONE, "horizon/start"),
        ((None, None, {"start": "noon"}), Code.BAD_VALUE, "horizon/start"),
        ((None, None, {"zone": "Mars/Noon"}), Code.NO_ZONE, "horizon/zone"),
        (
            (None, None, {"start": "2020-06-02T00:00", "zone": "Mars/Noon"}),
            Code.NO_ZONE,
            "horizon/zone",
        ),
        ((None, None, {"start": "2020-06-03T12:00Z"}), Code.SHORT_HISTORY, "horizon/start"),
        ((None, None, {"start": "2019-06-03T12:00Z"}), Code.SHORT_HISTORY, "horizon/start"),
    ],
)
def test_what_cannot_be_is_told_where_it_stands(folder, parts, code, at):
    found = refused(folder, *parts)
    assert found.code is code
    assert found.place is not None
    assert found.place.field == at


def test_a_wrong_unit_is_told_where_it_stands(folder):
    roof = {"trace": "roof.csv", "column": "w", "unit": "$/kWh"}
    found = refused(folder, None, {"green": [roof]})
    assert found.code is Code.BAD_UNIT
    assert found.place == place("supply", "green", 0, "unit")


@pytest.mark.parametrize(
    ("unit", "meant"),
    [
        ("W/m2", "did you mean `W`?"),
        ("kW/m²", "did you mean `kW`?"),
        ("KWH", "did you mean `kWh`?"),
        ("kVA", "use one of"),
        ("gCO2", "use one of"),
    ],
)
def test_a_unit_of_power_like_a_known_one_comes_with_it(folder, unit, meant):
    roof = {"trace": "roof.csv", "column": "w", "unit": unit}
    assert (refused(folder, None, {"green": [roof]}).help or "").startswith(meant)


@pytest.mark.parametrize(
    ("quantity", "unit", "meant"),
    [
        (SeriesQuantity.PRICE, "EUR/MWh", "$/MWh"),
        (SeriesQuantity.PRICE, "€/kWh", "$/kWh"),
        (SeriesQuantity.PRICE, "ct/kWh", "c/kWh"),
        (SeriesQuantity.CARBON, "gCO2eq/kWh", "g/kWh"),
        (SeriesQuantity.CARBON, "g CO₂/kWh", "g/kWh"),
        (SeriesQuantity.CARBON, "kgCO2e/MWh", "kg/MWh"),
        (SeriesQuantity.CLOUD_COVER, "okta", None),
    ],
)
def test_units_of_other_writers_mean_known_ones(quantity, unit, meant):
    assert likely_unit(unit, quantity) == meant


def test_missing_hours_of_the_horizon_are_refused(folder):
    rows = (folder / "roof.csv").read_text().splitlines()
    del rows[30:33]
    (folder / "roof.csv").write_text("\n".join(rows) + "\n")
    roof = {"trace": "roof.csv", "column": "w", "unit": "W", "skip_longer_gaps": True}
    found = refused(folder, None, {"green": [roof]})
    assert found.code is Code.SERIES_GAP
    assert "2020-06-02T05:00Z" in found.message


def test_a_log_of_other_days_is_refused(folder):
    found = refused(folder, {"at_start": "2400h"})
    assert found.code is Code.EMPTY_TRACE
    assert (found.help or "").startswith("change `jobs.at_start`")
    dated = {"trace": "dated.csv", "at_start": None}
    dated["columns"] = {"submit": "at", "submit_unit": "date", "run": "h", "width": "nodes"}
    (folder / "dated.csv").write_text("at,h,nodes\n2019-06-01T00:00Z,60,1\n")
    found = refused(folder, dated)
    assert found.code is Code.EMPTY_TRACE
    assert (found.help or "").startswith("give `jobs.at_start`")


def test_the_digest_is_of_the_content(folder):
    before = opened(folder)
    (folder / "jobs.csv").rename(folder / "other.csv")
    same = opened(folder, {"trace": "other.csv"})
    assert same.digest == before.digest
    assert opened(folder, {"trace": "other.csv", "divide_width": 2}).digest != before.digest
    assert same.energy.digest == before.energy.digest


def test_a_weather_file_tells_clouds_and_stands_for_panels(tmp_path):
    """Half hours of 400 and 200 W/m2, scaled to a peak of 8 kW: 8 kW and then 4 kW."""
    pytest.importorskip("pvlib", reason="pvlib reads weather files")
    path = nsrdb(tmp_path, ["500,0,0,400", "500,0,0,200"])
    (tmp_path / "jobs.csv").write_text("at_h,run_h,nodes\n0,1,4\n")
    source = {"trace": path, "format": "nsrdb", "column": "ghi", "peak": "8kW"}
    horizon = {"start": "2023-01-01T00:00-07:00", "length": "1h"}

    def days(green: dict) -> Days:
        supply = {"green": [green]}
        return open_days(
            settings({"at_start": "0h"}, supply, horizon), str(tmp_path / "spec.yaml"), place
        )

    brought = days(source).energy.actual_supply(slice(None))[0]
    assert brought.tolist() == [8_000_000] * 2 + [4_000_000] * 2
    with pytest.raises(TailcError) as caught:
        days({**source, "column": "cloud_cover"})
    assert caught.value.findings[0].place == place("supply", "green", 0, "column")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unit": "W"}, "the units of a weather file are fixed"),
        ({"peak": None}, "needs a peak power"),
        ({"column": "kw"}, "is not a column of a weather file"),
        ({"format": "tmy3"}, "typical year"),
        ({"year": 2012}, "applies only to `format: tmy3`"),
        ({"format": "csv"}, "has values without a unit"),
    ],
)
def test_what_a_weather_file_needs(change, message):
    source = {"trace": "w.csv", "format": "nsrdb", "column": "ghi", "peak": "8kW", **change}
    asked = {key: value for key, value in source.items() if value is not None}
    with pytest.raises(ValidationError, match=message):
        SupplySpec.model_validate({"green": [asked], "price": "1c/kWh"})


def test_a_start_before_the_energy_is_told_as_one(folder):
    found = refused(folder, None, None, {"start": "2019-06-03T12:00Z"})
    assert "the plan would begin at `2019-06-03T12:00Z`" in found.message
    found = refused(folder, None, None, {"start": "2020-06-03T12:00Z"})
    assert "the plan would end at `2020-06-04T12:00Z`" in found.message


def test_a_zone_that_is_none_is_refused_though_times_state_offsets(folder):
    roof = {"trace": "roof.csv", "column": "w", "unit": "W", "zone": "Mars/Olympus"}
    found = refused(folder, None, {"green": [roof]})
    assert found.code is Code.NO_ZONE
    assert found.place == place("supply", "green", 0, "zone")


def test_too_many_epochs_are_not_told_as_parts_of_one():
    with pytest.raises(ValidationError, match=r"makes 1,200,000 epochs; the limit is 16,384"):
        HorizonSpec.model_validate({"start": "2020-06-02T00:00Z", "length": "300000h"})


@pytest.mark.parametrize(
    ("horizon", "path", "said", "help_"),
    [
        # 100 min are six quarters and 10 min, 105 seven.
        (
            {"length": "100min"},
            "length",
            "is 100min, which is not a whole number of epochs: 6 epochs of 15min leave 10min",
            "write `length: 90min` or `length: 105min`, or change `epoch`",
        ),
        # 48 h are 2,880 min, which are 411 times 7 and 3.
        (
            {"epoch": "7min"},
            "epoch",
            "does not divide the default `length` of 48h: 411 epochs of 7min leave 3min",
            "write `length: 2877min` or `length: 2884min`, or change `epoch`",
        ),
    ],
)
def test_a_length_of_no_whole_epochs_is_told_with_those_next_to_it(horizon, path, said, help_):
    with pytest.raises(ValidationError) as caught:
        HorizonSpec.model_validate({"start": "2020-06-02T00:00Z", **horizon})
    (complaint,) = caught.value.errors()[0]["ctx"]["error"].complaints
    assert (complaint.at, complaint.message, complaint.help) == ((path,), said, help_)

"""What columns are taken for by their names."""

import pytest

from tailc.lint.lint import lint
from tailc.lint.roles import Role, TraceOptions, roles_of
from tailc.traces.series.series import SeriesQuantity


@pytest.mark.parametrize(
    "start",
    [
        "Start Time (microseconds)",
        "start time (microseconds)",
        "startTime",
        "start_time_us",
        "Start Time",
    ],
)
def test_a_start_is_no_demand(start):
    roles = roles_of(("Type", start, "Latency (microseconds)"), TraceOptions())
    assert (roles.names[Role.TIME], roles.names[Role.DEMAND]) == (start, "Latency (microseconds)")


@pytest.mark.parametrize("time", ["Datetime (UTC)", "datetime", "Date (GMT)", "timestamp"])
@pytest.mark.parametrize(
    "carbon",
    [
        "Carbon Intensity gCO₂eq/kWh (direct)",
        "Carbon intensity gCO2eq/kWh (Life cycle)",
        "carbon_intensity",
        "carbon",
    ],
)
def test_carbon_is_a_series(time, carbon):
    (column,) = roles_of((time, "Zone Id", carbon), TraceOptions()).series
    assert (column.quantity, column.unit) == (SeriesQuantity.CARBON, "g/kWh")


@pytest.mark.parametrize(
    ("time", "name", "quantity"),
    [
        ("HourUTC", "SpotPriceEUR", SeriesQuantity.PRICE),
        ("hour_utc", "spot_price_dkk", SeriesQuantity.PRICE),
        ("INTERVALSTARTTIME_GMT", "day_ahead_price", SeriesQuantity.PRICE),
        ("time", "shortwave_radiation (W/m²)", SeriesQuantity.IRRADIANCE),
        ("MTU (CET/CEST)", "Day-ahead Price [EUR/MWh]", SeriesQuantity.PRICE),
        ("Datetime (UTC)", "Actual Carbon Intensity (gCO2/kWh)", SeriesQuantity.CARBON),
        ("Datum", "solar_kW", SeriesQuantity.POWER),
        ("Date", "Price €/MWh", SeriesQuantity.PRICE),
        ("Time", "P_AC(W)", SeriesQuantity.POWER),
        ("Time", "System Production (W)", SeriesQuantity.POWER),
        ("UTC Time at End of Hour", "Net Generation (MW) from Solar", SeriesQuantity.POWER),
        ("DeliveryDate", "SettlementPointPrice", SeriesQuantity.PRICE),
    ],
)
def test_prices_and_radiation_are_series(time, name, quantity):
    (column,) = roles_of((time, "PriceArea", name), TraceOptions()).series
    assert (column.name, column.quantity) == (name, quantity)


@pytest.mark.parametrize(
    ("head", "rows", "checked"),
    [
        (
            "job_id,gpu_num,cpu_num,node_num,submit_time,end_time,duration",
            ("1,0,4,1,2020-04-01 00:05:34,2020-04-01 01:27:04,4854",) * 2,
            ("submit_time", "duration", "node_num"),
        ),
        (
            "JobID|Submit|ElapsedRaw|NNodes",
            ("46|2021-07-30T08:00:00|600|2", "47|2021-07-30T09:00:00|60|1"),
            ("Submit", "ElapsedRaw", "NNodes"),
        ),
        (
            "submit_time,wallclock,slots",
            ("0,600,2", "60,60,1"),
            ("submit_time", "wallclock", "slots"),
        ),
    ],
)
def test_lists_of_jobs_are_recognised(tmp_path, head, rows, checked):
    (tmp_path / "jobs.csv").write_text("\n".join((head, *rows, "")))
    found = lint(str(tmp_path / "jobs.csv"), TraceOptions())
    assert (found.looked_at, found.rows, found.exit_code.value) == (checked, 2, 0)


def test_a_share_is_no_carbon():
    assert roles_of(("time", "carbon free share", "low carbon"), TraceOptions()).series == ()

"""What columns are taken for by their names."""

import pytest

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


def test_a_share_is_no_carbon():
    assert roles_of(("time", "carbon free share", "low carbon"), TraceOptions()).series == ()

"""Series of energy prices: found by the names of their columns, in local time as well."""

from __future__ import annotations

import json

import pytest

from tailc.errors import Code, Severity
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions, roles_of
from tailc.traces.series.series import SeriesQuantity


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("price_eur_mwh", "$/MWh"),
        ("Price_EUR_per_MWh", "$/MWh"),
        ("day_ahead_price_mwh", "$/MWh"),
        ("price_c_per_kwh", "c/kWh"),
        ("spot_price", "$/kWh"),
        ("electricity_price", "$/kWh"),
    ],
)
def test_a_price_of_energy_is_a_series(name, unit):
    (column,) = roles_of(("time", name), TraceOptions()).series
    assert (column.name, column.quantity, column.unit) == (name, SeriesQuantity.PRICE, unit)


@pytest.mark.parametrize("name", ["price", "price_usd", "unit_price", "prices_checked", "kwh"])
def test_other_prices_are_none(name):
    assert roles_of(("time", name, "demand_ms"), TraceOptions()).series == ()


@pytest.mark.parametrize("name", ["price", "Price", "prices", "price_usd"])
def test_a_bare_price_is_a_series_without_a_column_of_requests(name):
    (column,) = roles_of(("time", name), TraceOptions()).series
    assert column.quantity is SeriesQuantity.PRICE
    assert roles_of(("time", name, "took_ms"), TraceOptions()).series == ()


def test_the_index_of_pandas_has_the_times(tmp_path):
    rows = [f"2025-10-25 {hour:02}:00:00+02:00,{hour}.5" for hour in range(24)]
    path = tmp_path / "prices.csv"
    path.write_text("\n".join([",Price", *rows, ""]))
    found = lint(str(path), TraceOptions())
    assert (found.rows, found.looked_at) == (24, ("", "Price"))
    assert Code.NOT_A_NUMBER not in [finding.code for finding in found.findings]


def test_times_are_read_by_a_pattern(tmp_path):
    rows = [f"26/10/2025 {hour:02}:00,{hour}.5" for hour in range(3, 20)]
    path = tmp_path / "prices.csv"
    path.write_text("\n".join(["time,price_eur_mwh", *rows, ""]))
    refused = lint(str(path), TraceOptions())
    assert any("`%d/%m/%Y %H:%M`" in (one.help or "") for one in refused.findings)
    found = lint(str(path), TraceOptions(time_pattern="%d/%m/%Y %H:%M"))
    assert (found.rows, found.findings) == (17, ())


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("%m/%d/%Y %H:%M", "the pattern `%m/%d/%Y %H:%M`, such as to `%d/%m/%Y %H:%M`"),
        ("%Q", "the pattern `%Q`, such as to `%d/%m/%Y %H:%M`"),
    ],
)
def test_a_pattern_that_does_not_fit_is_named(tmp_path, pattern, hint):
    path = tmp_path / "prices.csv"
    path.write_text("time,Price\n" + "".join(f"13/01/2025 {at:02}:00,5.5\n" for at in range(9)))
    (finding,) = lint(str(path), TraceOptions(time_pattern=pattern)).findings
    assert finding.help == f"correct the time, or {hint}"


@pytest.mark.parametrize(("other", "severity"), [("5.5", Severity.WARNING), ("", Severity.ERROR)])
def test_a_column_without_values_is_an_error_only_alone(tmp_path, other, severity):
    rows = [f"2025-10-26T{hour:02}:00Z,{other},\n" for hour in range(3, 20)]
    path = tmp_path / "prices.csv"
    path.write_text("time,price_eur_mwh,spot_price\n" + "".join(rows))
    empty = [one for one in lint(str(path), TraceOptions()).findings if "no value" in one.message]
    assert {(one.code, one.severity) for one in empty} == {(Code.EMPTY_TRACE, severity)}


def test_a_row_with_too_few_cells_hides_no_column(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text(",latency_ms\n0,5\n1,6\n2\n")
    found = lint(str(path), TraceOptions())
    assert found.looked_at == ("latency_ms",)
    assert [one.code for one in found.findings if one.severity is Severity.ERROR] == [
        Code.RAGGED_ROW
    ]


def test_an_index_of_numbers_has_no_times(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text(",Price\n" + "".join(f"{at},{at}.5\n" for at in range(24)))
    assert lint(str(path), TraceOptions()).looked_at == ()


@pytest.mark.parametrize("step", [15, 30])
def test_the_hour_that_a_clock_repeats_is_told_apart_by_its_order(tailc, in_folder, step):
    hours = [(hour, minute) for hour in (0, 1, 2, 2, 3, 4) for minute in range(0, 60, step)]
    # Each hour as a whole comes after the one before, also where it is the second of its name.
    rows = [f"2025-10-26 {hour:02d}:{minute:02d},{hour - 1}.5" for hour, minute in hours]
    (in_folder / "day.csv").write_text("\n".join(["time,price_eur_mwh", *rows, ""]))
    ended = tailc("lint-trace", "day.csv", "--zone", "Europe/Brussels", "--output-format", "json")
    document = json.loads(ended.out)
    codes = {one["code"] for one in document["findings"]}
    (trace,) = document["result"]["traces"]
    assert (ended.code, trace["checked_columns"]) == (0, ["time", "price_eur_mwh"])
    assert "TC0265" in codes
    assert "TC0217" not in codes

"""Frequencies from a file of measured cores."""

import os
from pathlib import Path

import pytest

from tailc.errors import Code, Severity, TailcError
from tailc.forms.tail_table import Level
from tailc.pipeline.spec import open_kind
from tests.tailc.policies.rubik.case import swapped, write
from tests.tailc.policies.rubik.spec_case import RANGE

TABLE = (
    "table: {file: levels.csv, frequency: freq, frequency_unit: MHz, power: power_mw, "
    "power_unit: mW, where: {cpu: 4}}"
)
LEVELS = "cpu,freq,power_mw\n1,500,90\n4,2000,900.4\n4,1000,300\n"


def levels(folder: Path, text: str = LEVELS, table: str = TABLE) -> tuple[Level, ...]:
    (folder / "levels.csv").write_text(text)
    return open_kind(str(write(folder, swapped((RANGE, table))).spec)).spec.server.levels


def refused(folder: Path, text: str = LEVELS, table: str = TABLE):
    with pytest.raises(TailcError) as caught:
        levels(folder, text, table)
    (finding,) = caught.value.findings
    return finding


def test_the_rows_of_one_core_are_its_levels_in_order_of_frequency(tmp_path):
    assert levels(tmp_path) == (Level(1_000_000, 300), Level(2_000_000, 900))


def test_a_frequency_that_stands_twice_is_refused_with_both_rows(tmp_path):
    finding = refused(tmp_path, LEVELS + "4,1000,310\n")
    assert finding.code is Code.CONFLICT
    assert finding.message == "rows 3 and 4 both have the frequency 1 GHz"


@pytest.mark.parametrize(
    ("cell", "code"), [("0", Code.NOT_POSITIVE), ("-5", Code.NOT_POSITIVE), ("", Code.NOT_A_NUMBER)]
)
def test_a_power_that_is_none_is_refused_with_its_row_and_the_line_of_the_spec(
    tmp_path, cell, code
):
    finding = refused(tmp_path, LEVELS + f"4,3000,{cell}\n")
    assert (finding.code, finding.place.row, finding.place.field) == (code, 4, "power_mw")
    assert "service.yaml" in finding.help


def test_a_frequency_beyond_the_table_points_at_the_unit(tmp_path):
    finding = refused(tmp_path, table=TABLE.replace("MHz", "GHz"))
    assert finding.code is Code.OUT_OF_RANGE
    assert "frequency_unit" in finding.help


def test_a_column_that_is_not_there_is_named(tmp_path):
    finding = refused(tmp_path, table=TABLE.replace("power: power_mw", "power: watts"))
    assert (finding.code, finding.place.field) == (Code.MISSING_COLUMN, "watts")


@pytest.mark.skipif("TAILC_DATA" not in os.environ, reason="TAILC_DATA does not name the tables")
def test_the_measured_core_of_a_phone_has_ascending_powers(tmp_path):
    path = Path(os.environ["TAILC_DATA"]) / "core-power/freqbench_sm8250_results.csv"
    table = (
        f"table: {{file: {path}, frequency: Frequency (kHz), frequency_unit: kHz, "
        "power: Power (mW), power_unit: mW, where: {CPU: 7}}"
    )
    found = levels(tmp_path, table=table)
    assert len(found) > 10
    powers = [level.power_mw for level in found]
    assert powers == sorted(powers)


FALLS = "levels: [{frequency: 1GHz, power: 3W}, {frequency: 2GHz, power: 2W}]"
RISES = "levels: [{frequency: 1GHz, power: 2W}, {frequency: 2GHz, power: 3W}]"
BATCH = "batch: {memory: 0%, powers: [4W, 1W]}\nfeedback: {"


@pytest.mark.parametrize(
    ("changes", "line", "column"),
    [
        (((RANGE, FALLS),), FALLS, "2W"),
        (((RANGE, RISES), ("feedback: {", BATCH)), "batch:", "1W"),
        (((RANGE, TABLE),), TABLE, "{file"),
    ],
    ids=["levels", "batch", "table"],
)
def test_a_higher_frequency_that_draws_less_is_warned_of(tmp_path, changes, line, column):
    (tmp_path / "levels.csv").write_text(LEVELS + "4,2500,100\n")
    (finding,) = open_kind(str(write(tmp_path, swapped(*changes)).spec)).warnings
    assert (finding.code, finding.severity) == (Code.POWER_FALLS, Severity.WARNING)
    assert line in finding.place.excerpt
    assert finding.place.excerpt[finding.place.column - 1 :].startswith(column)
    assert "remove" in finding.help


def test_powers_that_rise_or_stay_are_nothing_to_warn_of(tmp_path):
    same = RISES.replace("3W", "2W")
    assert open_kind(str(write(tmp_path, swapped((RANGE, same))).spec)).warnings == ()

"""Cores from a table of measurements; the expected figures stand in the table."""

import os
from pathlib import Path

import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.spec import open_kind
from tests.tailc.policies.slow_to_fast.case import swapped, write

TABLE = """\
chip,core,khz,iter_s,power_mw,idle_mw
a,little,900000,1000,20,2
a,little,1800000,2000,50,3
a,big,2800000,8000,900.5,10
"""
COLUMNS = "table: {file: cores.csv, speed: iter_s, power: power_mw, unit: mW, where: {chip: a}}"
AMP = "  power_from: micro-2017-amp\n  types: [{speed: 1, count: 5}, {speed: 2, count: 2}]"
BIG = "{name: big, count: 2, row: {core: big}}"


def opened(folder, cores: str):
    (folder / "cores.csv").write_text(TABLE)
    return open_kind(str(write(folder, swapped((AMP, cores))).spec))


def test_a_row_fills_in_speed_and_power_and_the_rest_is_as_written(tmp_path):
    little = "{name: little, count: 4, migration: 100us, row: {core: little, khz: 1800000}}"
    cores = opened(tmp_path, f"  {COLUMNS}\n  types: [{little}, {BIG}]").spec.used_cores
    assert [each.speed_ppm for each in cores.types] == [1_000_000, 4_000_000]
    assert [each.power_ppm for each in cores.types] == [50_000, 900_500]
    assert [each.idle_ppm for each in cores.types] == [0, 0]
    assert [each.move_us for each in cores.types] == [100, 500]
    assert cores.unit.value == "W"


def test_idle_powers_have_a_column_of_their_own(tmp_path):
    columns = COLUMNS.replace("power: power_mw,", "power: power_mw, idle_power: idle_mw,")
    little = "{name: little, count: 4, row: {khz: 1800000}}"
    cores = opened(tmp_path, f"  {columns}\n  types: [{little}, {BIG}]").spec.used_cores
    assert [each.idle_ppm for each in cores.types] == [3_000, 10_000]


def test_levels_have_rows_too(tmp_path):
    levels = "[{name: low, row: {khz: 900000}}, {name: high, row: {khz: 1800000}}]"
    cores = opened(tmp_path, f"  {COLUMNS}\n  dvfs: {{count: 4, levels: {levels}}}").spec.used_cores
    assert [each.speed_ppm for each in cores.types] == [1_000_000, 2_000_000]
    assert cores.is_in_place


@pytest.mark.parametrize(
    ("cores", "code", "said"),
    [
        ("{count: 2, row: {core: little}}", Code.CONFLICT, "`row` selects 2 rows of `cores.csv`"),
        ("{count: 2, row: {core: huge}}", Code.EMPTY_TRACE, "`core` = `huge`"),
        ("{count: 2, row: {cores: big}}", Code.MISSING_COLUMN, "no column `cores`"),
        ("{count: 2}", Code.MISSING_KEY, "`cores.types[0].speed` is missing"),
    ],
)
def test_a_row_that_is_not_one_is_refused(tmp_path, cores, code, said):
    with pytest.raises(TailcError) as caught:
        opened(tmp_path, f"  {COLUMNS}\n  types: [{cores}]")
    finding = caught.value.findings[0]
    assert finding.code is code
    assert said in finding.message


@pytest.mark.parametrize(
    ("columns", "row", "said"),
    [
        (COLUMNS.replace("iter_s", "iters"), "{core: big}", "`cores.table.speed` is on line 12 of"),
        (COLUMNS.replace("chip:", "chips:"), "{core: big}", "`cores.table.where.chips` is on"),
        (COLUMNS, "{cores: big}", "`cores.types[0].row.cores` is on line 13 of"),
        (COLUMNS, "{core: huge}", "`cores.types[0].row` is on line 13 of"),
    ],
)
def test_what_the_file_lacks_is_told_with_where_the_spec_asks_for_it(tmp_path, columns, row, said):
    with pytest.raises(TailcError) as caught:
        opened(tmp_path, f"  {columns}\n  types: [{{count: 2, row: {row}}}]")
    finding = caught.value.findings[0]
    assert finding.place.source.endswith("cores.csv")
    assert said in finding.help
    assert finding.help.endswith("service.yaml")


def test_cores_that_do_not_fit_together_once_read_are_refused_in_the_spec(tmp_path):
    little = "{name: little, count: 4, row: {khz: 900000}}"
    with pytest.raises(TailcError) as caught:
        opened(tmp_path, f"  {COLUMNS}\n  types: [{BIG}, {little}]")
    (finding,) = caught.value.findings
    assert "`cores.types[1]` is not faster" in finding.message
    assert finding.place.line == 13


DATA = os.environ.get("TAILC_DATA")


@pytest.mark.skipif(not DATA, reason="TAILC_DATA does not name the public tables")
def test_the_cores_of_a_phone_are_a_spec(tmp_path):
    file = Path(DATA or "") / "core-power" / "freqbench_phones.parquet"
    columns = (
        f"table: {{file: {file}, speed: coremark_iter_s, power: power_mw, unit: mW, "
        "where: {soc: sm8250, run: main}}"
    )
    little = "{name: little, count: 4, row: {cpu: 1, freq_khz: 1804800}}"
    big = "{name: big, count: 1, row: {cpu: 7, freq_khz: 2841600}}"
    cores = opened(tmp_path, f"  {columns}\n  types: [{little}, {big}]").spec.used_cores
    assert cores.types[1].speed_ppm / 1e6 == pytest.approx(23_953 / 6_700, rel=0.01)
    assert cores.types[1].power_ppm / 1e6 == pytest.approx(0.984, rel=0.01)

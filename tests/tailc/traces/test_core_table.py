"""Tables of measured cores; those that real chips gave are read where TAILC_DATA says they are."""

import os
from pathlib import Path

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.core_table import CoreColumns, MeasuredCore, read_cores

COLUMNS = CoreColumns("iter_s", "power_mw", "idle_mw")
TABLE = "cpu,iter_s,power_mw,idle_mw\nlittle,100,50,5\nbig,400,800,20\n"


def table(folder, text=TABLE) -> str:
    path = folder / "cores.csv"
    path.write_text(text)
    return str(path)


def refused(*asked) -> list[Code]:
    with pytest.raises(TailcError) as caught:
        read_cores(*asked)
    return [finding.code for finding in caught.value.findings]


def test_rows_come_as_they_stand_with_their_numbers(tmp_path):
    assert read_cores(table(tmp_path), COLUMNS) == (
        MeasuredCore(100, 50, 5, 1),
        MeasuredCore(400, 800, 20, 2),
    )


def test_a_filter_keeps_the_rows_that_have_the_value(tmp_path):
    assert read_cores(table(tmp_path), COLUMNS, (("cpu", "big"),)) == (
        MeasuredCore(400, 800, 20, 2),
    )


def test_a_row_of_several_cores_is_divided_among_them(tmp_path):
    text = "ssj,watts,idle,cores\n8000,276,156,4\n"
    columns = CoreColumns("ssj", "watts", "idle", "cores")
    assert read_cores(table(tmp_path, text), columns) == (MeasuredCore(2000, 69, 39, 1),)


def test_what_is_wrong_with_a_cell_is_said_with_its_row(tmp_path):
    for text, code in {
        TABLE.replace("50", "-50"): Code.NOT_POSITIVE,
        TABLE.replace("50", "0"): Code.NOT_POSITIVE,
        TABLE.replace("50", "much"): Code.NOT_A_NUMBER,
        TABLE.replace(",5\n", ",51\n"): Code.OUT_OF_RANGE,
        TABLE.replace("power_mw", "power"): Code.MISSING_COLUMN,
    }.items():
        assert refused(table(tmp_path, text), COLUMNS) == [code]
    assert refused(table(tmp_path), COLUMNS, (("cpu", "middle"),)) == [Code.EMPTY_TRACE]
    assert refused(str(tmp_path / "none.csv"), COLUMNS) == [Code.CANNOT_READ]


DATA = os.environ.get("TAILC_DATA")
measured = pytest.mark.skipif(not DATA, reason="TAILC_DATA does not name the public tables")


@measured
def test_the_big_core_of_a_phone_is_faster_and_less_efficient_than_the_little_one():
    path = str(Path(DATA or "") / "core-power" / "freqbench_phones.parquet")
    columns = CoreColumns("coremark_iter_s", "power_mw")
    where = (("soc", "sm8250"), ("run", "main"))
    little = read_cores(path, columns, (("cpu", "1"), *where))
    big = read_cores(path, columns, (("cpu", "7"), *where))
    assert big[-1].speed / little[-1].speed == pytest.approx(23_953 / 6_700, rel=0.01)
    assert big[-1].power / big[-1].speed > little[-1].power / little[-1].speed


@measured
def test_a_server_s_power_is_shared_out_among_its_cores():
    path = str(Path(DATA or "") / "server-power" / "specpower_to2020.parquet")
    columns = CoreColumns("mhz", "watts_100", "watts_idle", "cores")
    found = read_cores(path, columns, (("system", "PowerEdge 2950 III (Intel Xeon E5440)"),))
    assert found[0].power == pytest.approx(276 / 8)
    assert found[0].idle_power == pytest.approx(157 / 8)

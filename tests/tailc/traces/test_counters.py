"""Counter traces: what is read, and what is refused and where."""

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.counters import read_counters

HEAD = (
    "time_s,core0_freq_mhz,core0_ipc,core0_near_loads,core0_far_accesses,"
    "uncore_freq_mhz,uncore_hits,uncore_misses,dram_accesses_per_s,core_w,uncore_w,dram_w,wall_w"
)
ROWS = ("0,800,1.5,0.3,0.01,2500,0.02,0.01,25000000,4,3,2,30", "1,2400,1,0.2,0,2500,0,0,0,9,3,2,35")


def written(folder, head=HEAD, rows=ROWS):
    path = folder / "counters.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    return str(path)


def changed(folder, column, cell, row=2):
    """The trace with one cell of a row, counted from 1, replaced."""
    cells = [line.split(",") for line in ROWS]
    cells[row - 1][HEAD.split(",").index(column)] = cell
    return written(folder, rows=[",".join(line) for line in cells])


def refused(path):
    with pytest.raises(TailcError) as found:
        read_counters(path)
    return found.value.findings


def test_the_rest_is_what_the_wall_has_beside_the_parts(tmp_path):
    trace = read_counters(written(tmp_path))
    assert trace.rest_w.tolist() == [21, 21]
    assert (trace.rows, trace.cores) == (2, 1)
    assert trace.freq_mhz.tolist() == [[800], [2400]]
    assert trace.volt is None
    assert trace.uncore_volt is None


def test_cores_and_voltages_are_found_by_name(tmp_path):
    head = HEAD.replace("time_s,", "time_s,core1_freq_mhz,core1_ipc,core1_near_loads,")
    head = head.replace("core0_ipc", "core1_far_accesses,core1_volt,core0_volt,core0_ipc")
    rows = ["0,1000,1,1,800,1,0.9,0.7,1.5,0.3,0.01,2500,0.02,0.01,25000000,4,3,2,30"]
    trace = read_counters(written(tmp_path, head, rows))
    assert trace.freq_mhz.tolist() == [[800, 1000]]
    assert trace.volt.tolist() == [[0.7, 0.9]]


def test_a_part_has_the_rows_that_are_asked_for(tmp_path):
    part = read_counters(written(tmp_path)).part(slice(1, None))
    assert part.rows == 1
    assert part.core_w.tolist() == [9]
    assert part.volt is None


@pytest.mark.parametrize(
    ("column", "cell", "code", "says"),
    [
        ("core0_ipc", "-0.5", Code.NOT_POSITIVE, "`-0.5` is negative"),
        ("uncore_misses", "-1", Code.NOT_POSITIVE, "`-1.0` is negative"),
        ("dram_accesses_per_s", "-1", Code.NOT_POSITIVE, "`-1.0` is negative"),
        ("core0_freq_mhz", "0", Code.NOT_POSITIVE, "`0.0` is not positive"),
        ("uncore_freq_mhz", "0", Code.NOT_POSITIVE, "`0.0` is not positive"),
        ("core0_freq_mhz", "2400000", Code.OUT_OF_RANGE, "the largest value that is supported"),
        ("core_w", "0", Code.NOT_POSITIVE, "`0.0` is not positive"),
        ("core0_near_loads", "many", Code.NOT_A_NUMBER, "`many` is not a number"),
        ("core0_far_accesses", "inf", Code.NOT_FINITE, "`inf` is infinite"),
        (
            "wall_w",
            "14",
            Code.OUT_OF_RANGE,
            ("`14.0` is not above the sum of core_w, uncore_w, dram_w,"),
        ),
        ("time_s", "0", Code.OUT_OF_ORDER, "the time `0` s is not after that of the row before"),
    ],
)
def test_a_bad_cell_is_refused_by_row_and_column(tmp_path, column, cell, code, says):
    (finding,) = refused(changed(tmp_path, column, cell))
    assert finding.code is code
    assert says in finding.message
    assert (finding.place.row, finding.place.field) == (2, column)


@pytest.mark.parametrize("column", ["core0_ipc", "uncore_hits", "wall_w", "time_s"])
def test_a_missing_column_is_named(tmp_path, column):
    (finding,) = refused(written(tmp_path, HEAD.replace(column, "other")))
    assert finding.code is Code.MISSING_COLUMN
    assert f"`{column}`" in finding.message


def test_a_voltage_of_some_cores_alone_is_refused(tmp_path):
    head = HEAD.replace("time_s,", "time_s,core1_freq_mhz,core1_ipc,core1_near_loads,core1_volt,")
    rows = ["0,1000,1,1,0.9,800,1.5,0.3,0.01,2500,0.02,0.01,25000000,4,3,2,30"]
    messages = " ".join(finding.message for finding in refused(written(tmp_path, head, rows)))
    assert "`core0_volt`" in messages
    assert "`core1_far_accesses`" in messages


def test_a_trace_without_any_core_asks_for_the_first(tmp_path):
    head = HEAD.replace("core0", "cpu")
    fields = {finding.place.field for finding in refused(written(tmp_path, head))}
    assert "core0_freq_mhz" in fields

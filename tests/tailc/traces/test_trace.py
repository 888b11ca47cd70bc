import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tailc.traces.reading import Curve, TimeUnit
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import DATA, FORMATS, reading, refused, written


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_gives_the_same_profile_and_digest(tmp_path, suffix):
    recipe = reading(weight="n", curves=(), speedup_columns=("s1", "s2"))
    profile = read_trace(written(tmp_path, suffix, DATA), recipe).profile
    assert profile.demand_ms.tolist() == [0.1, 12.5, 3.0, 0.001]
    assert profile.weight.tolist() == [1, 2, 1, 5]
    assert profile.curves.tolist() == [[1.0, 1.9], [1.0, 1.2], [1.0, 0.7]]
    assert profile.curve_of.tolist() == [0, 1, 0, 2]
    (tmp_path / "reference").mkdir()
    reference = read_trace(written(tmp_path / "reference", "parquet", DATA), recipe).profile
    assert profile.digest == reference.digest


def test_a_trace_in_microseconds_and_the_same_in_milliseconds_are_equal(tmp_path):
    ms = read_trace(written(tmp_path, "csv", {"demand": [0.48, 7.301]}), reading())
    us = read_trace(written(tmp_path, "csv", {"demand": [480, 7301]}), reading(unit=TimeUnit.US))
    assert ms.profile.demand_ms.tolist() == us.profile.demand_ms.tolist() == [0.48, 7.301]
    assert ms.profile.digest == us.profile.digest


@pytest.mark.parametrize("suffix", FORMATS)
def test_standard_input_is_recognised_by_its_first_bytes(tmp_path, monkeypatch, suffix):
    data = Path(written(tmp_path, suffix, DATA)).read_bytes()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert read_trace("-", reading()).profile.demand_ms.tolist() == DATA["demand"]


def test_a_format_asked_for_wins_over_the_suffix(tmp_path):
    path = Path(written(tmp_path, "csv", DATA)).rename(tmp_path / "trace.parquet")
    assert read_trace(str(path), reading(), format="csv").profile.demand_ms[1] == 12.5


@pytest.mark.parametrize("suffix", FORMATS)
def test_filters_compare_text_and_combine(tmp_path, suffix):
    path = written(tmp_path, suffix, DATA)
    assert read_trace(path, reading(where=(("kind", "x"),))).profile.total_weight == 3
    both = read_trace(path, reading(where=(("kind", "x"), ("n", "5")))).profile
    assert both.demand_ms.tolist() == [1e-3]


def test_a_bad_cell_in_a_row_filtered_out_does_no_harm(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("kind,demand\nx,1\ny,broken\nx,2\n")
    assert read_trace(str(path), reading(where=(("kind", "x"),))).profile.demand_ms.tolist() == [
        1,
        2,
    ]


@pytest.mark.parametrize("suffix", FORMATS)
def test_rows_are_named_as_in_the_file_whatever_the_filter_keeps(tmp_path, suffix):
    path = written(tmp_path, suffix, DATA | {"demand": [1.0, 1.0, 1.0, -1.0]})
    (finding,) = refused(path, reading(where=(("kind", "x"),)))
    assert (finding.code.name, finding.place.row) == ("NOT_POSITIVE", 4)


@pytest.mark.parametrize("suffix", FORMATS)
def test_classes_choose_the_curve(tmp_path, suffix):
    curves = (Curve("x", (1_000_000, 1_900_000)), Curve("y", (1_000_000, 1_100_000)))
    recipe = reading(class_column="kind", curves=curves)
    profile = read_trace(written(tmp_path, suffix, DATA), recipe).profile
    assert profile.curve_of.tolist() == [0, 1, 0, 0]
    assert profile.curve_names == ("x", "y")
    assert profile.curves.tolist() == [[1, 1.9], [1, 1.1]]


def test_max_degree_cuts_curves_and_leaves_columns_unread(tmp_path):
    path = written(tmp_path, "csv", DATA)
    assert read_trace(path, reading(max_degree=1)).profile.curves.tolist() == [[1.0]]
    recipe = reading(curves=(), speedup_columns=("s1", "not there"), max_degree=1)
    assert read_trace(path, recipe).profile.curves.tolist() == [[1.0]]


def test_quoted_cells_may_hold_commas_and_line_breaks(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text('query,demand\n"a, b\nc",1\nd,2\n')
    where = (("query", "a, b\nc"),)
    assert read_trace(str(path), reading(where=where)).profile.demand_ms.tolist() == [1]


def test_a_byte_order_mark_and_windows_line_ends_are_no_obstacle(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_bytes(b"\xef\xbb\xbfdemand,x\r\n1,a\r\n2,b\r\n")
    assert read_trace(str(path), reading()).profile.demand_ms.tolist() == [1, 2]


def test_trace_of_many_batches_keeps_order_and_row_numbers(tmp_path):
    demand = np.arange(1, 200_001, dtype=float)
    demand[-3] = -1
    for suffix in ("parquet", "csv", "ndjson"):
        path = written(tmp_path, suffix, {"demand": demand.tolist()})
        (finding,) = refused(path, reading())
        assert finding.place.row == 199_998, suffix


@pytest.mark.parametrize(
    ("demand", "warned"), [(4e-3, True), (5e-3, False), (6e5, False), (6.1e5, True)]
)
def test_demands_below_5_us_or_above_10_minutes_are_suspect(tmp_path, demand, warned):
    path = written(tmp_path, "csv", {"demand": [demand, demand, 1.0]})
    codes = [finding.code.name for finding in read_trace(path, reading()).warnings]
    assert codes == ["UNIT_SUSPECT"] * warned


def test_the_suspicion_of_a_wrong_unit_is_counted(tmp_path):
    path = written(tmp_path, "csv", {"demand": [0.001, 0.004, 1.0], "n": [4, 3, 5]})
    (warning,) = read_trace(path, reading(weight="n")).warnings
    wanted = (
        "7 of 12 demands are below 5 us: they may be in another unit, a thousand times too small"
    )
    assert warning.message == wanted


MEASURED_READING = """
import sys
import pyarrow as pa
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading
assert read_trace(sys.argv[1], reading()).profile.total_weight == int(sys.argv[2])
print(pa.default_memory_pool().max_memory())
"""


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
def test_columns_not_asked_for_do_not_fill_the_memory(tmp_path, suffix):
    rows, width = 80_000, 1500
    other = [f"{row:0{width}d}" for row in range(rows)]
    path = written(tmp_path, suffix, {"demand": [1.5] * rows, "other": other})
    command = [sys.executable, "-c", MEASURED_READING, path, str(rows)]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    # pyarrow reads up to 32 blocks of 1 MiB ahead, however large the file is.
    assert int(done.stdout) < rows * width / 2

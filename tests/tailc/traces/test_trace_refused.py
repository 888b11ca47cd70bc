import gzip
import json
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.errors import TailcError
from tailc.lint.of_demands import execution_findings
from tailc.traces import csv_table
from tailc.traces.reading import Curve
from tailc.traces.source import open_source
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import DATA, FORMATS, reading, refused, written

CLEAN = {"demand": [1.0, 2.0, 3.0], "s1": [1.0, 1.0, 1.0]}
CURVES = Curve("a", (1_000_000, 1_500_000)), Curve("b", (1_000_000, 1_200_000))
INDIVIDUAL = {"curves": (), "speedup_columns": ("s1",)}


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
@pytest.mark.parametrize(
    ("column", "cell", "code", "says"),
    [
        ("demand", 0.0, "NOT_POSITIVE", "is not positive"),
        ("demand", -4.5, "NOT_POSITIVE", "cell `-4.5` is not positive"),
        ("demand", float("nan"), "NOT_A_NUMBER", "not a number"),
        ("demand", float("inf"), "NOT_FINITE", "is infinite"),
        ("demand", 1e300, "OUT_OF_RANGE", "the largest value that is supported"),
        ("demand", 1e-9, "OUT_OF_RANGE", "less than half a nanosecond"),
        ("s1", 0.0, "NOT_POSITIVE", "is not positive"),
        ("s1", float("-inf"), "NOT_FINITE", "is infinite"),
        ("s1", 1e9, "OUT_OF_RANGE", "the largest value that is supported"),
        (
            "s1",
            1e-7,
            "OUT_OF_RANGE",
            ("cell `1e-07` is below half a millionth, the smallest speed-up"),
        ),
    ],
)
def test_a_bad_number_is_named_with_row_and_column(tmp_path, suffix, column, cell, code, says):
    columns = CLEAN | {column: [1.0, cell, 3.0]}
    (finding,) = refused(written(tmp_path, suffix, columns), reading(**INDIVIDUAL))
    assert (finding.code.name, finding.place.row, finding.place.field) == (code, 2, column)
    assert says in finding.message


@pytest.mark.parametrize(
    ("column", "cells", "is_of_clock"),
    [
        ("demand", [0.0, 0.5, 1.0], True),
        ("demand", [-1.0, 0.0, 1.0], True),
        ("demand", [-1.0, 2.0, 1.0], False),
        ("s1", [1.0, 0.0, 1.0], False),
    ],
)
def test_only_a_time_of_0_may_be_due_to_a_coarse_clock(tmp_path, column, cells, is_of_clock):
    found = refused(written(tmp_path, "csv", CLEAN | {column: cells}), reading(**INDIVIDUAL))
    assert ["half of its step" in (each.help or "") for each in found] == [is_of_clock]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
@pytest.mark.parametrize("cell", ["abc", "1,5", "0x10", "1_000", "true", "12 ms"])
def test_a_cell_that_is_no_number_is_quoted(tmp_path, suffix, cell):
    path = tmp_path / f"trace.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.table({"demand": ["1", "2", cell]}), path)
    elif suffix == "csv":
        path.write_text(f'demand\n1\n2\n"{cell}"\n')
    else:
        path.write_text('{"demand": 1}\n{"demand": 2}\n' + json.dumps({"demand": cell}))
    (finding,) = refused(path, reading())
    assert finding.message.startswith(f"cell `{cell}` is not a number")
    assert (finding.code.name, finding.place.row) == ("NOT_A_NUMBER", 3)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
def test_a_missing_cell_is_said_to_be_missing(tmp_path, suffix):
    path = tmp_path / f"trace.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.table({"demand": [1.0, None], "id": [1, 2]}), path)
    elif suffix == "csv":
        path.write_text("demand,id\n1,1\n,2\n")
    else:
        path.write_text('{"demand": 1, "id": 1}\n{"id": 2}\n')
    (finding,) = refused(path, reading())
    assert finding.message == "cell is missing or empty"
    assert (finding.code.name, finding.place.row) == ("NOT_A_NUMBER", 2)


def test_bad_cells_are_counted_and_the_first_rows_named(tmp_path):
    path = written(tmp_path, "csv", {"demand": [1, 0, 1, -1, -2, 0, "x"]})
    not_number, not_positive = refused(path, reading())
    assert not_number.message == "cell `x` is not a number"
    wanted = "cell `0` is not positive (first of 4 such cells, in rows 2, 4, 5, ...)"
    assert not_positive.message == wanted


def test_every_bad_column_is_reported_at_once(tmp_path):
    columns = {"demand": [0, 1], "n": [1, 1.5], "kind": ["x", "z"]}
    curves = (Curve("x", (1_000_000,)), Curve("y", (1_000_000,)))
    recipe = reading(weight="n", class_column="kind", curves=curves)
    findings = refused(written(tmp_path, "csv", columns), recipe)
    codes = [finding.code.name for finding in findings]
    assert codes == ["NOT_POSITIVE", "OUT_OF_RANGE", "UNKNOWN_CLASS"]
    assert findings[1].message == "cell `1.5` is not a whole number"
    assert findings[2].message == "cell `z` is a class without a speed-up curve"
    assert findings[2].help == (
        "correct the cell to one of `x`, `y`, or add the class to `speedup.classes`"
    )


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_missing_column_comes_with_the_ones_that_are_there(tmp_path, suffix):
    path = written(tmp_path, suffix, {"demnad": [1.0], "id": [7]})
    (finding,) = refused(path, reading())
    assert finding.code.name == "MISSING_COLUMN"
    assert finding.message == "there is no column `demand`"
    assert finding.help == "did you mean `demnad`? Known: `demnad`, `id`"


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
def test_a_column_named_twice_is_refused_where_it_is_needed(tmp_path, suffix):
    path = tmp_path / f"trace.{suffix}"
    if suffix == "parquet":
        arrays = [pa.array([1.0]), pa.array([2.0]), pa.array([3.0])]
        pq.write_table(pa.Table.from_arrays(arrays, ["demand", "demand", "id"]), path)
    elif suffix == "csv":
        path.write_text("demand,demand,id\n1,2,3\n")
    else:
        path.write_text('{"demand": 1, "demand": 2, "id": 3}\n')
    (finding,) = refused(path, reading())
    assert (finding.code.name, finding.place.field) == ("DUPLICATE_COLUMN", "demand")
    assert read_trace(str(path), reading(demand="id")).profile.demand_ms.tolist() == [3.0]


def test_a_member_repeated_in_a_later_object_is_refused(tmp_path):
    path = tmp_path / "trace.ndjson"
    path.write_text('{"demand": 1}\n{"demand": 1, "demand": 2}\n')
    (finding,) = refused(path, reading())
    assert (finding.code.name, finding.place.row) == ("DUPLICATE_COLUMN", 2)


@pytest.mark.parametrize("suffix", FORMATS)
def test_an_empty_file_is_said_to_be_empty(tmp_path, suffix):
    path = tmp_path / f"trace.{suffix}"
    path.write_bytes(b"")
    (finding,) = refused(path, reading())
    assert (finding.code.name, finding.message) == ("EMPTY_TRACE", f"`{path}` is an empty file")


@pytest.mark.parametrize("text", ["demand,id", "demand,id\n", "\n\n", "demand,id\n\n"])
def test_a_csv_file_without_rows_is_refused(tmp_path, text):
    path = tmp_path / "trace.csv"
    path.write_text(text)
    (finding,) = refused(path, reading())
    assert finding.code.name == "EMPTY_TRACE"


@pytest.mark.parametrize("suffix", ["csv.gz", "ndjson.gz"])
def test_gzip_around_nothing_is_an_empty_trace(tmp_path, suffix):
    path = tmp_path / f"trace.{suffix}"
    path.write_bytes(gzip.compress(b""))
    (finding,) = refused(path, reading())
    assert finding.code.name == "EMPTY_TRACE"


def test_a_parquet_or_ndjson_file_without_rows_is_refused(tmp_path):
    (finding,) = refused(written(tmp_path, "parquet", {"demand": []}), reading())
    assert finding.code.name == "EMPTY_TRACE"
    (finding,) = refused(written(tmp_path, "ndjson", {"demand": []}), reading())
    assert finding.code.name == "EMPTY_TRACE"


def test_a_filter_that_keeps_nothing_is_named(tmp_path):
    path = written(tmp_path, "parquet", DATA)
    (finding,) = refused(path, reading(where=(("kind", "z"),)))
    assert finding.message == f"`{path}` has 4 rows, but none where `kind` = `z`"
    assert finding.code.name == "EMPTY_TRACE"


def test_ragged_rows_are_counted_and_the_first_is_shown(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("demand,id\n1,1\n2\n3,3,3\n4,4\n5\n6,6\n7\n")
    (finding,) = refused(path, reading())
    assert finding.code.name == "RAGGED_ROW"
    assert (finding.place.row, finding.place.excerpt) == (2, "2")
    wanted = "row has 1 cell where the header has 2 (first of 4 such rows: 2, 3, 5...)"
    assert finding.message == wanted


@pytest.mark.parametrize("header", ["demand,id\n", "\n\ndemand,id\n"])
def test_ragged_rows_of_a_long_file_have_their_numbers(tmp_path, monkeypatch, header):
    monkeypatch.setattr(csv_table, "BLOCK_BYTES", 64)
    rows = ["1,1"] * 300
    rows[40], rows[200], rows[299] = "1", "1,1,1", '"a\n\n",1,1'
    path = tmp_path / "trace.csv"
    path.write_text(header + "\n".join(rows))
    (finding,) = refused(path, reading())
    assert finding.place.row == 41
    assert finding.message.endswith("(first of 3 such rows: 41, 201, 300)")


@pytest.mark.parametrize("note", ['"a\nb"', '"a ""b""\n"', "5 inch", '"' + "\n" * 500 + '"'])
def test_records_are_not_cut_between_quotes(tmp_path, monkeypatch, note):
    monkeypatch.setattr(csv_table, "BLOCK_BYTES", 600)
    rows = [f"{note},{row}" for row in range(1, 100)] + [f"{note},x"]
    path = tmp_path / "trace.csv"
    path.write_text("note,demand\n" + "\n".join(rows) + "\n")
    (finding,) = refused(path, reading())
    assert (finding.code.name, finding.place.row) == ("NOT_A_NUMBER", 100)
    with open_source(str(path)) as source:
        records = list(csv_table._records(source))
    assert (len(records) > 1, b"".join(records)) == (True, path.read_bytes())


def test_no_thread_of_the_reader_calls_back(tmp_path, monkeypatch):
    """One that does so while the interpreter ends aborts the process."""
    callers = []

    def listening(invalid_row_handler, **options):
        def heard(row):
            callers.append(threading.current_thread())
            return invalid_row_handler(row)

        handler = None if invalid_row_handler is None else heard
        return real(invalid_row_handler=handler, **options)

    real = csv_table.pa_csv.ParseOptions
    monkeypatch.setattr(csv_table.pa_csv, "ParseOptions", listening)
    path = tmp_path / "trace.csv"
    path.write_text("demand,id\n1,1\n2\n3,3,3\n")
    (finding,) = refused(path, reading())
    assert finding.code.name == "RAGGED_ROW"
    assert callers == [threading.main_thread()] * 2


@pytest.mark.parametrize("suffix", ["csv.gz", "ndjson.gz"])
@pytest.mark.parametrize("kept", [0.999, 0.5, 0.02])
def test_truncated_gzip_is_called_truncated(tmp_path, suffix, kept):
    rng = np.random.default_rng(1)
    path = Path(written(tmp_path, suffix, {"demand": rng.uniform(1, 9, 5000).tolist()}))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    (finding,) = refused(path, reading())
    assert finding.code.name == "TRUNCATED"
    assert "in the middle" in finding.message


@pytest.mark.parametrize("size", [2, 5, 11])
def test_gzip_cut_inside_its_header_is_called_truncated(tmp_path, size):
    path = tmp_path / "trace.csv.gz"
    path.write_bytes(gzip.compress(b"demand\n1\n")[:size])
    (finding,) = refused(path, reading())
    assert finding.code.name == "TRUNCATED"


@pytest.mark.parametrize("suffix", ["csv.gz", "ndjson.gz"])
@pytest.mark.parametrize("end", [None, -5])
def test_little_gzip_that_stands_for_very_much_takes_little_memory(tmp_path, suffix, end):
    """64 MiB in 64 KiB; pyarrow's own memory is not traced, but it reads by blocks of 1 MiB."""
    path = tmp_path / f"trace.{suffix}"
    path.write_bytes(gzip.compress(b"a" * (64 << 20))[:end])
    tracemalloc.start()
    findings = refused(path, reading())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {finding.code.name for finding in findings} <= {
        "TRUNCATED",
        "MISSING_COLUMN",
        "BROKEN_FORMAT",
        "TRACE_TOO_LARGE",
    }
    assert peak < 32 << 20


@pytest.mark.parametrize("size", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20])
@pytest.mark.parametrize("kept", [None, -1])
def test_a_member_is_whole_or_truncated_whatever_its_size(tmp_path, size, kept):
    path = tmp_path / "trace.csv.gz"
    path.write_bytes(gzip.compress(b"\n" * size)[:kept])
    if kept is None:
        with open_source(str(path)) as source:
            source.check_whole()
    else:
        with pytest.raises(TailcError, match="in the middle"), open_source(str(path)) as source:
            source.check_whole()


def test_damaged_gzip_is_called_broken(tmp_path):
    path = Path(written(tmp_path, "csv.gz", {"demand": list(range(1, 5000))}))
    data = bytearray(path.read_bytes())
    data[-6] ^= 0xFF
    path.write_bytes(data)
    (finding,) = refused(path, reading())
    assert (finding.code.name, "damaged gzip" in finding.message) == ("BROKEN_FORMAT", True)


def test_gzip_files_glued_together_are_one_trace(tmp_path):
    path = tmp_path / "trace.csv.gz"
    path.write_bytes(gzip.compress(b"demand\n1\n") + gzip.compress(b"2\n"))
    assert read_trace(str(path), reading()).profile.demand_ms.tolist() == [1, 2]


@pytest.mark.parametrize("last", [b"", b"\x00\x00\x00\x00PAR1", b"PAR1"])
def test_a_broken_parquet_footer_is_named(tmp_path, last):
    path = Path(written(tmp_path, "parquet", DATA))
    path.write_bytes(path.read_bytes()[:-20] + last)
    (finding,) = refused(path, reading())
    assert finding.code.name == "BROKEN_FORMAT"
    assert finding.message.startswith(f"`{path}` has a broken Parquet footer")


def test_damaged_parquet_pages_are_named(tmp_path):
    path = Path(written(tmp_path, "parquet", {"demand": list(np.arange(1.0, 5000.0))}))
    data = bytearray(path.read_bytes())
    data[4:3000] = b"\xff" * 2996
    path.write_bytes(data)
    (finding,) = refused(path, reading())
    assert finding.code.name == "BROKEN_FORMAT"
    assert "broken Parquet data" in finding.message


def test_a_file_that_is_no_parquet_is_named(tmp_path):
    path = tmp_path / "trace.parquet"
    path.write_text("demand\n1\n")
    (finding,) = refused(path, reading())
    assert finding.message.startswith(f"`{path}` is not a Parquet file")


def test_a_footer_that_claims_too_much_is_refused_before_reading(tmp_path, monkeypatch):
    monkeypatch.setattr("tailc.traces.parquet_table.MAX_GROUP_BYTES", 10)
    (finding,) = refused(written(tmp_path, "parquet", DATA), reading())
    assert finding.code.name == "TRACE_TOO_LARGE"


def test_binary_data_is_no_csv(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_bytes(b"\xff\xfe\x00\x01\n\x02")
    (finding,) = refused(path, reading())
    assert finding.code.name == "BROKEN_FORMAT"
    path.write_bytes(b"demand,kind\n1,x\n2,\xff\n")
    (finding,) = refused(path, reading(where=(("kind", "x"),)))
    assert finding.message == f"`{path}` is not UTF-8 text"


@pytest.mark.parametrize(
    ("text", "code", "row"),
    [
        ('{"demand": 1}\n{"demand": ', "TRUNCATED", 2),
        ('{"demand": 1}\nnot json\n', "BROKEN_FORMAT", 2),
        ('{"demand": 1}\n[2]\n', "BROKEN_FORMAT", 2),
        ("[" * 100_000, "BROKEN_FORMAT", 1),
        ('{"demand": 1, "id": "a"}\n{"demand": 1, "id": "\\ud800"}\n', "BROKEN_FORMAT", 2),
        ('{"demand": 1, "\\uDBff": "a"}\n', "BROKEN_FORMAT", 1),
        ('{"demand": 1}\n{"demand": 1, "x": "' + "y" * (5 << 20) + '"}', "TRACE_TOO_LARGE", 2),
    ],
)
def test_lines_that_are_no_json_objects_are_named(tmp_path, text, code, row):
    path = tmp_path / "trace.ndjson"
    path.write_text(text)
    (finding,) = refused(path, reading())
    assert (finding.code.name, finding.place.row) == (code, row)


@pytest.mark.parametrize(
    "values",
    [[[1, 2], [3]], [{"a": 1}, {"a": 2}], [True, False]],
)
def test_a_column_of_lists_structures_or_booleans_holds_no_numbers(tmp_path, values):
    (finding,) = refused(written(tmp_path, "parquet", {"demand": values}), reading())
    assert (finding.code.name, finding.place.field) == ("WRONG_TYPE", "demand")
    assert "not numbers" in finding.message


def test_what_cannot_be_opened_is_said_with_the_reason(tmp_path):
    (finding,) = refused(tmp_path / "absent.csv", reading())
    assert finding.code.name == "CANNOT_READ"
    assert finding.message.endswith("cannot be read: no such file or directory")
    (finding,) = refused(tmp_path, reading())
    assert finding.message.endswith("cannot be read: is a directory")


def test_weights_that_add_up_to_too_much_are_refused(tmp_path):
    path = written(tmp_path, "csv", {"demand": [1, 1], "n": [2**52, 2**53]})
    (finding,) = refused(path, reading(weight="n"))
    assert (finding.code.name, finding.place.field) == ("OUT_OF_RANGE", "n")


NESTED = {
    "a list": pa.array([[1], [2, 3], []], pa.list_(pa.int64())),
    "a struct": pa.array([{"a": 1}, {"a": 2}, {"a": 3}]),
    "bytes": pa.array([b"1", b"2", b"3"]),
}


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize(
    "asked", [{"where": (("runs", "1"),)}, {"curves": CURVES, "class_column": "runs"}]
)
def test_a_nested_column_of_parquet_that_should_be_text_is_refused_by_its_type(
    tmp_path, kind, asked
):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"demand": [1.0, 2.0, 3.0], "runs": NESTED[kind]}), path)
    (finding,) = refused(path, reading(**asked))
    assert (finding.code.name, finding.place.field) == ("WRONG_TYPE", "runs")


@pytest.mark.parametrize("kind", NESTED)
def test_a_nested_column_beside_others_does_not_stop_a_look_at_them(tmp_path, kind):
    path = tmp_path / "t.parquet"
    columns = {"demand": [1.0, 2.0, 3.0], "id": ["a", "b", "c"], "runs": NESTED[kind]}
    pq.write_table(pa.table(columns), path)
    with open_source(str(path)) as source:
        assert execution_findings(source, reading(), "auto") == ()

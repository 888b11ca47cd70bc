"""A cell has the same text whatever the format: filters, classes, ids and timings go by it."""

import hashlib
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.traces.cells import as_text
from tailc.traces.reading import Curve, SplitBy, SplitRule, Timings
from tailc.traces.split import held_out_mask
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading

BY_ID = SplitRule(SplitBy.HASH, 300_000, "id")
# Ids 17, 4 and 3 as they come to be written: SHA-256 of `17`, `4` and `3`.
IDS_OF_WHOLE_NUMBERS = {
    "whole.csv": "id,demand\n17,1\n4,2\n3,3\n",
    "pointed.csv": "id,demand\n17.0,1\n4.0,2\n3.00,3\n",
    "quoted.csv": 'id,demand\n"17","1"\n"4.0","2"\n"3","3"\n',
    "whole.ndjson": '{"id": 17, "demand": 1}\n{"id": 4, "demand": 2}\n{"id": 3, "demand": 3}\n',
    "pointed.ndjson": '{"id": 17.0, "demand": 1}\n{"id": 4.0, "demand": 2}\n'
    '{"id": 3e0, "demand": 3}\n',
    "text.ndjson": '{"id": "17.0", "demand": 1}\n{"id": "4", "demand": 2}\n'
    '{"id": "3", "demand": 3}\n',
    "int.parquet": pa.array([17, 4, 3], pa.int16()),
    "double.parquet": pa.array([17.0, 4.0, 3.0]),
    "float.parquet": pa.array([17.0, 4.0, 3.0], pa.float32()),
    "decimal.parquet": pa.array([Decimal("17.00"), Decimal("4.00"), Decimal("3.00")]),
    "text.parquet": pa.array(["17.0", "4", "3"]),
}


def made(folder, name: str, content) -> str:
    path = folder / name
    if isinstance(content, str):
        path.write_text(content)
    else:
        pq.write_table(pa.table({"id": content, "demand": [1.0, 2.0, 3.0]}), path)
    return str(path)


@pytest.mark.parametrize("name", IDS_OF_WHOLE_NUMBERS)
def test_a_whole_number_is_one_id_however_it_is_written(tmp_path, name):
    path = made(tmp_path, name, IDS_OF_WHOLE_NUMBERS[name])
    trace = read_trace(path, reading(split=BY_ID))
    wanted = [int(hashlib.sha256(i).hexdigest()[:16], 16) for i in (b"17", b"4", b"3")]
    assert trace.split_key is not None
    assert trace.split_key.tolist() == wanted
    assert held_out_mask(trace, BY_ID).tolist() == [key < 0.3 * 2**64 for key in wanted]


@pytest.mark.parametrize("name", IDS_OF_WHOLE_NUMBERS)
@pytest.mark.parametrize("asked", ["4", "4.0"])
def test_a_filter_finds_a_whole_number_however_it_is_written(tmp_path, name, asked):
    path = made(tmp_path, name, IDS_OF_WHOLE_NUMBERS[name])
    profile = read_trace(path, reading(where=(("id", asked),))).profile
    assert profile.demand_ms.tolist() == [2.0]


@pytest.mark.parametrize("name", ["pointed.csv", "pointed.ndjson", "double.parquet"])
def test_a_class_named_by_a_number_is_found(tmp_path, name):
    path = made(tmp_path, name, IDS_OF_WHOLE_NUMBERS[name])
    curves = tuple(Curve(name, (1_000_000,)) for name in ("3", "4.0", "17"))
    profile = read_trace(path, reading(class_column="id", curves=curves)).profile
    assert profile.curve_of.tolist() == [2, 1, 0]


def test_timings_of_one_request_are_gathered_however_its_id_is_written(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("id,degree,took\n17,1,4\n17.0,2,2\n")
    timings = Timings("id", "degree", "took")
    profile = read_trace(str(path), reading(demand=None, curves=(), timings=timings)).profile
    assert profile.curves.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("name", ["csv", "ndjson", "parquet"])
@pytest.mark.parametrize("text", ["007", "007.0", "1.10", "2e0", "+2.0", "v2.0", "2.0.0", ".0"])
def test_text_that_is_no_plain_whole_number_stays_as_it_is(tmp_path, name, text):
    path = tmp_path / f"trace.{name}"
    if name == "csv":
        path.write_text(f"id,demand\n{text},1\n7,2\n2,3\n1.1,4\n")
    elif name == "ndjson":
        rows = [{"id": i, "demand": 1} for i in (text, "7", "2", "1.1")]
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        pq.write_table(pa.table({"id": [text, "7", "2", "1.1"], "demand": [1.0] * 4}), path)
    assert read_trace(str(path), reading(where=(("id", text),))).profile.total_weight == 1


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (pa.array([1.5, 0.1, 1e-5, None, -2.0]), ["1.5", "0.1", "1e-05", None, "-2"]),
        (pa.array([0.1, 1.5], pa.float32()), ["0.1", "1.5"]),
        (pa.array([Decimal("1.50"), Decimal("0.10")]), ["1.5", "0.1"]),
        (pa.array([2**62 + 1, -3]), ["4611686018427387905", "-3"]),
        (pa.array([True, False]), ["true", "false"]),
    ],
)
def test_other_numbers_are_their_shortest_decimal(cells, texts):
    assert as_text(cells).to_pylist() == texts


def test_numbers_of_json_and_of_parquet_have_the_same_text(tmp_path):
    path = tmp_path / "trace.ndjson"
    path.write_text('{"id": 1.50, "demand": 1}\n{"id": 1e-5, "demand": 2}\n')
    for value, demand in (("1.5", 1.0), ("1e-05", 2.0)):
        profile = read_trace(str(path), reading(where=(("id", value),))).profile
        assert profile.demand_ms.tolist() == [demand]


@pytest.mark.parametrize("digits", ["9" * 5000, "1e999"])
def test_a_number_beyond_all_floats_is_the_text_it_is_written_as(tmp_path, digits):
    path = tmp_path / "trace.ndjson"
    path.write_text(f'{{"id": {digits}, "demand": 1}}\n{{"id": 1, "demand": 2}}\n')
    assert read_trace(str(path), reading(where=(("id", digits),))).profile.total_weight == 1

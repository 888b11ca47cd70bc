"""A small file whose rows need far more memory is merged, or refused before it takes that."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.errors import Code, TailcError
from tailc.traces import expansion, parquet_table
from tailc.traces.reading import Timings
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading

ROWS = 100_000


@pytest.fixture(autouse=True)
def _little_is_free(monkeypatch):
    monkeypatch.setattr(expansion, "FREE_BYTES", 1 << 16)
    monkeypatch.setattr(parquet_table, "MAX_TEXT_BYTES", 1 << 20)


def parquet(folder, **columns) -> str:
    path = folder / "trace.parquet"
    pq.write_table(pa.table(columns), path, compression="zstd")
    return str(path)


def compressed(folder, text: str) -> str:
    path = folder / "trace.csv.zst"
    path.write_bytes(pa.Codec("zstd").compress(text.encode(), asbytes=True))
    return str(path)


def is_refused(path: str, **changes) -> bool:
    with pytest.raises(TailcError) as caught:
        read_trace(path, reading(**changes))
    (finding,) = caught.value.findings
    return finding.code is Code.TRACE_TOO_LARGE and "tailc ingest" in str(finding.help)


def test_equal_rows_are_merged(tmp_path):
    path = parquet(tmp_path, demand=[1.0, 2.0, 3.0, 4.0] * (ROWS // 4), n=[2] * ROWS)
    found = read_trace(path, reading(weight="n")).profile
    assert (found.demand_ms.tolist(), found.total_weight) == ([1.0, 2.0, 3.0, 4.0], 2 * ROWS)


def test_equal_rows_of_compressed_text_are_merged(tmp_path):
    found = read_trace(compressed(tmp_path, "demand\n" + "100\n" * ROWS), reading()).profile
    assert (found.demand_ms.tolist(), found.total_weight) == ([100.0], ROWS)


def test_a_bad_cell_of_compressed_text_is_named(tmp_path):
    text = "demand\n" + "100\n" * ROWS + "fast\n"
    with pytest.raises(TailcError) as caught:
        read_trace(compressed(tmp_path, text), reading())
    (finding,) = caught.value.findings
    assert (finding.code, finding.place.row) == (Code.NOT_A_NUMBER, ROWS + 1)


def test_distinct_rows_are_refused(tmp_path):
    path = tmp_path / "trace.parquet"
    table = pa.table({"demand": np.arange(1, ROWS + 1)})
    encoding = {"demand": "DELTA_BINARY_PACKED"}
    pq.write_table(table, path, use_dictionary=False, column_encoding=encoding)
    assert path.stat().st_size < 8 * ROWS / expansion.MOST_TIMES_LARGER
    assert is_refused(str(path))


def test_timings_by_degree_are_refused(tmp_path):
    columns = {"id": ["x"] * ROWS, "degree": [1] * ROWS, "took": [1.0] * ROWS}
    timings = Timings("id", "degree", "took")
    assert is_refused(parquet(tmp_path, **columns), demand=None, curves=(), timings=timings)


def test_one_long_text_of_many_rows_is_refused(tmp_path):
    demand = np.random.default_rng(1).random(ROWS) + 1
    kind = pa.array(["x" * 1000] * ROWS).dictionary_encode()
    path = parquet(tmp_path, demand=demand, kind=kind)
    assert is_refused(path, where=(("kind", "a"),))


def test_rows_as_they_are_measured_are_read(tmp_path):
    demand = np.rint(np.random.default_rng(1).gamma(1.6, 100, ROWS) + 1)
    assert read_trace(parquet(tmp_path, demand=demand), reading()).profile.total_weight == ROWS


def test_equal_rows_without_compression_are_read(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("demand\n" + "100\n" * ROWS)
    assert read_trace(str(path), reading()).profile.total_weight == ROWS

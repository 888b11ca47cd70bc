"""Tables in Arrow's formats give the same profile as Parquet."""

from __future__ import annotations

import gzip
import io
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.errors import Code
from tailc.traces import source
from tailc.traces.arrow_file import is_arrow
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import DATA, reading, refused, written

TABLE = pa.table(DATA)


def arrow(path: Path, table: pa.Table = TABLE, kind: str = "file", codec: str | None = None) -> str:
    """A table in one of Arrow's formats, in batches of three rows."""
    options = pa.ipc.IpcWriteOptions(compression=codec)
    make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with path.open("wb") as sink, make(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=3)
    return str(path)


def profile_of(path: str) -> dict[str, list[float]]:
    """Demands, weights and curves of the profile of a file."""
    profile = read_trace(path, reading(weight="n")).profile
    return {
        "demand_ms": profile.demand_ms.tolist(),
        "weight": profile.weight.tolist(),
        "curve_of": profile.curve_of.tolist(),
    }


@pytest.mark.parametrize("codec", [None, "zstd", "lz4"])
@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("name", ["trace.arrow", "trace.feather", "trace"])
def test_the_profile_is_that_of_parquet(tmp_path: Path, kind: str, codec: str, name: str) -> None:
    wanted = profile_of(written(tmp_path, "parquet", DATA))
    assert profile_of(arrow(tmp_path / name, kind=kind, codec=codec)) == wanted


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_compressed_file_is_read_too(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "trace.arrow"
    arrow(path, kind=kind)
    packed = tmp_path / "trace.arrow.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert profile_of(str(packed)) == profile_of(str(path))


def test_words_in_a_dictionary_are_words(tmp_path: Path) -> None:
    table = pa.table({**DATA, "id": pa.array(DATA["id"]).dictionary_encode()})
    assert profile_of(arrow(tmp_path / "a.arrow", table)) == profile_of(
        written(tmp_path, "parquet", DATA)
    )


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_truncated_file_is_refused(tmp_path: Path, kind: str, kept: float) -> None:
    path = tmp_path / "a.arrow"
    arrow(path, kind=kind)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    (finding,) = refused(path, reading())
    assert finding.code is Code.BROKEN_FORMAT
    assert "damaged or truncated Arrow file" in finding.message


@pytest.mark.parametrize(
    ("good", "damaged", "words"),
    [
        (struct.pack("<5i", 0, 1, 2, 3, 4), struct.pack("<5i", 0, 1, 2, 1 << 30, 4), "Offset"),
        (b"note", b"not\xff", "can't decode"),
    ],
)
@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_damaged_column_that_is_not_read_is_refused(
    tmp_path: Path, kind: str, good: bytes, damaged: bytes, words: str
) -> None:
    path = tmp_path / "a.arrow"
    make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    table = pa.table({**DATA, "note": DATA["id"]})
    with path.open("wb") as sink, make(sink, table.schema) as writer:
        writer.write_table(table)
    data = path.read_bytes()
    assert good in data
    path.write_bytes(data.replace(good, damaged))
    (finding,) = refused(path, reading())
    assert finding.code is Code.BROKEN_FORMAT
    assert words in finding.message


def test_a_parquet_file_with_a_name_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({**DATA, "note": DATA["id"]}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"note", b"not\xff"))
    (finding,) = refused(path, reading())
    assert finding.code is Code.BROKEN_FORMAT


def test_a_file_that_ends_between_two_batches_is_refused(tmp_path: Path) -> None:
    path, sink = tmp_path / "a.arrow", io.BytesIO()
    with pa.ipc.new_file(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
        path.write_bytes(sink.getvalue())  # as a writer that is killed leaves it
        writer.write_table(TABLE)
    (finding,) = refused(path, reading())
    assert "its index is missing" in finding.message


def test_a_column_of_a_type_that_parquet_lacks_is_called_so(tmp_path: Path) -> None:
    words = pa.UnionArray.from_sparse(pa.array([0] * len(TABLE), pa.int8()), [TABLE["n"].chunk(0)])
    (finding,) = refused(arrow(tmp_path / "a.arrow", TABLE.append_column("u", words)), reading())
    assert finding.code is Code.WRONG_TYPE
    assert "cannot be converted: " in finding.message
    assert "sparse_union" in finding.message


def test_a_table_that_is_too_large_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(source, "MAX_REWRITTEN_BYTES", 10)
    (finding,) = refused(arrow(tmp_path / "a.arrow"), reading())
    assert finding.code is Code.TRACE_TOO_LARGE


def test_a_missing_column_is_named_as_in_parquet(tmp_path: Path) -> None:
    names = ["other" if name == "demand" else name for name in TABLE.column_names]
    table = TABLE.rename_columns(names)
    pq.write_table(table, tmp_path / "a.parquet")
    messages = [
        one.message.replace(str(tmp_path), "")
        for path in (arrow(tmp_path / "a.arrow", table), tmp_path / "a.parquet")
        for one in refused(path, reading())
    ]
    assert messages[0].replace(".arrow", ".parquet") == messages[1]


@pytest.mark.parametrize("head", [b"", b"ARROW", b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\0\0\0\0"])
def test_other_beginnings_are_not_arrow(head: bytes) -> None:
    assert not is_arrow(head)

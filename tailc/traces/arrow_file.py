"""Tables in Arrow's formats, as files (Feather 2) or streams: rewritten as Parquet, in batches.

An Arrow file is a stream after eight bytes, and an index that is not needed: its last bytes show
that the file is whole.
"""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa

_FILE_MAGIC, _FILE_END = b"ARROW1\0\0", b"ARROW1"
_AT_A_TIME = 1 << 16
# A message of a stream: a mark, the length of a schema, and the schema.
_STREAM_MARK = b"\xff\xff\xff\xff"
_LONGEST_SCHEMA = 1 << 24


def is_arrow(head: bytes) -> bool:
    """Whether a file with this beginning is in one of Arrow's formats."""
    if head.startswith(_FILE_MAGIC):
        return True
    length = int.from_bytes(head[4:8], "little")
    return head.startswith(_STREAM_MARK) and 0 < length < _LONGEST_SCHEMA


def rewrite_arrow(stream: pa.NativeFile, sink: BinaryIO, most_bytes: int) -> bool:
    """Write the rows of a stream of bytes into `sink` as Parquet; False if they are too many.

    Raises pyarrow's errors for damaged or truncated bytes, and for types that Parquet lacks;
    UnicodeDecodeError for names of columns that are not UTF-8.
    """
    # An import takes time, which other files need not.
    import pyarrow.parquet as pq

    begun = stream.read(len(_FILE_MAGIC))
    rest = stream if begun == _FILE_MAGIC else pa.PythonFile(_Joined(begun, stream), mode="r")
    with pa.ipc.open_stream(rest) as reader, pq.ParquetWriter(sink, reader.schema) as writer:
        _ = reader.schema.names  # decodes them
        for batch in reader:
            # pyarrow would follow damaged offsets to any address.
            batch.validate(full=True)
            writer.write_batch(batch)
            if sink.tell() > most_bytes:
                return False
    if begun == _FILE_MAGIC and not _last_bytes(stream).endswith(_FILE_END):
        raise pa.ArrowInvalid("its index is missing, so batches may be, too")
    return True


def _last_bytes(stream: pa.NativeFile) -> bytes:
    last = b""
    while block := stream.read(_AT_A_TIME):
        last = (last + block)[-len(_FILE_END) :]
    return last


class _Joined:
    """A stream of bytes whose beginning was read already."""

    closed = False

    def __init__(self, begun: bytes, rest: pa.NativeFile) -> None:
        self._begun, self._rest = begun, rest

    def read(self, size: int) -> bytes:
        """Read `size` bytes, or fewer at the end."""
        taken, self._begun = self._begun[:size], self._begun[size:]
        return taken + self._rest.read(size - len(taken))

    def close(self) -> None:
        """Leave the stream open: its owner closes it."""

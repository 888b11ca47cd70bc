"""Read successive protobuf messages of a file, each within limits.

A request of OTLP is one message, and what is written after it is more of the same message: its
fields are read as they stream by. The file exporter of a collector puts 4 bytes before each
message, its length with the highest byte first, and may compress each with zstd.

Source: README of the `file` exporter of the OpenTelemetry collector, section "File Format".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pyarrow as pa

from tailc.ingest.wire import MAX_VARINT_BYTES, VARINT_CONTINUES, WireError, varint
from tailc.traces.table import BLOCK_BYTES

# What a collector receives is at most 4 MiB by default, or 20 MiB over HTTP.
MAX_MESSAGE_BYTES = 1 << 24
LENGTH = struct.Struct(">I")
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class CutError(ValueError):
    """Error: the file ends within a message."""


class TooLongError(ValueError):
    """Error: a message is longer than the limit, or states such a length."""


def fields_of(stream: pa.NativeFile, key: bytes) -> Iterator[bytes]:
    """Yield the bytes of each field of a protobuf message with a given key; they include the key.

    key: field number and wire type, as encoded.
    """
    while found := stream.read(1):
        if found != key:
            raise WireError("a field that such a message does not have")
        length = _length(stream)
        yield key + length + _exactly(stream, varint(length, 0)[0])


def split_messages(stream: pa.NativeFile) -> Iterator[bytes]:
    """Split a stream into protobuf messages; the length of each one precedes it as a varint."""
    while found := stream.read(1):
        length = found if found[0] < VARINT_CONTINUES else found + _length(stream)
        yield _exactly(stream, varint(length, 0)[0])


def frames_of(stream: pa.NativeFile) -> Iterator[bytes]:
    """Split a stream into messages; 4 bytes with the length precede each one.

    Compressed messages are decompressed.
    """
    while head := stream.read(LENGTH.size):
        if len(head) < LENGTH.size:
            raise CutError
        data = _exactly(stream, LENGTH.unpack(head)[0])
        yield decompress_zstd(data) if data.startswith(ZSTD_MAGIC) else data


def decompress_zstd(data: bytes) -> bytes:
    """Decompress zstd data; raises WireError for damaged or truncated data, and TooLongError."""
    found, is_whole = _decompress_up_to_limit(data)
    if len(found) > MAX_MESSAGE_BYTES:
        raise TooLongError(f"expands to more than {MAX_MESSAGE_BYTES:,} bytes")
    if not is_whole:
        raise WireError("damaged zstd data")
    return found


def inflated_start(data: bytes) -> bytes:
    """Decompress the beginning of zstd data, as far as the given bytes allow."""
    return _decompress_up_to_limit(data)[0]


def _decompress_up_to_limit(data: bytes) -> tuple[bytes, bool]:
    """Decompressed bytes up to about the limit, and whether there was no error."""
    found = bytearray()
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            while len(found) <= MAX_MESSAGE_BYTES and (block := stream.read(BLOCK_BYTES)):
                found += block
    except (OSError, pa.ArrowException):
        return bytes(found), False
    return bytes(found), True


def _length(stream: pa.NativeFile) -> bytes:
    """Bytes of the next varint."""
    found = b""
    while len(found) < MAX_VARINT_BYTES and (byte := stream.read(1)):
        found += byte
        if byte[0] < VARINT_CONTINUES:
            return found
    if len(found) < MAX_VARINT_BYTES:
        raise CutError
    raise WireError(f"a length of more than {MAX_VARINT_BYTES} bytes")


def _exactly(stream: pa.NativeFile, length: int) -> bytes:
    if length > MAX_MESSAGE_BYTES:
        raise TooLongError(
            f"states a length of {length:,} bytes; the limit is {MAX_MESSAGE_BYTES:,}"
        )
    data = stream.read(length)
    if len(data) < length:
        raise CutError
    return data

"""Messages of protobuf one after the other in a file, each read within limits.

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
    """The file ends in the middle of a message."""


class TooLongError(ValueError):
    """A message is longer than the limit, or says that it is; the text says what it does."""


def fields_of(stream: pa.NativeFile, key: bytes) -> Iterator[bytes]:
    """Each field of a message, all of which begin with the key, whole and with it."""
    while found := stream.read(1):
        if found != key:
            raise WireError("a field that such a message has not")
        length = _length(stream)
        yield key + length + _exactly(stream, varint(length, 0)[0])


def delimited(stream: pa.NativeFile) -> Iterator[bytes]:
    """Each message without the varint of its length, as several are written in a row."""
    while found := stream.read(1):
        length = found if found[0] < VARINT_CONTINUES else found + _length(stream)
        yield _exactly(stream, varint(length, 0)[0])


def frames_of(stream: pa.NativeFile) -> Iterator[bytes]:
    """Each message without the 4 bytes of its length, inflated where it is compressed."""
    while head := stream.read(LENGTH.size):
        if len(head) < LENGTH.size:
            raise CutError
        data = _exactly(stream, LENGTH.unpack(head)[0])
        yield inflated(data) if data.startswith(ZSTD_MAGIC) else data


def inflated(data: bytes) -> bytes:
    """What was compressed with zstd; WireError where it is unsound or cut, or TooLongError."""
    found, is_whole = _inflated(data)
    if len(found) > MAX_MESSAGE_BYTES:
        raise TooLongError(f"inflates to more than {MAX_MESSAGE_BYTES:,} bytes")
    if not is_whole:
        raise WireError("no sound zstd data")
    return found


def inflated_start(data: bytes) -> bytes:
    """As much as the first bytes of what was compressed with zstd tell."""
    return _inflated(data)[0]


def _inflated(data: bytes) -> tuple[bytes, bool]:
    """What there is, not much more than the limit, and whether nothing was wrong with it."""
    found = bytearray()
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            while len(found) <= MAX_MESSAGE_BYTES and (block := stream.read(BLOCK_BYTES)):
                found += block
    except (OSError, pa.ArrowException):
        return bytes(found), False
    return bytes(found), True


def _length(stream: pa.NativeFile) -> bytes:
    """The varint that is next, as it is."""
    found = b""
    while len(found) < MAX_VARINT_BYTES and (byte := stream.read(1)):
        found += byte
        if byte[0] < VARINT_CONTINUES:
            return found
    if len(found) < MAX_VARINT_BYTES:
        raise CutError
    raise WireError("a length that does not end")


def _exactly(stream: pa.NativeFile, length: int) -> bytes:
    if length > MAX_MESSAGE_BYTES:
        raise TooLongError(f"says that it has {length:,} bytes, of at most {MAX_MESSAGE_BYTES:,}")
    data = stream.read(length)
    if len(data) < length:
        raise CutError
    return data

"""Detect the compression of a file from its first bytes."""

from __future__ import annotations

import enum
import lzma
import zlib
from typing import TypeAlias

import pyarrow as pa

from tailc.errors import Code, Finding, Place, TailcError

# A member is inflated in pieces, since a few bytes may stand for gigabytes. What is read at a time
# is less than that, since what follows a member is copied for each of the members in it.
INFLATED_BYTES = 1 << 20
DEFLATED_BYTES = 1 << 16
MAGIC_BYTES = 10


class Codec(enum.Enum):
    """A compression format; the value is its name in pyarrow."""

    GZIP = "gzip"
    BZIP2 = "bz2"
    ZSTD = "zstd"
    XZ = "xz"


Raw: TypeAlias = pa.NativeFile
_MAGIC = {
    b"\x1f\x8b": Codec.GZIP,
    b"\x28\xb5\x2f\xfd": Codec.ZSTD,
    b"\xfd7zXZ\x00": Codec.XZ,
    **{b"BZh%d1AY&SY" % level: Codec.BZIP2 for level in range(1, 10)},
}
SUFFIXES = (".gz", ".zst", ".bz2", ".xz")


def codec_of(head: bytes) -> Codec | None:
    """Compression of a file that begins with these bytes; None if it is not compressed."""
    return next((codec for magic, codec in _MAGIC.items() if head.startswith(magic)), None)


def inner_name(name: str) -> str:
    """Name of the file without the suffix of its compression."""
    suffix = next((each for each in SUFFIXES if name.lower().endswith(each)), "")
    return name[: len(name) - len(suffix)]


def decompress_stream(raw: Raw, codec: Codec) -> Raw:
    """Decompress as a stream; reading damaged or truncated data raises OSError."""
    if codec is Codec.XZ:
        return pa.PythonFile(_Xz(raw), mode="r")
    return pa.CompressedInputStream(raw, codec.value)


class _Xz:
    """A file-like object that decompresses xz, which pyarrow does not support."""

    def __init__(self, raw: Raw) -> None:
        self._raw, self._plain = raw, lzma.LZMAFile(raw)  # noqa: SIM115
        self.closed = False

    def readable(self) -> bool:
        return True

    def read(self, size: int) -> bytes:
        try:
            return self._plain.read(size)
        except (lzma.LZMAError, EOFError) as error:
            raise OSError(str(error)) from None

    def close(self) -> None:
        self.closed = True
        self._plain.close()
        self._raw.close()


def check_whole(raw: Raw, codec: Codec, name: str) -> None:
    """Raise TailcError if compressed data is damaged or truncated."""
    if codec is Codec.GZIP:
        _check_members(raw, name)
        return
    try:
        with decompress_stream(raw, codec) as stream:
            while stream.read(INFLATED_BYTES):
                pass
    except OSError as error:
        is_cut = "runcated" in str(error) or "ended before" in str(error)
        raise (_truncated_file if is_cut else _damaged_file)(name, codec) from None


def _check_members(raw: Raw, name: str) -> None:
    """Check gzip data, which may have several members one after another."""
    inflater = zlib.decompressobj(wbits=31)
    at_start = False
    while chunk := raw.read(DEFLATED_BYTES):
        try:
            while chunk:
                _inflate(inflater, chunk)
                chunk = inflater.unused_data
                at_start = inflater.eof
                if at_start:
                    inflater = zlib.decompressobj(wbits=31)
        except zlib.error:
            raise _damaged_file(name, Codec.GZIP) from None
    if not at_start:
        raise _truncated_file(name, Codec.GZIP)


def _inflate(inflater: zlib._Decompress, chunk: bytes) -> None:
    """Decompress the chunk up to its end or that of the member, and discard the result."""
    inflated = INFLATED_BYTES
    # A full piece may leave more behind, even where all of the chunk was taken in.
    while not inflater.eof and (chunk or inflated == INFLATED_BYTES):
        inflated = len(inflater.decompress(chunk, INFLATED_BYTES))
        chunk = inflater.unconsumed_tail


def _damaged_file(name: str, codec: Codec) -> TailcError:
    return _refusal(Code.BROKEN_FORMAT, f"`{name}` has damaged {codec.value} data", name)


def _truncated_file(name: str, codec: Codec) -> TailcError:
    return _refusal(Code.TRUNCATED, f"`{name}` ends in the middle of its {codec.value} data", name)


def _refusal(code: Code, message: str, name: str) -> TailcError:
    return TailcError(Finding(code, message, Place(name), "copy or compress the file again"))

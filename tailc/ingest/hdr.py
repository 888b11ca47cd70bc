"""Decode encoded HdrHistograms, versions 0, 1 and 2, within limits.

Values are counted in buckets whose width doubles. With d significant digits there are S = 2^k
buckets before the first doubling, S >= 2 * 10^d, each of 2^u units (2^u <= the lowest discernible
value), and S / 2 buckets in each doubling after that. Version 2 writes the counts as
variable-length integers, where -n is a run of n zeros; versions 0 and 1 write a count in 2, 4 or 8
bytes.

Source: the format of HdrHistogram 2.2.2 by Gil Tene, `AbstractHistogram.java`.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole, Unsigned = NDArray[np.int64], NDArray[np.uint64]

# What one interval may inflate to: every count of a histogram of five digits, at two bytes each.
MAX_INFLATED_BYTES = 1 << 24
# Different values in an interval, and runs of zeros between them: a second or two to read.
MAX_COUNTS = 1 << 20
MAX_DIGITS = 5
_WORD_MASK = 0xF0
_PLAIN = {0x1C849308: 0, 0x1C849301: 1, 0x1C849303: 2}
_COMPRESSED = {0x1C849309, 0x1C849302, 0x1C849304}
# Plain and compressed.
_OF_DOUBLES = {0x0C72124E, 0x0C72124F}
_HEADER_0 = struct.Struct(">iqqq")
_HEADER_1 = struct.Struct(">iiiqqd")
_COOKIE = struct.Struct(">i")
_COMPRESSED_HEAD = struct.Struct(">ii")
_LONGEST_VARINT = 9
# Of a byte of a varint: the bits that count, and the one that says that another byte follows.
_BITS, _GOES_ON = 0x7F, 0x80
# Far beyond the values of any histogram, and far below what an integer holds.
_FURTHEST = 2.0**62
# Largest number of bits of a value in a histogram.
_MOST_BITS = 63
_TOO_MANY = f"it has more than {MAX_COUNTS:,} counts"


class HdrError(ValueError):
    """Error: the bytes are not an HdrHistogram, or are beyond the limits."""


class HdrDoublesError(HdrError):
    """Error: a histogram of floating-point values, which is not supported."""


@dataclass(frozen=True)
class _Scale:
    """Maps indices of counts to values; `part_bits` is log2 S, `unit_bits` u."""

    part_bits: int
    unit_bits: int
    parts: int

    def bits_to(self, index: Whole) -> int:
        """Bit length of the largest value of any of the indices."""
        doubling = max((int(index.max(initial=0)) >> (self.part_bits - 1)) - 1, 0)
        return self.part_bits + self.unit_bits + doubling

    def middles(self, index: Whole) -> Unsigned:
        """Middle of the values at each index; for index 0 the smallest value."""
        half = self.part_bits - 1
        doubling = np.maximum((index >> half) - 1, 0)
        part = (index - (doubling << half)).astype(np.uint64)
        width = np.uint64(1) << (doubling + self.unit_bits).astype(np.uint64)
        return part * width + width // np.uint64(2)


def decode_histogram(text: str) -> tuple[Unsigned, Whole]:
    """Decode a histogram in base64 to ascending values and their counts; raises HdrError.

    A value is the middle of the values that share a count.
    """
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise HdrError("it is not base64") from None
    if len(data) < _COMPRESSED_HEAD.size:
        raise HdrError("it is truncated")
    cookie, length = _COMPRESSED_HEAD.unpack_from(data)
    if cookie in _OF_DOUBLES:
        raise HdrDoublesError("it has floating-point values, which are not supported")
    if cookie & ~_WORD_MASK not in _COMPRESSED:
        raise HdrError("it is not an encoded histogram of a version from 0 to 2")
    compressed = data[_COMPRESSED_HEAD.size :]
    if length != len(compressed):
        raise HdrError(f"it has {len(compressed)} bytes, but its header states {length}")
    return _decode_counts(_decompress(compressed))


def _decompress(compressed: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        data = inflater.decompress(compressed, MAX_INFLATED_BYTES + 1)
    except zlib.error:
        raise HdrError("its compressed bytes are damaged") from None
    if len(data) > MAX_INFLATED_BYTES:
        raise HdrError(f"it expands to more than {MAX_INFLATED_BYTES:,} bytes")
    if not inflater.eof:
        raise HdrError("its compressed bytes are truncated")
    return data


def _decode_counts(data: bytes) -> tuple[Unsigned, Whole]:
    if len(data) < _COOKIE.size + _HEADER_0.size:
        raise HdrError("it is truncated")
    (cookie,) = _COOKIE.unpack_from(data)
    version = _PLAIN.get(cookie & ~_WORD_MASK)
    if version is None:
        raise HdrError("it is not a histogram of whole numbers of a version from 0 to 2")
    digits, lowest, highest, payload = _header(data, version)
    scale = _scale(digits, lowest, highest)
    index, count = (
        _varints(payload) if version == 2 else _words(payload, (cookie & _WORD_MASK) >> 4)
    )
    if (index >= scale.parts).any() or scale.bits_to(index) > _MOST_BITS:
        raise HdrError("it has counts above its highest value")
    if (count < 0).any():
        raise HdrError("it has a negative count")
    return scale.middles(index), count


def _header(data: bytes, version: int) -> tuple[int, int, int, bytes]:
    """Digits, lowest and highest value, and the encoded counts."""
    if version == 0:
        digits, lowest, highest, _total = _HEADER_0.unpack_from(data, _COOKIE.size)
        return digits, lowest, highest, data[_COOKIE.size + _HEADER_0.size :]
    start = _COOKIE.size + _HEADER_1.size
    if len(data) < start:
        raise HdrError("it is truncated")
    length, offset, digits, lowest, highest, ratio = _HEADER_1.unpack_from(data, _COOKIE.size)
    if offset != 0 or ratio != 1:
        raise HdrError("its values are shifted or scaled, which is not supported")
    if not 0 <= length <= len(data) - start:
        raise HdrError(
            f"it has {len(data) - start} bytes of counts, but its header states {length}"
        )
    return digits, lowest, highest, data[start : start + length]


def _scale(digits: int, lowest: int, highest: int) -> _Scale:
    if not 0 <= digits <= MAX_DIGITS or lowest < 1 or highest < 2 * lowest:
        raise HdrError("its header states an impossible precision or range")
    part_bits = (2 * 10**digits - 1).bit_length()
    unit_bits = lowest.bit_length() - 1
    doublings = (highest >> (part_bits + unit_bits)).bit_length() + 1
    return _Scale(part_bits, unit_bits, (doublings + 1) << (part_bits - 1))


def _words(payload: bytes, size: int) -> tuple[Whole, Whole]:
    if size not in (2, 4, 8):
        raise HdrError(f"its counts have {size} bytes each")
    counts = np.frombuffer(payload[: len(payload) // size * size], dtype=f">i{size}")
    index = np.flatnonzero(counts)
    return index, counts[index].astype(np.int64)


def _varints(payload: bytes) -> tuple[Whole, Whole]:
    """Zig-zag LEB128 numbers: a count if above 0, or else minus the number of zero counts."""
    data = np.frombuffer(payload, np.uint8)
    is_end = data < _GOES_ON
    # Such a byte ends a number in any case, and eight bytes for each would fill the memory.
    if np.count_nonzero(is_end) > MAX_COUNTS:
        raise HdrError(_TOO_MANY)
    end = np.flatnonzero(is_end)
    start = np.append(0, end + 1)[: len(end)]
    length = end + 1 - start
    if not len(end) or end[-1] + 1 < len(data) or length.max() >= _LONGEST_VARINT:
        return _any_varints(payload)
    coded = np.zeros(len(start), np.int64)
    for at in range(int(length.max())):
        has = length > at
        coded[has] |= (data[start[has] + at] & _BITS).astype(np.int64) << 7 * at
    count = (coded >> 1) ^ -(coded & 1)
    steps = np.where(count < 0, -count, 1)
    # In floats, since the sum of whole numbers may be beyond any of them.
    if steps.sum(dtype=np.float64) > _FURTHEST:
        return _any_varints(payload)
    index = np.cumsum(steps) - steps
    return index[count > 0], count[count > 0]


def _any_varints(payload: bytes) -> tuple[Whole, Whole]:
    """Like `_varints`, one by one: also numbers of nine bytes, and damaged ones."""
    indices: list[int] = []
    counts: list[int] = []
    index = at = found = 0
    while at < len(payload):
        found += 1
        if found > MAX_COUNTS:
            raise HdrError(_TOO_MANY)
        value = shift = 0
        for length in range(1, _LONGEST_VARINT + 1):
            if at >= len(payload):
                raise HdrError("its counts are truncated")
            byte = payload[at]
            at += 1
            is_last = length == _LONGEST_VARINT
            value |= (byte if is_last else byte & _BITS) << shift
            shift += 7
            if is_last or byte < _GOES_ON:
                break
        count = (value >> 1) ^ -(value & 1)
        if count < 0:
            # Counts beyond the largest index are refused later.
            index = min(index - count, int(_FURTHEST))
        else:
            if count:
                indices.append(index)
                counts.append(count)
            index += 1
    return np.array(indices, np.int64), np.array(counts, np.int64)

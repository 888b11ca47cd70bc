"""Write a histogram of times as an HdrHistogram log, whose encoding is version 2.

With three significant digits, an HdrHistogram divides each doubling above 2,048 ns into 1,024 parts
and counts smaller times by the nanosecond, as a profile does, so no time changes its bucket.

Source: the format of HdrHistogram 2.2.2 by Gil Tene, `AbstractHistogram.java`.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator

import numpy as np

from tailc.traces.histogram import Histogram, Whole

_COOKIE, _COMPRESSED_COOKIE = 0x1C849313, 0x1C849314
# Length of the counts, offset of the index, digits, lowest and highest value, ratio to doubles.
_HEADER = struct.Struct(">iiiiqqd")
_DIGITS, _LOWEST = 3, 1
_HALF_BITS = 10
_LOG = """\
#[Histogram log format version 1.3]
#[Times in nanoseconds]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
0.000,0.000,{longest_ms:.3f},{encoded}
"""


def written_hdr_log(histogram: Histogram) -> bytes:
    """Encode a histogram as the bytes of an HdrHistogram log with one interval."""
    encoded = encode_histogram(histogram)
    return _LOG.format(longest_ms=histogram.max_ns / 1e6, encoded=encoded).encode()


def encode_histogram(histogram: Histogram) -> str:
    """Encode a histogram as compressed HdrHistogram in base64."""
    index, count = _indices(histogram)
    numbers = b"".join(map(_varint, _runs(index, count)))
    highest = max(histogram.max_ns, 2 * _LOWEST)
    header = _HEADER.pack(_COOKIE, len(numbers), 0, _DIGITS, _LOWEST, highest, 1.0)
    packed = zlib.compress(header + numbers, 9)
    head = struct.pack(">ii", _COMPRESSED_COOKIE, len(packed))
    return base64.b64encode(head + packed).decode()


def _indices(histogram: Histogram) -> tuple[Whole, Whole]:
    """Ascending indices of counts that are not 0, and the counts."""
    values = histogram.demand_ns
    bit_lengths = np.frexp(values.astype(np.float64))[1].astype(np.int64)
    doubling = np.maximum(bit_lengths - 1 - _HALF_BITS, 0)
    every = (doubling << _HALF_BITS) + (values >> doubling)
    index, where = np.unique(every, return_inverse=True)
    count = np.zeros(len(index), np.int64)
    np.add.at(count, where, histogram.count)
    return index, count


def _runs(index: Whole, count: Whole) -> Iterator[int]:
    """Each count, after minus the number of zero counts before it."""
    following = 0
    for at, number in zip(index.tolist(), count.tolist(), strict=True):
        if at > following:
            yield following - at
        yield number
        following = at + 1


def _varint(number: int) -> bytes:
    """Zig-zag LEB128: seven bits in each byte, the lowest first; the ninth byte has eight."""
    coded = (number << 1) ^ (number >> 63)
    parts = bytearray()
    while coded >= 0x80 and len(parts) < 8:
        parts.append(coded & 0x7F | 0x80)
        coded >>= 7
    parts.append(coded)
    return bytes(parts)

"""SHA-256 of rows by a kernel, compared with hashlib; and drawn keys, whichever makes them."""

import hashlib

import numpy as np
import pytest

from tailc.traces import split_keys
from tailc.traces.sha256_kernels import CONSTANTS, LANES, START, hash_rows
from tailc.traces.split_keys import MOST_BYTES, drawn_keys


def by_kernel(prefix, first, rows):
    digests = np.empty(rows, np.uint64)
    hash_rows(np.frombuffer(prefix.encode(), np.uint8), first, digests, CONSTANTS, START)
    return digests.tolist()


def by_hashlib(prefix, first, rows):
    texts = (f"{prefix}{row}".encode() for row in range(first, first + rows))
    return [int.from_bytes(hashlib.sha256(text).digest()[:8], "big") for text in texts]


@pytest.mark.parametrize("prefix", ["", ":", "0:", "7:", "-12:", "123:", "é:", "x" * 30, "y" * 45])
@pytest.mark.parametrize(
    ("first", "rows"), [(1, 1), (1, 250), (95, 10), (99_990, 20), (999_999_990, LANES + 1)]
)
def test_the_kernel_hashes_as_hashlib_does(prefix, first, rows):
    assert by_kernel(prefix, first, rows) == by_hashlib(prefix, first, rows)


def test_the_longest_text_of_one_block_is_hashed():
    prefix = "p" * (MOST_BYTES - 2)
    assert by_kernel(prefix, 10, 90) == by_hashlib(prefix, 10, 90)


@pytest.mark.parametrize("seed", [0, 7, -3, 2**63, 10**40, 10**52, 10**70])
@pytest.mark.parametrize("rows", [1, 30, 200])
def test_many_rows_are_drawn_as_few_are(monkeypatch, seed, rows):
    few = drawn_keys(seed, 95, rows)
    monkeypatch.setattr(split_keys, "MANY_ROWS", 1)
    assert drawn_keys(seed, 95, rows).tolist() == few.tolist()
    assert few.tolist() == by_hashlib(f"{seed}:", 95, rows)


def test_the_constants_are_those_of_the_standard():
    assert [hex(one) for one in CONSTANTS[[0, 1, 62, 63]]] == [
        "0x428a2f98",
        "0x71374491",
        "0xbef9a3f7",
        "0xc67178f2",
    ]
    assert [hex(one) for one in START[[0, 7]]] == ["0x6a09e667", "0x5be0cd19"]

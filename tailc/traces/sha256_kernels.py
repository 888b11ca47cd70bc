"""Compute SHA-256 of many short texts at once, and keep the first 8 bytes of each digest.

Source: FIPS 180-4, sections 4.2.2, 5.1.1, 5.3.3 and 6.2.2. A text has at most 55 bytes, so that it
is one block. `LANES` texts go through each step together, so that the compiler uses vector
instructions.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 64
_WORDS, _ROUNDS, _STATE = 16, 64, 8
_ZERO, _PADDING = ord("0"), 0x80
_LENGTH = 15
_BITS = 8

# Only `hash_rows` calls them: wrappers for callers in Python would take most of the compile time.
_part = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # pyright: ignore[reportCallIssue]


def _fractions(root: int) -> np.ndarray:
    """The first 32 bits of the fractional parts of the roots of the first 64 primes."""
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, n))]
    return np.array([_floor_root(p << (32 * root), root) % 2**32 for p in primes], np.uint32)


def _floor_root(value: int, root: int) -> int:
    low, high = 0, 1 << (value.bit_length() // root + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**root <= value else (low, middle)
    return low


CONSTANTS = _fractions(3)
START = _fractions(2)[:_STATE]


@njit(cache=True, nogil=True)
def hash_rows(prefix, first, digests, constants, start):
    """Hash `prefix` followed by each row's number; write the first 8 bytes to `digests`.

    prefix: uint8. first: the number of the first row. digests: uint64 (rows,), filled here.
    constants, start: CONSTANTS and START of SHA-256. A text of more than 55 bytes is not allowed.
    """
    words = np.zeros(_ROUNDS * LANES, np.uint32)
    state = np.zeros(_STATE * LANES, np.uint32)
    for begin in range(0, len(digests), LANES):
        lanes = min(LANES, len(digests) - begin)
        words[: _WORDS * LANES] = 0
        for lane in range(lanes):
            _put_text(words, lane, prefix, first + begin + lane)
        _extend(words)
        for part in range(_STATE):
            state[part * LANES : (part + 1) * LANES] = start[part]
        for turn in range(0, _ROUNDS, _STATE):
            _eight_rounds(state, words[turn * LANES : (turn + _STATE) * LANES], constants[turn:])
        for lane in range(lanes):
            high = np.uint64(np.uint32(state[lane] + start[0]))
            low = np.uint64(np.uint32(state[LANES + lane] + start[1]))
            digests[begin + lane] = (high << np.uint64(32)) | low


@_part
def _put_text(words, lane, prefix, row):
    """Put the padded text of a row into the first words of its lane."""
    digits, power = 1, 10
    while row >= power:
        digits, power = digits + 1, power * 10
    size = len(prefix) + digits
    for at in range(len(prefix)):
        _put_byte(words, lane, at, prefix[at])
    for at in range(size - 1, len(prefix) - 1, -1):
        _put_byte(words, lane, at, _ZERO + row % 10)
        row //= 10
    _put_byte(words, lane, size, _PADDING)
    words[_LENGTH * LANES + lane] = np.uint32(size * _BITS)


@_part
def _put_byte(words, lane, at, byte):
    shift = np.uint32(24 - 8 * (at % 4))
    words[at // 4 * LANES + lane] |= np.uint32(np.uint32(byte) << shift)


@_part
def _extend(words):
    """The other 48 words of each lane."""
    for at in range(_WORDS, _ROUNDS):
        before = words[(at - _WORDS) * LANES : at * LANES]
        made = words[at * LANES : (at + 1) * LANES]
        for lane in range(LANES):
            early, late = before[LANES + lane], before[14 * LANES + lane]
            made[lane] = np.uint32(
                before[lane]
                + (_rotate_right(early, 7) ^ _rotate_right(early, 18) ^ (early >> np.uint32(3)))
                + before[9 * LANES + lane]
                + (_rotate_right(late, 17) ^ _rotate_right(late, 19) ^ (late >> np.uint32(10)))
            )


@_part
def _eight_rounds(state, words, constants):
    for lane in range(LANES):
        a, b, c, d = (
            state[lane],
            state[LANES + lane],
            state[2 * LANES + lane],
            state[3 * LANES + lane],
        )
        e, f, g, h = (
            state[4 * LANES + lane],
            state[5 * LANES + lane],
            state[6 * LANES + lane],
            state[7 * LANES + lane],
        )
        d, h = _round(a, b, c, d, e, f, g, h + constants[0] + words[lane])
        c, g = _round(h, a, b, c, d, e, f, g + constants[1] + words[LANES + lane])
        b, f = _round(g, h, a, b, c, d, e, f + constants[2] + words[2 * LANES + lane])
        a, e = _round(f, g, h, a, b, c, d, e + constants[3] + words[3 * LANES + lane])
        h, d = _round(e, f, g, h, a, b, c, d + constants[4] + words[4 * LANES + lane])
        g, c = _round(d, e, f, g, h, a, b, c + constants[5] + words[5 * LANES + lane])
        f, b = _round(c, d, e, f, g, h, a, b + constants[6] + words[6 * LANES + lane])
        e, a = _round(b, c, d, e, f, g, h, a + constants[7] + words[7 * LANES + lane])
        state[lane] = a
        state[LANES + lane] = b
        state[2 * LANES + lane] = c
        state[3 * LANES + lane] = d
        state[4 * LANES + lane] = e
        state[5 * LANES + lane] = f
        state[6 * LANES + lane] = g
        state[7 * LANES + lane] = h


@_part
def _round(a, b, c, d, e, f, g, word):
    """The new e and a of a round, which take the places of d and h; word: with h."""
    choice = (e & f) ^ (~e & g)
    majority = (a & b) ^ (a & c) ^ (b & c)
    first = np.uint32(
        (_rotate_right(e, 6) ^ _rotate_right(e, 11) ^ _rotate_right(e, 25)) + choice + word
    )
    second = (_rotate_right(a, 2) ^ _rotate_right(a, 13) ^ _rotate_right(a, 22)) + majority
    return np.uint32(d + first), np.uint32(first + second)


@_part
def _rotate_right(word, bits):
    """The word rotated to the right."""
    return np.uint32((word >> np.uint32(bits)) | (word << np.uint32(32 - bits)))

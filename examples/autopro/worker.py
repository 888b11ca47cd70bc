"""A machine: does units of work one after another, and signals each.

    python worker.py KIND COUNTER [NUMBER]

COUNTER is a file of eight bytes that holds how many units are done, as a whole number of this
machine; whoever maps it sees every signal at once. KIND is one of WORK. Several workers of one
machine have a number each, from 0, and count in the eight bytes of this number.
"""

from __future__ import annotations

import hashlib
import itertools
import mmap
import random
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

# A whole number of this machine in eight bytes, which a memoryview writes and reads in one piece.
COUNT, COUNT_BYTES = "q", 8
BLOCK_BYTES = 1 << 15
# Every so many blocks the encoder meets another kind of picture, which takes it longer, or less.
PHASE_BLOCKS = 8_000
HARD_LEVEL, EASY_LEVEL = 6, 4


def encoder() -> Callable[[int], object]:
    """Compresses blocks that are alike for a while, and then harder."""
    rng = random.Random(1)
    words = [rng.randbytes(rng.randrange(3, 9)) for _ in range(400)]
    block = b"".join(rng.choice(words) for _ in range(BLOCK_BYTES // 5))[:BLOCK_BYTES]

    def unit(number: int) -> object:
        is_hard = number // PHASE_BLOCKS % 2
        return zlib.compress(block, HARD_LEVEL if is_hard else EASY_LEVEL)

    return unit


def hasher() -> Callable[[int], object]:
    """Hashes the same block over and over: it never varies."""
    block = bytes(range(256)) * (BLOCK_BYTES // 64)
    return lambda _: hashlib.sha256(block).digest()


WORK = {"encoder": encoder, "hasher": hasher, "nightly": encoder}


def main() -> None:
    """Work until killed."""
    kind, counter, *place = sys.argv[1:]
    at = int(place[0]) if place else 0
    unit = WORK[kind]()
    with Path(counter).open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        done = memoryview(mapped).cast(COUNT)
        for number in itertools.count(1):
            unit(number)
            done[at] = number


if __name__ == "__main__":
    main()

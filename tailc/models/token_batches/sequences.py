"""State of the sequences in a replay of a language model's server, as arrays of compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.models.token_batches.arrays import EngineArrays, TokenRequests

Int64s = NDArray[np.int64]


class SequenceArrays(NamedTuple):
    """State of each request, and the orders of those that run and of those that wait.

    computed, blocks: tokens in the cache and their blocks, up to the end of the prompt. target:
    tokens to compute before decoding. generated: tokens of the output then. last_ns: time of the
    last of them. joined: decode clock when decoding began; ABSENT: the sequence does not decode.
    running: in the order of their starts. waiting: ranks of those that wait, as a heap.
    completed: sequences whose prompt this iteration completes. tick_ns: end of each iteration that
    decodes. size: the counters below.

    All decoding sequences take a token in the same iterations, so their state follows from `joined`
    and from the number of those iterations, the decode clock. need: decoding sequences by the
    iterations in which they need a block of the cache, modulo the tokens of a block. first, after,
    before: a list of the sequences that end at each value of the clock, modulo a power of two.
    """

    computed: Int64s
    blocks: Int64s
    target: Int64s
    generated: Int64s
    last_ns: Int64s
    joined: Int64s
    running: Int64s
    waiting: Int64s
    completed: Int64s
    tick_ns: Int64s
    need: Int64s
    first: Int64s
    after: Int64s
    before: Int64s
    size: Int64s


# QUEUED counts requests that wait, WAITING their prompt tokens and those of a partly computed
# prompt.
RUNNING, QUEUED, FREE, WAITING, DECODING, COMPLETED, ARRIVED, CLOCK, CONTEXT = range(9)
SIZES = 9
ABSENT = -1


def initial_sequences(engine: EngineArrays, requests: TokenRequests) -> SequenceArrays:
    """Make the state of the sequences before the first arrival."""
    number, most = len(requests.arrival_ns), engine.max_sequences
    size = np.zeros(SIZES, np.int64)
    size[FREE] = engine.kv_blocks
    buckets = 1
    while buckets <= requests.output.max():
        buckets *= 2
    return SequenceArrays(
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
        requests.prompt.copy(),
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
        np.full(number, ABSENT, np.int64),
        np.zeros(most, np.int64),
        np.zeros(number, np.int64),
        np.zeros(most, np.int64),
        np.empty(requests.first_gap[-1], np.int64),
        np.zeros(engine.block_tokens, np.int64),
        np.full(buckets, ABSENT, np.int64),
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
        size,
    )

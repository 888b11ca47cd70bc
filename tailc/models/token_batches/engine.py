"""Iteration-level batching of a language model's server (compiled).

At the start of an iteration the requests that have arrived wait, first come first served. Decoding
sequences take one token each; then the sequence whose prompt is partly computed, and then waiting
requests, take prompt tokens until the budget, the limit of sequences or the cache ends. The
iteration ends after its time, and every decoding sequence, and every one whose prompt is complete,
has one more token. If a decoding sequence needs a block of the cache and none is free, the sequence
that started last loses its blocks and waits as the first; its prompt and its tokens are computed
again. A prompt never takes blocks from another sequence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.models.token_batches.arrays import EngineArrays, TableArrays, TokenRequests

Int64s = NDArray[np.int64]

# Numbers in `counts` of a log.
ITERATIONS, PREEMPTIONS, PROMPT_TOKENS, DECODED_TOKENS, BUSY_NS = 0, 1, 2, 3, 4
COUNTS = 5


class TokenLog(NamedTuple):
    """What the engine records.

    ttft_ns, end_ns: int64 (requests,). gap_ns: int64 (gaps,), times between tokens. visits: int64
    (rows, columns), time [ns] of iterations by the cell that they used. counts: int64 (COUNTS,).
    """

    ttft_ns: Int64s
    end_ns: Int64s
    gap_ns: Int64s
    visits: Int64s
    counts: Int64s


class _Sequences(NamedTuple):
    """State of each request, and the orders of those that run and of those that lost their cache.

    computed: tokens in the cache. target: tokens to compute before decoding. generated: tokens of
    the output. blocks: blocks of the cache. running: in the order of their starts. again: those
    that lost their cache, the next one last. decoded, completed: sequences with a token in this
    iteration, which decode or whose prompt is complete. size: the counters below.
    """

    computed: Int64s
    target: Int64s
    generated: Int64s
    blocks: Int64s
    last_ns: Int64s
    running: Int64s
    again: Int64s
    decoded: Int64s
    completed: Int64s
    size: Int64s


_RUNNING, _AGAIN, _FREE, _WAITING, _DECODING, _COMPLETED, _ARRIVED, _HEAD = range(8)
_SIZES = 8


@njit(cache=True, nogil=True)
def _part_ns(part, amount):  # pragma: no cover - compiled
    at = len(part.knots) - 2
    while at > 0 and part.knots[at] > amount:
        at -= 1
    rise = part.time_ns[at + 1] - part.time_ns[at]
    run = part.knots[at + 1] - part.knots[at]
    return part.time_ns[at] + (amount - part.knots[at]) * rise // run


@njit(cache=True, nogil=True)
def _step_ns(engine, prompt, decoding, context):  # pragma: no cover - compiled
    return (
        engine.fixed_ns
        + _part_ns(engine.tokens, prompt + decoding)
        + _part_ns(engine.prompt, prompt)
        + _part_ns(engine.decoding, decoding)
        + _part_ns(engine.context, context)
    )


@njit(cache=True, nogil=True)
def _preempt_last(state, requests):  # pragma: no cover - compiled
    """The sequence that started last waits again, as the first."""
    size = state.size
    size[_RUNNING] -= 1
    last = state.running[size[_RUNNING]]
    if state.computed[last] < state.target[last]:
        size[_WAITING] -= state.target[last] - state.computed[last]
    else:
        size[_DECODING] -= 1
    size[_FREE] += state.blocks[last]
    state.blocks[last] = 0
    state.computed[last] = 0
    state.target[last] = requests.prompt[last] + state.generated[last]
    size[_WAITING] += state.target[last] - requests.cached[last]
    state.again[size[_AGAIN]] = last
    size[_AGAIN] += 1


@njit(cache=True, nogil=True)
def _decode(engine, requests, state, counts):  # pragma: no cover - compiled
    """Let every decoding sequence take a token; returns their number and their context."""
    at, decoding, context = 0, 0, 0
    while at < state.size[_RUNNING]:
        one = state.running[at]
        if state.computed[one] >= state.target[one]:
            if state.computed[one] == state.blocks[one] * engine.block_tokens:
                while state.size[_FREE] == 0 and state.size[_RUNNING] > at:
                    _preempt_last(state, requests)
                    counts[PREEMPTIONS] += 1
                if state.size[_RUNNING] == at:
                    break
                state.size[_FREE] -= 1
                state.blocks[one] += 1
            state.decoded[decoding] = one
            decoding += 1
            context += state.computed[one]
        at += 1
    return decoding, context


@njit(cache=True, nogil=True)
def _take(engine, state, one, most):  # pragma: no cover - compiled
    """Compute up to `most` prompt tokens of a sequence, as its blocks allow; returns how many.

    If the prompt is complete then, the sequence is added to `completed`.
    """
    size = state.size
    room = (state.blocks[one] + size[_FREE]) * engine.block_tokens - state.computed[one]
    chunk = min(most, state.target[one] - state.computed[one], room)
    state.computed[one] += chunk
    needed = -(-state.computed[one] // engine.block_tokens) - state.blocks[one]
    state.blocks[one] += needed
    size[_FREE] -= needed
    size[_WAITING] -= chunk
    if state.computed[one] == state.target[one]:
        state.completed[size[_COMPLETED]] = one
        size[_COMPLETED] += 1
    return chunk


@njit(cache=True, nogil=True)
def _next_waiting(state):  # pragma: no cover - compiled
    """The first of the waiting requests, or -1."""
    size = state.size
    if size[_AGAIN] > 0:
        return state.again[size[_AGAIN] - 1]
    return size[_HEAD] if size[_HEAD] < size[_ARRIVED] else -1


@njit(cache=True, nogil=True)
def _start(requests, state, one):  # pragma: no cover - compiled
    """The first of the waiting requests runs, with the cache of its prefix."""
    size = state.size
    if size[_AGAIN] > 0:
        size[_AGAIN] -= 1
    else:
        size[_HEAD] += 1
    state.running[size[_RUNNING]] = one
    size[_RUNNING] += 1
    state.computed[one] = requests.cached[one]


@njit(cache=True, nogil=True)
def _compute_prompts(engine, requests, state, left, starts):  # pragma: no cover - compiled
    """Compute up to `left` prompt tokens; returns their number and their context."""
    size, prompt, context = state.size, 0, 0
    size[_COMPLETED] = 0
    if left > 0 and size[_RUNNING] > 0:
        # Only the last one can have a partly computed prompt: others start when it is complete.
        one = state.running[size[_RUNNING] - 1]
        if state.computed[one] < state.target[one]:
            before = state.computed[one]
            prompt = _take(engine, state, one, left)
            context = before if prompt else 0
    while prompt < left and starts > 0 and size[_RUNNING] < engine.max_sequences:
        one = _next_waiting(state)
        if one < 0:
            break
        cached = requests.cached[one]
        chunk = min(left - prompt, state.target[one] - cached)
        # If the blocks that a chunk needs are not free, the request waits, and others behind it.
        if -(-(cached + chunk) // engine.block_tokens) > size[_FREE]:
            break
        _start(requests, state, one)
        prompt += _take(engine, state, one, chunk)
        context += cached
        starts -= 1
    return prompt, context


@njit(cache=True, nogil=True)
def _arrive(requests, state, now_ns):  # pragma: no cover - compiled
    """Requests wait from their arrival on; returns the time, which an idle server lets pass."""
    size = state.size
    while True:
        at = size[_ARRIVED]
        if at < len(requests.arrival_ns) and requests.arrival_ns[at] <= now_ns:
            size[_WAITING] += requests.prompt[at] - requests.cached[at]
            size[_ARRIVED] += 1
        elif size[_RUNNING] + size[_AGAIN] > 0 or size[_HEAD] < at:
            return now_ns
        else:
            now_ns = requests.arrival_ns[at]


@njit(cache=True, nogil=True)
def _initial(engine, requests):  # pragma: no cover - compiled
    """The state before the first arrival."""
    number, most = len(requests.arrival_ns), engine.max_sequences
    size = np.zeros(_SIZES, np.int64)
    size[_FREE] = engine.kv_blocks
    return _Sequences(
        np.zeros(number, np.int64),
        requests.prompt.copy(),
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
        np.zeros(most, np.int64),
        np.zeros(number, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        size,
    )


@njit(cache=True, nogil=True)
def run(
    engine: EngineArrays, table: TableArrays, requests: TokenRequests, log: TokenLog
) -> bool:  # pragma: no cover - compiled
    """Replay the requests; False if an iteration has nothing to do, which no valid table causes."""
    state = _initial(engine, requests)
    size, now_ns, finished = state.size, 0, 0
    while finished < len(requests.arrival_ns):
        now_ns = _arrive(requests, state, now_ns)
        row = np.searchsorted(table.first_decoding, size[_DECODING], side="right") - 1
        column = np.searchsorted(table.first_waiting, size[_WAITING], side="right") - 1
        budget, starts = table.budgets[row, column], table.new_sequences[row]
        decoding, context = 0, 0
        pauses = engine.prompts_first and size[_WAITING] > 0
        if not pauses:
            decoding, context = _decode(engine, requests, state, log.counts)
        prompt, before = _compute_prompts(engine, requests, state, budget - decoding, starts)
        if pauses and prompt == 0:
            decoding, context = _decode(engine, requests, state, log.counts)
        if decoding + prompt == 0:
            return False
        took_ns = _step_ns(engine, prompt, decoding, context + before)
        now_ns += took_ns
        log.visits[row, column] += took_ns
        log.counts[ITERATIONS] += 1
        log.counts[PROMPT_TOKENS] += prompt
        log.counts[DECODED_TOKENS] += decoding
        log.counts[BUSY_NS] += took_ns
        finished += _emit_all(requests, state, log, decoding, now_ns)
    return True


@njit(cache=True, nogil=True)
def _emit_all(requests, state, log, decoding, now_ns):  # pragma: no cover - compiled
    """Record the tokens of an iteration; returns the number of requests that it ended."""
    ended, completed = 0, state.size[_COMPLETED]
    for at in range(decoding):
        state.computed[state.decoded[at]] += 1
        ended += _emit(requests, state, log, state.decoded[at], now_ns)
    for at in range(completed):
        ended += _emit(requests, state, log, state.completed[at], now_ns)
    state.size[_DECODING] += completed - ended
    if ended:
        _remove_ended(requests, state)
    return ended


@njit(cache=True, nogil=True)
def _emit(requests, state, log, one, now_ns):  # pragma: no cover - compiled
    """Record a token of a sequence; returns whether it was the last one."""
    if state.generated[one] == 0:
        log.ttft_ns[one] = now_ns - requests.arrival_ns[one]
    else:
        gap = requests.first_gap[one] + state.generated[one] - 1
        log.gap_ns[gap] = now_ns - state.last_ns[one]
    state.last_ns[one] = now_ns
    state.generated[one] += 1
    if state.generated[one] < requests.output[one]:
        return 0
    log.end_ns[one] = now_ns
    state.size[_FREE] += state.blocks[one]
    return 1


@njit(cache=True, nogil=True)
def _remove_ended(requests, state):  # pragma: no cover - compiled
    """Remove the sequences that have all their tokens from those that run."""
    stay = 0
    for at in range(state.size[_RUNNING]):
        one = state.running[at]
        if state.generated[one] < requests.output[one]:
            state.running[stay] = one
            stay += 1
    state.size[_RUNNING] = stay

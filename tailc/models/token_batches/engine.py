"""Iteration-level batching of a language model's server (compiled).

At the start of an iteration the requests that have arrived wait in the order of their ranks.
Decoding sequences take one token each; then the sequence whose prompt is partly computed, and then
waiting requests, take prompt tokens until the budget or the limit of sequences ends. The iteration
ends after its time, and every decoding sequence, and every one whose prompt is complete, has one
more token.

If a decoding sequence or a partly computed prompt needs blocks of the cache that are not free, the
running sequence with the last rank loses its blocks and waits again; its prompt and its tokens are
computed again. A request starts only if the blocks of its whole prompt are free, and none starts in
an iteration in which a sequence has lost its blocks (the rules of vLLM 0.32).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.models.kernel_decorators import loop, once, part
from tailc.models.token_batches.arrays import EngineArrays, TableArrays, TokenRequests
from tailc.models.token_batches.sequences import (
    ABSENT,
    ARRIVED,
    CLOCK,
    COMPLETED,
    CONTEXT,
    DECODING,
    FREE,
    QUEUED,
    RUNNING,
    WAITING,
    initial_sequences,
)
from tailc.models.token_batches.token_log import (
    BUSY_NS,
    DECODED_TOKENS,
    ITERATIONS,
    PREEMPTIONS,
    PROMPT_TOKENS,
    TokenLog,
)

Int64s = NDArray[np.int64]


@part
def _part_ns(part, amount):  # pragma: no cover - compiled
    at = len(part.knots) - 2
    while at > 0 and part.knots[at] > amount:
        at -= 1
    rise = part.time_ns[at + 1] - part.time_ns[at]
    run = part.knots[at + 1] - part.knots[at]
    return part.time_ns[at] + (amount - part.knots[at]) * rise // run


@part
def _step_ns(engine, prompt, decoding, context):  # pragma: no cover - compiled
    return (
        engine.fixed_ns
        + _part_ns(engine.tokens, prompt + decoding)
        + _part_ns(engine.prompt, prompt)
        + _part_ns(engine.decoding, decoding)
        + _part_ns(engine.context, context)
    )


@part
def _decoded(state, one):  # pragma: no cover - compiled
    """Tokens in the cache of a decoding sequence."""
    return state.target[one] + state.size[CLOCK] - state.joined[one]


@part
def _end_clock(requests, state, one):  # pragma: no cover - compiled
    """The decode clock at which a sequence has all its tokens."""
    return state.joined[one] + requests.output[one] - state.generated[one]


@part
def _join(engine, requests, state, one):  # pragma: no cover - compiled
    """A sequence whose prompt is complete decodes from the next iteration on."""
    size = state.size
    state.joined[one] = size[CLOCK]
    size[DECODING] += 1
    size[CONTEXT] += state.target[one]
    state.need[(state.joined[one] - state.target[one]) % engine.block_tokens] += 1
    bucket = _end_clock(requests, state, one) & (len(state.first) - 1)
    state.after[one], state.before[one] = state.first[bucket], ABSENT
    if state.first[bucket] != ABSENT:
        state.before[state.first[bucket]] = one
    state.first[bucket] = one


@part
def _leave(engine, requests, state, log, one):  # pragma: no cover - compiled
    """A sequence decodes no longer: record its tokens, and free its blocks."""
    size, joined = state.size, state.joined[one]
    computed = _decoded(state, one)
    size[DECODING] -= 1
    size[CONTEXT] -= computed
    size[FREE] += -(-computed // engine.block_tokens)
    state.need[(joined - state.target[one]) % engine.block_tokens] -= 1
    after, before = state.after[one], state.before[one]
    if after != ABSENT:
        state.before[after] = before
    if before != ABSENT:
        state.after[before] = after
    else:
        state.first[_end_clock(requests, state, one) & (len(state.first) - 1)] = after
    gap, last_ns = requests.first_gap[one] + state.generated[one] - 1, state.last_ns[one]
    for at in range(joined, size[CLOCK]):
        log.gap_ns[gap] = state.tick_ns[at] - last_ns
        last_ns = state.tick_ns[at]
        gap += 1
    state.last_ns[one] = last_ns
    state.generated[one] += size[CLOCK] - joined
    state.joined[one] = ABSENT


@part
def _enqueue(requests, state, one):  # pragma: no cover - compiled
    """A request waits: its rank rises in the heap of those that do."""
    heap, at, rank = state.waiting, state.size[QUEUED], requests.rank[one]
    while at > 0 and heap[(at - 1) // 2] > rank:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = rank
    state.size[QUEUED] += 1


@once
def _dequeue(state):  # pragma: no cover - compiled
    """The first of the waiting requests waits no longer: the last of the heap takes its place."""
    state.size[QUEUED] -= 1
    heap, number = state.waiting, state.size[QUEUED]
    at, child = 0, 1
    while child < number:
        if child + 1 < number and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] > heap[number]:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = heap[number]


@once
def _remove_last_rank(requests, state):  # pragma: no cover - compiled
    """Remove the running sequence with the last rank from those that run; returns its place."""
    size, place = state.size, 0
    for at in range(1, size[RUNNING]):
        if requests.rank[state.running[at]] > requests.rank[state.running[place]]:
            place = at
    one = state.running[place]
    size[RUNNING] -= 1
    for at in range(place, size[RUNNING]):
        state.running[at] = state.running[at + 1]
    state.running[size[RUNNING]] = one
    return place


@once
def _preempt(engine, requests, state, log, served):  # pragma: no cover - compiled
    """The running sequence with the last rank waits again; returns the place where it ran.

    served: those at places below it have their block for this iteration.
    """
    size = state.size
    place = _remove_last_rank(requests, state)
    one = state.running[size[RUNNING]]
    if state.joined[one] == ABSENT:
        size[WAITING] -= state.target[one] - state.computed[one]
        size[FREE] += state.blocks[one]
    else:
        if place < served and _decoded(state, one) % engine.block_tokens == 0:
            size[FREE] += 1
        _leave(engine, requests, state, log, one)
    state.blocks[one] = 0
    state.computed[one] = 0
    state.target[one] = requests.prompt[one] + state.generated[one]
    size[WAITING] += state.target[one] - requests.cached[one]
    _enqueue(requests, state, one)
    log.counts[PREEMPTIONS] += 1
    return place


@part
def _take_blocks(size, need):  # pragma: no cover - compiled
    """Give blocks to the decoding sequences that need one; False, and no change, without enough."""
    needed = need[size[CLOCK] % len(need)]
    if size[FREE] < needed:
        return False
    size[FREE] -= needed
    return True


@once
def _make_room(engine, requests, state, log):  # pragma: no cover - compiled
    """Give blocks to decoding sequences in the order of their starts.

    Without a free block the running sequence with the last rank loses its blocks. Returns 0 then,
    since no request starts in an iteration with a preemption, and else 1.
    """
    size, at, preemptions = state.size, 0, log.counts[PREEMPTIONS]
    while at < size[RUNNING]:
        one = state.running[at]
        if state.joined[one] == ABSENT or _decoded(state, one) % engine.block_tokens > 0:
            at += 1
        elif size[FREE] > 0:
            size[FREE] -= 1
            at += 1
        else:
            at -= _preempt(engine, requests, state, log, at) < at
    return int(log.counts[PREEMPTIONS] == preemptions)


@part
def _take(engine, state, one, chunk):  # pragma: no cover - compiled
    """Compute prompt tokens of a sequence, whose blocks are free.

    If the prompt is complete then, the sequence is added to `completed`.
    """
    size = state.size
    state.computed[one] += chunk
    needed = -(-state.computed[one] // engine.block_tokens) - state.blocks[one]
    state.blocks[one] += needed
    size[FREE] -= needed
    size[WAITING] -= chunk
    if state.computed[one] == state.target[one]:
        state.completed[size[COMPLETED]] = one
        size[COMPLETED] += 1


@once
def _next_waiting(requests, state):  # pragma: no cover - compiled
    """The first of the waiting requests, or -1."""
    return requests.by_rank[state.waiting[0]] if state.size[QUEUED] > 0 else -1


@once
def _start(requests, state, one):  # pragma: no cover - compiled
    """The first of the waiting requests runs, with the cache of its prefix."""
    size = state.size
    _dequeue(state)
    state.running[size[RUNNING]] = one
    size[RUNNING] += 1
    state.computed[one] = requests.cached[one]


@once
def _tokens_within(engine, state, most, decoding, context):  # pragma: no cover - compiled
    """Up to `most` prompt tokens with which the iteration ends within the limit of the engine.

    Without decoding sequences there is no limit, as `gap_tokens` tokens for each of them wait.
    """
    size = state.size
    if engine.limit_ns == 0 or size[WAITING] >= engine.gap_tokens * decoding:
        return most
    last = state.running[size[RUNNING] - 1]
    if state.joined[last] == ABSENT:
        context += state.computed[last]
    low, high = -1, min(most, size[WAITING])
    while low < high:
        middle = (low + high + 1) // 2
        if _step_ns(engine, middle, decoding, context) <= engine.limit_ns:
            low = middle
        else:
            high = middle - 1
    return max(low, 0)


@once
def _fits_after_preemption(engine, requests, state, log, chunk):  # pragma: no cover - compiled
    """Whether the last running sequence still runs, after others gave it blocks for its chunk."""
    size = state.size
    one = state.running[size[RUNNING] - 1]
    needed = -(-(state.computed[one] + chunk) // engine.block_tokens) - state.blocks[one]
    while size[FREE] < needed:
        _preempt(engine, requests, state, log, size[RUNNING])
        if size[RUNNING] == 0 or state.running[size[RUNNING] - 1] != one:
            return False
    return True


@part
def _compute_prompts(engine, requests, state, log, left, starts):  # pragma: no cover - compiled
    """Compute up to `left` prompt tokens; returns their number and their context."""
    size, prompt, context = state.size, 0, 0
    preemptions = log.counts[PREEMPTIONS]
    if left > 0 and size[RUNNING] > 0:
        # Only the last one can have a partly computed prompt: others start when it is complete.
        one = state.running[size[RUNNING] - 1]
        chunk = min(left, state.target[one] - state.computed[one])
        if chunk > 0 and _fits_after_preemption(engine, requests, state, log, chunk):
            prompt, context = chunk, state.computed[one]
            _take(engine, state, one, chunk)
    if log.counts[PREEMPTIONS] > preemptions:
        return prompt, context
    while prompt < left and starts > 0 and size[RUNNING] < engine.max_sequences:
        one = _next_waiting(requests, state)
        if one < 0:
            break
        cached = requests.cached[one]
        chunk = min(left - prompt, state.target[one] - cached)
        # If the blocks of its whole prompt are not free, the request waits, and others behind it.
        if -(-state.target[one] // engine.block_tokens) > size[FREE]:
            break
        _start(requests, state, one)
        _take(engine, state, one, chunk)
        prompt += chunk
        context += cached
        starts -= 1
    return prompt, context


@part
def _has_arrived(arrival_ns, size, now_ns):  # pragma: no cover - compiled
    """Whether another request has arrived."""
    return size[ARRIVED] < len(arrival_ns) and arrival_ns[size[ARRIVED]] <= now_ns


@once
def _arrive(requests, state, now_ns):  # pragma: no cover - compiled
    """Requests wait from their arrival on; returns the time, which an idle server lets pass."""
    size = state.size
    while True:
        at = size[ARRIVED]
        if _has_arrived(requests.arrival_ns, size, now_ns):
            size[WAITING] += requests.prompt[at] - requests.cached[at]
            size[ARRIVED] += 1
            _enqueue(requests, state, at)
        elif size[RUNNING] + size[QUEUED] > 0:
            return now_ns
        else:
            now_ns = requests.arrival_ns[at]


def run(engine: EngineArrays, table: TableArrays, requests: TokenRequests, log: TokenLog) -> bool:
    """Replay requests on a language model's server under a token-budget table, and fill the log.

    Returns False if an iteration has nothing to do, which no valid table causes.
    """
    return _run_iterations(engine, table, requests, initial_sequences(engine, requests), log)


@loop
def _run_iterations(engine, table, requests, state, log):  # pragma: no cover - compiled
    size, now_ns, finished = state.size, 0, 0
    while finished < len(requests.arrival_ns):
        if size[RUNNING] == 0 or _has_arrived(requests.arrival_ns, size, now_ns):
            now_ns = _arrive(requests, state, now_ns)
        row = np.searchsorted(table.first_decoding, size[DECODING], side="right") - 1
        column = np.searchsorted(table.first_waiting, size[WAITING], side="right") - 1
        budget, starts = table.budgets[row, column], table.new_sequences[row]
        decoding, context, prompt, before = 0, 0, 0, 0
        pauses = engine.prompts_first and size[WAITING] > 0
        if pauses:
            prompt, before = _compute_prompts(engine, requests, state, log, budget, starts)
        if prompt == 0 and size[DECODING] > 0:
            if not _take_blocks(size, state.need):
                starts *= _make_room(engine, requests, state, log)
            decoding, context = size[DECODING], size[CONTEXT]
        if not pauses and size[WAITING] > 0:
            left = _tokens_within(engine, state, budget - decoding, decoding, context)
            prompt, before = _compute_prompts(engine, requests, state, log, left, starts)
            if decoding > 0:
                decoding, context = size[DECODING], size[CONTEXT]
        if decoding + prompt == 0:
            return False
        took_ns = _step_ns(engine, prompt, decoding, context + before)
        now_ns += took_ns
        log.visits[row, column] += took_ns
        _record(log.counts, log.steps, prompt, decoding, context + before)
        log.counts[BUSY_NS] += took_ns
        ends = decoding > 0 and _tick(size, state.tick_ns, state.first, now_ns)
        if ends or size[COMPLETED] > 0:
            finished += _emit_all(engine, requests, state, log, now_ns)
    return True


@part
def _record(counts, steps, prompt, decoding, context):  # pragma: no cover - compiled
    """Count an iteration, and record what it batches while there is room."""
    if counts[ITERATIONS] < len(steps):
        steps[counts[ITERATIONS]] = prompt, decoding, context
    counts[ITERATIONS] += 1
    counts[PROMPT_TOKENS] += prompt
    counts[DECODED_TOKENS] += decoding


@part
def _tick(size, tick_ns, first, now_ns):  # pragma: no cover - compiled
    """Every decoding sequence has a token; returns whether one has all its tokens."""
    tick_ns[size[CLOCK]] = now_ns
    size[CLOCK] += 1
    size[CONTEXT] += size[DECODING]
    return first[size[CLOCK] & (len(first) - 1)] != ABSENT


@once
def _emit_all(engine, requests, state, log, now_ns):  # pragma: no cover - compiled
    """End sequences, and let others decode; returns the number of requests that end."""
    ended = _end_due(engine, requests, state, log)
    if state.size[COMPLETED] > 0:
        ended += _complete(engine, requests, state, log, now_ns)
    if ended > 0:
        _remove_ended(requests, state)
    return ended


@once
def _end_due(engine, requests, state, log):  # pragma: no cover - compiled
    """End the sequences that have their last token now; returns their number."""
    size, ended = state.size, 0
    bucket = size[CLOCK] & (len(state.first) - 1)
    while state.first[bucket] != ABSENT:
        one = state.first[bucket]
        _leave(engine, requests, state, log, one)
        log.end_ns[one] = state.last_ns[one]
        ended += 1
    return ended


@once
def _complete(engine, requests, state, log, now_ns):  # pragma: no cover - compiled
    """Sequences whose prompt is complete have a token; returns the number of requests that end."""
    ended = 0
    for at in range(state.size[COMPLETED]):
        one = state.completed[at]
        if state.generated[one] == 0:
            log.ttft_ns[one] = now_ns - requests.arrival_ns[one]
        else:
            gap = requests.first_gap[one] + state.generated[one] - 1
            log.gap_ns[gap] = now_ns - state.last_ns[one]
        state.last_ns[one] = now_ns
        state.generated[one] += 1
        if state.generated[one] < requests.output[one]:
            _join(engine, requests, state, one)
        else:
            log.end_ns[one] = now_ns
            state.size[FREE] += state.blocks[one]
            ended += 1
    state.size[COMPLETED] = 0
    return ended


@once
def _remove_ended(requests, state):  # pragma: no cover - compiled
    """Remove the sequences that have all their tokens from those that run."""
    stay = 0
    for at in range(state.size[RUNNING]):
        one = state.running[at]
        if state.generated[one] < requests.output[one]:
            state.running[stay] = one
            stay += 1
    state.size[RUNNING] = stay

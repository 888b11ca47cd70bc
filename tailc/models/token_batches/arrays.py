"""A token-budget table and requests as flat arrays for the compiled replay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.budget_table import BudgetTable
from tailc.forms.step_times import StepPart

Int64s = NDArray[np.int64]

NEVER = 2**40
"""More prompt tokens than wait for a decoding sequence in any replay."""


class PartArrays(NamedTuple):
    """A part of an iteration's time as arrays, piecewise linear in an amount of tokens.

    knots: the amounts. time_ns: the times at them [ns].
    """

    knots: Int64s
    time_ns: Int64s


class EngineArrays(NamedTuple):
    """Limits and iteration times of a language model's server, and the rule of its scheduler.

    Attributes:
        kv_blocks, block_tokens: number of blocks of the key-value cache, and tokens in a block.
        max_sequences: largest number of sequences in an iteration.
        prompts_first, limit_ns: rule of the scheduler, as in TokenScheduler.
        fixed_ns: constant part of an iteration's time.
        tokens, prompt, decoding, context: parts of the time by the number of tokens, of prompt
            tokens, of decoding sequences, and of tokens in the cache.
    """

    kv_blocks: int
    block_tokens: int
    max_sequences: int
    prompts_first: bool
    limit_ns: int
    gap_tokens: int
    fixed_ns: int
    tokens: PartArrays
    prompt: PartArrays
    decoding: PartArrays
    context: PartArrays


class TableArrays(NamedTuple):
    """A token-budget table as arrays, for the compiled replay.

    first_decoding, new_sequences: number of decoding sequences from which each row holds, and of
    new sequences that the row allows (rows,). first_waiting: number of waiting tokens from which
    each column holds (columns,). budgets: tokens of an iteration (rows, columns). All are int64.
    """

    first_decoding: Int64s
    new_sequences: Int64s
    first_waiting: Int64s
    budgets: Int64s


class TokenRequests(NamedTuple):
    """Requests to a language model in the order of arrival, int64 (requests,).

    prompt, output: number of tokens. cached: tokens of the prompt that are in the cache of
    prefixes. first_gap: a gap is the time between two output tokens of a request, and gaps of all
    requests are numbered together; first_gap is the number of each request's first gap, and at the
    end the number of all gaps. rank: place of each request in the order in which requests wait.
    by_rank: the requests in this order.
    """

    arrival_ns: Int64s
    prompt: Int64s
    output: Int64s
    cached: Int64s
    first_gap: Int64s
    rank: Int64s
    by_rank: Int64s


@dataclass(frozen=True)
class TokenScheduler:
    """A rule for the batch of each iteration: the policy's token-budget table, or a baseline.

    name, about: text for reports. prompts_first: decoding pauses while prompts wait. limit_ns: an
    iteration with decoding sequences has only the prompt tokens with which it ends within this
    time, unless `gap_tokens` or more prompt tokens wait for each decoding sequence; 0: no limit.
    shortest_first: of the waiting requests the one with the fewest prompt tokens starts first.
    """

    name: str
    about: str
    table: BudgetTable
    prompts_first: bool = False
    limit_ns: int = 0
    gap_tokens: int = NEVER
    shortest_first: bool = False


def engine_arrays(scheduler: TokenScheduler) -> EngineArrays:
    """Convert the engine of a scheduler to arrays for the compiled replay."""
    engine = scheduler.table.engine
    step = engine.step
    return EngineArrays(
        engine.kv_blocks,
        engine.block_tokens,
        engine.max_sequences,
        scheduler.prompts_first,
        scheduler.limit_ns,
        scheduler.gap_tokens,
        step.fixed_ns,
        *map(_part, (step.tokens, step.prompt, step.decoding, step.context)),
    )


def table_arrays(table: BudgetTable) -> TableArrays:
    """Convert a token-budget table to arrays for the compiled replay."""
    return TableArrays(
        _int64([row.first_decoding for row in table.rows]),
        _int64([row.new_sequences for row in table.rows]),
        _int64(table.first_waiting),
        _int64([row.budgets for row in table.rows]),
    )


def token_requests(
    arrival_ns: Int64s,
    prompt: Int64s,
    output: Int64s,
    cached: Int64s,
    priority: Int64s | None = None,
) -> TokenRequests:
    """Convert requests of a language model to arrays, with the index of each one's first gap.

    A gap is a time between two tokens; gaps of all requests are numbered together. Of the waiting
    requests one with the lowest priority starts first, and of those the first to arrive; None: all
    have the same priority.
    """
    first_gap = np.concatenate([[0], np.cumsum(output - 1)]).astype(np.int64)
    by_rank = np.arange(len(output))
    if priority is not None:
        by_rank = np.argsort(priority, kind="stable")
    rank = np.argsort(by_rank)
    return TokenRequests(arrival_ns, prompt, output, cached, first_gap, rank, by_rank)


def shortest_first(requests: TokenRequests) -> TokenRequests:
    """The same requests, which wait in the order of their prompt tokens without cached ones."""
    by_rank = np.argsort(requests.prompt - requests.cached, kind="stable")
    return requests._replace(rank=np.argsort(by_rank), by_rank=by_rank)


def _part(part: StepPart) -> PartArrays:
    return PartArrays(_int64(part.knots), _int64(part.time_ns))


def _int64(values: object) -> Int64s:
    return np.array(values, dtype=np.int64)

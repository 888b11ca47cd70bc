"""A budget table and requests as flat arrays for the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.budget_table import BudgetTable
from tailc.forms.step_times import StepPart

Int64s = NDArray[np.int64]


class PartArrays(NamedTuple):
    """A part of an iteration's time as arrays, piecewise linear in an amount of tokens.

    knots: the amounts. time_ns: the times at them [ns].
    """

    knots: Int64s
    time_ns: Int64s


class EngineArrays(NamedTuple):
    """Limits and iteration times of a language model's engine, and the rule of its scheduler.

    See TokenScheduler.
    """

    kv_blocks: int
    block_tokens: int
    max_sequences: int
    prompts_first: bool
    limit_ns: int
    fixed_ns: int
    tokens: PartArrays
    prompt: PartArrays
    decoding: PartArrays
    context: PartArrays


class TableArrays(NamedTuple):
    """Arrays of a token-budget table, which gives the tokens of an iteration.

    All are int64: first_decoding and new_sequences (rows,), first_waiting (columns,), budgets
    (rows, columns). A row holds from a number of decoding sequences on, a column from a number of
    waiting tokens on.
    """

    first_decoding: Int64s
    new_sequences: Int64s
    first_waiting: Int64s
    budgets: Int64s


class TokenRequests(NamedTuple):
    """Requests to a language model in the order of arrival, int64 (requests,).

    cached: tokens of the prompt that are in the cache of prefixes. first_gap: index of a request's
    first gap between tokens, among those of all requests, with their total number at the end.
    """

    arrival_ns: Int64s
    prompt: Int64s
    output: Int64s
    cached: Int64s
    first_gap: Int64s


@dataclass(frozen=True)
class TokenScheduler:
    """A rule for the batch of each iteration: the policy's token-budget table, or a baseline.

    name, about: text for reports. prompts_first: decoding pauses while prompts wait. limit_ns: an
    iteration with decoding sequences has only the prompt tokens with which it ends within this
    time; 0: no limit.
    """

    name: str
    about: str
    table: BudgetTable
    prompts_first: bool = False
    limit_ns: int = 0


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
    arrival_ns: Int64s, prompt: Int64s, output: Int64s, cached: Int64s
) -> TokenRequests:
    """Convert requests of a language model to arrays, with the index of each one's first gap.

    A gap is a time between two tokens; gaps of all requests are numbered together.
    """
    first_gap = np.concatenate([[0], np.cumsum(output - 1)]).astype(np.int64)
    return TokenRequests(arrival_ns, prompt, output, cached, first_gap)


def _part(part: StepPart) -> PartArrays:
    return PartArrays(_int64(part.knots), _int64(part.time_ns))


def _int64(values: object) -> Int64s:
    return np.array(values, dtype=np.int64)

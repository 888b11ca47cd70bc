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
    """Knots and times [ns] of a part of the time of an iteration."""

    knots: Int64s
    time_ns: Int64s


class EngineArrays(NamedTuple):
    """Limits and step times of the engine, and the rule of its scheduler: see TokenScheduler."""

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
    """Requests in the order of arrival, int64 (requests,).

    cached: tokens of the prompt that the cache of prefixes has. first_gap: number of the first of
    its gaps between tokens, among those of all requests, and their total at the end.
    """

    arrival_ns: Int64s
    prompt: Int64s
    output: Int64s
    cached: Int64s
    first_gap: Int64s


@dataclass(frozen=True)
class TokenScheduler:
    """A budget table on its engine, or a baseline.

    name, about: in reports. prompts_first: decoding pauses while prompts wait. limit_ns:
    longest time of an iteration with decoding sequences, which limits its prompt tokens; 0: no
    limit.
    """

    name: str
    about: str
    table: BudgetTable
    prompts_first: bool = False
    limit_ns: int = 0


def engine_arrays(scheduler: TokenScheduler) -> EngineArrays:
    """The engine of a scheduler as arrays."""
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
    """The table as arrays."""
    return TableArrays(
        _int64([row.first_decoding for row in table.rows]),
        _int64([row.new_sequences for row in table.rows]),
        _int64(table.first_waiting),
        _int64([row.budgets for row in table.rows]),
    )


def token_requests(
    arrival_ns: Int64s, prompt: Int64s, output: Int64s, cached: Int64s
) -> TokenRequests:
    """Requests with the places of their gaps."""
    first_gap = np.concatenate([[0], np.cumsum(output - 1)]).astype(np.int64)
    return TokenRequests(arrival_ns, prompt, output, cached, first_gap)


def _part(part: StepPart) -> PartArrays:
    return PartArrays(_int64(part.knots), _int64(part.time_ns))


def _int64(values: object) -> Int64s:
    return np.array(values, dtype=np.int64)

"""A budget table in memory: tokens of the next iteration of a language model's server."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from math import inf

from tailc_runtime.counters import Counters
from tailc_runtime.errors import BadMeaning
from tailc_runtime.raw import Head, RawBudgetTable, RawStepPart

# Products of an amount and a time stay below 2^63.
LARGEST_AMOUNT = 2**26
LARGEST_NS = 2**36
MOST_ROWS, MOST_COLUMNS = 4_096, 1_024


class BudgetTable:
    """Token budgets for the iterations of a language model's server.

    Before every iteration, `lookup` gives the most tokens that it may batch, and how many sequences
    may start in it. Every decoding sequence takes a token first, and prompts take the rest.
    `kv_blocks`, `block_tokens` and `max_sequences` are the limits of the engine that the table was
    compiled for.
    """

    def __init__(self, head: Head, raw: RawBudgetTable, counters: Counters) -> None:
        _check(raw)
        self.name = head.name
        self.kind = head.kind
        self.generation = head.generation
        self.policy_digest = head.policy_digest
        self.kv_blocks = raw.kv_blocks
        self.block_tokens = raw.block_tokens
        self.max_sequences = raw.max_sequences
        self.counters = counters
        self._first_waiting = raw.first_waiting
        self._first_decoding = [first for first, _, _ in raw.rows]
        self._cells = [[(budget, most) for budget in budgets] for _, most, budgets in raw.rows]

    def lookup(self, decoding: int, waiting_tokens: int) -> tuple[int, int]:
        """The token budget of the next iteration, and the number of sequences that may start.

        decoding: sequences that decode. waiting_tokens: tokens of prompts that are not computed
        yet, of sequences that run and of requests that wait. Negative numbers count as 0. Raises
        ValueError for NaN.
        """
        if not (decoding <= inf and waiting_tokens <= inf):
            raise ValueError("numbers of sequences and tokens must not be NaN")
        row = bisect_right(self._first_decoding, decoding) - 1
        column = bisect_right(self._first_waiting, waiting_tokens) - 1
        return self._cells[max(row, 0)][max(column, 0)]


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)


def _ascends(values: Sequence[int]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))


def _check(raw: RawBudgetTable) -> None:
    """Refuse a table that contradicts itself."""
    columns = raw.first_waiting
    _require(0 < len(columns) <= MOST_COLUMNS, "`first_waiting` must have 1 to 1024 columns")
    _require(columns[0] == 0 and _ascends(columns), "`first_waiting` must ascend from 0")
    _require(columns[-1] <= LARGEST_AMOUNT, "`first_waiting` must be at most 2^26")
    _require(0 < len(raw.rows) <= MOST_ROWS, "`rows` must have 1 to 4096 rows")
    firsts = [first for first, _, _ in raw.rows]
    _require(firsts[0] == 0 and _ascends(firsts), "`first_decoding` must ascend from 0")
    _require(firsts[-1] <= LARGEST_AMOUNT, "`first_decoding` must be at most 2^26")
    for _, most, budgets in raw.rows:
        _require(most >= 0, "`new_sequences` must not be negative")
        _require(
            len(budgets) == len(columns), "`budgets` of a row must have a budget for each column"
        )
        fits = min(budgets) >= 0 and max(budgets) <= LARGEST_AMOUNT
        _require(fits, "`budgets` must be 0 to 2^26")
    _, most, budgets = raw.rows[0]
    _require(
        most > 0 and min(budgets) > 0,
        "`budgets` and `new_sequences` of the first row must be above 0",
    )
    _check_engine(raw)


def _check_engine(raw: RawBudgetTable) -> None:
    limits = (raw.kv_blocks, raw.block_tokens, raw.max_sequences)
    _require(min(limits) > 0, "`kv_blocks`, `block_tokens`, `max_sequences` must be above 0")
    fits = max(limits) <= LARGEST_AMOUNT and raw.kv_blocks * raw.block_tokens <= LARGEST_AMOUNT
    _require(fits, "`kv_blocks` x `block_tokens` and `max_sequences` must be at most 2^26")
    _require(0 < raw.fixed_ns <= LARGEST_NS, "`fixed_ns` must be 1 to 2^36")
    for part in raw.parts:
        _check_part(part)


def _check_part(part: RawStepPart) -> None:
    knots, time_ns = part
    _require(len(knots) == len(time_ns), "a knot must have a time, and no other")
    _require(len(knots) > 1, "`knots` must have at least two amounts")
    _require(knots[0] == 0 and _ascends(knots), "`knots` must ascend from 0")
    _require(knots[-1] <= LARGEST_AMOUNT, "`knots` must be at most 2^26")
    rises = all(a <= b for a, b in itertools.pairwise(time_ns))
    _require(time_ns[0] == 0 and rises, "`time_ns` must begin with 0 and not decrease")
    _require(time_ns[-1] <= LARGEST_NS, "`time_ns` must be at most 2^36")

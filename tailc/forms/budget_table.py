"""The budget-table form: how many tokens the next iteration of a language model's server batches.

Rows are numbers of decoding sequences, columns are prompt tokens that wait to be computed. A cell
is the token budget of the iteration: every decoding sequence takes one token first, and prompts
take the rest. With a budget of at most the number of decoding sequences no prompt is computed. A
row also limits the number of sequences that start in the iteration.

The table includes what it was compiled for: the engine's limits and the times of its iterations.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from tailc.forms.step_times import LARGEST_AMOUNT, StepTimes, ascends

MOST_ROWS, MOST_COLUMNS = 4_096, 1_024


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


@dataclass(frozen=True)
class BatchEngine:
    """Limits of a language model's server, and the times of its iterations.

    kv_blocks, block_tokens: number of blocks of the key-value cache, and tokens in a block.
    max_sequences: largest number of sequences in a batch. step: time of an iteration by its batch.
    """

    kv_blocks: int
    block_tokens: int
    max_sequences: int
    step: StepTimes

    def __post_init__(self) -> None:
        limits = (self.kv_blocks, self.block_tokens, self.max_sequences)
        _require(
            min(limits) >= 1, "`kv_blocks`, `block_tokens` and `max_sequences` must be above 0"
        )
        fits = max(limits) <= LARGEST_AMOUNT and self.cache_tokens <= LARGEST_AMOUNT
        _require(fits, "`kv_blocks` x `block_tokens` and `max_sequences` must be at most 2^26")

    @property
    def cache_tokens(self) -> int:
        """Number of tokens for which the key-value cache of the engine has room."""
        return self.kv_blocks * self.block_tokens


@dataclass(frozen=True)
class BudgetRow:
    """A row of a token-budget table: budgets for `first_decoding` or more decoding sequences.

    It holds up to the next row; its budgets are by column. new_sequences: how many sequences may
    start in the iteration.
    """

    first_decoding: int
    new_sequences: int
    budgets: tuple[int, ...]

    def __post_init__(self) -> None:
        _require(self.new_sequences >= 0, "`new_sequences` must not be negative")
        _require(bool(self.budgets), "`budgets` must not be empty")
        fits = min(self.budgets) >= 0 and max(self.budgets) <= LARGEST_AMOUNT
        _require(fits, "`budgets` must be 0 to 2^26")


@dataclass(frozen=True)
class BudgetTable:
    """Token budgets of an iteration: rows by decoding sequences, columns by waiting prompt tokens.

    first_waiting: the least number of waiting prompt tokens of each column.
    """

    first_waiting: tuple[int, ...] = field(metadata={"since": 11})
    rows: tuple[BudgetRow, ...]
    engine: BatchEngine

    def __post_init__(self) -> None:
        columns = self.first_waiting
        _require(0 < len(columns) <= MOST_COLUMNS, "`first_waiting` must have 1 to 1024 columns")
        _require(columns[0] == 0 and ascends(columns), "`first_waiting` must ascend from 0")
        _require(columns[-1] <= LARGEST_AMOUNT, "`first_waiting` must be at most 2^26")
        _require(0 < len(self.rows) <= MOST_ROWS, "`rows` must have 1 to 4096 rows")
        firsts = [row.first_decoding for row in self.rows]
        _require(firsts[0] == 0 and ascends(firsts), "`first_decoding` must ascend from 0")
        _require(firsts[-1] <= LARGEST_AMOUNT, "`first_decoding` must be at most 2^26")
        _require(
            {len(row.budgets) for row in self.rows} == {len(columns)},
            "`budgets` of a row must have a budget for each column",
        )
        # Otherwise prompts wait for ever on an idle server.
        first = self.rows[0]
        starts = first.new_sequences > 0 and min(first.budgets) > 0
        _require(starts, "`budgets` and `new_sequences` of the first row must be above 0")


@dataclass(frozen=True)
class Allowance:
    """Limits of the next iteration of a language model's server.

    budget: number of tokens, of which running requests take theirs first. new_sequences: number of
    waiting sequences that may start.
    """

    budget: int
    new_sequences: int


def allowance(table: BudgetTable, decoding: int, waiting: int) -> Allowance:
    """Look up the limits of the next iteration in a token-budget table.

    decoding: number of decoding sequences. waiting: number of waiting prompt tokens. Raises
    ValueError if one of the numbers is negative.
    """
    _require(min(decoding, waiting) >= 0, "numbers of sequences and tokens must not be negative")
    row = table.rows[bisect_right([row.first_decoding for row in table.rows], decoding) - 1]
    return Allowance(row.budgets[bisect_right(table.first_waiting, waiting) - 1], row.new_sequences)


def static_budget(engine: BatchEngine, budget: int) -> BudgetTable:
    """Make a table with the same token budget in every state, as engines usually have it."""
    return BudgetTable((0,), (BudgetRow(0, engine.max_sequences, (budget,)),), engine)

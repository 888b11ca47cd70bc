"""The cells of a policy's tables, and the cell that a look-up reads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from tailc.forms.budget_table import BudgetTable
from tailc.forms.ladder.lookup import row_at
from tailc.forms.ladder.table import Ladder, Rule
from tailc.forms.tail_table import TailTable

# Names of a row and of a column, for people.
Cell = tuple[str, str]


def ladder_cells(ladder: Ladder) -> Iterator[Cell]:
    """All cells of a ladder, one for each row and each interval of age between its climbs."""
    for row in ladder.rows:
        for climb in row.climbs:
            yield _ladder_cell(ladder, row.first_load, climb.age_us)


def ladder_cell(ladder: Ladder, load: int, waited_us: int, executed_us: int) -> Cell:
    """The cell of a ladder that applies to a request with this load and age.

    load: value of the ladder's load axis when the row is chosen. waited_us, executed_us: time in
    which the request waited and ran.
    """
    row = row_at(ladder, load)
    age_us = executed_us + (waited_us if Rule.AGE_FROM_ARRIVAL in ladder.rules else 0)
    ages = [climb.age_us for climb in row.climbs]
    return _ladder_cell(ladder, row.first_load, ages[_last_from(ages, age_us)])


def _ladder_cell(ladder: Ladder, first_load: int, age_us: int) -> Cell:
    of_class = "" if ladder.request_class is None else f"{ladder.request_class}: "
    return f"{of_class}{ladder.load_axis.value} from {first_load}", f"age from {age_us} us"


def tail_cells(table: TailTable) -> Iterator[Cell]:
    """All cells of a tail table, one for each pair of a cycles row and a memory-time row."""
    for cycles in table.cycles:
        for memory in table.memory_ns:
            yield _tail_cell(cycles.from_elapsed, memory.from_elapsed)


def tail_cell(table: TailTable, cycles: int, memory_ns: int) -> Cell:
    """The cell of a tail table that applies to a running request.

    cycles, memory_ns: work that the request has received.
    """
    of_cycles = [row.from_elapsed for row in table.cycles]
    of_memory = [row.from_elapsed for row in table.memory_ns]
    return _tail_cell(
        of_cycles[_last_from(of_cycles, cycles)], of_memory[_last_from(of_memory, memory_ns)]
    )


def _tail_cell(cycles: int, memory_ns: int) -> Cell:
    return f"cycles from {cycles}", f"memory from {memory_ns} ns"


def budget_cells(table: BudgetTable) -> Iterator[Cell]:
    """All cells of a token-budget table, one for each row and column."""
    for row in table.rows:
        for waiting in table.first_waiting:
            yield _budget_cell(row.first_decoding, waiting)


def budget_cell(table: BudgetTable, decoding: int, waiting: int) -> Cell:
    """The cell of a token-budget table that applies to an iteration.

    decoding: number of decoding sequences. waiting: number of waiting prompt tokens.
    """
    rows = [row.first_decoding for row in table.rows]
    columns = table.first_waiting
    return _budget_cell(rows[_last_from(rows, decoding)], columns[_last_from(columns, waiting)])


def _budget_cell(decoding: int, waiting: int) -> Cell:
    return f"decoding from {decoding}", f"waiting tokens from {waiting}"


def _last_from(firsts: Sequence[int], value: int) -> int:
    """Index of the last row that begins at `value` or below; the first one for values below."""
    return max(bisect_right(firsts, value) - 1, 0)

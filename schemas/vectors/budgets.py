"""Budget tables behind the vectors of schema 1.11."""

from __future__ import annotations

from tailc.forms.budget_table import BatchEngine, BudgetRow, BudgetTable
from tailc.forms.step_times import LARGEST_AMOUNT, LARGEST_NS, NOTHING, StepPart, StepTimes

_MS = 1_000_000


def budget_table() -> BudgetTable:
    """Budgets that fall with decoding sequences; many of those compute no prompt."""
    return BudgetTable(
        first_waiting=(0, 1_024, 4_099),
        rows=(
            BudgetRow(0, 64, (2_048, 4_000, 8_192)),
            BudgetRow(1, 8, (1_024, 1_536, 2_048)),
            BudgetRow(16, 2, (512, 640, 768)),
            BudgetRow(60, 0, (0, 0, 0)),
        ),
        engine=BatchEngine(6_007, 16, 64, _step_times()),
    )


def _step_times() -> StepTimes:
    return StepTimes(
        fixed_ns=18 * _MS,
        tokens=StepPart((0, 512, 2_048), (0, 20 * _MS, 95 * _MS)),
        prompt=StepPart((0, 2_048), (0, 7 * _MS)),
        decoding=StepPart((0, 64), (0, 5 * _MS)),
        context=StepPart((0, 128_000), (0, 30 * _MS)),
    )


def extreme_budget_table() -> BudgetTable:
    """Every number at a limit."""
    most, late = LARGEST_AMOUNT, LARGEST_AMOUNT - 1
    part = StepPart((0, late, most), (0, 0, LARGEST_NS))
    return BudgetTable(
        first_waiting=(0, late, most),
        rows=(
            BudgetRow(0, 1, (most, 1, most)),
            BudgetRow(late, 0, (0, most, 0)),
            BudgetRow(most, 2**53 - 1, (most, 0, 1)),
        ),
        engine=BatchEngine(1, most, most, StepTimes(LARGEST_NS, part, part, part, part)),
    )


def smallest_budget_table() -> BudgetTable:
    """One budget for all states, for an engine that batches one sequence."""
    times = StepTimes(1, NOTHING, NOTHING, NOTHING, NOTHING)
    return BudgetTable((0,), (BudgetRow(0, 1, (1,)),), BatchEngine(1, 1, 1, times))

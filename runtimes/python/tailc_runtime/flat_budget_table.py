"""Read a budget table from a FlatBuffer."""

from __future__ import annotations

from typing import Any

from tailc_runtime.flat_walk import vector
from tailc_runtime.raw import RawBudgetTable, RawStepPart


def read_budget_table(form: Any) -> RawBudgetTable:
    """The budget table of an accessor."""
    engine = form.Engine()
    step = engine.Step()
    return RawBudgetTable(
        first_waiting=tuple(vector(form, "FirstWaiting")),
        rows=tuple(
            (row.FirstDecoding(), row.NewSequences(), tuple(vector(row, "Budgets")))
            for row in vector(form, "Rows")
        ),
        kv_blocks=engine.KvBlocks(),
        block_tokens=engine.BlockTokens(),
        max_sequences=engine.MaxSequences(),
        fixed_ns=step.FixedNs(),
        parts=tuple(map(_part, (step.Tokens(), step.Prompt(), step.Decoding(), step.Context()))),
    )


def _part(part: Any) -> RawStepPart:
    return RawStepPart(tuple(vector(part, "Knots")), tuple(vector(part, "TimeNs")))

"""Convert a budget table from JSON."""

from __future__ import annotations

from typing import Any

from tailc_runtime.members import object_in, objects, refuse_others, whole, wholes
from tailc_runtime.raw import RawBudgetTable, RawStepPart

_TABLE = ("form", "first_waiting", "rows", "engine")
_ROW = ("first_decoding", "new_sequences", "budgets")
_ENGINE = ("kv_blocks", "block_tokens", "max_sequences", "step")
_PARTS = ("tokens", "prompt", "decoding", "context")
_STEP = ("fixed_ns", *_PARTS)
_PART = ("knots", "time_ns")


def budget_table_in(form: dict[str, Any]) -> RawBudgetTable:
    """The budget table in a JSON object."""
    engine = object_in(form, "engine")
    step = object_in(engine, "step")
    return RawBudgetTable(
        first_waiting=wholes(form, "first_waiting"),
        rows=tuple(
            (whole(row, "first_decoding"), whole(row, "new_sequences"), wholes(row, "budgets"))
            for row in objects(form, "rows")
        ),
        kv_blocks=whole(engine, "kv_blocks"),
        block_tokens=whole(engine, "block_tokens"),
        max_sequences=whole(engine, "max_sequences"),
        fixed_ns=whole(step, "fixed_ns"),
        parts=tuple(_part(object_in(step, name)) for name in _PARTS),
    )


def refuse_unknown_in_budget_table(form: dict[str, Any]) -> None:
    """Refuse members that only a later minor version can have."""
    refuse_others(form, _TABLE)
    for row in form["rows"]:
        refuse_others(row, _ROW)
    refuse_others(form["engine"], _ENGINE)
    refuse_others(form["engine"]["step"], _STEP)
    for name in _PARTS:
        refuse_others(form["engine"]["step"][name], _PART)


def _part(part: dict[str, Any]) -> RawStepPart:
    return RawStepPart(wholes(part, "knots"), wholes(part, "time_ns"))

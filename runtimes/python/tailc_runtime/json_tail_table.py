"""Convert a tail table from JSON."""

from __future__ import annotations

from typing import Any

from tailc_runtime.members import object_in, objects, refuse_others, whole, wholes
from tailc_runtime.raw import RawTailRow, RawTailTable

_LEVEL = ("frequency_khz", "power_mw")
_ROW = ("from_elapsed", "left")
_SLEEP = ("power_mw", "wake_ns")
_BATCH = ("least_khz", "frequency_khz", "power_mw")
_TRANSITION = ("halt_ns", "energy_nj")
_TABLE = (
    *("form", "percentile_ppm", "bound_us", "levels", "cycles", "memory_ns"),
    *("sleep", "cores", "batch", "reference_khz", "transition"),
)


def tail_table_in(form: dict[str, Any]) -> RawTailTable:
    """The tail table in a JSON object."""
    sleep = object_in(form, "sleep")
    return RawTailTable(
        percentile_ppm=whole(form, "percentile_ppm"),
        bound_us=whole(form, "bound_us"),
        levels=tuple(_level(level) for level in objects(form, "levels")),
        cycles=_rows(form, "cycles"),
        memory_ns=_rows(form, "memory_ns"),
        sleep=(whole(sleep, "power_mw"), whole(sleep, "wake_ns")),
        cores=whole(form, "cores"),
        batch=_batch(object_in(form, "batch")) if "batch" in form else None,
        reference_khz=whole(form, "reference_khz") if "reference_khz" in form else None,
        transition=_transition(object_in(form, "transition")) if "transition" in form else None,
    )


def refuse_unknown_in_tail_table(form: dict[str, Any]) -> None:
    """Refuse members that only a later minor version can have."""
    refuse_others(form, _TABLE)
    refuse_others(form["sleep"], _SLEEP)
    refuse_others(form.get("batch", {}), _BATCH)
    refuse_others(form.get("transition", {}), _TRANSITION)
    for level in form["levels"]:
        refuse_others(level, _LEVEL)
    for row in (*form["cycles"], *form["memory_ns"]):
        refuse_others(row, _ROW)


def _level(level: dict[str, Any]) -> tuple[int, int]:
    return whole(level, "frequency_khz"), whole(level, "power_mw")


def _rows(form: dict[str, Any], name: str) -> tuple[RawTailRow, ...]:
    return tuple(
        RawTailRow(whole(row, "from_elapsed"), wholes(row, "left")) for row in objects(form, name)
    )


def _batch(batch: dict[str, Any]) -> tuple[int, int, int]:
    return whole(batch, "least_khz"), whole(batch, "frequency_khz"), whole(batch, "power_mw")


def _transition(transition: dict[str, Any]) -> tuple[int, int]:
    return whole(transition, "halt_ns"), whole(transition, "energy_nj")

"""A tail table out of a FlatBuffer."""

from __future__ import annotations

from typing import Any

from tailc_runtime.flat_walk import Walk, there
from tailc_runtime.raw import RawTailRow, RawTailTable


def read_tail_table(walk: Walk, form: Any) -> RawTailTable:
    """The tail table behind an accessor."""
    sleep, batch = there(form.Sleep()), form.Batch()
    return RawTailTable(
        percentile_ppm=form.PercentilePpm(),
        bound_us=form.BoundUs(),
        levels=tuple(
            (level.FrequencyKhz(), level.PowerMw()) for level in walk.vector(form, "Levels")
        ),
        cycles=_rows(walk, form, "Cycles"),
        memory_ns=_rows(walk, form, "MemoryNs"),
        sleep=(sleep.PowerMw(), sleep.WakeNs()),
        cores=form.Cores(),
        batch=batch and (batch.LeastKhz(), batch.FrequencyKhz(), batch.PowerMw()),
        reference_khz=form.ReferenceKhz(),
    )


def _rows(walk: Walk, form: Any, name: str) -> tuple[RawTailRow, ...]:
    return tuple(
        RawTailRow(row.FromElapsed(), tuple(walk.vector(row, "Left")))
        for row in walk.vector(form, name)
    )

"""Read a tail table from a FlatBuffer."""

from __future__ import annotations

from typing import Any

from tailc_runtime.flat_walk import vector
from tailc_runtime.raw import RawTailRow, RawTailTable


def read_tail_table(form: Any) -> RawTailTable:
    """The tail table of an accessor."""
    sleep, batch, transition = form.Sleep(), form.Batch(), form.Transition()
    return RawTailTable(
        percentile_ppm=form.PercentilePpm(),
        bound_us=form.BoundUs(),
        levels=tuple((level.FrequencyKhz(), level.PowerMw()) for level in vector(form, "Levels")),
        cycles=_rows(form, "Cycles"),
        memory_ns=_rows(form, "MemoryNs"),
        sleep=(sleep.PowerMw(), sleep.WakeNs()),
        cores=form.Cores(),
        batch=batch and (batch.LeastKhz(), batch.FrequencyKhz(), batch.PowerMw()),
        reference_khz=form.ReferenceKhz(),
        transition=transition and (transition.HaltNs(), transition.EnergyNj()),
    )


def _rows(form: Any, name: str) -> tuple[RawTailRow, ...]:
    return tuple(
        RawTailRow(row.FromElapsed(), tuple(vector(row, "Left"))) for row in vector(form, name)
    )

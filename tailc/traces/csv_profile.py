"""Write a demand profile as CSV with all digits, for `tailc-audit` and other programs."""

from __future__ import annotations

import numpy as np

from tailc.traces.profile import HASHED_ROWS, DemandProfile


def csv_profile(profile: DemandProfile) -> bytes:
    """Encode a profile as CSV with a row for each row of the trace, in trace order.

    Columns: `demand_ms`, `weight`, `memory_ms` if known, and `speedup_1`, `speedup_2`, ... of the
    request. Numbers are the shortest that read back to the same double.
    """
    memory = () if profile.memory_ms is None else ("memory_ms",)
    speedups = (f"speedup_{degree}" for degree in range(1, profile.degrees + 1))
    lines = [",".join(("demand_ms", "weight", *memory, *speedups))]
    curves = [",".join(map(repr, curve)) for curve in profile.curves.tolist()]
    for block in profile.blocks(np.arange(len(profile.demand_ms)), HASHED_ROWS):
        columns = [profile.demand_ms[block].tolist(), profile.weight_of_row[block].tolist()]
        if profile.memory_ms is not None:
            columns.append(profile.memory_ms[block].tolist())
        for curve, *numbers in zip(profile.curve_of[block].tolist(), *columns, strict=True):
            lines.append(",".join((*map(repr, numbers), curves[curve])))
    return ("\n".join(lines) + "\n").encode()

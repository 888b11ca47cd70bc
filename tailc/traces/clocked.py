"""Demands of which a part is spent waiting for memory, which no clock shortens.

At frequency f a request takes C / f + M: C compute cycles, and M of memory time (Bartolini,
dissertation, 2015, section 3.4.1). A trace has C and M, or the whole time and M.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code
from tailc.traces.cells import MEND, Cells, not_negative
from tailc.traces.reading import Reading
from tailc.traces.times import MAX_NS, NS_PER_MS, whole_ns

# A kHz is so many cycles in a ns.
CYCLES_PER_NS_AT_1_KHZ = 1e-6

Times = NDArray[np.float64]


def demand_and_memory_ns(cells: Cells, reading: Reading) -> tuple[Times, Times | None]:
    """Each request's demand in whole ns, at the clock of the reading if it has one, and of that
    what is memory time; None where the reading names no column of it. Bad cells are noted.
    """
    assert reading.demand is not None
    if reading.memory is None:
        return whole_ns(cells, reading.demand, reading.unit), None
    ns_per_unit = reading.unit.in_ms * NS_PER_MS
    memory_ns = np.rint(not_negative(cells, reading.memory, MAX_NS / ns_per_unit) * ns_per_unit)
    if reading.clock_khz is None:
        demand_ns = whole_ns(cells, reading.demand, reading.unit)
        beyond = f"is more than the whole demand in column `{reading.demand}`"
        cells.refuse(memory_ns > demand_ns, reading.memory, Code.OUT_OF_RANGE, beyond, MEND)
        return demand_ns, memory_ns
    demand_ns = memory_ns + _compute_ns(cells, reading.demand, reading.clock_khz)
    nothing = "and no memory time is no request"
    cells.refuse(demand_ns == 0, reading.demand, Code.NOT_POSITIVE, nothing, "leave the row out")
    hint = "correct the cell, or the reading's `clock` or `unit`"
    too_long = "takes too long to be held"
    cells.refuse(demand_ns > MAX_NS, reading.demand, Code.OUT_OF_RANGE, too_long, hint)
    return demand_ns, memory_ns


def _compute_ns(cells: Cells, name: str, clock_khz: int) -> Times:
    cycles_per_ns = clock_khz * CYCLES_PER_NS_AT_1_KHZ
    return np.rint(not_negative(cells, name, MAX_NS * cycles_per_ns) / cycles_per_ns)

"""Demands with a part that waits for memory, which a higher frequency does not shorten.

At frequency f a request takes C / f + M, with C compute cycles and M memory time (Bartolini,
dissertation, 2015, section 3.4.1). A trace has C and M, or the whole time and M.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code
from tailc.traces.cells import MEND, Cells, not_negative
from tailc.traces.lengths import in_unit
from tailc.traces.reading import CyclesAndMemory, DemandAndMemory, DemandColumn, Demands, TimeUnit
from tailc.traces.times import MAX_NS, NS_PER_MS, whole_ns

# A kHz is so many cycles in a ns.
CYCLES_PER_NS_AT_1_KHZ = 1e-6

Times = NDArray[np.float64]


def demand_and_memory_ns(
    cells: Cells, demands: Demands, unit: TimeUnit
) -> tuple[Times, Times | None]:
    """Demand of each request and the memory time in it, in whole nanoseconds.

    If the trace has cycles, the demand is at the frequency at which they were counted. The memory
    time is None without such a column. Records bad cells.
    """
    match demands:
        case DemandColumn(name):
            return whole_ns(cells, name, unit), None
        case DemandAndMemory():
            return _of_demands(cells, demands, unit)
        case CyclesAndMemory():
            return _of_cycles(cells, demands, unit)


def _of_demands(cells: Cells, columns: DemandAndMemory, unit: TimeUnit) -> tuple[Times, Times]:
    memory_ns = _memory_ns(cells, columns.memory, unit)
    demand_ns = whole_ns(cells, columns.name, unit)
    beyond = f"is more than the whole demand in column `{columns.name}`"
    cells.refuse(memory_ns > demand_ns, columns.memory, Code.OUT_OF_RANGE, beyond, MEND)
    return demand_ns, memory_ns


def _of_cycles(cells: Cells, columns: CyclesAndMemory, unit: TimeUnit) -> tuple[Times, Times]:
    name, memory_ns = columns.name, _memory_ns(cells, columns.memory, unit)
    demand_ns = memory_ns + _compute_ns(cells, name, columns.clock_khz)
    nothing = "with no memory time is not a request"
    cells.refuse(demand_ns == 0, name, Code.NOT_POSITIVE, nothing, "remove the row")
    hint = "correct the cell, or `clock` or `unit` of the trace"
    cells.refuse(
        demand_ns > MAX_NS, name, Code.OUT_OF_RANGE, "is a demand of more than 104 days", hint
    )
    return demand_ns, memory_ns


def _memory_ns(cells: Cells, name: str, unit: TimeUnit) -> Times:
    ns_per_unit = unit.in_ms * NS_PER_MS
    times = not_negative(in_unit(cells, name, unit.in_ms), name, MAX_NS / ns_per_unit)
    return np.rint(times * ns_per_unit)


def _compute_ns(cells: Cells, name: str, clock_khz: int) -> Times:
    cycles_per_ns = clock_khz * CYCLES_PER_NS_AT_1_KHZ
    return np.rint(not_negative(cells, name, MAX_NS * cycles_per_ns) / cycles_per_ns)

"""Read performance counters and measured power of a server: one row per sample.

Rows are in order of time. Column names are fixed and end with the unit. A counter counts events per
cycle of its clock domain. Columns `coreN_...` exist for each core N, from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place
from tailc.traces.cells import Cells, not_negative, numbers, positive
from tailc.traces.source import Format, Source, format_of, open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import TABLES, kept_cells

Floats = NDArray[np.float64]

TIME = "time_s"
CORE_FREQUENCY, CORE_VOLT = "freq_mhz", "volt"
CORE_COUNTERS = ("ipc", "near_loads", "far_accesses")
UNCORE_FREQUENCY, UNCORE_VOLT = "uncore_freq_mhz", "uncore_volt"
UNCORE_COUNTERS = ("uncore_hits", "uncore_misses")
DRAM_ACCESSES = "dram_accesses_per_s"
PARTS_W = ("core_w", "uncore_w", "dram_w")
WALL_W = "wall_w"

LARGEST_MHZ, LARGEST_VOLT, LARGEST_WATT = 1e5, 100.0, 1e6
# Largest plausible count of any event per cycle, and per second.
LARGEST_PER_CYCLE = 1e3
LARGEST_PER_SECOND = 1e15
_CORE = re.compile(r"core(\d{1,4})_\w+")
_MEND = "correct the cell, or remove the row"


@dataclass(frozen=True, eq=False)
class CounterTrace:
    """Samples of counters and power; arrays are (rows, cores) for cores, else (rows,).

    Voltages are None if not measured. core_w, uncore_w, dram_w: power of all cores, of the rest of
    the chip, and of DRAM [W]. rest_w: power at the wall outside these [W]. DRAM accesses are per
    second, other counters per cycle.
    """

    source: str
    freq_mhz: Floats
    volt: Floats | None
    ipc: Floats
    near_loads: Floats
    far_accesses: Floats
    uncore_freq_mhz: Floats
    uncore_volt: Floats | None
    uncore_hits: Floats
    uncore_misses: Floats
    dram_accesses_per_s: Floats
    core_w: Floats
    uncore_w: Floats
    dram_w: Floats
    rest_w: Floats

    @property
    def rows(self) -> int:
        """Number of samples in the counter trace."""
        return len(self.core_w)

    @property
    def cores(self) -> int:
        """Number of cores in the counter trace."""
        return self.freq_mhz.shape[1]

    def part(self, rows: slice) -> CounterTrace:
        """Select the samples of a slice of rows."""
        arrays = ((field.name, getattr(self, field.name)) for field in fields(self))
        cut = {name: each[rows] for name, each in arrays if isinstance(each, np.ndarray)}
        return replace(self, **cut)


def read_counters(source: str, format: Format = "auto") -> CounterTrace:  # noqa: A002
    """Read counters from a Parquet, CSV or NDJSON file, or from `-` for standard input.

    CSV and NDJSON may be compressed. Raises TailcError with all findings, placed by row and column:
    missing columns, cells that are not numbers, negative counters, frequencies and powers of 0,
    times out of order, and power at the wall that is not above the sum of its parts.
    """
    with open_source(source) as opened:
        return _trace(opened, format)


def _trace(source: Source, format: Format) -> CounterTrace:  # noqa: A002
    names = TABLES[format_of(source, format)](source).names
    cores = _cores(names)
    has_volt = any(re.fullmatch(rf"core\d+_{CORE_VOLT}", name) for name in names)
    wanted = tuple(_column_names(cores, has_volt, UNCORE_VOLT in names))
    cells = kept_cells(source, ColumnsToRead(wanted, (), ()), format=format)
    _check_times(cells)
    core_w, uncore_w, dram_w = (positive(cells, name, LARGEST_WATT) for name in PARTS_W)
    ipc, near_loads, far_accesses = (_of_cores(cells, cores, name) for name in CORE_COUNTERS)
    hits, misses = (not_negative(cells, name, LARGEST_PER_CYCLE) for name in UNCORE_COUNTERS)
    has_uncore_volt = UNCORE_VOLT in names
    trace = CounterTrace(
        source=cells.source,
        freq_mhz=_of_cores(cells, cores, CORE_FREQUENCY),
        volt=_of_cores(cells, cores, CORE_VOLT) if has_volt else None,
        ipc=ipc,
        near_loads=near_loads,
        far_accesses=far_accesses,
        uncore_freq_mhz=positive(cells, UNCORE_FREQUENCY, LARGEST_MHZ),
        uncore_volt=positive(cells, UNCORE_VOLT, LARGEST_VOLT) if has_uncore_volt else None,
        uncore_hits=hits,
        uncore_misses=misses,
        dram_accesses_per_s=not_negative(cells, DRAM_ACCESSES, LARGEST_PER_SECOND),
        core_w=core_w,
        uncore_w=uncore_w,
        dram_w=dram_w,
        rest_w=_rest(cells, (core_w, uncore_w, dram_w)),
    )
    cells.stop_if_refused()
    return trace


def _cores(names: Sequence[str]) -> int:
    """Number of cores by the column names; at least 1, so that missing columns are reported."""
    found = (_CORE.fullmatch(name) for name in names)
    return max(len({int(match[1]) for match in found if match}), 1)


def _column_names(cores: int, has_volt: bool, has_uncore_volt: bool) -> Iterator[str]:
    yield TIME
    for core in range(cores):
        for name in (CORE_FREQUENCY, *CORE_COUNTERS, *((CORE_VOLT,) if has_volt else ())):
            yield of_core(core, name)
    yield from (UNCORE_FREQUENCY, *UNCORE_COUNTERS, *((UNCORE_VOLT,) if has_uncore_volt else ()))
    yield from (DRAM_ACCESSES, *PARTS_W, WALL_W)


def of_core(core: int | str, name: str) -> str:
    """Name of a column of a core; `*` means all cores."""
    return f"core{core}_{name}"


def _of_cores(cells: Cells, cores: int, name: str) -> Floats:
    columns = [of_core(core, name) for core in range(cores)]
    if name == CORE_FREQUENCY:
        return np.stack([positive(cells, each, LARGEST_MHZ) for each in columns], axis=1)
    if name == CORE_VOLT:
        return np.stack([positive(cells, each, LARGEST_VOLT) for each in columns], axis=1)
    return np.stack([not_negative(cells, each, LARGEST_PER_CYCLE) for each in columns], axis=1)


def _check_times(cells: Cells) -> None:
    time_s = numbers(cells, TIME)
    late = np.flatnonzero(np.diff(time_s) <= 0)
    if late.size:
        at = int(late[0]) + 1
        message = f"the time `{time_s[at]:g}` s is not after that of the row before"
        place = Place(cells.source, row=cells.row_of(at), field=TIME)
        finding = Finding(Code.OUT_OF_ORDER, message, place, "sort the rows by time")
        cells.findings.append(finding)


def _rest(cells: Cells, parts: Sequence[Floats]) -> Floats:
    rest = positive(cells, WALL_W, LARGEST_WATT) - np.sum(parts, axis=0)
    what = f"is not above the sum of {', '.join(PARTS_W)}, so no power is left for other parts"
    hint = f"check units and times, or {_MEND}"
    cells.refuse(rest <= 0, WALL_W, Code.OUT_OF_RANGE, what, hint)
    return rest

"""A rate profile in a file: columns `duration` and `rate`, with units in the cells."""

from __future__ import annotations

from collections.abc import Callable

from tailc.errors import Code, Finding, Place
from tailc.traces.cells import Cells
from tailc.traces.source import Format, open_source
from tailc.traces.table import Wanted
from tailc.traces.trace import kept_cells
from tailc.units import QuantityError, parse_mrps, parse_us

DURATION = "duration"
RATE = "rate"
_NO_STEP = "leave the row out: a step of no length brings no request"
# Faulty cells named one by one.
_NAMED = 10


def read_rate_steps(source: str, format: Format = "auto") -> tuple[tuple[int, int], ...]:  # noqa: A002
    """Pairs of a duration [us] and a rate [mrps], such as `10min,40/s`, in file order.

    A rate of `0/s` is silence. Raises TailcError, placed by row, for cells that are no quantities.
    """
    with open_source(source) as opened:
        cells = kept_cells(opened, Wanted((), (DURATION, RATE), ()), format=format)
    durations_us = _quantities(cells, DURATION, parse_us, least=1)
    rates_mrps = _quantities(cells, RATE, parse_mrps, least=0)
    cells.stop_if_refused()
    return tuple(zip(durations_us, rates_mrps, strict=True))


def _quantities(cells: Cells, name: str, parse: Callable[[str], int], least: int) -> list[int]:
    """The column's quantities; the first faulty cells are noted."""
    found: list[int] = []
    faults: list[Finding] = []
    for index, cell in enumerate(cells.columns[name].to_pylist()):
        place = Place(cells.source, row=cells.row_of(index), field=name)
        try:
            value = parse(str(cell).strip() if cell is not None else "")
        except QuantityError as error:
            faults.append(Finding(Code.BAD_RATES, error.message, place, error.help))
            continue
        if value < least:
            faults.append(
                Finding(Code.BAD_RATES, f"`{cell}` must be more than zero", place, _NO_STEP)
            )
        found.append(value)
    cells.findings.extend(faults[:_NAMED])
    return found

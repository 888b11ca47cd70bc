"""Read a rate profile: columns `duration` and `rate`, whose cells have units."""

from __future__ import annotations

from collections.abc import Callable

from tailc.errors import Code, Finding, Place
from tailc.traces.cells import Cells
from tailc.traces.source import Format, open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells
from tailc.units import QuantityError, parse_mrps, parse_us

DURATION = "duration"
RATE = "rate"
_NO_STEP = "remove the row: a step without a duration brings no requests"
# Faulty cells named one by one.
_NAMED = 10


def read_rate_steps(source: str, format: Format = "auto") -> tuple[tuple[int, int], ...]:  # noqa: A002
    """Read steps of a duration [us] and a rate [1/1000 s], from rows such as `10min,40/s`.

    A rate of `0/s` means no arrivals. Raises TailcError, placed by row, for cells that are not
    quantities.
    """
    with open_source(source) as opened:
        cells = kept_cells(opened, ColumnsToRead((), (DURATION, RATE), ()), format=format)
    durations_us = _quantities(cells, DURATION, parse_us, least=1)
    rates_mrps = _quantities(cells, RATE, parse_mrps, least=0)
    cells.stop_if_refused()
    return tuple(zip(durations_us, rates_mrps, strict=True))


def _quantities(cells: Cells, name: str, parse: Callable[[str], int], least: int) -> list[int]:
    """The quantities of a column; records the first bad cells."""
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

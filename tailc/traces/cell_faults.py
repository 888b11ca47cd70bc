"""Reasons why a text in a cell is not a number, and what to write instead."""

from __future__ import annotations

import re
from dataclasses import dataclass

DECIMAL_COMMA = r"^\s*[+-]?[0-9]+,([0-9]{1,2}|[0-9]{4,})\s*$"
THOUSANDS = (
    r"^\s*[+-]?[0-9]{1,3}(([, '_][0-9]{3})+(\.[0-9]+)?|(\.[0-9]{3})+,[0-9]+|(\.[0-9]{3}){2,})\s*$"
)
WITH_UNIT = r"(?i)^\s*[+-]?[0-9.]+\s*(ns|us|µs|ms|s|sec|msec|usec|min|m|h|%|x)\s*$"
MISSING = r"(?i)^\s*(na|n/a|nan|null|none|nil|-|--|\?|missing|unknown)\s*$"
FORMULA = r"^\s*#(DIV/0!|N/A|REF!|VALUE!|NAME\?|NUM!|NULL!|SPILL!)"
# With seconds, or with a fraction, it is a length of time.
CLOCK = r"^\s*[0-9]{1,3}:[0-9]{2}\s*$"
# As nginx writes the times of several servers; `1,234` is none, nor is `12:30`.
SEVERAL = r"^\s*[0-9.]+(?:\s*,\s+|\s+[:;]\s+|\s*;\s*)[0-9.]+(?:\s*[,:;]\s*[0-9.]+)*\s*$"


@dataclass(frozen=True)
class CellFault:
    """A kind of text that is not a number: a pattern, the reason, and what to write instead."""

    pattern: str
    why: str
    mend: str


_FAULTS = (
    CellFault(DECIMAL_COMMA, "it has a decimal comma", "write numbers with a decimal point"),
    CellFault(
        THOUSANDS,
        "it has a thousands separator",
        "write numbers without separators; do not remove rows, since only long requests have them",
    ),
    CellFault(
        WITH_UNIT,
        "it has a unit",
        "write all cells as numbers of one unit, or each time with its unit",
    ),
    CellFault(
        MISSING,
        "it marks a missing value",
        "write the value, or remove the row; a request without a time may have taken too long",
    ),
    CellFault(
        FORMULA, "it is a spreadsheet's error", "export the measured values, not computed ones"
    ),
    CellFault(
        CLOCK,
        "it may be hours and minutes, or minutes and seconds",
        "write it with seconds, as 00:01:30 or 01:30.0, or as a number of one unit",
    ),
    CellFault(
        r"^\s*[<>≤≥]=?\s*[0-9.]+",
        "it is a bound, not a value",
        "write half of it for values below, or measure with a finer clock; the requests above a "
        "bound are the tail, and cannot be left out",
    ),
    CellFault(
        SEVERAL,
        "it has several numbers",
        "write one number; nginx writes a time for each server that it asked for the request, so "
        "write their sum, or use `$request_time`",
    ),
)


def fault_of(text: str) -> CellFault | None:
    """The reason why a text is not a number, if it is of a known kind; else None."""
    return next((each for each in _FAULTS if re.match(each.pattern, text)), None)

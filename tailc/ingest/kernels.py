"""Kernels that read plain decimal numbers from the text of a table."""

from __future__ import annotations

import numpy as np
from numba import njit

NOT_PLAIN, QUOTED = -1, -2
# A quotient of whole numbers up to 2^53 and of powers of ten up to 10^22 is rounded once alone, so
# it is the float nearest to the decimal (Clinger, "How to Read Floating Point Numbers Accurately",
# PLDI 1990, section 4).
POWERS_OF_TEN = 10.0 ** np.arange(23)
_MOST_DIGITS = 18
_MOST_EXACT = 2**53
_COMMA, _QUOTE, _POINT, _ZERO = (ord(sign) for sign in ',".0')
_LINE_FEED, _RETURN = 10, 13


@njit(cache=True, nogil=True)
def read_decimals(text, column, columns, powers_of_ten, values):
    """Read a column of CSV lines into `values`; return the number of rows, without blank lines.

    text: uint8, whole lines with their ends. column, columns: index of the column, and number of
    columns. powers_of_ten: POWERS_OF_TEN. values: float64, at least one per line. Returns NOT_PLAIN
    for a cell other than digits and a point, or a row with a wrong number of cells, and QUOTED for
    a quoted cell.
    """
    rows = at = 0
    while at < len(text):
        if text[at] in (_LINE_FEED, _RETURN):
            at += 1
            continue
        at = _skip_cells(text, at, column)
        if at < 0:
            return at
        value, at = _decimal(text, at, powers_of_ten)
        at = _line_end(text, at, columns - 1 - column)
        if value < 0 or at < 0:
            return min(at, NOT_PLAIN)
        values[rows] = value
        rows += 1
    return rows


@njit(cache=True, nogil=True)
def _skip_cells(text, at, cells):
    """Start of the cell a number of cells further in the line; NOT_PLAIN or QUOTED if there is
    none."""
    while cells:
        sign = text[at]
        at += 1
        # Digits, letters and all that is beyond ASCII are above a comma; line ends are below.
        if sign > _COMMA:
            continue
        if sign == _COMMA:
            cells -= 1
        elif sign == _QUOTE:
            return QUOTED
        elif sign in (_LINE_FEED, _RETURN):
            return NOT_PLAIN
    return at


@njit(cache=True, nogil=True)
def _decimal(text, at, powers_of_ten):
    """The number that starts here, -1 if not plain; and its end."""
    begin = at
    whole = np.int64(0)
    decimals = points = 0
    while _is_digit(text[at]):
        whole = whole * 10 + np.int64(text[at]) - _ZERO
        at += 1
    if text[at] == _POINT:
        at += 1
        points = 1
        while _is_digit(text[at]):
            whole = whole * 10 + np.int64(text[at]) - _ZERO
            at += 1
            decimals += 1
    # With more digits than these the whole number may have gone round.
    if not 0 < at - begin - points <= _MOST_DIGITS or whole > _MOST_EXACT:
        return -1.0, at
    return whole / powers_of_ten[decimals], at


@njit(cache=True, nogil=True)
def _is_digit(sign):
    return np.uint8(sign - _ZERO) <= 9


@njit(cache=True, nogil=True)
def _line_end(text, at, cells):
    """Start of the next line after a number of further cells; NOT_PLAIN or QUOTED on errors."""
    if text[at] > _COMMA or text[at] == _QUOTE:
        return QUOTED if text[at] == _QUOTE else NOT_PLAIN
    at = _skip_cells(text, at, cells)
    if at < 0:
        return at
    while text[at] != _LINE_FEED:
        if text[at] in (_COMMA, _QUOTE, _RETURN):
            break
        at += 1
    at += text[at] == _RETURN
    if text[at] == _LINE_FEED:
        return at + 1
    return QUOTED if text[at] == _QUOTE else NOT_PLAIN

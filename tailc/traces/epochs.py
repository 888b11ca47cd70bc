"""Detect whether numbers are times since 1970, and their unit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

UNITS = ("s", "ms", "us", "ns")
_PER_S = (1.0, 1e3, 1e6, 1e9)
# Unix seconds of 1990 and 2100.
_EARLY_S, _LATE_S = 631_152_000, 4_102_444_800


def epoch_units(values: NDArray) -> NDArray[np.int64]:
    """Unit in which each number is a time from 1990 to 2100, since 1970: an index of `UNITS`.

    -1 for other numbers. The ranges of two units do not overlap.
    """
    units = np.full(len(values), -1)
    for index, times in enumerate(_PER_S):
        units[(values >= _EARLY_S * times) & (values <= _LATE_S * times)] = index
    return units


def epoch_unit(values: NDArray) -> str | None:
    """The unit in which all numbers are times from 1990 to 2100, since 1970; None if none is."""
    units = epoch_units(values)
    return None if units.min() < 0 or np.ptp(units) else UNITS[units[0]]

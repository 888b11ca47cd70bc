"""Amdahl's law of speed-up: part of the work is parallel, the rest is serial.

Source: Amdahl, AFIPS 1967.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def amdahl(parallel: float, threads: int) -> tuple[float, ...]:
    """Speed-up on 1 to `threads` threads; `parallel`: parallel share of the work [0 to 1]."""
    return tuple(1 / (1 - parallel + parallel / degree) for degree in range(1, threads + 1))


def serial_share(curve: NDArray[np.float64]) -> float:
    """Fit Amdahl's law to speed-ups at degree 1, 2, ... (degrees,); return its serial share.

    The share is from 0 to 1. Least squares of run times relative to one thread, in which the law is
    linear. 0 if the curve is above every law. Raises ValueError for fewer than two degrees.
    """
    if len(curve) < 2:
        raise ValueError("Amdahl's law can only be fitted to speed-ups of at least two degrees")
    shared = 1 / np.arange(1, len(curve) + 1)
    can_be_serial = 1 - shared
    left = curve[0] / curve - shared
    return float(np.clip(left @ can_be_serial / (can_be_serial @ can_be_serial), 0, 1))

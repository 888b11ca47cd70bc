"""Prices of supplies such as cores, which rise with use above capacity and fall with use below."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST_ASKED = 1e-9
LARGEST_STEP = 3.0
"""Largest step of the logarithm of a price; a supply may have no use at all."""

LEAST_MOVE = 3e-4
"""Change of the logarithm of prices below which the search ends."""


class SupplyPrices:
    """A price for each limited supply of cores or power, which rises if the supply is overused."""

    def __init__(self, first: NDArray[np.float64], least: float) -> None:
        self.each = first
        self._least = least
        self._step = np.ones(first.size)
        self._last = np.zeros(first.size)

    def move(self, asked: NDArray[np.float64]) -> bool:
        """Raise the prices of overused resources and lower the others.

        Return whether a price changed.

        asked: use of each resource over its capacity.
        """
        rise = np.clip(np.log(np.maximum(asked, LEAST_ASKED)), -LARGEST_STEP, LARGEST_STEP)
        self._step = np.where(rise * self._last < 0, self._step / 2, self._step)
        self._last = rise
        before, self.each = (
            self.each,
            np.maximum(self.each * np.exp(self._step * rise), self._least),
        )
        return bool((np.abs(np.log(self.each / before)) > LEAST_MOVE).any())

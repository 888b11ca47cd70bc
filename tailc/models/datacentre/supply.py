"""Energy supply in each epoch of a replay: green power, and price and CO2 of brown energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]

S_PER_HOUR = 3_600
PPM = 1_000_000


@dataclass(frozen=True, eq=False)
class Supply:
    """Energy supply of a datacentre in each epoch; int64 (epochs,) each.

    green_mw: mean green power. brown_udollars_per_kwh, brown_mg_per_kwh: price and CO2 of brown
    energy. Only prices may be negative.
    """

    green_mw: Whole
    brown_udollars_per_kwh: Whole
    brown_mg_per_kwh: Whole

    def __post_init__(self) -> None:
        columns = (self.green_mw, self.brown_udollars_per_kwh, self.brown_mg_per_kwh)
        if any(one.shape != self.green_mw.shape or one.dtype != np.int64 for one in columns):
            raise ValueError("a supply must be int64, with one value for each epoch")
        others = self.green_mw, self.brown_mg_per_kwh
        if len(self.green_mw) == 0 or min(int(one.min()) for one in others) < 0:
            raise ValueError("a supply must have at least one epoch; only prices may be negative")

    @property
    def epochs(self) -> int:
        """Number of epochs of the energy supply."""
        return len(self.green_mw)

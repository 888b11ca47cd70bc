"""Voltage as a line in frequency, and how dynamic power then grows with frequency.

V = a f + b is what Intel's Haswell does: V = 1.169e-4 f + 0.634 with f in MHz (Bartolini, 2015,
section 1.2, footnote, which does not print the unit; in MHz 0.8 to 3.4 GHz is 0.7275 to 1.0315 V,
29.5 % apart, where the text has less than 30 %). Dynamic power c V^2 f is then a cubic in f with

    d ln(V^2 f) / d ln f = 1 + 2 a f / (a f + b),

which is 1.26 at 0.8 GHz and 1.77 at 3.4 GHz, 1.5 over the range. The dissertation reports a
measured P ~ f^2; the dynamic power of this line grows so fast only near the highest frequencies, if
at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class VoltageLine:
    """The line V = volt_per_mhz f + volt_at_rest with f in MHz; both are nonnegative."""

    volt_per_mhz: float
    volt_at_rest: float

    def __post_init__(self) -> None:
        if not (self.volt_per_mhz >= 0 and self.volt_at_rest >= 0):
            raise ValueError("voltage must not be negative, or fall with frequency")

    def volt(self, freq_mhz: ArrayLike) -> NDArray[np.float64]:
        return self.volt_per_mhz * np.asarray(freq_mhz, dtype=np.float64) + self.volt_at_rest

    def dynamic_exponent(self, freq_mhz: ArrayLike) -> NDArray[np.float64]:
        """Percent by which V^2 f rises for a one percent rise of frequency f: from 1 up to 3.

        V is the voltage of the line at f.
        """
        freq = np.asarray(freq_mhz, dtype=np.float64)
        return 1.0 + 2.0 * self.volt_per_mhz * freq / self.volt(freq)


HASWELL = VoltageLine(1.169e-4, 0.634)

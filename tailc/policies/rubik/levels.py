"""Frequencies and their powers by a model, where they are not listed.

Dynamic power goes as V^2 f, and the voltage of a Haswell core is about V = 1.169e-4 f + 0.634 volts
with f in MHz, which the source leaves out and its range of voltages tells (Bartolini, dissertation,
2015, section 1.2.3, footnote 1). Static power is drawn at any frequency.
"""

from __future__ import annotations

from fractions import Fraction

VOLTS_PER_MHZ = Fraction("1.169e-4")
VOLTS_AT_REST = Fraction("0.634")
_KHZ_PER_MHZ = 1_000


def volts(frequency_khz: int) -> Fraction:
    """The voltage of a Haswell core at a frequency."""
    return VOLTS_PER_MHZ * Fraction(frequency_khz, _KHZ_PER_MHZ) + VOLTS_AT_REST


def power_mw(frequency_khz: int, *, static_mw: int, dynamic_mw: int, nominal_khz: int) -> int:
    """Power of a core that draws `dynamic_mw` besides its static power at `nominal_khz`, rounded.

    Fractions give it alike on every machine.
    """
    share = _dynamic(frequency_khz) / _dynamic(nominal_khz)
    return round(static_mw + dynamic_mw * share)


def _dynamic(frequency_khz: int) -> Fraction:
    return volts(frequency_khz) ** 2 * frequency_khz

"""Model of the power of a core at a frequency, if the spec does not list it.

Dynamic power is proportional to V^2 f, and the voltage of a Haswell core is about
V = 1.169e-4 f + 0.634 volts with f in MHz. The source does not state this unit; it follows from its
range of voltages (Bartolini, dissertation, 2015, section 1.2.3, footnote 1). Static power is the
same at any frequency.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

VOLTS_PER_MHZ = Fraction("1.169e-4")
VOLTS_AT_REST = Fraction("0.634")
_KHZ_PER_MHZ = 1_000
_KHZ_PER_GHZ = 1_000_000
_MW_PER_W = 1_000


def volts(frequency_khz: int) -> Fraction:
    """Voltage of a Haswell core at a frequency [V]."""
    return VOLTS_PER_MHZ * Fraction(frequency_khz, _KHZ_PER_MHZ) + VOLTS_AT_REST


def power_mw(frequency_khz: int, *, static_mw: int, dynamic_mw: int, nominal_khz: int) -> int:
    """Power of a core with the dynamic power `dynamic_mw` at `nominal_khz`, rounded.

    Exact fractions give the same result on every machine.
    """
    share = _dynamic(frequency_khz) / _dynamic(nominal_khz)
    return round(static_mw + dynamic_mw * share)


def _dynamic(frequency_khz: int) -> Fraction:
    return volts(frequency_khz) ** 2 * frequency_khz


@dataclass(frozen=True)
class CoreParameters:
    """Power parameters of a core from `tailc fit power`: leakage i [A], c0 to c3 [nF]."""

    i: Fraction
    c0: Fraction
    c1: Fraction
    c2: Fraction
    c3: Fraction


@dataclass(frozen=True)
class Work:
    """Events per cycle of a program at a reference clock, for a power model.

    ipc, near_loads, far_accesses: instructions, loads and DRAM accesses per cycle. memory: share of
    cycles that wait for memory. clock_khz: the reference clock.
    """

    ipc: Fraction
    near_loads: Fraction
    far_accesses: Fraction
    memory: Fraction
    clock_khz: int

    def cycles(self, frequency_khz: int) -> Fraction:
        """Cycles at this frequency with as many events as one cycle at the reference clock."""
        return 1 - self.memory + self.memory * Fraction(frequency_khz, self.clock_khz)


def core_mw(core: CoreParameters, work: Work, frequency_khz: int, volt: Fraction) -> int:
    """Power of a core that does only this work [mW], rounded (Bartolini, 2015, eq. 3.6, 3.7).

    The events per cycle of `work` are measured at the reference clock. At a higher frequency more
    cycles wait for memory, so there are fewer events per cycle (section 3.5).
    """
    events = core.c1 * work.ipc + core.c2 * work.near_loads + core.c3 * work.far_accesses
    switched = core.c0 + events / work.cycles(frequency_khz)
    ghz = Fraction(frequency_khz, _KHZ_PER_GHZ)
    return round((core.i * volt + switched * volt**2 * ghz) * _MW_PER_W)

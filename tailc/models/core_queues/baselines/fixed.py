"""Fixed: every request at one frequency, that of the clock which its demand was measured at.

Bartolini (2015, section 3.9.1) runs the nominal frequency.
"""

from __future__ import annotations

from dataclasses import replace

from tailc.models.core_queues.clocks import Clocks, OneLevel
from tailc.models.subject import Subject
from tailc.units import format_khz


def fixed(clocks: Clocks) -> Subject:
    """Where no level has that frequency, the next one above has it; the highest if none is."""
    return at_level("fixed", clocks, nominal_level(clocks))


def nominal_level(clocks: Clocks) -> int:
    """The number of that level."""
    frequencies_khz = [level.frequency_khz for level in clocks.table.levels]
    fast_enough = [khz >= clocks.reference_khz for khz in frequencies_khz]
    return fast_enough.index(True) if any(fast_enough) else len(frequencies_khz) - 1


def at_level(name: str, clocks: Clocks, level: int) -> Subject:
    """Every request at that level, whatever the core holds."""
    note = format_khz(clocks.table.levels[level].frequency_khz)
    return Subject(name, clocks=replace(clocks, rule=OneLevel(level)), note=note)

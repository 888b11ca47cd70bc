"""The level that a tail table asks for, written as plainly as can be, over plain JSON.

As in linear_scan, expected answers come from here and not from any look-up that ships: fractions of
seconds, cycles a second, and the formula as it is printed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

MILLION = 1_000_000
MICROSECOND, NANOSECOND = Fraction(1, MILLION), Fraction(1, 1_000 * MILLION)
KILOHERTZ = 1_000


def level_of(
    table: dict[str, Any],
    ages_ns: tuple[int, ...],
    elapsed_cycles: int,
    elapsed_memory_ns: int,
    output_ppm: int = MILLION,
) -> int:
    """The number of the slowest level that every queued request is done in time at.

    `output_ppm` is what a controller scales the bound by; the bound it gives is a whole number of
    nanoseconds, rounded down.
    """
    frequencies = [Fraction(level["frequency_khz"] * KILOHERTZ) for level in table["levels"]]
    highest = len(frequencies) - 1
    cycles = _row(table["cycles"], elapsed_cycles)
    memory = _row(table["memory_ns"], elapsed_memory_ns)
    if len(ages_ns) > len(cycles):
        return highest
    bound = table["bound_us"] * MICROSECOND * Fraction(output_ppm, MILLION)
    bound = bound // NANOSECOND * NANOSECOND
    needed = [Fraction(0)]
    for place, age_ns in enumerate(ages_ns):
        left = bound - (age_ns + memory[place]) * NANOSECOND
        if left <= 0:
            return highest
        needed.append(cycles[place] / left)
    least = table["batch"]["least_khz"] * KILOHERTZ if "batch" in table else 0
    enough = [f >= max(needed) and f >= least for f in frequencies]
    return enough.index(True) if any(enough) else highest


def _row(rows: list[dict[str, Any]], elapsed: int) -> list[int]:
    held = rows[0]["left"]
    for row in rows:
        if row["from_elapsed"] <= elapsed:
            held = row["left"]
    return held

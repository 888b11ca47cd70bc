"""CSS classes of colours; `styles` defines the colours."""

from __future__ import annotations

LINES = 12
AREAS = 2 * LINES
RUNGS = 8
_STEPS = 3


def line_tone(number: int) -> str:
    """CSS class of the line of a policy or baseline; number 0 is the policy."""
    return f"t{number if number < LINES else 1 + (number - 1) % (LINES - 1)}"


def rung_tone(rung: int, rungs: int) -> str:
    """CSS class of a rung, slowest to fastest, spread over all colours."""
    return f"r{round(rung * (RUNGS - 1) / max(rungs - 1, 1))}"


def change_tone(rungs: int) -> str:
    """CSS class of an area where requests run `rungs` rungs higher than before."""
    if rungs == 0:
        return "same"
    return f"{'up' if rungs > 0 else 'down'}{min(abs(rungs), _STEPS)}"


def area_tone(number: int) -> str:
    """CSS classes of the area of job group `number`; the first `AREAS` groups look different."""
    return f"solid t{number % LINES}" + " pale" * (number % AREAS >= LINES)


def ink_tone(number: int) -> str:
    """CSS classes of text on the area of job group `number`."""
    return "name" + " on-pale" * (number % AREAS >= LINES)
